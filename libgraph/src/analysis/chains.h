/**
 * Simplifies a problem of dominators before igraph solves it: removes long rows
 * of nodes that have no other neighbours, such as the middle of a linked list
 * that is held at both ends.
 *
 * A *series* is a row in which only the node before refers to each later node,
 * and each earlier node refers only to the next: an object and its namespace.
 * Paths enter a series at its first node and leave it at its last.
 *
 * A *chain* is a row of series, such as the elements of a linked list. Two
 * neighbours refer to each series, and it refers only to those. A path through
 * a chain enters at one end and leaves at the other. So one node can stand for
 * a chain: its dominator and those of the two neighbours determine all
 * dominators in the chain.
 */
#ifndef LEAKGRAPH_CHAINS_H
#define LEAKGRAPH_CHAINS_H

#include "analysis/solver.h"

/** Solves the problem: removes the rows and leaves the rest to lg__solver_ask.
 *  Node 0 must reach every node. O(nodes + edges) besides lg__solver_ask; some
 *  40 bytes a node. */
lg_status lg__chains_solve(const lg__problem *problem, uint32_t *dominator,
                           lg_error *err);

#endif
