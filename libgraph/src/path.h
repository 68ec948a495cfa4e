/**
 * What makes one way from a root better than another, shared by all who look
 * for paths.
 */
#ifndef LG_PATH_H
#define LG_PATH_H

#include "hop.h"

/** Roots from the most telling to the least. */
enum {
    LG__RANK_THREAD = 0,
    LG__RANK_USER_MODULE,
    LG__RANK_BOOKKEEPING,
    LG__RANK_INTERPRETER,
    LG__RANK_STATIC,
    LG__RANK_NATIVE,
    LG__RANK_NONE,
};

/** The rank of the root with that index. */
uint8_t lg__root_rank(const lg_graph *graph, uint32_t index);

/** How little a hop tells: 0 for a local, an attribute, a key. */
unsigned lg__hop_penalty(const lg_graph *graph, const lg_hop *hop);

/** The dict of a module that has the target as a parameter or a buffer: a way
 *  through it says what the target is. LG_NONE: it is none. */
uint32_t lg__path_entrance(const lg_graph *graph, const lg__reverse *reverse,
                           uint32_t target);

/** A hop from `source` to `target` with the least penalty; edge_count 0 if
 * there is none. The walk is any that has the folds. O(hops out of the source),
 * or with the reverse index of hops into the target if that is less. */
lg_hop lg__hop_between(const lg__walk *walk, uint32_t source, uint32_t target);

#endif
