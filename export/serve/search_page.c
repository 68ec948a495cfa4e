// Shows the names that have certain words, or the objects that a selector
// names.

#include "serve/server.h"

#include <leakgraph/internal/search.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

/* The most names: those behind them lead nobody on. */
#define NAMES 100u

/* The most rows of merged paths. */
#define PATHS 40u

static lg_status
select(lg__sheet *sheet, lg_nodes *out, lg_error *err)
{
    sheet->query = lg__request_text(sheet->request, "q", "");
    return lg_graph_select(sheet->page.graph, sheet->query, sheet->page.monitor,
                           out, err);
}

static void
add_paths(lg__sheet *sheet)
{
    lg_text address = {0};
    lg_text_add(&address, "paths?q=");
    lg_text_add_url(&address, sheet->query, strlen(sheet->query));
    lg__sheet_later(sheet, "paths", "How the roots reach them", &address,
                    "The paths to all of them, merged");
    lg_text_free(&address);
}

static lg_status
list(lg__sheet *sheet, const lg_nodes *found, lg_error *err)
{
    const lg_analysis *analysis = sheet->page.analysis;
    lg_nodes nodes = {0};
    lg_table *table = NULL;
    lg_text title = {0};
    uint64_t first = 0;
    lg_status status =
        lg__sheet_number(sheet, "first", UINT32_MAX, &first, err);
    if (!status)
        status = lg_nodes_ranked(analysis, found->items, found->count,
                                 (size_t)first, LG__SHEET_ROWS, &nodes, err);
    if (!status)
        status =
            lg_tabulate_nodes(analysis, nodes.items, nodes.count, &table, err);
    if (!status) {
        lg_text_add_count(&title, found->count);
        lg_text_addf(&title, " objects: %s", sheet->query);
        lg__sheet_heading(sheet, &title, NULL);
        lg__page_section(&sheet->page, "first", "Those that retain the most");
        status = lg__sheet_list(sheet, table, err);
        lg__sheet_pager(sheet, "first", first, nodes.count,
                        first + nodes.count < found->count);
        lg__page_section_end(&sheet->page);
        add_paths(sheet);
    }
    lg_nodes_free(&nodes);
    return status;
}

static void
add_more(lg__sheet *sheet, const lg_search *found)
{
    lg_text *out = sheet->page.out;
    if (found->total_rows <= found->count)
        return;
    lg_text_add(out, "<p><a href=\"table?of=search&amp;words=");
    lg_text_add_url(out, sheet->query, strlen(sheet->query));
    lg_text_add(out, "\">More names, sorted and filtered as you like</a></p>");
}

static lg_status
list_names(lg__sheet *sheet, const lg_search *found, lg_error *err)
{
    const lg__page *page = &sheet->page;
    const lg_ask ask = {.graph = page->graph,
                        .analysis = page->analysis,
                        .changes = page->changes};
    lg_table *table = NULL;
    lg_text title = {0};
    lg_status status = lg_question_tabulate(lg_question_find("search"), &ask,
                                            found, &table, err);
    if (status)
        return status;
    lg_text_add_count(&title, found->total_rows);
    lg_text_add(&title, found->total_rows == 1 ? " name" : " names");
    if (*sheet->query)
        lg_text_addf(&title, ": %s", sheet->query);
    lg__sheet_heading(sheet, &title, NULL);
    lg_text_add(page->out, "<section>");
    status = lg__sheet_rows(sheet, table, 0, err);
    add_more(sheet, found);
    lg_text_add(page->out, "</section>\n");
    return status;
}

static lg_status
list_selected(lg__sheet *sheet, lg_error *err)
{
    lg_nodes nodes = {0};
    lg_status status = select(sheet, &nodes, err);
    if (!status)
        status = list(sheet, &nodes, err);
    lg_nodes_free(&nodes);
    return status;
}

static lg_status
make_search(lg__sheet *sheet, lg_error *err)
{
    lg_search found = {0};
    sheet->query = lg__request_text(sheet->request, "q", "");
    const lg_search_options options = {
        .size = sizeof options, .words = sheet->query, .limit = NAMES};
    lg_status status = lg_analysis_search(sheet->page.analysis, &options,
                                          sheet->page.monitor, &found, err);
    bool selected = found.count > 0 && found.rows[0].kind == LG_HIT_OBJECT;
    if (!status && selected && found.total_rows == 1)
        lg_text_addf(&sheet->location, "%s%u", lg__page_links.node,
                     found.rows[0].node);
    else if (!status)
        status = selected ? list_selected(sheet, err)
                          : list_names(sheet, &found, err);
    lg_search_free(&found);
    return status;
}

const lg__sheet_kind lg__search_sheet = {"search", make_search, LG__QUICK,
                                         NULL};

static lg_status
make_paths(lg__sheet *sheet, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_nodes found = {0};
    lg_table *table = NULL;
    lg_text title = {0};
    lg_merged_paths paths = {0};
    const lg_merged_options options = {.size = sizeof options, .limit = PATHS};
    lg_status status = select(sheet, &found, err);
    if (!status)
        status =
            lg_analysis_merged_paths(page->analysis, found.items, found.count,
                                     &options, page->monitor, &paths, err);
    if (!status)
        status = lg_tabulate_paths(page->graph, &paths, &table, err);
    if (!status) {
        lg_text_addf(&title, "How the roots reach %s", sheet->query);
        lg__sheet_heading(sheet, &title, NULL);
        lg_text_add(page->out, "<div class=\"answer\">");
        status = lg__sheet_rows(sheet, table, 0, err);
        lg_text_add(page->out, "</div>\n");
    }
    lg_merged_paths_free(&paths);
    lg_nodes_free(&found);
    return status;
}

const lg__sheet_kind lg__paths_sheet = {"paths", make_paths, LG__SLOW, NULL};
