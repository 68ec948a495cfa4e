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
} lg__probe;

typedef struct lg__visit {
    /* The errand. */
    const lg__attach_target *target;
    const lg__orders *orders;
    const char *path; /**< of the library as the process sees it, or empty */
    int library;      /**< descriptors that it gets */
    int file;
    int child;              /**< to be reaped, and nothing else; 0: none */
    const lg__probe *probe; /**< to be tried, and nothing else; NULL: none */
    bool trusting; /**< even if the queue of pending calls seems locked */
    bool again; /**< only if the thread waits, and instead of the pending call
                  that the visit before asked for */
    bool last;  /**< only to close the end that waits for the pending call of
                  the visit before, and nothing else */
    /* The result. */
    uint64_t region; /**< what the thread has mapped; 0: nothing */
    int socket;      /**< our end of the pair; -1: none */
    bool here;       /**< the thread waits where it may take the GIL */
    int reaped;      /**< 0: the child has not ended */
    int exit_status;
    int64_t result; /**< of the probe */
    int code;       /**< of the system */
    lg__outcome outcome;
} lg__visit;

/** Makes the visit. Needs a millisecond, and never more than a third of a
 *  second. */
lg_status lg__visit_make(lg__visit *self, lg_error *err);

/** Reads what the visit has put into the process; false if it is not there any
 *  more. */
bool lg__visit_read(const lg__visit *self, lg__landing *out);

/** Sends the orders, the library and the file to whoever has the other end of
 *  the visit's socket. */
bool lg__visit_send_orders(const lg__visit *self);

#endif
