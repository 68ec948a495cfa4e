// The report page from top to bottom.

#include "page/page_private.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

#define ROWS 50u
#define WASTE_ROWS 20u
#define THREAD_ROWS 400u
#define PICTURES 4u

static void
format_info(lg__page *page, const char *before, const char *key,
            const char *after)
{
    lg_string value = lg_graph_info_find(page->graph, key);
    if (!value.length)
        return;
    lg_text_add(page->out, before);
    lg__page_escape(page, value);
    lg_text_add(page->out, after);
}

// Returns whether the process runs a module: `-m app`.
static bool
runs_module(const lg__page *page)
{
    lg_string program = lg_graph_info_find(page->graph, "program");
    return program.length > 3 && memcmp(program.data, "-m ", 3) == 0;
}

// `2026-11-22T16:14:48Z` as `2026-11-22 16:14:48 UTC`.
static void
format_time(lg__page *page)
{
    lg_string time = lg_graph_info_find(page->graph, "time");
    if (time.length != strlen("2026-11-22T16:14:48Z"))
        return;
    lg_text_add(page->out, ", taken <time>");
    lg__page_escape(page, (lg_string){time.data, 10});
    lg_text_add(page->out, " ");
    lg__page_escape(page, (lg_string){time.data + 11, 8});
    lg_text_add(page->out, " UTC</time>");
}

static void
format_sizes(lg__page *page, const uint64_t *bytes)
{
    lg_text_add(page->out, "<b>");
    lg__page_sizes(page, bytes);
    lg_text_add(page->out, "</b>");
}

static void
format_objects(lg__page *page)
{
    const lg_top *top = &page->top;
    lg_text *out = page->out;
    lg_text_add(out, "<p>It has <b>");
    lg_text_add_count(out, lg_graph_columns(page->graph)->node_count);
    lg_text_add(out, "</b> objects. Those that roots reach hold ");
    format_sizes(page, top->reachable);
    if (lg_bytes_sum(top->libraries, (size_t)top->devices + 1)) {
        lg_text_add(out, ", of which libraries keep ");
        format_sizes(page, top->libraries);
        lg_text_add(out, " for themselves");
    }
    lg_text_add(out, ".");
    if (lg_bytes_sum(top->garbage, (size_t)top->devices + 1)) {
        lg_text_add(out, " Garbage that waits for the collector holds ");
        format_sizes(page, top->garbage);
        lg_text_add(out, ".");
    }
    if (page->accounts.host[LG_HOST_RSS] > 0) {
        lg_text_add(out, " The system counts <b>");
        lg_text_add_size(out, (uint64_t)page->accounts.host[LG_HOST_RSS]);
        lg_text_add(out, "</b> of memory for the process.");
    }
    lg_text_add(out, "</p>\n");
}

static void
format_growth(lg__page *page)
{
    lg_text said = {0};
    const char *caveat = lg_growth_caveat(&page->growth);
    if (!page->grows)
        return;
    lg_growth_headline(&page->growth, &said);
    lg_text_add(page->out, "<p>");
    lg_text_add_html(page->out, said.data ? said.data : "", said.length);
    lg_text_add(page->out, ".</p>\n");
    lg__page_notes(page);
    if (caveat != NULL && page->growth.count > 0)
        lg_text_addf(page->out,
                     "<p class=\"note\">%s: compare three or more</p>\n",
                     caveat);
    page->out->failed |= said.failed;
    lg_text_free(&said);
}

static void
format_process(lg__page *page)
{
    const char *title = page->title.data;
    lg_text *out = page->out;
    lg_text_add(out, "<h1>");
    if (title)
        lg_text_add_html(out, title, strlen(title));
    else
        lg_text_add(out, "What keeps these bytes alive?");
    lg_text_add(out, "</h1>\n<p class=\"what\">A process of CPython");
    format_info(page, " ", "python", "");
    format_info(page, " on ", "platform", "");
    format_info(page, runs_module(page) ? " that runs python " : " that runs ",
                "program", "");
    format_info(page, ", pid ", "pid", "");
    format_time(page);
    lg_text_add(out, ".</p>\n");
    format_objects(page);
    format_growth(page);
}

static void
add_all_rows(lg__page *page, const char *id)
{
    if (page->has_table && page->has_table(id))
        lg_text_addf(page->out,
                     "<p><a href=\"table?of=%s\">More rows and other "
                     "groups</a></p>",
                     id);
}

