/**
 * The policy graph as plain columns, and its dominators by semi-NCA: the
 * quickest method known to us for a whole graph.
 */
#ifndef LEAKGRAPH_PLAIN_H
#define LEAKGRAPH_PLAIN_H

#include <leakgraph/base.h>

/** The edges between reachable nodes; the super-root is the last node. A failed
 *  allocation ends the program. */
typedef struct plain {
    uint32_t nodes;
    uint32_t edges;
    uint32_t *source;
    uint32_t *target;
} plain;

/** Reads the graph from an analysis. A module with its namespace, or a class or
 *  other permanent object without a dominator, is an implicit root. */
plain plain_new(const lg_analysis *analysis);
void plain_free(plain *graph);

/** Returns the immediate dominator of every node, from the super-root. */
uint32_t *plain_dominators(const plain *graph);
/** Returns the number of strong components. */
uint32_t plain_components(const plain *graph);

#endif
