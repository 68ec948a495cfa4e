/**
 * Computes who retains what in a small graph in a slow way: removes each node
 * and finds which nodes are no longer reached. The oracle builds the policy
 * graph itself, from the public accessors, and shares no code with the library.
 */
#ifndef LEAKGRAPH_ORACLE_H
#define LEAKGRAPH_ORACLE_H

#include <leakgraph/base.h>

/** Each bit of a set is a node. */
enum { ORACLE_NODES = 60, ORACLE_DEVICES = 3 };

typedef struct oracle {
    uint32_t nodes;
    uint64_t out[ORACLE_NODES]; /**< policy edges without self-loops */
    uint64_t roots;             /**< nodes to which the super-root refers */
    uint64_t sources;           /**< entries of garbage */
    uint64_t live;
    uint64_t loops;              /**< nodes that refer to themselves */
    uint32_t unit[ORACLE_NODES]; /**< a namespace's module, or the node
                                      itself */
    uint32_t dominator[ORACLE_NODES];
    uint32_t component_count;
    uint64_t component[ORACLE_NODES];
} oracle;

/** Solves a graph of at most ORACLE_NODES nodes. */
oracle oracle_solve(const lg_graph *graph);
/** Returns the set, and the nodes that are reached only through its members. */
uint64_t oracle_retained(const oracle *known, uint64_t set);
/** Returns the bytes of these nodes on a device (0: the host). */
uint64_t oracle_bytes(const lg_graph *graph, uint64_t set, uint32_t device);

#endif
