/**
 * What igraph is asked. It lives in a shared object of its own, opened when
 * it is first needed, so that a program that never needs it never loads it.
 */
#ifndef LG_SOLVER_H
#define LG_SOLVER_H

#include <leakgraph/leakgraph.h>

/** A directed graph without self-loops, as two columns. */
typedef struct lg__problem {
    uint32_t node_count;
    uint64_t edge_count;
    const uint32_t *source;
    const uint32_t *target;
    const lg_monitor *monitor;
    bool left; /**< set by lg__solver_ask: a fork stopped a call half way */
} lg__problem;

/** The immediate dominator of every node from node 0, which reaches them all;
 *  its own is 0. For one thread at a time. */
typedef lg_status lg__solver(const lg__problem *problem, uint32_t *dominator,
                             lg_error *err);

/** The one symbol that the shared object exports. */
#define LG__SOLVER_SYMBOL "lg_igraph_dominators"

/** Opens igraph and asks it, one thread after the other. LG_EUNSUPPORTED says
 *  how to install it. */
lg_status lg__solver_ask(const lg__problem *problem, uint32_t *dominator,
                         lg_error *err);

#endif