lg_status
lg__page_table(lg__page *page, const char *id, const char *heading,
               lg_table *table, size_t limit, lg_error *err)
{
    lg__page_section(page, id, heading);
    lg_text_addf(page->out,
                 "<div class=\"table\" tabindex=\"0\" id=\"%s-table\">", id);
    lg_status status = lg__page_rows(page, table, limit, err);
    lg_text_add(page->out, "</div>");
    add_all_rows(page, id);
    lg__page_section_end(page);
    lg_table_free(table);
    return status;
}

// What a section asks of the snapshot, for people.
static lg_ask
ask_of(const lg__page *page)
{
    return (lg_ask){.graph = page->graph,
                    .analysis = page->analysis,
                    .changes = page->changes,
                    .reader = LG_READER_READS};
}

static lg_status
add_findings(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    const lg_question *findings = lg_question_find("findings");
    const lg_ask ask = ask_of(page);
    lg_status status =
        lg_question_tabulate(findings, &ask, &page->findings, &table, err);
    return status ? status
                  : lg__page_table(page, findings->name, findings->title, table,
                                   0, err);
}

static lg_status
add_growth(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    if (!page->grows)
        return LG_OK;
    const lg_question *growth = lg_question_find("growth");
    const lg_ask ask = {
        .graph = page->graph, .limit = ROWS, .reader = LG_READER_READS};
    lg_status status =
        lg_question_tabulate(growth, &ask, &page->growth, &table, err);
    return status ? status
                  : lg__page_table(page, growth->name, growth->title, table,
                                   ROWS, err);
}

static lg_status
add_chart(lg__page *page, lg_error *err)
{
    bool sampled = page->options->samples != NULL;
    if (!page->grows && !sampled)
        return LG_OK;
    lg__page_section(page, "chart",
                     sampled                  ? "Memory over time"
                     : page->growth.has_steps ? "Memory over steps"
                                              : "Memory over snapshots");
    lg_status status = lg__page_draw_memory(page, err);
    lg__page_section_end(page);
    return status;
}

static lg_status
add_map(lg__page *page, lg_error *err)
{
    (void)err;
    lg__page_section(page, "map", "Who owns the bytes");
    lg_text_add(
        page->out,
        "<p class=\"note\">Each area is a place in the dominator tree: "
        "objects that are held in the same way. When you free the holder "
        "of an area, you free all that is in it.</p>"
        "<div id=\"map-view\"><noscript><p>The areas need a browser "
        "that runs the page's script. All tables are below."
        "</p></noscript></div>");
    lg__page_section_end(page);
    return LG_OK;
}

static lg_status
add_tree(lg__page *page, lg_error *err)
{
    lg__page_section(page, "tree", "Who owns the bytes, place by place");
    lg_status status = lg__page_write_tree(page, err);
    lg__page_section_end(page);
    return status;
}

// Sets the greatest number of rows, if the question has that option.
static void
give_limit(const lg_question *question, size_t limit, lg_given *given)
{
    size_t at = lg_question_option(question, "limit");
    if (at != SIZE_MAX)
        given[at] = (lg_given){.given = true, .usual = true, .number = limit};
}

static lg_status
add_answer(lg__page *page, const char *name, size_t limit, lg_error *err)
{
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    const lg_question *question = lg_question_find(name);
    lg_ask ask = ask_of(page);
    ask.given = given;
    ask.monitor = page->monitor;
    lg_table *table = NULL;
    give_limit(question, limit, given);
    lg_status status = lg_question_ask(question, &ask, &table, err);
    return status ? status
                  : lg__page_table(page, name, question->title, table, 0, err);
}

// The page has asked this question already.
static lg_status
add_top(lg__page *page, lg_error *err)
{
    const lg_question *top = lg_question_find("top");
    const lg_ask ask = ask_of(page);
    lg_table *table = NULL;
    lg_status status = lg_question_tabulate(top, &ask, &page->top, &table, err);
    return status ? status
                  : lg__page_table(page, "top", top->title, table, 0, err);
}

// Shows lines only if the snapshot knows any.
static lg_status
add_allocations(lg__page *page, lg_error *err)
{
    const lg_question *question = lg_question_find("allocations");
    lg_ask ask = ask_of(page);
    ask.monitor = page->monitor;
    lg_table *table = NULL;
    if (!lg_graph_has_allocations(page->graph))
        return LG_OK;
    lg_status status = lg_question_ask(question, &ask, &table, err);
    if (status)
        return status;
    lg__page_section(page, "allocations", question->title);
    status = lg__page_draw_allocations(page, err);
    lg_text_add(page->out, "<div class=\"table\" tabindex=\"0\" "
                           "id=\"allocations-table\">");
    if (!status)
        status = lg__page_rows(page, table, 0, err);
    lg_text_add(page->out, "</div>");
    add_all_rows(page, "allocations");
    lg__page_section_end(page);
    lg_table_free(table);
    return status;
}

