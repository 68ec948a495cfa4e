/** Suspended coroutines and generators in paths, and tasks. */
#ifndef LEAKGRAPH_SUSPENDED_H
#define LEAKGRAPH_SUSPENDED_H

#include <leakgraph/graph.h>
#include <leakgraph/path.h>

#include "graph/graph_private.h"

/** Returns whether the hop leads from a suspended coroutine or generator to
 *  what it keeps in a variable. */
bool lg__hop_is_of_suspended(const lg_graph *graph, const lg_hop *hop);
/** Returns how many hops of the path from one on lead from a task, or from a
 *  coroutine that awaits, to the coroutine whose variable comes next; 0: none
 *  do. */
size_t lg__path_awaits(const lg_graph *graph, const lg_path *path, size_t at);
/** Returns the hop out of a task at which the words of the path begin; the
 *  count of hops if they begin at its root. */
size_t lg__path_task(const lg_graph *graph, const lg_path *path);
/** Writes `task Task-3` for a task that runs the coroutine. */
void lg__format_task(const lg_graph *graph, uint32_t task, uint32_t coroutine,
                     lg_text *out);
/** Writes ` in coroutine worker() app.py:9`. */
void lg__format_suspended(const lg_graph *graph, uint32_t node, lg_text *out);
/** Returns the coroutine that a task runs, or that a coroutine awaits; LG_NONE
 *  if there is none. */
uint32_t lg__node_awaits(const lg_graph *graph, uint32_t node);

#endif
