// Finds paths to some nodes: the first few by a search each, later ones by a
// tree of all paths, which the graph may already have.
#include "paths/root_tree.h"

enum { SEARCHES = 8 };

lg_status
lg__finder_path(lg__finder *finder, uint32_t node, const lg_monitor *monitor,
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

void
lg__finder_free(lg__finder *finder)
{
    lg__roottree_free(&finder->tree);
}
