/**
 * Registries of handlers that the interpreter, asyncio and executors have.
 */
#ifndef LEAKGRAPH_REGISTRIES_H
#define LEAKGRAPH_REGISTRIES_H

#include "findings/context.h"

typedef enum lg__registry_kind {
    LG__REGISTRY_NONE,
    LG__REGISTRY_EXIT,   /**< atexit: the interpreter refers to each handler */
    LG__REGISTRY_FORK,   /**< os.register_at_fork(): a list */
    LG__REGISTRY_AUDIT,  /**< sys.addaudithook(): a list */
    LG__REGISTRY_FUTURE, /**< a future of asyncio, with its callbacks */
    LG__REGISTRY_SCHEDULER, /**< sched.scheduler, with its events */
    LG__REGISTRY_LOOP,      /**< an event loop, with its handles */
    LG__REGISTRY_THREADS,   /**< threads that a container keeps: no registry */
    LG__REGISTRY_JOBS,      /**< futures of executors: no registry */
    LG__REGISTRY_POOL, /**< executors: no registry, but with a fix likewise */
    LG__REGISTRY_JIT,  /**< torch.jit, which keeps what it compiled */
    LG__REGISTRY_FUNCTIONS, /**< of the program, with closures or partials */
} lg__registry_kind;

/** Returns whether the node is a class that torch.jit makes for each module
 * that it traces. */
bool lg__is_traced_class(const lg_graph *graph, uint32_t node);
/** Returns the kind of registry to which the edge of the interpreter leads. */
lg__registry_kind lg__registry_of(const lg_graph *graph, uint64_t edge);
/** Returns the queue from which a thread of a ThreadPoolExecutor takes its
 * tasks; LG_NONE for any other thread. */
uint32_t lg__pool_queue(const lg__detection *detection, uint32_t thread);
/** Returns whether it is a thread of a pool, and the program does not have the
 *  executor any more: it is gone, or only this thread, which runs as `root`,
 *  has it. */
bool lg__pool_is_gone(const lg__detection *detection, uint32_t thread,
                      uint32_t root);

#endif
