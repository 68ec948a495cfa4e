// What is worth doing first: a card for each, with a picture of its holder.

#include "page/page_private.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/answer_views.h>

#include <string.h>

#define ITEMS 3u

enum { KIND, BYTES, RATE, WHAT, HELD_BY, CAUSE, FIX, HOLDERS, SERIES, FREED };

enum { OF_PATH, OF_HOLDER, OF_ALONE };

// The line of a card, in pixels.
enum { LINE_WIDTH = 132, LINE_HEIGHT = 34, INSET = 3 };

// Chooses what a picture shows: of growth a new member, otherwise the holder.
static lg_node
subject_of(const lg__page *page, const lg_advice_item *item)
{
    const lg_findings *findings = &page->findings;
    if (item->kind == LG_ADVICE_FINDING)
        return findings->items[findings->groups[item->index].first]
            .holders->node;
    if (item->kind == LG_ADVICE_GROWTH)
        return page->growth.rows[item->index].node;
    if (item->kind == LG_ADVICE_HOLDER)
        return page->top.rows[item->index].node;
    return LG_NONE;
}

// Draws the leaks of an item. They are one picture if what goes with all their
// holders is known.
static lg_status
view_leaks(const lg__page *page, const lg_answers *answers,
           const lg_advice_item *item, lg_view **out, lg_error *err)
{
    size_t rows[LG_ADVICE_MOST];
    size_t count = lg_advice_leads(answers, item, rows);
    const uint64_t *freed = NULL;
    size_t holders = 0;
    for (size_t i = 0; i < count; i++)
        holders += page->growth.rows[rows[i]].holder_count;
    if (count == 0 || page->growth.rows[rows[0]].holder_count == 0)
        return LG_OK;
    if (count > 1) {
        const lg_finding_group *group = &page->findings.groups[item->index];
        const lg_finding *first = &page->findings.items[group->first];
        if (group->findings == 1 && holders == first->holder_count)
            freed = first->retained;
        else
            count = 1;
    }
    return lg_view_leaks(&page->growth, rows, count, freed, page->analysis, out,
                         err);
}

static lg_status
view_item(const lg__page *page, const lg_answers *answers,
          const lg_advice_item *item, lg_view **out, lg_error *err)
{
    lg_why why;
    lg_node node = subject_of(page, item);
    *out = NULL;
    lg_status status = view_leaks(page, answers, item, out, err);
    if (status || *out != NULL)
        return status;
    if (item->kind == LG_ADVICE_CYCLE) {
        const lg_cycles *cycles = &page->cycles;
        size_t first = cycles->groups[item->index].first;
        return lg_view_cycle(page->analysis, &cycles->items[first], out, err);
    }
    if (node == LG_NONE)
        return LG_OK;
    status = lg_node_why(page->analysis, node, page->monitor, &why, err);
    if (status)
        return status;
    status = lg_view_why(&why, NULL, page->monitor, out, err);
    lg_why_clear(&why);
    return status;
}

// Returns how many places a picture stands for, of which it shows one.
static uint64_t
count_alike(const lg__page *page, const lg_advice_item *item)
{
    if (item->kind == LG_ADVICE_FINDING && item->grows == SIZE_MAX)
        return page->findings.groups[item->index].findings;
    return item->kind == LG_ADVICE_CYCLE
               ? page->cycles.groups[item->index].count
               : 1;
}

static lg_status
add_picture(lg__page *page, const lg_answers *answers,
            const lg_advice_item *item, lg_error *err)
{
    lg_view *view;
    lg_status status = view_item(page, answers, item, &view, err);
    if (status || !view)
        return status;
    uint64_t alike = count_alike(page, item);
    lg_text_add(page->out, "<details open><summary>");
    if (alike > 1) {
        lg_text_add(page->out, "What keeps alive one of ");
        lg_text_add_count(page->out, alike);
        lg_text_add(page->out, " alike</summary>");
    } else {
        lg_text_add(page->out, "What keeps it alive</summary>");
    }
    status = lg__page_picture(page, view, "what keeps it alive", err);
    lg_text_add(page->out, "</details>");
    return status;
}

