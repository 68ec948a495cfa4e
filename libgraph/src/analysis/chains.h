/**
 * What igraph need not solve of a problem of dominators: long rows of nodes
 * that have no other neighbours, such as the middle of a linked list that is
 * held at both ends.
 *
 * A *series* is a row in which each node but the first is referred to by the
 * one before it only, and each node but the last refers to the one after it
 * only: an object and its namespace. Paths enter it at its first node and leave
 * it at its last one.
 *
 * A *chain* is a row of series. Two others refer to each of them, and it refers
 * to none but those: elements of a linked list. A path through a chain enters
 * it at one end and leaves it at the other. So one node can stand for a chain,
 * and where its dominator and those of the two neighbours are, tells those of
 * all.
 */
#ifndef LG_CHAINS_H
#define LG_CHAINS_H

#include "analysis/solver.h"

/** Solves the problem: leaves to lg__solver_ask what remains without rows.
 *  Every node has to be reached from node 0. O(nodes + edges) besides that;
 *  some 40 bytes a node. */
lg_status lg__chains_solve(const lg__problem *problem, uint32_t *dominator,
                           lg_error *err);

#endif
