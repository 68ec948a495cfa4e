/**
 * What cutting references does: what both halves of the answer share.
 */
#ifndef LG_CUTTING_H
#define LG_CUTTING_H

#include "answers/answers_private.h"

#include <leakgraph/what_if.h>

/** Of a node. */
enum {
    LG__DIES = 1,
    LG__DROPPED = 2, /**< its last reference goes: it need not wait */
    LG__TARGET = 4,  /**< a cut reference led to it */
    LG__BESIDE = 8,  /**< what dies refers to it */
    LG__BELOW = 16,  /**< a listed survivor dominates it, or is it */
};

typedef struct lg__cutting {
    const lg_graph *graph;
    const lg_analysis *before;
    const lg_monitor *monitor;
    lg_allocator allocator;
    lg__vector edges;   /**< uint64_t: cut, those of keys last */
    lg_graph *rest;     /**< the graph without them */
    lg_analysis *after; /**< of that */
    uint8_t *state;     /**< [node] */
    uint32_t *count;    /**< [node] references that are left */
    uint32_t *queue;
    uint32_t queued;
    lg_what_if answer;
} lg__cutting;

/** Fills the survivors of the answer, at most `limit` (0: all). */
lg_status lg__survivors_find(lg__cutting *to, size_t limit, lg_error *err);

#endif
