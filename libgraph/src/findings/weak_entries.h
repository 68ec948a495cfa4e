/**
 * Entries of dicts with weak keys or weak values.
 */
#ifndef LEAKGRAPH_WEAK_ENTRIES_H
#define LEAKGRAPH_WEAK_ENTRIES_H

#include "findings/way.h"

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

#endif
