/**
 * Visits to another process: what a visit does while the main thread is
 * stopped, and what all visits of a plant share.
 */
#ifndef LEAKGRAPH_ERRAND_H
#define LEAKGRAPH_ERRAND_H

#include "attach/plant.h"

/** Work for a thread of its own, and how it ended. */
typedef struct lg__errand {
    void (*work)(struct lg__errand *self);
    lg__plant *plant;
    const lg__orders *orders;
    int library;
    int file;
    int child;
    int exit_status;
    bool done;
    lg_status status;
    lg_error *err;
} lg__errand;

/** Works in a thread that nothing interrupts. When it ends, the kernel lets go
 *  of all that it traces, whatever happened. Returns the errand's status. */
lg_status lg__errand_run(lg__errand *self);

/** Stops the main thread of the plant's process. */
lg_status lg__errand_stop(lg__errand *self, lg__tracee *out);

/** The address of the landing in the process. */
uint64_t lg__plant_landing(const lg__plant *self);
/** Copies the landing; false if the process is gone. */
bool lg__plant_read(const lg__plant *self, lg__landing *out);
/** Whether the stopped thread waits where another call does no harm. */
bool lg__plant_may_call(const lg__plant *self, const lg__tracee *tracee);
/** Lets the stopped thread run the landing's handler. */
lg_status lg__plant_call(lg__plant *self, lg__tracee *tracee, lg_error *err);
/** Has the stopped thread close a descriptor, and unmap what was planted. */
void lg__plant_close_there(lg__tracee *tracee, int descriptor);
void lg__plant_unmap(lg__plant *self, lg__tracee *tracee);
/** Leaves the memory mapped: the call that the interpreter has yet to make
 *  unmaps it. The thread is stopped outside of it. */
void lg__plant_leave(lg__plant *self);

#endif
