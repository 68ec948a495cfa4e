/**
 * What the two halves of a search for cuts share: one chooses the references,
 * the other finds the paths that show them.
 */
#ifndef LG_CUT_SEARCH_H
#define LG_CUT_SEARCH_H

#include <leakgraph/why.h>

#include "paths/min_cut.h"
#include "paths/paths_private.h"

/** One search for what to cut. */
typedef struct lg__cut_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__walk walk;
    lg__network network;
    uint8_t *role;
    uint32_t from; /**< or LG_SUPER_ROOT */
    bool native;   /**< whether references from native code are sources */
    lg__min_cut cut;
    uint64_t *by; /**< [node] the edge towards the end of the current search */
    uint32_t *queue; /**< its nodes */
    lg_cuts cuts;
} lg__cut_search;

/** The node, or the node that it is folded into. */
uint32_t lg__cut_owner(const lg__cut_search *state, uint32_t node);
/** Fills `cuts` from `cut`: a path through each of the first `limit` (0:
 *  all) edges. */
lg_status lg__cut_list_paths(lg__cut_search *state, size_t limit,
                             lg_error *err);
/** Fills `cuts.kept` from `cut`. */
lg_status lg__cut_keep_path(lg__cut_search *state, lg_error *err);

#endif
