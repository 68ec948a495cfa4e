// The page of one object: what it is, its referrers, its references, and what
// it retains. What it owns, and what refers to it, are trees that open level by
// level: the script opens levels in place; without it, each is a page.

#include "serve/server.h"

#include <leakgraph/internal/branches.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdio.h>

enum { LEVEL = 50 }; // most rows of a level

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
    size_t rows = found->count < LEVEL ? found->count : LEVEL;
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

static lg_status
add_level(lg__sheet *sheet, lg_node node, unsigned way, lg_node like,
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

static lg_status
make_tree(lg__sheet *sheet, lg_error *err)
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
    return add_level(sheet, node, way, (lg_node)like, err);
}

const lg__sheet_kind lg__tree_sheet = {"tree", make_tree, LG__QUICK, NULL};

static void
begin_fact(lg__sheet *sheet, const char *name, const char *class)
{
    lg_text_addf(sheet->page.out, "<dt>%s</dt><dd%s%s%s>", name,
                 class ? " class=\"" : "", class ? class : "",
                 class ? "\"" : "");
}

static void
end_fact(lg__sheet *sheet)
{
    lg_text_add(sheet->page.out, "</dd>");
}

// Adds a text and frees it.
static void
add_text(lg__sheet *sheet, lg_text *text)
{
    lg_text_add_html(sheet->page.out, text->data ? text->data : "",
                     text->length);
    sheet->page.out->failed |= text->failed;
    lg_text_free(text);
}

static void
add_object(lg__sheet *sheet, const char *name, lg_node node)
{
    lg_text title = {0};
    if (node == LG_NONE)
        return;
    lg_node_title(sheet->page.graph, node, false, &title);
    lg_text_addf(&title, " #%u", node);
    begin_fact(sheet, name, NULL);
    lg__page_link(&sheet->page, node, &title);
    end_fact(sheet);
    sheet->page.out->failed |= title.failed;
    lg_text_free(&title);
}

static void
add_type(lg__sheet *sheet, lg_node node)
{
    const lg_graph *graph = sheet->page.graph;
    lg_type type =
        lg_graph_type(graph, lg_columns_type(lg_graph_columns(graph), node));
    lg_text *out = sheet->page.out;
    begin_fact(sheet, "type", NULL);
    lg_text_addf(out, "<a href=\"%stype%%3A", lg__page_links.selector);
    lg_text_add_url(out, type.name.data, type.name.length);
    lg_text_add(out, "\">");
    lg__page_escape(&sheet->page, type.name);
    lg_text_add(out, "</a>");
    end_fact(sheet);
}

static void
add_sizes(lg__sheet *sheet, lg_node node)
{
    enum { MOST = 64 };
    const lg__page *page = &sheet->page;
    uint32_t devices = lg_graph_device_count(page->graph);
    uint64_t retained[MOST] = {0};
    lg_text size = {0};
    for (uint32_t on = 0; on <= devices && on < MOST; on++)
        retained[on] = lg_node_retained_on(page->analysis, node, on);
    begin_fact(sheet, "retains", "bytes");
    lg__page_sizes(&sheet->page, retained);
    end_fact(sheet);
    begin_fact(sheet, "size", NULL);
    lg_node_bytes_format(page->graph, node, &size);
    add_text(sheet, &size);
    end_fact(sheet);
}

/* The most steps of a path that a page shows at its beginning, and at its
 * end. */
enum { STEPS = 12 };

/* Adds a step with a link to its object, and one to what its cut would free. */
static void
add_step(lg__sheet *sheet, const lg_hop *hop)
{
    lg_text *out = sheet->page.out;
    lg_text label = {0};
    lg_hop_label(sheet->page.graph, hop, &label);
    bool is_word =
        label.length > 0 && label.data[0] != '.' && label.data[0] != '[';
    lg_text_add(out, is_word ? " <li>" : "<li>");
    lg__page_link(&sheet->page, hop->target, &label);
    lg_text_addf(out,
                 "<a class=\"cut\" href=\"%s%%23%u-%%3E%%23%u\" "
                 "title=\"What if this reference were cut?\">cut</a><wbr></li>",
                 lg__page_links.reference, hop->source, hop->target);
    out->failed |= label.failed;
    lg_text_free(&label);
}

