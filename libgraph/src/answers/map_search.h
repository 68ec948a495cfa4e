/** All packages and places while a map chooses among them. */
#ifndef LEAKGRAPH_MAP_SEARCH_H
#define LEAKGRAPH_MAP_SEARCH_H

#include <leakgraph/internal/heap_map.h>

#include "answers/answers_private.h"

/** A package or another group of roots, or a place. */
typedef struct lg__map_item {
    lg_string package; /**< of a package */
    uint32_t place;    /**< LG_NONE: a package */
    uint32_t parent;   /**< an item; LG_NONE: an outer package */
    uint32_t area;     /**< index of its area; LG_NONE: it has none */
    uint32_t left_out; /**< direct children without an area */
    double score;      /**< the greatest share of the bytes of a device */
    uint64_t *within;  /**< [each] its own bytes and all below */
    uint64_t *rest;    /**< [each] the part of `within` without an area */
    bool mine;         /**< an outer package of the program */
} lg__map_item;

typedef struct lg__map_search {
    const lg_graph *graph;
    const lg_places *places;
    lg_heap_map_options options;
    lg__map_item *items; /**< packages, then all places; parents first */
    uint64_t *bytes;     /**< what the items point into */
    uint32_t packages;
    uint32_t count;
    uint32_t each; /**< devices, and the host */
    lg_heap_map out;
} lg__map_search;

/** Makes items of all packages and places. Returns false when memory ran out.
 */
bool lg__map_items(lg__map_search *state);
/** Adds up what the areas had in older snapshots. Places go by key. Returns
 *  false when memory ran out. */
bool lg__map_history(lg__map_search *state);

#endif
