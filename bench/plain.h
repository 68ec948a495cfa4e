/**
 * The policy graph as plain columns, and dominators found with semi-NCA: as
 * fast as we know how to do it when the graph is taken as a whole.
 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <leakgraph/base.h>

/** Edges of what is reachable; the super-root is the last node. Allocation
 *  failures end the program. */
typedef struct plain {
    uint32_t nodes;
    uint32_t edges;
    uint32_t *source;
    uint32_t *target;
} plain;

/** From what an analysis says: a module with its namespace, a class or another
 *  lasting object that nothing dominates is furniture. */
plain plain_new(const lg_analysis *analysis);
void plain_free(plain *graph);

/** The immediate dominator of every node, from the super-root. */
uint32_t *plain_dominators(const plain *graph);
/** The number of strong components. */
uint32_t plain_components(const plain *graph);

#endif