/* Adds the steps, which together read as the label of the path does. */
static void
add_steps(lg__sheet *sheet, const lg_path *path, const lg_text *label)
{
    lg_text root = {0};
    lg_path start = *path;
    start.count = 0;
    lg_path_label(sheet->page.graph, &start, &root);
    lg_text_add(sheet->page.out, "<ol class=\"steps\" data-path=\"");
    lg_text_add_html(sheet->page.out, label->data, label->length);
    lg_text_add(sheet->page.out, "\"><li>");
    lg__page_link(&sheet->page, path->root.node, &root);
    lg_text_add(sheet->page.out, "</li>");
    for (size_t i = 0; i < path->count; i++) {
        bool left_out = i >= STEPS && i + STEPS < path->count;
        if (!left_out)
            add_step(sheet, &path->hops[i]);
        else if (i == STEPS)
            lg_text_add(sheet->page.out, "<li>…</li>");
    }
    lg_text_add(sheet->page.out, "</ol>");
    sheet->page.out->failed |= root.failed;
    lg_text_free(&root);
}

static lg_status
add_path(lg__sheet *sheet, lg_node node, lg_error *err)
{
    lg_text text = {0};
    lg_path path = {0};
    lg_status status =
        lg_nodes_path_labels(sheet->page.analysis, &node, 1, NULL, &text, err);
    if (!status && text.length > 0) {
        begin_fact(sheet, "path", "path");
        if (!lg_path_from_root(sheet->page.graph, node, sheet->page.monitor,
                               &path, NULL))
            add_steps(sheet, &path, &text);
        else
            lg_text_add_html(sheet->page.out, text.data, text.length);
        end_fact(sheet);
    }
    sheet->page.out->failed |= text.failed;
    lg_path_free(&path);
    lg_text_free(&text);
    return status;
}

static void
add_cycle(lg__sheet *sheet, lg_node node)
{
    const lg_analysis *analysis = sheet->page.analysis;
    uint32_t component = lg_node_component(analysis, node);
    lg_text *out = sheet->page.out;
    if (component == LG_NONE)
        return;
    begin_fact(sheet, "cycle", NULL);
    uint32_t count = lg_component_objects(analysis, component);
    lg_text_addf(out, "<a href=\"cycle?of=%u\">", component);
    if (count > 1) {
        lg_text_add(out, "one of ");
        lg_text_add_count(out, count);
        lg_text_add(out, " objects that refer to each other</a>");
    } else {
        lg_text_add(out, "it refers to itself</a>");
    }
    end_fact(sheet);
}

static void
add_known(lg__sheet *sheet, lg_node node)
{
    const lg_graph *graph = sheet->page.graph;
    lg_fact fact;
    for (uint32_t i = 0; lg_node_fact_at(graph, node, i, &fact); i++) {
        lg_text_add(sheet->page.out, "<dt>");
        lg__page_escape(&sheet->page, fact.key);
        lg_text_add(sheet->page.out, "</dt><dd>");
        lg__page_escape(&sheet->page, fact.text);
        end_fact(sheet);
    }
}

/* The most values of an object that its page shows. */
enum { VALUES = 24 };

static void
add_values(lg__sheet *sheet, lg_node node)
{
    lg_text values = {0};
    lg_node_values(sheet->page.graph, node, VALUES, &values);
    if (values.length > 0) {
        begin_fact(sheet, "values", "values");
        add_text(sheet, &values);
        end_fact(sheet);
    }
    sheet->page.out->failed |= values.failed;
    lg_text_free(&values);
}

static void
add_counts(lg__sheet *sheet, lg_node node)
{
    const lg_graph *graph = sheet->page.graph;
    int64_t unseen = lg_node_unexplained(graph, node);
    lg_text *out = sheet->page.out;
    uint64_t address = lg_columns_address(lg_graph_columns(graph), node);
    if (address) {
        begin_fact(sheet, "address", NULL);
        lg_text_addf(out, "0x%llx", (unsigned long long)address);
        end_fact(sheet);
    }
    begin_fact(sheet, "references to it", NULL);
    lg_text_add_count(out, lg_node_referrers(graph, node, NULL, 0));
    if (unseen > 0) {
        lg_text_add(out, ", and ");
        lg_text_add_count(out, (uint64_t)unseen);
        lg_text_add(out, " of native code that the snapshot does not show");
    }
    end_fact(sheet);
}

