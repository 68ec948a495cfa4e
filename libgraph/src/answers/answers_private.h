/** Answers: the facts that answer a question, and the table that shows them. */
#ifndef LEAKGRAPH_ANSWERS_PRIVATE_H
#define LEAKGRAPH_ANSWERS_PRIVATE_H

#include "cycles/cycles_private.h"
#include "analysis/analysis_private.h"
#include "bytes/bytes_private.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/question.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/why_facts.h>

// Questions; each stands at the end of the file that answers it.

extern const lg_question lg__ask_top;
extern const lg_question lg__ask_types;
extern const lg_question lg__ask_native;
extern const lg_question lg__ask_search;
extern const lg_question lg__ask_waste;
extern const lg_question lg__ask_allocations;

// A heap of nodes with the biggest on top. Of nodes of equal size, the one with
// the lower number comes first.

typedef struct lg__weighed_node {
    uint64_t bytes;
    uint32_t node;
    uint32_t tag; /**< chosen by the caller who pushes the part */
} lg__weighed_node;

typedef struct lg__node_heap {
    lg__weighed_node *items;
    size_t count;
    size_t capacity;
} lg__node_heap;

/** Returns false when memory ran out. */
bool lg__node_heap_push(lg__node_heap *heap, lg__weighed_node one);
/** Takes the top off a heap that is not empty. */
lg__weighed_node lg__node_heap_pop(lg__node_heap *heap);
void lg__node_heap_free(lg__node_heap *heap);

// What to cut.

/** Finds what to cut to free a node and spare `from`, which dominates it, or
 *  LG_NONE. If a program cannot do that, spares the nearest of the dominators
 *  above after which it can: that of an item of a tuple is the tuple, which no
 *  program can change. If there is none, the result is that of `from`. Lists at
 *  most `limit` references. */
lg_status lg__cuts_below(const lg_analysis *analysis, lg_node node,
                         lg_node from, size_t limit, const lg_monitor *monitor,
                         lg_cuts *out, lg_error *err);

// Where nodes are.

/** Finds where a node is. `finder` begins as {0}; release it with
 *  lg__finder_free. */
lg_status lg__where_find(lg__finder *finder, const lg_analysis *analysis,
                         uint32_t node, const lg_monitor *monitor,
                         lg_where *out, lg_error *err);
/** Finds what a node of garbage is part of. There is nothing to release. */
lg_status lg__garbage_find(const lg_analysis *analysis, uint32_t node,
                           lg_where *out, lg_error *err);
/** Writes where a node is: `train.losses[0]`. For garbage, writes what it is
 *  part of, or, without an analysis (NULL), that it is garbage. */
void lg__where_write(const lg_graph *graph, const lg_analysis *analysis,
                     uint32_t node, const lg_where *where, lg_text *out);

/** It begins as {.analysis = analysis}. */
typedef struct lg__where {
    const lg_analysis *analysis;
    lg__finder finder;
} lg__where;

/** Writes the shortest root path of a node as one expression. For garbage,
 *  writes what it is part of. */
lg_status lg__where_format(lg__where *where, uint32_t node,
                           const lg_monitor *monitor, lg_text *out,
                           lg_error *err);
void lg__where_free(lg__where *where);

/** Writes what garbage is part of. */
lg_status lg__garbage_format(const lg_analysis *analysis, uint32_t node,
                             lg_text *out, lg_error *err);

// The tables that libraries keep for themselves, and who keeps them.

/** Recognises the tables that libraries and the interpreter keep for
 *  themselves. Release with lg__library_tables_end, also on failure. */
typedef struct lg__library_tables {
    const lg_analysis *analysis;
    uint8_t *known; /**< [node] whether it retains something that a program
                       made; for a module, whether it belongs to a library */
    uint8_t *type;  /**< [type] whether programs make objects of it */
} lg__library_tables;

/** Returns false when memory ran out. */
bool lg__library_tables_begin(lg__library_tables *tables,
                              const lg_analysis *analysis);
/** Returns the package of the library, or the interpreter, that keeps the node,
 *  whatever the node retains; empty if none does. O(1). */
lg_string lg__library_tables_keeper(lg__library_tables *tables, uint32_t node,
                                    uint32_t keeper);
/** Marks the nodes that retain something that a program made. O(nodes). */
void lg__library_tables_mark(lg__library_tables *tables);
/** Returns whether the node retains something that a program made. Needs the
 *  marks. */
bool lg__library_tables_retains(const lg__library_tables *tables,
                                uint32_t node);
void lg__library_tables_end(lg__library_tables *tables);

/** Adds up what each library keeps. It begins as {0}; release it with
 *  lg__top_packages_end, also on failure. */
typedef struct lg__top_packages {
    lg__library_tables tables;
    lg__tree_ahead *ahead;
    lg__keepers keepers; /**< once a node's owner was asked for */
    const lg_monitor *monitor;
    lg_status status;    /**< what lg__top_packages_owner failed with */
    lg_error *err;       /**< what it said; borrowed */
    uint32_t *of_module; /**< [node] 1 + the package of a module, once known */
    lg__vector all;
    lg_allocator allocator;
} lg__top_packages;

/** `mark` says that lg__top_packages_owner will be called. What that needs is
 *  looked for ahead. */
lg_status lg__top_packages_begin(lg__top_packages *packages,
                                 const lg_analysis *analysis, bool mark,
                                 const lg_monitor *monitor, lg_error *err);
/** Sets *out to the number of the library, or the interpreter, that keeps the
 *  node, if the node retains nothing that a program made; else to LG_NONE.
 *  Returns false on failure: see `status`. */
