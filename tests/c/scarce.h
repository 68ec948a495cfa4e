/**
 * Memory that runs out on demand: for tests linked with --wrap=malloc,
 * --wrap=calloc and --wrap=realloc.
 */
#ifndef LG_SCARCE_H
#define LG_SCARCE_H

#include <leakgraph/base.h>

/** Whether the system refuses files without a name (--wrap=openat). */
extern bool nameless_refused;

/** Allocations that still succeed; negative: no limit. */
extern long malloc_left;

/** Does the work with 0 allocations, then 1 and so on until it succeeds; till
 *  then it must run out of memory. Returns how many checks failed so far. */
int sweep(const lg_graph *graph, lg_status (*work)(const lg_graph *));

#endif
