/**
 * A visit to another process: its main thread is stopped for less than a
 * millisecond, and sent through the stub. A process of its own makes the visit,
 * which a timer kills even if somebody suspends it. So nobody can hold the
 * thread, and whoever waits for the visit learns how it went.
 *
 * That process shares the memory and the descriptors of this one, and may die
 * at any instant: it takes no lock and allocates nothing.
 */
#ifndef LEAKGRAPH_VISIT_H
#define LEAKGRAPH_VISIT_H

#include "attach/attach_target.h"
#include "attach/outcome.h"

/** A system call with arguments that the kernel refuses before it does
 * anything, or one that does nothing. */
typedef struct lg__probe {
    const char *name;
    long number;
    uint64_t words[3];
    int64_t expected; /**< from the kernel; a filter answers something else. 0:
                           anything but an error */
    bool bare;        /**< the stub makes this call in any visit but this one */
} lg__probe;

typedef enum lg__purpose {
    LG__ASK,       /**< for an answer */
    LG__ASK_AGAIN, /**< the same instead of a pending call, and only if the
                        thread waits */
    LG__CLOSE,     /**< close the end that waits for a pending call */
    LG__REAP,      /**< take the exit status of a child */
    LG__PROBE,     /**< try a system call */
    LG__LOOK,      /**< whether the thread is in a stub, and has yet to begin */
} lg__purpose;

typedef struct lg__visit {
    /* What to do. */
    const lg__attach_target *target;
    lg__purpose purpose;
    /* To ask. */
    const lg__orders *orders;
    const char *path; /**< of the library as the process sees it, or empty */
    int library;      /**< descriptors that it gets */
    int file;
    uint64_t pending; /**< the region of the pending call */
    int before;       /**< the socket for its answer: nobody answers there any
                           more if the visit was made */
    int child;        /**< to be reaped */
    const lg__probe *probe;
    uint64_t caught; /**< signals that have handlers */
    uint64_t threads;
    /* The result. */
    bool sent;       /**< the thread will enter the stub, if it has not yet */
    uint64_t region; /**< what the thread has mapped; 0: nothing */
    int socket;      /**< our end of the pair; -1: none */
    bool here;       /**< the thread waits where it may take the GIL */
    int reaped;      /**< 0: the child has not ended */
    int exit_status;
    int64_t result; /**< of the probe */
    int code;       /**< of the system */
    lg__outcome outcome;
} lg__visit;

/** Makes the visit, unless it would end what the thread waits in. Needs a
 *  millisecond, and never more than a third of a second. WENT_HOME: the thread
 * has closed the end, or it could not do what it was sent for. */
lg_status lg__visit_make(lg__visit *self, lg_error *err);

/** Reads what a visit has put into the process; false if it is not there any
 *  more. */
bool lg__visit_read(const lg__attach_target *target, uint64_t region,
                    lg__bootstrap *out);
/** Whether the interpreter has yet to make the pending call for which that is
 *  there. */
bool lg__visit_is_pending(const lg__attach_target *target, uint64_t region,
                          lg__bootstrap *out);

/** Whether a thread with this mask may be in the stub, given the signals that
 *  have handlers. There it blocks at least all others but those that report a
 *  fault: a blocked fault would lose its handler. */
bool lg__visit_is_quiet(uint64_t mask, uint64_t caught);

/** Sends the orders, the library and the file to whoever has the other end of
 *  the visit's socket. */
bool lg__visit_send_orders(const lg__visit *self);

#endif
