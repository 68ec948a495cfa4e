/** Which module keeps which node, and whether that is in a scope. */
#ifndef LEAKGRAPH_KEEPERS_H
#define LEAKGRAPH_KEEPERS_H

#include "paths/root_tree.h"

#include <leakgraph/internal/scope.h>

/** What keeps a node that no module keeps; LG_NONE: nothing known. */
#define LG__KEPT_BY_PROGRAM (LG_NONE - 1)     /**< by a thread */
#define LG__KEPT_BY_INTERPRETER (LG_NONE - 2) /**< or by a static object */

typedef struct lg__keepers {
    lg__roottree tree;
    uint32_t *shifted; /**< [node] of those that somebody asked about */
    lg__gathered path; /**< scratch */
    bool failed;       /**< memory ran out: answers are wrong */
} lg__keepers;

/** O(nodes + edges) unless the graph has the tree of paths. *out begins as
 *  {0}. */
lg_status lg__keepers_begin(const lg_graph *graph, const lg_monitor *monitor,
                            lg__keepers *out, lg_error *err);
/** Returns the module at which the shortest path from a root to the node
 *  begins, or whose function runs in the frame there. */
uint32_t lg__keepers_of(lg__keepers *keepers, uint32_t node);
void lg__keepers_end(lg__keepers *keepers);
/** Returns the module whose function runs in a frame or waits to;
 *  LG__KEPT_BY_PROGRAM if it is unknown. */
uint32_t lg__frame_module(const lg_graph *graph, uint32_t frame);

/** Returns one byte a node: whether it is in the scope. NULL means that all
 *  are. */
const uint8_t *lg__scope_marks(const lg_scope *scope);
/** Returns whether a function of the scope's modules runs in the frame or waits
 *  to. */
bool lg__scope_runs(const lg_scope *scope, uint32_t frame);

#endif
