/**
 * Who retains what in a small graph, found the slow way: take each node out and
 * see what is no longer reached. It builds the policy graph for itself, from
 * what the public accessors say, and shares no code with the library.
 */
#ifndef LG_ORACLE_H
#define LG_ORACLE_H

#include <leakgraph/base.h>

/** Sets of nodes are bits. */
enum { ORACLE_NODES = 60, ORACLE_DEVICES = 3 };

typedef struct oracle {
    uint32_t nodes;
    uint64_t out[ORACLE_NODES]; /**< policy edges, self-loops left out */
    uint64_t roots;             /**< what the super-root refers to */
    uint64_t sources;           /**< what garbage hangs from */
    uint64_t live;
    uint64_t loops;              /**< nodes that refer to themselves */
    uint32_t unit[ORACLE_NODES]; /**< a namespace's module, else the node */
    uint32_t dominator[ORACLE_NODES];
    uint32_t component_count;
    uint64_t component[ORACLE_NODES];
} oracle;

/** Solves a graph of at most ORACLE_NODES nodes. */
oracle oracle_solve(const lg_graph *graph);
/** The nodes that are reached only through one of the set, and the set. */
uint64_t oracle_retained(const oracle *known, uint64_t set);
/** Their bytes on a device (0: the host). */
uint64_t oracle_bytes(const lg_graph *graph, uint64_t set, uint32_t device);

#endif
