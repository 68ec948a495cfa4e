/**
 * The order of merged paths.
 */
#ifndef LEAKGRAPH_MERGED_ORDER_H
#define LEAKGRAPH_MERGED_ORDER_H

#include "paths/paths_private.h"

/** Sorts items and renumbers their parents: parents before children, and the
 *  biggest first. O(items log items). */
lg_status lg__merged_arrange(lg__merged_tree *paths, lg_error *err);

#endif
