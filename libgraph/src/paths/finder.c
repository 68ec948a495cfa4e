// Finds paths to some nodes: the first few by a search each, later ones by a
// tree of all paths, which the graph may already have. At rest, those that lead
// over a running frame or to a task are looked for in a tree of their own.
#include "paths/root_tree.h"

enum { SEARCHES = 8 };

// A search for one path ends at its node, while a tree visits the whole graph
// once and then serves any number of paths.
static lg_status
find_any(lg__finder *finder, uint32_t node, const lg_monitor *monitor,
         lg_path *out, lg_error *err)
{
    if (finder->searches < SEARCHES && !finder->graph->lazy->has_paths) {
        finder->searches++;
        return lg_path_from_root(finder->graph, node, monitor, out, err);
    }
    lg_status status =
        finder->tree.root == NULL
            ? lg__roottree_new(finder->graph, monitor, &finder->tree, err)
            : LG_OK;
    return status == LG_OK ? lg__roottree_path(&finder->tree, node, out, err)
                           : status;
}

// Returns whether the path leads over a frame of a thread, or to a task, which
// something may only wake. One that does not is the shortest at rest, too.
static bool
runs(const lg_graph *graph, const lg_path *path)
{
    bool found = false;
    for (size_t i = 0; i < path->count; i++)
        found |=
            lg__edge_kind(graph, path->hops[i].edges[0]) == LG_EDGE_FRAME ||
            lg__node_is_task(graph, path->hops[i].target);
    return found;
}

lg_status
lg__finder_path(lg__finder *finder, uint32_t node, const lg_monitor *monitor,
                lg_path *out, lg_error *err)
{
    lg_path path = {0};
    lg_status status = find_any(finder, node, monitor, &path, err);
    if (status != LG_OK || !finder->at_rest || !runs(finder->graph, &path)) {
        if (status == LG_OK)
            *out = path;
        return status;
    }
    lg_path_free(&path);
    if (finder->rest.root == NULL)
        status =
            lg__roottree_at_rest(finder->graph, monitor, &finder->rest, err);
    return status == LG_OK ? lg__roottree_path(&finder->rest, node, out, err)
                           : status;
}

void
lg__finder_free(lg__finder *finder)
{
    lg__roottree_free(&finder->tree);
    lg__roottree_free(&finder->rest);
}
