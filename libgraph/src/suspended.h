/**
 * What waits to be resumed: generators, coroutines and tasks.
 */
#ifndef LG_SUSPENDED_H
#define LG_SUSPENDED_H

#include <leakgraph/analysis.h>

#include "gather.h"

/** Those with local variables that are on no thread's stack: by what they
 *  retain, the most first; without an analysis (NULL) in their order. The items
 *  are released with free(). O(nodes + edges). */
lg_status lg__suspended_list(const lg_graph *graph, const lg_analysis *analysis,
                             lg__gathered *out, lg_error *err);

#endif