static lg_status
add_cycle_picture(lg__page *page, const lg_cycle *cycle, lg_error *err)
{
    lg_view *view = NULL;
    lg_text label = {0};
    lg_status status = lg_view_cycle(page->analysis, cycle, &view, err);
    if (status)
        return status;
    lg_cycle_label(page->graph, cycle, &label);
    lg_text_add(page->out, "<figure><figcaption class=\"path\">");
    lg_text_add_html(page->out, label.data ? label.data : "", label.length);
    lg_text_add(page->out, "</figcaption>");
    status = lg__page_picture(page, view, label.data ? label.data : "", err);
    lg_text_add(page->out, "</figure>");
    page->out->failed |= label.failed;
    lg_text_free(&label);
    return status;
}

static lg_status
add_cycle_pictures(lg__page *page, lg_error *err)
{
    const lg_cycles *cycles = &page->cycles;
    lg_status status = LG_OK;
    unsigned drawn = 0;
    for (size_t i = 0; i < cycles->group_count && drawn < PICTURES; i++) {
        const lg_cycle *first = &cycles->items[cycles->groups[i].first];
        if (first->library.length > 0 || status)
            continue;
        status = add_cycle_picture(page, first, err);
        drawn++;
    }
    return status;
}

// Adds the table of cycles, and pictures of the biggest ones.
static lg_status
add_cycles(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    const lg_question *cycles = lg_question_find("cycles");
    const lg_ask ask = ask_of(page);
    page->rows_lead = LG__PAGE_CYCLE;
    lg__page_section(page, cycles->name, cycles->title);
    lg_status status =
        lg_question_tabulate(cycles, &ask, &page->cycles, &table, err);
    if (!status) {
        lg_text_add(page->out, "<div class=\"table\" tabindex=\"0\">");
        status = lg__page_rows(page, table, 0, err);
        page->rows_lead = NULL;
        lg_text_add(page->out, "</div>");
        lg_table_free(table);
    }
    add_all_rows(page, "cycles");
    if (!status)
        status = add_cycle_pictures(page, err);
    lg__page_section_end(page);
    return status;
}

static lg_status
add_details(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_info(page->graph, &table, err);
    return status ? status
                  : lg__page_table(page, "snapshot", "The snapshot", table, 0,
                                   err);
}

static lg_status
add_sections(lg__page *page, lg_error *err)
{
    // A section has a function of its own, or is the table of a question.
    static const struct {
        lg_status (*add)(lg__page *, lg_error *);
        const char *question;
        size_t rows;
    } parts[] = {
        {.add = add_chart},
        {.add = lg__page_add_advice},
        {.add = add_growth},
        {.add = add_map},
        {.add = add_tree},
        {.add = add_top},
        {.add = add_allocations},
        {.add = add_findings},
        {.add = add_cycles},
        {.add = lg__page_add_memory},
        {.question = "waste", .rows = WASTE_ROWS},
        {.question = "types", .rows = ROWS},
        {.question = "tensors", .rows = ROWS},
        {.question = "figures", .rows = ROWS},
        {.question = "threads", .rows = THREAD_ROWS},
        {.add = add_details},
    };
    lg_status status = LG_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !status; i++)
        status = parts[i].add != NULL
                     ? parts[i].add(page, err)
                     : add_answer(page, parts[i].question, parts[i].rows, err);
    return status;
}

static lg_status
add_body(lg__page *page, lg_error *err)
{
    lg_text sections = {0};
    lg_text *out = page->out;
    page->out = &sections;
    lg_status status = add_sections(page, err);
    page->out = out;
    lg__page_head(page, page->title.data);
    lg_text_add(out, "<header>\n");
    lg__page_search(page, "");
    format_process(page);
    lg_text_add(out, "</header>\n<nav aria-label=\"Sections\">");
    lg_text_add_bytes(out, page->nav.data, page->nav.length);
    lg_text_add(out, "</nav>\n<main>\n");
    lg_text_add_bytes(out, sections.data, sections.length);
    lg_text_add(out, "</main>\n");
    out->failed |= sections.failed || page->nav.failed;
    lg_text_free(&sections);
    return status;
}

