/**
 * Threads of a ThreadPoolExecutor.
 */
#ifndef LEAKGRAPH_POOLS_H
#define LEAKGRAPH_POOLS_H

#include "findings/context.h"

/** Returns the queue from which a thread of a pool takes its tasks; LG_NONE for
 *  any other thread. */
uint32_t lg__pool_queue(const lg__detection *detection, uint32_t thread);
/** Returns whether it is a thread of a pool, and the program does not have the
 *  executor any more: it is gone, or only this thread, which runs as `root`,
 *  has it. */
bool lg__pool_is_gone(const lg__detection *detection, uint32_t thread,
                      uint32_t root);
/** Returns whether the thread belongs to a pool. */
bool lg__is_pool_thread(const lg_graph *graph, uint32_t thread);

#endif
