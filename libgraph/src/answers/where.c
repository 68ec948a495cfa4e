// Where nodes are: a shortest path from a root, or what garbage is part of, as
// facts and in words.
#include "answers/answers_private.h"
#include "table/table_private.h"

// Finds what a node of garbage is part of. There is nothing to release.
static lg_status
garbage_find(const lg_analysis *analysis, uint32_t node, lg_where *out,
             lg_error *err)
{
    lg__hop_walk walk = {.graph = analysis->graph, .everything = true};
    lg_where where = {.kind = LG_WHERE_GARBAGE, .dominator = LG_NONE};
    walk.fold = lg__graph_folds(walk.graph);
    if (walk.fold == NULL || !lg__graph_reverse(walk.graph, &walk.reverse))
        return lg__error_memory(err);
    uint32_t dominator =
        lg__seen_node(walk.fold, lg__shown_dominator(analysis, node));
    if (dominator != LG_NONE && dominator != node) {
        where.dominator = dominator;
        where.hop = lg__hop_below(&walk, analysis, dominator, node);
    }
    *out = where;
    return LG_OK;
}

lg_status
lg__where_find(lg__finder *finder, const lg_analysis *analysis, uint32_t node,
               const lg_monitor *monitor, lg_where *out, lg_error *err)
{
    lg_where where = {.kind = LG_WHERE_PATH, .dominator = LG_NONE};
    if (!lg_node_is_reachable(analysis, node))
        return garbage_find(analysis, node, out, err);
    finder->graph = analysis->graph;
    lg_status status = lg__finder_path(finder, node, monitor, &where.path, err);
    if (status != LG_OK && status != LG_ENOTFOUND)
        return status;
    if (status == LG_ENOTFOUND)
        where.kind = LG_WHERE_INTERPRETER;
    *out = where;
    return LG_OK;
}

void
lg_where_free(lg_where *where)
{
    lg_path_free(&where->path);
    *where = (lg_where){0};
}

void
lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                uint32_t node, const lg_where *where, lg_text *out)
{
    if (where->kind == LG_WHERE_PATH) {
        lg_path_label(graph, &where->path, out);
        return;
    }
    if (where->kind == LG_WHERE_INTERPRETER) {
        lg_text_add(out, "the interpreter");
        return;
    }
    lg_text_add(out, "garbage");
    if (analysis == NULL || lg__format_garbage_component(analysis, node, out) ||
        where->dominator == LG_NONE)
        return;
    lg_text_add(out, where->hop.edge_count > 0 ? ": " : " below ");
    lg__format_node(graph, where->dominator, out);
    if (where->hop.edge_count > 0)
        lg__format_label(graph, &where->hop, out);
}

void
lg__where_write_alike(const lg_graph *graph, const lg_where *where,
                      lg_text *out)
{
    if (where->in_modules)
        lg__format_path_in_modules(graph, &where->path, out);
    else
        lg__format_folded_path(graph, &where->path, out);
}

void
lg__where_write_row(const lg_ask *ask, uint32_t node, uint64_t count,
                    const lg_where *where, lg_text *out)
{
    if (count <= 1 || where->kind != LG_WHERE_PATH)
        lg__where_write(ask->graph, ask->analysis, node, where, out);
    else
        lg__where_write_alike(ask->graph, where, out);
}

lg_status
lg__garbage_format(const lg_analysis *analysis, uint32_t node, lg_text *out,
                   lg_error *err)
{
    lg_where where;
    lg_status status = garbage_find(analysis, node, &where, err);
    if (status == LG_OK)
        lg__where_write(lg_analysis_graph(analysis), analysis, node, &where,
                        out);
    return status;
}

// Writes the shortest root path of a node as one expression. For garbage,
// writes what it is part of.
static lg_status
where_format(lg__where *to, uint32_t node, const lg_monitor *monitor,
             lg_text *out, lg_error *err)
{
    lg_where where;
    lg_status status =
        lg__where_find(&to->finder, to->analysis, node, monitor, &where, err);
    if (status != LG_OK)
        return status;
    lg__where_write(lg_analysis_graph(to->analysis), to->analysis, node, &where,
                    out);
    lg_where_free(&where);
    return LG_OK;
}

static void
where_free(lg__where *where)
{
    lg__finder_free(&where->finder);
}

lg_status
lg_nodes_path_labels(const lg_analysis *analysis, const lg_node *nodes,
                     size_t count, const lg_monitor *monitor, lg_text *labels,
                     lg_error *err)
{
    lg__where where = {.analysis = analysis};
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        if (nodes[i] == LG_NONE)
            continue;
        status = where_format(&where, nodes[i], monitor, &labels[i], err);
        if (status == LG_OK && labels[i].failed)
            status = lg__error_memory(err);
    }
    where_free(&where);
    return status;
}
