/**
 * A search for cuts, which has two halves: one chooses the references, the
 * other finds the paths that show them.
 */
#ifndef LEAKGRAPH_CUT_SEARCH_H
#define LEAKGRAPH_CUT_SEARCH_H

#include <leakgraph/why.h>

#include "paths/min_cut.h"
#include "paths/paths_private.h"

/** One search for references to cut. */
typedef struct lg__cut_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__walk walk;
    lg__network network;
    uint8_t *role;
    const uint8_t *late; /**< see lg__late_find */
    const lg_node *from; /**< NULL: the roots */
    bool native;         /**< whether references from native code are sources */
    lg__min_cut cut;
    uint64_t *by; /**< [node] in the current search, the edge towards its end */
    uint32_t *queue; /**< the search's nodes */
    lg_cuts cuts;
} lg__cut_search;

/** Fills `cuts` from `cut`: a path through each of the first `limit` edges (0:
 *  all). */
lg_status lg__cut_list_paths(lg__cut_search *state, size_t limit,
                             lg_error *err);
/** Fills `cuts.kept` from `cut`. */
lg_status lg__cut_keep_path(lg__cut_search *state, lg_error *err);

#endif
