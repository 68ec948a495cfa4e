/**
 * Entries of dicts with weak keys or weak values, and ways between their
 * halves.
 */
#ifndef LEAKGRAPH_WEAK_ENTRIES_H
#define LEAKGRAPH_WEAK_ENTRIES_H

#include "findings/context.h"

/** An entry that goes when `weak` dies. */
typedef struct lg__weak_entry {
    uint32_t reference; /**< the weak reference */
    uint32_t weak;      /**< what it refers to: the key, or the value */
    uint32_t strong;    /**< the other one */
    bool by_key;        /**< `weak` is the key */
} lg__weak_entry;

/** Reads the entry to which an edge of the dict leads. Returns false for any
 *  other edge, and if neither the key nor the value is a weak reference to
 *  something alive. */
bool lg__weak_entry_read(const lg_graph *graph, uint64_t edge,
                         lg__weak_entry *out);
/** Returns what a weak reference refers to, or LG_NONE. */
uint32_t lg__weak_referent(const lg_graph *graph, uint32_t reference);
/** Returns the object that a finalizer waits for, if its function or arguments
 *  keep that; otherwise LG_NONE. */
uint32_t lg__kept_referent(const lg__detection *detection, uint32_t finalizer);

enum { LG__WAY_LONGEST = 8 };

/** A way from one node to another along strong references. */
typedef struct lg__way {
    uint64_t edges[LG__WAY_LONGEST];
    uint32_t length;
} lg__way;

/** Finds a shortest way of at most LG__WAY_LONGEST edges that enters neither
 *  classes nor modules. Looks at a few thousand nodes, and gives up after
 *  these. Returns false if there is none, or memory ran out. */
bool lg__way_find(const lg_graph *graph, uint32_t from, uint32_t to,
                  lg__way *out);

#endif
