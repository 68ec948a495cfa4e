/**
 * The problem that igraph solves. The bridge to igraph is a shared object of
 * its own. It is opened at its first use, so a program that never needs igraph
 * never loads it.
 */
#ifndef LEAKGRAPH_SOLVER_H
#define LEAKGRAPH_SOLVER_H

#include <leakgraph/base.h>

/** A directed graph without self-loops, as two columns. */
typedef struct lg__problem {
    uint32_t node_count;
    uint64_t edge_count;
    const uint32_t *source;
    const uint32_t *target;
    const lg_monitor *monitor;
    bool left; /**< lg__solver_ask sets it: a fork left the last call unfinished
                */
} lg__problem;

/** Computes the immediate dominator of every node. Node 0 reaches all nodes
 *  and is its own dominator. One thread at a time. */
typedef lg_status lg__solver(const lg__problem *problem, uint32_t *dominator,
                             lg_error *err);

/** The one symbol that the shared object exports. */
#define LG__SOLVER_SYMBOL "lg_igraph_dominators"

/** Computes the same without igraph. Returns false, and leaves it to igraph, if
 *  that takes long, or if memory ran out. */
bool lg__solver_iterate(const lg__problem *problem, uint32_t *dominator);

/** Opens igraph and solves the problem. Threads take turns. LG_EUNSUPPORTED
 *  says how to install igraph, or that a problem's monitor asked for it. */
lg_status lg__solver_ask(const lg__problem *problem, uint32_t *dominator,
                         lg_error *err);

#endif
