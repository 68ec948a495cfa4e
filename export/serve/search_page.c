// Shows the objects that a selector names.

#include "serve/server.h"

#include <string.h>

/* The most rows of merged paths. */
#define PATHS 40u

static lg_status
select(lg__sheet *sheet, lg_nodes *out, lg_error *err)
{
    sheet->query = lg__request_text(sheet->request, "q", "");
    if (!*sheet->query)
        return lg_error_set(err, LG_EINVAL,
                            "Type what to look for: a path such as "
                            "train.losses[0], type:torch.Tensor (with * for "
                            "any text), an address, or #17.");
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

lg_status
lg__sheet_search(lg__sheet *sheet, lg_error *err)
{
    lg_nodes found = {0};
    lg_status status = select(sheet, &found, err);
    if (!status && found.count == 1)
        lg_text_addf(&sheet->location, "%s%u", lg__page_links.node,
                     found.items[0]);
    else if (!status)
        status = list(sheet, &found, err);
    lg_nodes_free(&found);
    return status;
}

lg_status
lg__sheet_paths(lg__sheet *sheet, lg_error *err)
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