static void
add_line(lg__page *page, const char *class, const char *name, lg_string text)
{
    if (!text.length)
        return;
    lg_text_addf(page->out, "<dt>%s</dt><dd class=\"%s\">", name, class);
    lg__page_escape(page, text);
    lg_text_add(page->out, "</dd>");
}

static void
add_where(lg__page *page, lg_node node, lg_string where)
{
    lg_text name = {0};
    if (!where.length)
        return;
    lg_text_add_bytes(&name, where.data, where.length);
    lg_text_add(page->out, "<dt>where</dt><dd class=\"path\">");
    lg__page_link(page, node, &name);
    lg_text_add(page->out, "</dd>");
    page->out->failed |= name.failed;
    lg_text_free(&name);
}

static void
add_alone(lg__page *page, lg_cell alone)
{
    if (!alone.present)
        return;
    lg_text_add(page->out, " alone frees <b>");
    lg_text_add_size(page->out, alone.count);
    lg_text_add(page->out, "</b>");
}

// Lists all that must let go, and what each frees alone.
static void
add_holders(lg__page *page, const lg_table *list, uint64_t together)
{
    size_t count = list != NULL ? lg_table_row_count(list) : 0;
    if (count < 2)
        return;
    lg_text_add(page->out, "<dt>held by</dt><dd><ul class=\"holders\">");
    for (size_t i = 0; i < count; i++) {
        lg_string path = lg_table_cell(list, i, OF_PATH).text;
        lg_text name = {0};
        lg_text_add_bytes(&name, path.data, path.length);
        lg_text_add(page->out, "<li><span class=\"path\">");
        lg__page_link(page, lg_table_cell(list, i, OF_HOLDER).node, &name);
        lg_text_add(page->out, "</span>");
        add_alone(page, lg_table_cell(list, i, OF_ALONE));
        lg_text_add(page->out, "</li>");
        page->out->failed |= name.failed;
        lg_text_free(&name);
    }
    lg_text_addf(page->out, "<li>%s free <b>",
                 count == 2 ? "both together" : "all together");
    lg_text_add_size(page->out, together);
    lg_text_add(page->out, "</b></li></ul></dd>");
}

// Draws the bytes of each snapshot from zero to the most of any card.
static void
add_line_of(lg__page *page, const lg_cell *cell, uint64_t most)
{
    if (cell->count < 2 || most == 0)
        return;
    lg_text_addf(page->out,
                 "<svg class=\"line\" width=\"%d\" height=\"%d\" role=\"img\" "
                 "aria-label=\"from ",
                 LINE_WIDTH, LINE_HEIGHT);
    lg_text_add_size(page->out, cell->numbers[0]);
    lg_text_add(page->out, " to ");
    lg_text_add_size(page->out, cell->numbers[cell->count - 1]);
    lg_text_add(page->out, "\"><polyline fill=\"none\" points=\"");
    for (uint64_t i = 0; i < cell->count; i++) {
        double part = (double)cell->numbers[i] / (double)most;
        double along = (double)i / (double)(cell->count - 1);
        lg_text_addf(page->out, "%s%d,%d", i > 0 ? " " : "",
                     INSET + (int)(along * (LINE_WIDTH - 2 * INSET)),
                     LINE_HEIGHT - INSET -
                         (int)(part * (LINE_HEIGHT - 2 * INSET)));
    }
    lg_text_add(page->out, "\"/></svg>");
}

static void
add_heading(lg__page *page, const lg_table *table, size_t row, uint64_t most)
{
    lg_cell series = lg_table_cell(table, row, SERIES);
    lg_string rate = lg_table_cell(table, row, RATE).text;
    lg_text_add(page->out, "<h3><span><span class=\"bytes\">");
    lg_text_add_size(page->out, lg_table_cell(table, row, BYTES).count);
    lg_text_add(page->out, "</span> now · ");
    if (rate.length > 0) {
        lg__page_escape(page, rate);
        lg_text_add(page->out, " · ");
    }
    lg__page_escape(page, lg_table_cell(table, row, WHAT).text);
    lg_text_add(page->out, "</span>");
    add_line_of(page, &series, most);
    lg_text_add(page->out, "</h3>");
}

