// Shows what an object owns, or what refers to it, as a tree that opens level
// by level. The script opens levels in place; without it, each is a page.

#include "serve/server.h"

#include <leakgraph/internal/branches.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

/* The most rows of a level. */
enum { ROWS = 50 };

static const char *const ways[] = {"owned", "referrers"};

static void
add_open_link(lg__sheet *sheet, lg_node parent, unsigned way,
              const lg_branch *branch)
{
    lg_text *out = sheet->page.out;
    if (!branch->opens)
        return;
    lg_node below = branch->count > 1 ? parent : branch->node;
    lg_text_addf(out, "<a class=\"open\" href=\"tree?node=%u&amp;of=%s", below,
                 ways[way]);
    if (branch->count > 1)
        lg_text_addf(out, "&amp;like=%u", branch->node);
    lg_text_add(out, "\">open</a> ");
}

static void
add_name(lg__sheet *sheet, const lg_branch *branch)
{
    const lg_graph *graph = sheet->page.graph;
    lg_text label = {0};
    lg_text name = {0};
    lg_branch_label(graph, branch, &label);
    lg_text_add_html(sheet->page.out, label.data ? label.data : "",
                     label.length);
    lg_text_add(sheet->page.out, " ");
    if (branch->count > 1) {
        lg_text_add_count(&name, branch->count);
        lg_text_add(&name, " such as ");
    }
    lg_node_title(graph, branch->node, false, &name);
    lg_text_addf(&name, " #%u", branch->node);
    lg__page_link(&sheet->page, branch->node, &name);
    sheet->page.out->failed |= label.failed || name.failed;
    lg_text_free(&label);
    lg_text_free(&name);
}

static void
add_branch(lg__sheet *sheet, lg_node parent, unsigned way,
           const lg_branch *branch)
{
    lg_text *out = sheet->page.out;
    lg_text_add(out, "<tr><td>");
    add_open_link(sheet, parent, way, branch);
    add_name(sheet, branch);
    lg__page_tree_values(&sheet->page, branch->node, "");
    lg_text_add(out, "</td>");
    lg__page_tree_numbers(&sheet->page, branch->node, branch->retained,
                          branch->own, branch->count);
    lg_text_add(out, "</tr>");
}

static void
add_branches(lg__sheet *sheet, lg_node node, unsigned way,
             const lg_branches *found)
{
    lg_text *out = sheet->page.out;
    size_t rows = found->count < ROWS ? found->count : ROWS;
    lg_text_add(out, "<div class=\"table answer\" tabindex=\"0\">");
    lg__page_tree_begin(&sheet->page);
    for (size_t i = 0; i < rows; i++)
        add_branch(sheet, node, way, &found->items[i]);
    lg_text_add(out, "</tbody></table>");
    if (found->count > rows) {
        lg_text_add(out, "<p class=\"note\">... and ");
        lg_text_add_count(out, found->count - rows);
        lg_text_add(out, " more that retain less</p>");
    }
    lg_text_add(out, "</div>\n");
}

lg_status
lg__sheet_branches(lg__sheet *sheet, lg_node node, unsigned way, lg_node like,
                   lg_error *err)
{
    lg_branches found = {0};
    lg_status status = lg_node_branches(sheet->page.analysis, node,
                                        (lg_branch_way)way, like, &found, err);
    if (!status && found.count == 0)
        lg_text_add(sheet->page.out, "<p class=\"note answer\">Nothing.</p>");
    else if (!status)
        add_branches(sheet, node, way, &found);
    lg_branches_free(&found);
    return status;
}

lg_status
lg__sheet_tree(lg__sheet *sheet, lg_error *err)
{
    uint64_t like = LG_NONE;
    unsigned way = 0;
    lg_node node = 0;
    lg_text title = {0};
    lg_text name = {0};
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    if (!lg__request_choice(sheet->request, "of", ways, 2, &way) ||
        !lg__request_number(sheet->request, "like", LG_NONE, LG_NONE, &like))
        return lg_error_set(err, LG_EINVAL,
                            "of takes owned or referrers, and like a number.");
    lg_text_add(&title, way == LG_BRANCH_OWNED ? "What goes with it"
                                               : "What refers to it");
    lg__sheet_heading(sheet, &title, NULL);
    lg_node_title(sheet->page.graph, node, false, &name);
    lg_text_addf(&name, " #%u", node);
    lg_text_add(sheet->page.out, "<p>");
    lg__page_link(&sheet->page, node, &name);
    lg_text_add(sheet->page.out, "</p>\n");
    lg_text_free(&name);
    return lg__sheet_branches(sheet, node, way, (lg_node)like, err);
}
