// Solves small problems without igraph, by iteration: K. D. Cooper, T. J.
// Harvey and K. Kennedy, "A simple, fast dominance algorithm", 2001.
//
// A process that is looked at finds its own places, and most such processes
// have no other need of igraph: its code would stay in their memory, and would
// be told as growth.
//
// Nodes have ranks: each comes before all that only later nodes of a
// depth-first walk lead to, so the dominator of a node has a lower rank. A
// node's dominator is what all its referrers have in common, as far as they are
// known. It only ever moves up, and where no more nodes move, all are right.
// Loops with several entries take further rounds, and long chains take long to
// climb, so the steps are limited.
#include "analysis/solver.h"
#include "base/base_private.h"

#include <stdlib.h>
#include <string.h>

// Steps for each node and edge.
enum { STEPS_EACH = 64 };

// The rank of a node that a walk has met, and not left.
#define OPEN (LG_NONE - 1)

typedef struct iteration {
    const lg__problem *problem;
    uint32_t *first; // [node_count + 1] of the edges by one of their ends
    uint32_t *end;   // [edge_count] their other ends
    uint32_t *rank;  // [node_count]; LG_NONE: not met
    uint32_t *stack; // [node_count]
    uint32_t *next;  // [node_count] edges to follow next
    uint32_t *above; // [node_count] dominators, all as ranks
    uint64_t steps;  // that are left
} iteration;

// Sorts the edges by one of their ends.
static void
sort_edges(iteration *to, const uint32_t *by, const uint32_t *other)
{
    uint32_t nodes = to->problem->node_count;
    uint64_t edges = to->problem->edge_count;
    memset(to->first, 0, ((size_t)nodes + 1) * sizeof *to->first);
    for (uint64_t i = 0; i < edges; i++)
        to->first[by[i] + 1]++;
    for (uint32_t i = 0; i < nodes; i++)
        to->first[i + 1] += to->first[i];
    memcpy(to->next, to->first, nodes * sizeof *to->next);
    for (uint64_t i = 0; i < edges; i++)
        to->end[to->next[by[i]]++] = other[i];
    memcpy(to->next, to->first, nodes * sizeof *to->next);
}

// Ranks the nodes from the last to the first, as a depth-first walk leaves
// them. Returns whether it met all.
static bool
rank_nodes(iteration *to)
{
    uint32_t left = to->problem->node_count;
    uint32_t height = 1;
    memset(to->rank, 0xff, left * sizeof *to->rank);
    to->stack[0] = 0;
    to->rank[0] = OPEN;
    while (height > 0) {
        uint32_t node = to->stack[height - 1];
        if (to->next[node] == to->first[node + 1]) {
            to->rank[node] = --left;
            height--;
            continue;
        }
        uint32_t target = to->end[to->next[node]++];
        if (to->rank[target] == LG_NONE) {
            to->rank[target] = OPEN;
            to->stack[height++] = target;
        }
    }
    return left == 0;
}

// Returns what two nodes have in common.
static uint32_t
meet(iteration *of, uint32_t one, uint32_t other)
{
    while (one != other && of->steps > 0) {
        of->steps--;
        if (one > other)
            one = of->above[one];
        else
            other = of->above[other];
    }
    return one;
}

// A referrer of a higher rank may not be known in the first round. The node
// from which the walk first met this one has a lower rank, so at least one
// referrer always is.
static uint32_t
common(iteration *of, uint32_t node)
{
    uint32_t found = LG_NONE;
    for (uint32_t i = of->first[node]; i < of->first[node + 1]; i++) {
        uint32_t referrer = of->rank[of->end[i]];
        if (of->above[referrer] != LG_NONE)
            found = found == LG_NONE ? referrer : meet(of, found, referrer);
    }
    return found;
}

// Returns whether no dominator moves any more.
static bool
settle(iteration *of)
{
    uint32_t nodes = of->problem->node_count;
    memset(of->above, 0xff, nodes * sizeof *of->above);
    of->above[0] = 0;
    for (uint32_t node = 0; node < nodes; node++)
        of->stack[of->rank[node]] = node;
    for (bool moved = true; moved && of->steps > 0;) {
        moved = false;
        for (uint32_t at = 1; at < nodes; at++) {
            uint32_t above = common(of, of->stack[at]);
            moved |= of->above[at] != above;
            of->above[at] = above;
        }
        of->steps -= of->steps < nodes ? of->steps : nodes;
    }
    return of->steps > 0;
}

static bool
solve(iteration *of, uint32_t *dominator)
{
    const lg__problem *problem = of->problem;
    sort_edges(of, problem->source, problem->target);
    if (!rank_nodes(of))
        return false;
    sort_edges(of, problem->target, problem->source);
    if (!settle(of))
        return false;
    for (uint32_t node = 0; node < problem->node_count; node++)
        dominator[node] = of->stack[of->above[of->rank[node]]];
    return true;
}

bool
lg__solver_iterate(const lg__problem *problem, uint32_t *dominator)
{
    const size_t nodes = (size_t)problem->node_count + 1;
    const size_t edges = (size_t)problem->edge_count + 1;
    uint32_t *room =
        edges < LG_NONE ? lg__alloc((5 * nodes + edges) * sizeof *room) : NULL;
    iteration of = {.problem = problem,
                    .steps = STEPS_EACH * (uint64_t)(nodes + edges)};
    if (room == NULL)
        return false;
    of.first = room;
    of.rank = of.first + nodes;
    of.stack = of.rank + nodes;
    of.next = of.stack + nodes;
    of.above = of.next + nodes;
    of.end = of.above + nodes;
    bool solved = solve(&of, dominator);
    lg__free(room);
    return solved;
}
