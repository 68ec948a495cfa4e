/** What the biggest objects are found by: items and groups. */
#ifndef LEAKGRAPH_TOP_PARTS_H
#define LEAKGRAPH_TOP_PARTS_H

#include "answers/node_heap.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/questions.h>

// The objects that retain the most.

/** Returns the bytes by which a row is ranked on `device` (LG_NONE: on all of
 *  them). */
uint64_t lg__top_weight(const lg_analysis *analysis, uint32_t node,
                        uint32_t device);

/** An object that gathers bytes, or many small objects of one place: of one
 *  type, and held under the same name by similar objects. Modules are similar.
 */
typedef struct lg__top_item {
    const uint32_t *nodes; /**< the biggest is the first */
    uint32_t count;
    uint64_t bytes; /**< sum of their weights */
    uint32_t order; /**< of items with equal bytes, the lowest comes first */
} lg__top_item;

/** Receives each item, which is valid during the call only. Returns false to
 *  stop. */
typedef bool lg__top_visit(void *context, const lg__top_item *item);

/** The biggest of many items, which come in no order. It begins as {0}, but for
 *  `most`. */
typedef struct lg__top_best {
    size_t most;         /**< how many to keep at most */
    lg__top_item *items; /**< their nodes are copies */
    lg__node_heap heap;
} lg__top_best;

/** Keeps an item if it is one of the biggest. *left_out: how many objects are
 *  in the item that is not kept. Returns false when memory ran out. */
bool lg__top_best_offer(lg__top_best *best, const lg__top_item *item,
                        uint32_t *left_out);
/** Sorts the items, the biggest first. Returns how many there are. */
size_t lg__top_best_sort(lg__top_best *best);
void lg__top_best_free(lg__top_best *best);

/** An object that may gather bytes. There may be as many as objects, so their
 *  places have numbers, and their bytes are asked for. */
typedef struct lg__top_candidate {
    uint32_t place;
    uint32_t node;
} lg__top_candidate;

/** Candidates, and the places of all of them. */
typedef struct lg__top_candidates {
    lg_allocator allocator;
    lg__vector item;  /**< lg__top_candidate */
    lg__vector place; /**< the hash of each number */
    lg__vector slot;  /**< u32: a hash table of these */
} lg__top_candidates;

lg__top_candidates lg__top_candidates_open(void);
void lg__top_candidates_free(lg__top_candidates *all);
/** Forgets all candidates. */
void lg__top_candidates_clear(lg__top_candidates *all);
/** Adds a candidate, whose place is a hash. Returns false when memory ran
 *  out. */
bool lg__top_candidates_add(lg__top_candidates *all, uint64_t hash,
                            uint32_t node);
/** Puts candidates of one place side by side, and returns them. No candidate
 *  may be added until they are cleared. O(count + places log places). */
lg__top_candidate *lg__top_candidates_group(lg__top_candidates *all);
/** Returns the sum of their weights. */
uint64_t lg__top_candidates_weigh(const lg_analysis *analysis, uint32_t device,
                                  const lg__top_candidate *run, size_t count);
/** Puts the biggest candidate first; of equal ones, the one with the lowest
 *  node. Returns its weight. */
uint64_t lg__top_candidates_lead(const lg_analysis *analysis, uint32_t device,
                                 lg__top_candidate *run, size_t count);

/** The places of objects, as hashes of their types, and of the names that the
 *  hops to them give, without an index or key. It begins as {0}. */
typedef struct lg__top_places {
    uint64_t *items; /**< one for each object of the last call */
    size_t capacity;
    lg__best_hops hops;
    lg_text facts; /**< scratch */
} lg__top_places;

/** Finds the places of what lies below a node, or below one of the two roots;
 *  `key` tells apart what they lie below. Returns false when memory ran out.
 *  O(hops out of the node). */
bool lg__top_places_find(lg__top_places *places, const lg__hop_walk *walk,
                         uint32_t node, uint64_t key,
                         const lg__gathered *below);
void lg__top_places_free(lg__top_places *places);

/** Finds the parts of a row whose `where` and item are known. `finder` is that
 *  of the row. */
lg_status lg__top_parts_find(const lg_analysis *analysis, const lg_top *top,
                             const lg__top_item *item, lg__finder *finder,
                             const lg_monitor *monitor, lg_top_row *row,
                             lg_error *err);
void lg__top_parts_free(lg_top_row *row);
/** Returns whether titles of the nodes differ, or whether there are very many
 *  nodes. O(count). */
bool lg__top_nodes_vary(const lg_graph *graph, const uint32_t *nodes,
                        uint32_t count);

/** Calls `visit` for each item, in no order. No object is part of two items, or
 *  lies below an object of another item. Returns false when memory ran out or
 *  the visitor stopped. O(nodes + edges). */
bool lg__top_each(const lg_analysis *analysis, uint32_t device,
                  lg__top_visit *visit, void *context);

// The groups of objects that retain the most.

/** Returns the module of a type: the longest name of a module that the type's
 *  name begins with, or else all but the last part. Builtins have none. */
lg_string lg__type_module(const lg_graph *graph, lg_string type);

/** A group of objects. */
typedef struct lg__top_group {
    uint32_t group;
    lg_string name;     /**< of the type, or of the module */
    uint32_t type;      /**< the type, or one of the module */
    uint64_t count;     /**< number of its objects */
    uint64_t bound;     /**< a lower bound of what the group retains */
    uint64_t rank;      /**< what groups are ordered by */
    uint64_t *retained; /**< [device_count + 1] */
    uint64_t *size; /**< bytes of the objects themselves, [device_count + 1] */
    uint64_t spent; /**< what allocators spend on the retained host bytes */
} lg__top_group;

typedef struct lg__top_list {
    lg__top_group *items;
    size_t count;
    uint64_t *bytes; /**< `retained` points into it */
} lg__top_list;

/** Finds the `limit` groups of types or modules with the highest bounds, and
 *  what they retain exactly, the biggest first. Types with equal names are one.
 *  O(limit / 64 * (nodes + edges)). */
lg_status lg__top_groups(const lg_analysis *analysis, lg_group by,
                         uint32_t device, size_t limit,
                         const lg_monitor *monitor, lg__top_list *out,
                         lg_error *err);
void lg__top_list_free(lg__top_list *list);

#endif