static lg_status
add_facts(lg__sheet *sheet, lg_node node, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_text_add(page->out, "<dl class=\"object\">");
    lg_status status = add_path(sheet, node, err);
    add_sizes(sheet, node);
    add_type(sheet, node);
    add_object(sheet, "part of", lg_node_folded_into(page->graph, node));
    add_object(sheet, "immediate dominator",
               lg_node_owner(page->analysis, node));
    add_values(sheet, node);
    add_cycle(sheet, node);
    add_counts(sheet, node);
    add_known(sheet, node);
    lg_text_add(page->out, "</dl>\n");
    return status;
}

static lg_status
add_references(lg__sheet *sheet, lg_node node, bool inward, lg_error *err)
{
    const char *name = inward ? "in" : "out";
    lg_table *table = NULL;
    lg_hops hops = {0};
    uint64_t first = 0;
    lg__page_section(&sheet->page, name,
                     inward ? "What refers to it" : "What it refers to");
    lg_status status =
        lg__sheet_number(sheet, name, UINT64_MAX / 2, &first, err);
    if (!status)
        status = lg_node_hops_range(sheet->page.graph, node, inward, first,
                                    LG__SHEET_ROWS, &hops, err);
    if (!status)
        status = lg_tabulate_references(sheet->page.analysis, &hops, inward,
                                        &table, err);
    bool more = hops.more;
    lg_hops_free(&hops);
    if (status)
        return status;
    size_t shown = lg_table_row_count(table);
    if (shown == 0)
        lg_text_add(sheet->page.out, "<p class=\"note\">Nothing.</p>");
    status = shown > 0 ? lg__sheet_list(sheet, table, err) : LG_OK;
    if (shown == 0)
        lg_table_free(table);
    lg__sheet_pager(sheet, name, first, shown, more);
    if (inward)
        lg_text_addf(sheet->page.out,
                     "<p><a href=\"%s%%2A-%%3E%%23%u\">What if nothing "
                     "referred to it?</a></p>",
                     lg__page_links.reference, node);
    lg__page_section_end(&sheet->page);
    return status;
}

static lg_status
add_tree(lg__sheet *sheet, lg_node node, unsigned way, lg_error *err)
{
    lg__page_section(&sheet->page, way == LG_BRANCH_OWNED ? "owned" : "holders",
                     way == LG_BRANCH_OWNED
                         ? "What goes with it, by place"
                         : "What refers to it, up to the roots");
    lg_status status = add_level(sheet, node, way, LG_NONE, err);
    lg__page_section_end(&sheet->page);
    return status;
}

static void
add_pictures(lg__sheet *sheet, lg_node node)
{
    static const char *const of[][3] = {
        {"referrers", "Picture of what refers to it", "Draw its referrers"},
        {"references", "Picture of what it refers to", "Draw its references"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        lg_text address = {0};
        lg_text_addf(&address, "picture?node=%u&of=%s", node, of[i][0]);
        lg__sheet_later(sheet, of[i][0], of[i][1], &address, of[i][2]);
        lg_text_free(&address);
    }
}

static lg_status
make_object(lg__sheet *sheet, lg_error *err)
{
    lg_node node = 0;
    lg_text title = {0};
    lg_text address = {0};
    char number[16];
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    lg_node_title(sheet->page.graph, node, false, &title);
    snprintf(number, sizeof number, "#%u", node);
    lg__sheet_heading(sheet, &title, number);
    status = add_facts(sheet, node, err);
    lg_text_addf(&address, "why?node=%u", node);
    lg__sheet_later(sheet, "why", "Why is it alive?", &address,
                    "What keeps it alive, and what to cut");
    lg_text_free(&address);
    if (!status)
        status = add_references(sheet, node, true, err);
    if (!status)
        status = add_references(sheet, node, false, err);
    if (!status)
        status = add_tree(sheet, node, LG_BRANCH_OWNED, err);
    if (!status)
        status = add_tree(sheet, node, LG_BRANCH_REFERRERS, err);
    if (!status)
        add_pictures(sheet, node);
    return status;
}

const lg__sheet_kind lg__object_sheet = {"object", make_object, LG__QUICK,
                                         NULL};
