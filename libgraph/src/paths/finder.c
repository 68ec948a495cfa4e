// Finds paths to some nodes: by a search each for the first few, then by a tree
// of all paths, which the graph may have already.
#include "paths/paths_private.h"

enum { SEARCHES = 8 };

// The tree does not know of the entrances that a search prefers.
static bool
knows_path(const lg_graph *graph, uint32_t node)
{
    lg__reverse reverse;
    return graph->lazy->has_paths && lg__graph_reverse(graph, &reverse) &&
           node < graph->columns.node_count &&
           lg__path_entrance(graph, &reverse, node) == LG_NONE;
}

lg_status
lg__finder_path(lg__finder *finder, uint32_t node, const lg_monitor *monitor,
                lg_path *out, lg_error *err)
{
    if (finder->searches < SEARCHES && !knows_path(finder->graph, node)) {
        finder->searches++;
        return lg_path_from_root(finder->graph, node, monitor, out, err);
    }
    lg_status status =
        finder->tree.before == NULL
            ? lg__roottree_new(finder->graph, monitor, &finder->tree, err)
            : LG_OK;
    return status == LG_OK ? lg__roottree_path(&finder->tree, node, out, err)
                           : status;
}

void
lg__finder_free(lg__finder *finder)
{
    lg__roottree_free(&finder->tree);
}
