/**
 * Captures in a forked child: this process stands still for the fork alone, the
 * child looks at the heap as it was then.
 *
 * The child is a bare clone of this one thread: no pthread_atfork or os.fork
 * handler runs, in it or here, and its end sends no SIGCHLD and is seen by no
 * wait() of anybody else's. It allocates from its own mappings only and takes
 * no lock, since other threads may have held any at the fork; it blocks all
 * signals, calls no device, dies with this process, and after `seconds` without
 * progress. A fault in it, in a library's tp_traverse say, ends it and nothing
 * else. It is the first that the kernel kills when memory runs out.
 *
 * While it runs, each page that this process writes to is copied. With
 * options->spill it keeps most of what it needs in a file (see spill.h).
 */
#ifndef LEAKGRAPH_FORK_H
#define LEAKGRAPH_FORK_H

#include "capture/run/capture.h"

/** What a child is to do. */
typedef struct lg_fork_plan {
    const lg_capture_options *options; /**< watch is not called */
    int file;         /**< open and empty: where the graph goes */
    int spill;        /**< open, empty, without a name; -1: none */
    unsigned seconds; /**< without progress, after which it gives up */
} lg_fork_plan;

/** A capture in progress. */
typedef struct lg_fork {
    int child;   /**< process id */
    int process; /**< descriptor of the process; -1 if the system has none */
    int reports; /**< pipe that the child reports through */
    unsigned seconds;
    double pause; /**< seconds that the GIL was held for it */
} lg_fork;

/** What came of it. */
typedef struct lg_fork_result {
    uint32_t nodes;
    uint64_t edges;
    int signal; /**< the child was killed by it; 0: it was not */
} lg_fork_result;

/** Forks with the GIL held. The child captures and writes the graph,
 *  uncompressed. Adapters are not asked after the walk. O(resident memory): 15
 * to 30 ms for a GiB. */
lg_status lg_fork_begin(const lg_fork_plan *plan, lg_fork *out, lg_error *err);

/** Waits for the child, without the GIL, and frees the fork in any case. The
 *  monitor is told of the child's progress, and of time passing; when it stops
 *  the work, the child is killed. `path` is for messages. LG_ECHILD if the
 *  child did not end by itself. */
lg_status lg_fork_wait(lg_fork *fork, const char *path,
                       const lg_monitor *monitor, lg_fork_result *out,
                       lg_error *err);

#endif