static lg_status
ask_growth(lg__page *page, lg_error *err)
{
    const lg_page_options *given = page->options;
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.steps = given->steps;
    options.settled = given->settled;
    if (given->summary_count < 2)
        return LG_OK;
    lg_status status =
        lg_growth_find(given->summaries, given->summary_count, page->analysis,
                       &options, page->monitor, &page->growth, err);
    page->grows = !status;
    return status;
}

static lg_status
ask_changes(lg__page *page, lg_error *err)
{
    const lg_page_options *given = page->options;
    page->changes = given->changes;
    if (page->changes != NULL)
        return LG_OK;
    lg_status status =
        lg_changes_new(given->summaries, given->summary_count, given->steps,
                       page->analysis, page->monitor, &page->own_changes, err);
    page->changes = page->own_changes;
    return status;
}

static lg_status
ask_places(lg__page *page, lg_error *err)
{
    const lg_page_options *given = page->options;
    if (given->summary_count > 0) {
        page->places =
            lg_summary_places(given->summaries[given->summary_count - 1]);
        return LG_OK;
    }
    lg_status status =
        lg_places_new(page->analysis, page->monitor, &page->own_places, err);
    page->places = page->own_places;
    return status;
}

static lg_status
ask(lg__page *page, lg_error *err)
{
    lg_cycle_options cycles = LG_CYCLE_OPTIONS_INIT;
    lg_top_options top = LG_TOP_OPTIONS_INIT;
    cycles.limit = ROWS;
    top.limit = ROWS;
    lg_status status = lg_analysis_findings(page->analysis, NULL, page->monitor,
                                            &page->findings, err);
    if (!status)
        status = lg_analysis_cycles(page->analysis, &cycles, page->monitor,
                                    &page->cycles, err);
    if (!status)
        status = lg_graph_accounts(page->graph, NULL, &page->accounts, err);
    if (!status)
        status = lg_analysis_top(page->analysis, &top, page->monitor,
                                 &page->top, err);
    if (!status)
        status = ask_growth(page, err);
    if (!status)
        status = ask_changes(page, err);
    return status ? status : ask_places(page, err);
}

static void
end(lg__page *page)
{
    lg_findings_free(&page->findings);
    lg_cycles_free(&page->cycles);
    lg_accounts_free(&page->accounts);
    lg_top_free(&page->top);
    lg_growth_free(&page->growth);
    lg_places_free(page->own_places);
    lg_changes_free(page->own_changes);
    lg_text_free(&page->title);
    lg_text_free(&page->nav);
}

static void
find_title(lg__page *page)
{
    const char *given = page->options->title;
    lg_string program = lg_graph_info_find(page->graph, "program");
    if (given) {
        lg_text_add(&page->title, given);
    } else if (program.length > 0) {
        lg_text_add(&page->title, runs_module(page) ? "python " : "");
        lg_text_add_bytes(&page->title, program.data, program.length);
    } else if (page->options->name) {
        lg_text_add(&page->title, page->options->name);
    }
}

static lg_status
make(const lg_analysis *analysis, const lg_page_options *options,
     lg__page_has_table *has_table, const lg_monitor *monitor, lg_text *out,
     lg_error *err)
{
    static const lg_page_options usual = LG_PAGE_OPTIONS_INIT;
    lg_text whole = {0};
    lg__page page = {.analysis = analysis,
                     .graph = lg_analysis_graph(analysis),
                     .options = options ? options : &usual,
                     .monitor = monitor,
                     .served = has_table != NULL,
                     .has_table = has_table,
                     .out = &whole};
    find_title(&page);
    lg_status status = ask(&page, err);
    if (!status)
        status = add_body(&page, err);
    if (!status)
        status = lg__page_add_data(&page, err);
    if (!status)
        lg__page_tail(&page);
    if (!status && whole.failed)
        status = lg_error_set(err, LG_ENOMEM, "memory ran out");
    if (!status)
        lg_text_add_bytes(out, whole.data, whole.length);
    lg_text_free(&whole);
    end(&page);
    return status;
}

lg_status
lg_page_html(const lg_analysis *analysis, const lg_page_options *options,
             const lg_monitor *monitor, lg_text *out, lg_error *err)
{
    return make(analysis, options, NULL, monitor, out, err);
}

lg_status
lg__page_serve(const lg_analysis *analysis, const lg_page_options *options,
               lg__page_has_table *has_table, const lg_monitor *monitor,
               lg_text *out, lg_error *err)
{
    return make(analysis, options, has_table, monitor, out, err);
}