bool lg__top_packages_owner(lg__top_packages *packages, uint32_t node,
                            uint32_t *out);
/** Waits until what was looked for ahead is found. */
lg_status lg__top_packages_wait(const lg__top_packages *packages);
/** Returns whether the library is a module or package of the standard one. */
bool lg__top_packages_is_standard(const lg__top_packages *packages,
                                  uint32_t owner);
void lg__top_packages_add(lg__top_packages *packages, uint32_t owner,
                          uint64_t bytes);
/** Names the packages with the most bytes in the answer. Changes their
 *  numbers. */
void lg__top_packages_name(lg__top_packages *packages, lg_top *out);
void lg__top_packages_end(lg__top_packages *packages);

// The objects that retain the most.

/** Returns the bytes by which a row is ranked on `device` (LG_NONE: on all of
 *  them). */
uint64_t lg__top_weight(const lg_analysis *analysis, uint32_t node,
                        uint32_t device);

/** An object that gathers bytes, or many small objects of one place: of one
 *  type, and held under the same name by similar objects. */
typedef struct lg__top_item {
    const uint32_t *nodes; /**< the biggest is the first */
    uint32_t count;
    uint64_t bytes; /**< sum of their weights */
    uint32_t order; /**< of items with equal bytes, the lowest comes first */
} lg__top_item;

/** Receives each item, which is valid during the call only. Returns false to
 *  stop. */
typedef bool lg__top_visit(void *context, const lg__top_item *item);

/** An object that may gather bytes. `place` is a hash. */
typedef struct lg__top_candidate {
    uint64_t place;
    uint64_t bytes;
    uint32_t node;
} lg__top_candidate;

/** Puts candidates of one place side by side. */
void lg__top_candidates_group(lg__top_candidate *all, size_t count);
/** Puts the biggest candidate first; of equal ones, the one with the lowest
 *  node. */
void lg__top_candidates_lead(lg__top_candidate *run, size_t count);

/** Hashes a node's place: its type, and the name that the hop to it gives,
 *  without an index or key; `key` tells apart what the hop comes from. A node
 *  below one of the two roots has no hop. `facts` is scratch memory. */
uint64_t lg__top_place(const lg_graph *graph, const lg_hop *hop, uint64_t key,
                       uint32_t node, lg_text *facts);

/** Finds the parts of a row whose `where` and item are known. `finder` is that
 *  of the row. */
lg_status lg__top_parts_find(const lg_analysis *analysis, const lg_top *top,
                             const lg__top_item *item, lg__finder *finder,
                             const lg_monitor *monitor, lg_top_row *row,
                             lg_error *err);
void lg__top_parts_free(lg_top_row *row);
/** Their columns. */
extern const lg_field lg__top_part_fields[];
/** Writes `12 x list of 2 #17`; nothing for LG_NONE. */
void lg__format_objects(const lg_graph *graph, lg_node node, uint64_t count,
                        lg_text *out);

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

// Cycles.

/** What the collector would free, and what a root holds, found out node by
 * node. What takes memory or time for the whole graph is made when a question
 * needs it. */
typedef struct lg__liveness {
    const lg_graph *graph;
    lg__reverse reverse;
    uint8_t *known;       /**< [node] what was found out, as bits */
    uint64_t left;        /**< how many references searches may still look at */
    uint8_t *collectable; /**< [node] of lg__graph_collectable, or NULL */
    lg__uncollectable uncollectable; /**< or zeros */
    bool complete;                   /**< the reasons of all nodes are known */
    // Of a search: the nodes that it met, the index of the node to which each
    // refers, and those to look at, with the lowest number on top.
    lg__gathered met, behind;
    lg__node_heap open;
    bool failed; /**< memory ran out: answers are wrong */
} lg__liveness;

/** Returns false when memory ran out. */
bool lg__liveness_new(const lg_graph *graph, lg__liveness *out);
/** Returns what lg__graph_collectable says of the node. */
bool lg__liveness_collectable(lg__liveness *liveness, uint32_t node);
/** Returns whether a non-native root reaches the node. */
bool lg__liveness_held(lg__liveness *liveness, uint32_t node);
/** Returns the reasons of nodes that no root holds: of this one, and of all
 *  that refer to it. NULL when memory ran out. */
const lg__uncollectable *lg__liveness_uncollectable(lg__liveness *liveness,
                                                    uint32_t node);
void lg__liveness_free(lg__liveness *liveness);

typedef struct lg__cycle_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_cycle_options options;
    lg__hop_walk walk;
    lg__finder finder;
    lg__liveness liveness;
    uint8_t *holding; /**< [component] whether it retains what the caller asked
                         for */
    uint8_t *data;    /**< [component] whether it retains a tensor or a figure;
                         may be `holding` */
    lg__cycle_notes notes;
    lg_cycles cycles;
} lg__cycle_search;

/** Sets everything about a cycle except its kind and library. Call
 *  lg__cycle_clear afterwards, also on failure. */
lg_status lg__cycle_fill(lg__cycle_search *state, lg_cycle *cycle,
                         lg_error *err);
void lg__cycle_clear(lg_cycle *cycle);

/** Computes the key of a cycle whose shortest hops are known. */
lg_status lg__cycle_key(const lg_graph *graph, const lg_cycle *cycle,
                        uint64_t *out, lg_error *err);

/** Groups the cycles that were found. */
lg_status lg__cycles_group(lg__cycle_search *state, lg_error *err);

/* -------------------------------------------------------------- caches --- */

#endif
