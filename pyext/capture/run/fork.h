/**
 * Captures in a forked child. This process stands still only during the fork;
 * the child walks the heap as it was then.
 *
 * The child is a bare clone of one thread. No pthread_atfork or os.fork handler
 * runs, in it or here; its end sends no SIGCHLD, and no other wait() sees it.
 * It allocates only from its own mappings and takes no lock, because another
 * thread may have held it at the fork. It blocks all signals, calls no device,
 * and dies after `seconds` without progress, or with this process unless it is
 * an orphan: then it does not depend on this process at all. A fault in
 * it, for example in a library's tp_traverse, ends only the child. The kernel
 * kills it first when memory runs out.
 *
 * While the child runs, the kernel copies each page that this process writes
 * to. The child keeps compressed what it does not use (see cold_pages.h); with
 * options->spill, it keeps most of its memory in a file instead (see arena.h).
 */
#ifndef LEAKGRAPH_FORK_H
#define LEAKGRAPH_FORK_H

#include "capture/run/capture.h"
#include "capture/run/held.h"

/** The orders of a child. */
typedef struct lg__fork_plan {
    const lg__capture_options *options; /**< the child does not call watch */
    lg__held file;    /**< open and empty; the graph goes there */
    int compress;     /**< at this level of zstd; 0: not at all */
    lg__held spill;   /**< open, empty, without a name; -1: none */
    unsigned seconds; /**< the child gives up after so long without progress */
    bool orphan;      /**< the child's parent is init, which reaps it */
    bool may_be_torn; /**< go on without native memory if other threads were
                           allocating at the fork, rather than end */
    bool lifts_limit; /**< the file may be larger than those that this process
                           allows itself (the soft RLIMIT_FSIZE) */
    const char *advice; /**< what to do if a fork fails: the end of its message,
                           or empty */
} lg__fork_plan;

/** The name of the process that makes an orphan, and of the orphan. The maker
 *  is a child of this process, which soon takes its exit status. If another
 *  thread of this process executes a program just then, it becomes a child of
 *  that program, which knows nothing of it. */
#define LG__MAKER_NAME "leakgraph fork"

/** A capture in progress. */
typedef struct lg__fork {
    int child;   /**< process id */
    int process; /**< descriptor of the process; -1 if the system has none */
    int reports; /**< pipe for the child's reports */
    unsigned seconds;
    const char *advice;         /**< the plan's */
    double pause;               /**< seconds for which the GIL was held */
    bool orphaned;              /**< init reaps the child */
    bool shared;                /**< another process has the same open pipe, and
                                     may have reads of it wait */
    int (*reap)(void *context); /**< takes the exit status of a child that
                                     another process has; NULL: it is ours */
    void *context;
} lg__fork;

/** The outcome. */
typedef struct lg__fork_result {
    uint32_t nodes;
    uint64_t edges;
    int signal; /**< the signal that killed the child, or 0 */
    bool torn;  /**< it ended because other threads were allocating at the fork:
                     fork again */
} lg__fork_result;

/** Forks with the GIL held. The child captures and writes the graph. It
 *  does not call the adapters' `ask`. O(resident memory): 15
 *  to 30 ms for each GiB. LG_EUNSUPPORTED, before anything else, if the kernel
 *  may kill this process with the child (group_room.h). */
lg_status lg__fork_begin(const lg__fork_plan *plan, lg__fork *out,
                         lg_error *err);

/** Waits for the child without the GIL, and frees the fork in any case. The
 *  monitor gets the child's progress; when it stops the work, this kills the
 *  child. `path` is for messages. LG_ECHILD if the child did not end by
 *  itself. */
lg_status lg__fork_wait(lg__fork *fork, const char *path,
                        const lg_monitor *monitor, lg__fork_result *out,
                        lg_error *err);

#endif
