// Pages of one answer: why an object is alive, a picture, a cycle, or what
// would die.

#include "serve/server.h"

#include <leakgraph/internal/what_if.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

static void
head_object(lg__sheet *sheet, const char *before, lg_node node)
{
    lg_text title = {0};
    lg_text name = {0};
    lg_node_title(sheet->page.graph, node, false, &name);
    lg_text_addf(&name, " #%u", node);
    lg_text_add(&title, before);
    lg__sheet_heading(sheet, &title, NULL);
    lg_text_add(sheet->page.out, "<p>");
    lg__page_link(&sheet->page, node, &name);
    lg_text_add(sheet->page.out, "</p>\n");
    sheet->page.out->failed |= name.failed;
    lg_text_free(&name);
}

static lg_status
add_why(lg__sheet *sheet, const lg_why *why, lg_error *err)
{
    lg_text report = {0};
    lg_view *view = NULL;
    lg_status status =
        lg_report_why(why, NULL, NULL, LG_FORMAT_TEXT, &report, err);
    if (!status) {
        lg__page_pre(&sheet->page, &report);
        status = lg_view_why(why, NULL, sheet->page.monitor, &view, err);
    }
    if (!status)
        status =
            lg__page_picture(&sheet->page, view, "what keeps it alive", err);
    lg_text_free(&report);
    return status;
}

lg_status
lg__sheet_why(lg__sheet *sheet, lg_error *err)
{
    lg_why why;
    lg_node node = 0;
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (!status)
        status = lg_node_why(sheet->page.analysis, node, sheet->page.monitor,
                             &why, err);
    if (status)
        return status;
    head_object(sheet, "Why is it alive?", node);
    lg_text_add(sheet->page.out, "<div class=\"answer\">");
    status = add_why(sheet, &why, err);
    lg_text_add(sheet->page.out, "</div>\n");
    lg_why_clear(&why);
    return status;
}

lg_status
lg__sheet_picture(lg__sheet *sheet, lg_error *err)
{
    static const char *const words[] = {"referrers", "references",
                                        "dominators"};
    static const char *const headings[] = {
        "What refers to it", "What it refers to", "What goes with it"};
    const lg__page *page = &sheet->page;
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_view *view = NULL;
    lg_node node = 0;
    unsigned of = 0;
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    if (!lg__request_choice(sheet->request, "of", words, 3, &of))
        return lg_error_set(err, LG_EINVAL,
                            "of takes referrers, references or dominators.");
    const lg_dominator_options tree = {
        .size = sizeof tree, .node = &node, .min_share = 0.01};
    options.direction = of == 0 ? LG_BACKREFS : LG_REFS;
    options.max_nodes = 60;
    options.analysis = page->analysis;
    status = of == 2 ? lg_view_dominators(page->analysis, &tree, NULL,
                                          page->monitor, &view, err)
                     : lg_view_new(page->graph, &node, 1, &options,
                                   page->monitor, &view, err);
    if (status)
        return status;
    head_object(sheet, headings[of], node);
    lg_text_add(page->out, "<div class=\"answer\">");
    status = lg__page_picture(&sheet->page, view, headings[of], err);
    lg_text_add(page->out, "</div>\n");
    return status;
}

static lg_status
add_members(lg__sheet *sheet, uint32_t component, lg_error *err)
{
    const lg_analysis *analysis = sheet->page.analysis;
    lg_component of = lg_analysis_component(analysis, component);
    lg_nodes nodes = {0};
    lg_table *table = NULL;
    uint64_t first = 0;
    lg__page_section(&sheet->page, "first", "Its objects");
    lg_status status =
        lg__sheet_number(sheet, "first", UINT32_MAX, &first, err);
    if (!status)
        status = lg_nodes_ranked(analysis, of.nodes, of.count, (size_t)first,
                                 LG__SHEET_ROWS, &nodes, err);
    if (!status)
        status =
            lg_tabulate_nodes(analysis, nodes.items, nodes.count, &table, err);
    if (!status)
        status = lg__sheet_list(sheet, table, err);
    lg__sheet_pager(sheet, "first", first, nodes.count,
                    first + nodes.count < of.count);
    lg__page_section_end(&sheet->page);
    lg_nodes_free(&nodes);
    return status;
}

static lg_status
add_cycle(lg__sheet *sheet, const lg_cycles *cycles, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_table *table = NULL;
    lg_view *view = NULL;
    lg_text label = {0};
    const lg_ask ask = {.graph = page->graph, .analysis = page->analysis};
    lg_status status = lg_question_tabulate(lg_question_find("cycles"), &ask,
                                            cycles, &table, err);
    if (!status)
        status = lg__sheet_rows(sheet, table, 0, err);
    if (!status && cycles->count > 0)
        status = lg_view_cycle(page->analysis, &cycles->items[0], &view, err);
    if (!status && view) {
        lg_cycle_label(page->graph, &cycles->items[0], &label);
        status = lg__page_picture(&sheet->page, view,
                                  label.data ? label.data : "", err);
    }
    lg_text_free(&label);
    return status;
}

// A cycle has a number, or is that of an object.
static lg_status
find_cycle(const lg__sheet *sheet, uint64_t *out, lg_error *err)
{
    lg_node node;
    if (!*lg__request_text(sheet->request, "node", ""))
        return lg__sheet_number(sheet, "of", UINT32_MAX, out, err);
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    *out = lg_node_component(sheet->page.analysis, node);
    return *out != LG_NONE ? LG_OK
                           : lg_error_set(err, LG_ENOTFOUND,
                                          "#%u is part of no cycle.", node);
}

lg_status
lg__sheet_cycle(lg__sheet *sheet, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_cycles cycles;
    lg_text title = {0};
    uint64_t component = 0;
    lg_status status = find_cycle(sheet, &component, err);
    if (!status && component >= lg_analysis_component_count(page->analysis))
        status = lg_error_set(err, LG_ENOTFOUND, "There is no cycle %llu.",
                              (unsigned long long)component);
    if (!status)
        status = lg_component_cycle(page->analysis, (uint32_t)component,
                                    page->monitor, &cycles, err);
    if (status)
        return status;
    lg_text_add(&title, "A cycle");
    lg__sheet_heading(sheet, &title, NULL);
    status = add_cycle(sheet, &cycles, err);
    if (!status)
        status = add_members(sheet, (uint32_t)component, err);
    lg_cycles_free(&cycles);
    return status;
}
