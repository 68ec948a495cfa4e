/**
 * Visits to another process: what a visit does while the main thread is
 * stopped, and what all visits of a plant share.
 */
#ifndef LEAKGRAPH_ERRAND_H
#define LEAKGRAPH_ERRAND_H

#include "attach/plant.h"

/** Work for a thread of its own, and how it ended. */
typedef struct lg_errand {
    void (*work)(struct lg_errand *self);
    lg_plant *plant;
    const lg_orders *orders;
    int library;
    int file;
    int child;
    int exit_status;
    bool done;
    lg_status status;
    lg_error *err;
} lg_errand;

/** Works in a thread that nothing interrupts. When it ends, the kernel lets go
 *  of all that it traces, whatever happened. Returns the errand's status. */
lg_status lg_errand_run(lg_errand *self);

/** Stops the main thread of the plant's process. */
lg_status lg_errand_stop(lg_errand *self, lg_tracee *out);

/** The address of the landing in the process. */
uint64_t lg_plant_landing(const lg_plant *self);
/** Copies the landing; false if the process is gone. */
bool lg_plant_read(const lg_plant *self, lg_landing *out);
/** Whether the stopped thread waits where another call does no harm. */
bool lg_plant_may_call(const lg_plant *self, const lg_tracee *tracee);
/** Lets the stopped thread run the landing's handler. */
lg_status lg_plant_call(lg_plant *self, lg_tracee *tracee, lg_error *err);
/** Has the stopped thread close a descriptor, and unmap what was planted. */
void lg_plant_close_there(lg_tracee *tracee, int descriptor);
void lg_plant_unmap(lg_plant *self, lg_tracee *tracee);
/** Leaves the memory mapped: the call that the interpreter has yet to make
 *  unmaps it. The thread is stopped outside of it. */
void lg_plant_leave(lg_plant *self);

#endif