static void
add_words(lg__page *page, const lg_advice_item *item, const lg_table *table,
          size_t row, uint64_t most)
{
    const lg_table *holders = lg_table_cell(table, row, HOLDERS).table;
    add_heading(page, table, row, most);
    lg_text_add(page->out, "<dl>");
    add_where(page, subject_of(page, item),
              lg_table_cell(table, row, HELD_BY).text);
    add_holders(page, holders, lg_table_cell(table, row, FREED).count);
    add_line(page, "", "why", lg_table_cell(table, row, CAUSE).text);
    add_line(page, "fix", "do", lg_table_cell(table, row, FIX).text);
    lg_text_add(page->out, "</dl>");
}

static uint64_t
most_of(const lg_table *table)
{
    uint64_t most = 0;
    for (size_t i = 0; i < lg_table_row_count(table); i++) {
        lg_cell series = lg_table_cell(table, i, SERIES);
        for (uint64_t k = 0; k < series.count; k++)
            most = series.numbers[k] > most ? series.numbers[k] : most;
    }
    return most;
}

static bool
is_wrong(const lg_advice *advice, size_t at)
{
    return advice->items[at].kind != LG_ADVICE_HOLDER;
}

// Lists what a process holds that is nobody's mistake: there is nothing to do.
static void
add_biggest(lg__page *page, const lg_advice *advice, const lg_table *table)
{
    size_t at = 0;
    while (at < advice->count && is_wrong(advice, at))
        at++;
    if (at == 0)
        lg_text_add(page->out,
                    page->grows
                        ? "<p class=\"fine\"><b>Nothing to do.</b> There is no "
                          "known mistake, nothing goes on growing, and no "
                          "garbage piles up.</p>"
                        : "<p class=\"fine\"><b>No known mistake,</b> and no "
                          "garbage piles up. One snapshot cannot show what "
                          "grows: compare several.</p>");
    if (at == advice->count)
        return;
    lg_text_add(page->out,
                at == 0 ? "<p class=\"note\">What keeps the most:</p>"
                        : "<p class=\"note\">What else keeps the most:</p>");
    lg_text_add(page->out, "<ul class=\"biggest\">");
    for (; at < advice->count; at++) {
        lg_string path = lg_table_cell(table, at, HELD_BY).text;
        lg_text name = {0};
        lg_text_add(page->out, "<li><b>");
        lg_text_add_size(page->out, lg_table_cell(table, at, BYTES).count);
        lg_text_add(page->out, "</b> ");
        lg__page_escape(page, lg_table_cell(table, at, WHAT).text);
        lg_text_add(page->out, " <span class=\"path\">");
        lg_text_add_bytes(&name, path.data, path.length);
        lg__page_link(page, subject_of(page, &advice->items[at]), &name);
        lg_text_add(page->out, "</span> ");
        lg__page_escape(page, lg_table_cell(table, at, FIX).text);
        lg_text_add(page->out, "</li>");
        page->out->failed |= name.failed;
        lg_text_free(&name);
    }
    lg_text_add(page->out, "</ul>");
}

static lg_status
add_cards(lg__page *page, const lg_answers *answers, lg_error *err)
{
    lg_table *table;
    lg_advice advice = lg_advice_choose(answers, ITEMS);
    lg_status status = lg_tabulate_advice(answers, &advice, &table, err);
    if (status)
        return status;
    uint64_t most = most_of(table);
    lg_text_add(page->out, "<ol class=\"advice\">");
    for (size_t i = 0; i < advice.count && is_wrong(&advice, i) && !status;
         i++) {
        lg_text_addf(page->out, "<li class=\"%s\">",
                     lg_advice_kind_name(advice.items[i].kind));
        add_words(page, &advice.items[i], table, i, most);
        status = add_picture(page, answers, &advice.items[i], err);
        lg_text_add(page->out, "</li>\n");
    }
    lg_text_add(page->out, "</ol>");
    add_biggest(page, &advice, table);
    lg_table_free(table);
    return status;
}

lg_status
lg__page_add_advice(lg__page *page, lg_error *err)
{
    const lg_answers answers = {
        .analysis = page->analysis,
        .findings = &page->findings,
        .cycles = &page->cycles,
        .growth = page->grows ? &page->growth : NULL,
        .accounts = &page->accounts,
        .top = &page->top,
    };
    lg__page_section(page, "advice", "What to do first");
    lg_status status = add_cards(page, &answers, err);
    lg__page_section_end(page);
    return status;
}
