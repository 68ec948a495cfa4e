/**
 * Memory that runs out on demand, for tests linked with --wrap=malloc,
 * --wrap=calloc, --wrap=realloc and --wrap=mmap.
 */
#ifndef LEAKGRAPH_SCARCE_H
#define LEAKGRAPH_SCARCE_H

#include <leakgraph/base.h>

/** Whether openat refuses unnamed files (--wrap=openat). */
extern bool nameless_refused;

/** The number of allocations that still succeed; negative: no limit. */
extern long malloc_left;

/** The number of mappings that still succeed; negative: no limit. */
extern long mappings_left;

/** Does the work again and again. Each time another allocation fails, and the
 *  work must say so; at last none fails. Returns the number of failed checks so
 *  far. */
int sweep(const lg_graph *graph, lg_status (*work)(const lg_graph *));

#endif
