// Finds paths to some nodes: by a search each for the first few, then by a tree
// of all paths.
#include "paths/paths_private.h"

enum { SEARCHES = 8 };

lg_status
lg__way_find(lg__finder *ways, uint32_t node, const lg_monitor *monitor,
             lg_path *out, lg_error *err)
{
    if (ways->searches < SEARCHES) {
        ways->searches++;
        return lg_path_from_root(ways->graph, node, monitor, out, err);
    }
    lg_status status =
        ways->tree.before == NULL
            ? lg__roottree_new(ways->graph, monitor, &ways->tree, err)
            : LG_OK;
    return status == LG_OK ? lg__roottree_path(&ways->tree, node, out, err)
                           : status;
}

void
lg__finder_free(lg__finder *ways)
{
    lg__roottree_free(&ways->tree);
}
