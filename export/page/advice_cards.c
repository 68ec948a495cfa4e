// What is worth doing first: a card for each, with a picture of its holder.

#include "page/page_private.h"

#include <leakgraph/why.h>

#include <string.h>

#define ITEMS 3u

enum { KIND, BYTES, WHAT, HELD_BY, CAUSE, FIX };

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

static lg_status
view_item(const lg__page *page, const lg_advice_item *item, lg_view **out,
          lg_error *err)
{
    lg_why why;
    lg_node node = subject_of(page, item);
    lg_status status = LG_OK;
    *out = NULL;
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
    lg_why_free(&why);
    return status;
}

static lg_status
add_picture(lg__page *page, const lg_advice_item *item, lg_error *err)
{
    lg_view *view;
    lg_status status = view_item(page, item, &view, err);
    if (status || !view)
        return status;
    lg_text_add(page->out, "<details><summary>Picture: what keeps it alive"
                           "</summary>");
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
add_words(lg__page *page, const lg_advice_item *item, const lg_table *table,
          size_t row)
{
    lg_text_add(page->out, "<h3><span class=\"bytes\">");
    lg_text_add_size(page->out, lg_table_cell(table, row, BYTES).count);
    lg_text_add(page->out, "</span> ");
    lg__page_escape(page, lg_table_cell(table, row, WHAT).text);
    lg_text_add(page->out, "</h3><dl>");
    add_where(page, subject_of(page, item),
              lg_table_cell(table, row, HELD_BY).text);
    add_line(page, "", "why", lg_table_cell(table, row, CAUSE).text);
    add_line(page, "fix", "do", lg_table_cell(table, row, FIX).text);
    lg_text_add(page->out, "</dl>");
}

static lg_status
add_cards(lg__page *page, const lg_answers *answers, lg_error *err)
{
    lg_table *table;
    lg_advice advice = lg_advice_choose(answers, ITEMS);
    lg_status status = lg_tabulate_advice(answers, &advice, &table, err);
    if (status)
        return status;
    if (advice.count == 0)
        lg_text_add(page->out,
                    "<p>There is no known mistake, no garbage that piles up, "
                    "and nothing that retains a large part of the heap.</p>");
    lg_text_add(page->out, "<ol class=\"advice\">");
    for (size_t i = 0; i < advice.count && !status; i++) {
        lg_text_addf(page->out, "<li class=\"%s\">",
                     lg_advice_kind_name(advice.items[i].kind));
        add_words(page, &advice.items[i], table, i);
        status = add_picture(page, &advice.items[i], err);
        lg_text_add(page->out, "</li>\n");
    }
    lg_text_add(page->out, "</ol>");
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
