/**
 * What cutting references does: the parts that both halves of the answer share.
 */
#ifndef LEAKGRAPH_CUTTING_H
#define LEAKGRAPH_CUTTING_H

#include "answers/answers_private.h"

#include <leakgraph/internal/what_if.h>

/** States of a node, as bits. */
enum {
    LG__DIES = 1,
    LG__DROPPED = 2, /**< its last reference goes, so it dies at once */
    LG__TARGET = 4,  /**< a cut reference leads to it */
    LG__BESIDE = 8,  /**< a dying node refers to it */
    LG__BELOW = 16,  /**< it is, or lies below, a listed survivor */
};

typedef struct lg__cutting {
    const lg_graph *graph;
    const lg_analysis *before;
    const lg_scope *scope; /**< what is listed, or NULL */
    const lg_monitor *monitor;
    lg_allocator allocator;
    lg__vector edges;   /**< uint64_t: the cut edges; edges of keys come last */
    lg_graph *rest;     /**< the graph without the edges */
    lg_analysis *after; /**< the analysis of `rest` */
    uint8_t *state;     /**< [node] */
    uint32_t *count;    /**< [node] references still left */
    uint32_t *queue;
    uint32_t queued;
    lg_what_if answer;
} lg__cutting;

/** Lists the survivors in the answer, at most `limit` (0: all). */
lg_status lg__survivors_find(lg__cutting *to, size_t limit, lg_error *err);

#endif
