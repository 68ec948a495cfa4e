// Where nodes are: a shortest path from a root, or what garbage is part of.
#include "answers/answers_private.h"
#include "paths/paths_private.h"

lg_status
lg__garbage_find(const lg_analysis *analysis, uint32_t node, lg_where *out,
                 lg_error *err)
{
    lg__walk walk = {.graph = analysis->graph, .everything = true};
    lg_where where = {.kind = LG_WHERE_GARBAGE, .dominator = LG_NONE};
    walk.fold = lg__graph_folds(walk.graph);
    if (walk.fold == NULL || !lg__graph_reverse(walk.graph, &walk.reverse))
        return lg__error_memory(err);
    uint32_t dominator =
        lg__seen_node(walk.fold, lg_node_dominator(analysis, node));
    if (dominator != LG_NONE && dominator != node) {
        where.dominator = dominator;
        where.hop = lg__hop_between(&walk, dominator, node);
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
        return lg__garbage_find(analysis, node, out, err);
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
