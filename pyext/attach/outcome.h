/** How a visit to another process ended, in words as well. */
#ifndef LEAKGRAPH_OUTCOME_H
#define LEAKGRAPH_OUTCOME_H

#include <leakgraph/base.h>

typedef enum lg__outcome {
    LG__CUT_OFF = 0, /**< its time was up: the thread did not stop */
    LG__VISITED,
    LG__STOPPED,         /**< somebody has stopped the process */
    LG__FROZEN,          /**< its control group does not let it run */
    LG__LOADING,         /**< the loader has not finished */
    LG__SHARES_MEMORY,   /**< with its parent, after vfork() */
    LG__NEW_REGISTERS,   /**< in some newer than AMX: nobody has tried */
    LG__IN_SEQUENCE,     /**< inside a restartable sequence */
    LG__ON_ALIEN_STACK,  /**< of a coroutine or of a signal's handler */
    LG__LOW_STACK,       /**< with little room left on its own */
    LG__IN_FRAGILE_WAIT, /**< in a system call that any stop ends */
    LG__WENT_HOME,       /**< the thread could not map memory, make
                             it executable, or make sockets */
    LG__NO_DESCRIPTORS,  /**< it may open too few more files */
    LG__CLOSED,          /**< another thread of it has closed what is
                              leakgraph's */
    LG__NO_INTERPRETER,  /**< Python has not started, or has ended */
    LG__QUEUE_FULL,      /**< Python's queue of pending calls has no room */
    LG__QUEUE_LOCKED,    /**< perhaps by the thread itself */
    LG__GIL_KEPT,        /**< another thread keeps the GIL */
    LG__BUSY,            /**< the main thread is in C code */
    LG__ALIEN_THREAD,    /**< Python runs on another thread than the first */
    LG__ROOMS_TAKEN,     /**< the thread is in a stub, or on its way
                              back to all of them */
    LG__TRACED,          /**< another program traces it */
    LG__GONE,            /**< the process has ended */
    LG__REPLACED,        /**< the process runs another program */
    LG__DENIED,          /**< the system forbids to trace it */
    LG__NO_ROOM,         /**< there is no room for the stub */
    LG__NOT_WRITABLE,    /**< what was written does not read back */
    LG__NO_SOCKET,       /**< the end of the pair cannot be taken */
    LG__REFUSES_CPUID, /**< the main thread has the processor refuse it CPUID */
    LG__REFUSES_TIME,  /**< and this one RDTSC, by which it reads clocks */
    LG__ALIEN_CODE,    /**< not 64 bits, or system calls go to a handler */
} lg__outcome;

/** Whether another visit, some milliseconds later, may end otherwise. */
bool lg__outcome_may_change(lg__outcome self);

/** Says in one sentence what went wrong, given the error code of the system
 *  (NO_SOCKET) or the number of the tracer (TRACED), and for how many seconds
 * visits were tried. */
lg_status lg__outcome_explain(lg__outcome self, int process, int code,
                              unsigned seconds, lg_error *err);

#endif
