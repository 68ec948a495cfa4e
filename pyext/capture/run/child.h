/**
 * What runs in the forked child, and what it reports. Nothing here uses malloc,
 * locks or Python code: see fork.h.
 */
#ifndef LEAKGRAPH_CHILD_H
#define LEAKGRAPH_CHILD_H

#include "capture/walk/capture_walk.h"
#include "heap/heap.h"

typedef enum lg__report_kind {
    LG__REPORT_PROGRESS = 1,
    LG__REPORT_FAULT, /**< the child is about to die by a signal */
    LG__REPORT_END,
} lg__report_kind;

/** Small enough that a pipe takes it whole or not at all. */
typedef struct lg__report {
    uint32_t kind;
    uint32_t status; /**< END: lg_status; FAULT: signal */
    int32_t code;    /**< END with LG_EIO: errno */
    uint32_t nodes;
    uint64_t edges;
    double done;
    bool torn;      /**< END: see lg__fork_result */
    char text[472]; /**< PROGRESS: phase; FAULT: type of the visited object, or
                         empty; END: message */
} lg__report;

typedef struct lg__child {
    lg__heap_walk *walk; /**< opened by the parent */
    lg__capture_options options;
    int parent;   /**< process id of the parent; 0: it has none */
    int reports;  /**< write end of the pipe, not blocking */
    int file;     /**< to write the graph to */
    int compress; /**< at this level; 0: not at all */
    int spill;    /**< file to keep memory in; -1: none */
    int pagemap;  /**< of the child; -1: none */
    const lg__native_facts *facts; /**< NULL: native memory is not listed */
    bool may_be_torn;              /**< see lg__fork_plan */
    unsigned seconds; /**< the child gives up after so long without progress */
    double reported;  /**< when it last reported progress */
} lg__child;

/** Captures, writes, reports, and ends the process. The caller has blocked all
 *  signals. */
_Noreturn void lg__child_run(lg__child *child);

/** Lets Python's allocators take memory from a mapping of their own, because
 *  the C __sizeof__ of a library makes an int. Only for a process that does not
 *  return to Python. */
void lg__child_lend_memory(void);

#endif
