/**
 * A thread of another process, stopped by ptrace, for as long as it takes to
 * have it do a few system calls. All calls about one come from one thread of
 * this process, and signals should not end this process meanwhile. Errors leave
 * the thread as it was.
 */
#ifndef LEAKGRAPH_TRACEE_H
#define LEAKGRAPH_TRACEE_H

#include <leakgraph/base.h>

#include <sys/user.h>

/** Room for the state of any processor's vector registers. */
#define LG__VECTORS 16384

typedef struct lg__tracee {
    int process; /**< and its main thread */
    uint64_t gadget;
    uint64_t mask; /**< the signals that it blocks */
    struct user_regs_struct registers;
    size_t vector_size;
    _Alignas(64) unsigned char vectors[LG__VECTORS]; /**< set by _send */
    bool stop_wanted; /**< somebody stopped the process meanwhile */
} lg__tracee;

/** Stops the main thread, wherever it is. `gadget` is the address of an
 *  instruction for system calls. */
lg_status lg__tracee_stop(lg__tracee *self, int process, uint64_t gadget,
                          lg_error *err);

/** Has it do a system call; LG_OK with the result, which is -errno if the call
 *  failed. */
lg_status lg__tracee_call(lg__tracee *self, long number, const uint64_t *words,
                          int64_t *out, lg_error *err);

/** Lets it continue as if nothing had been: a system call that waited goes on
 *  waiting. */
void lg__tracee_release(lg__tracee *self);

/** The number of the system call that it waits in; -1 if it was running. */
long lg__tracee_waits_in(const lg__tracee *self);

/** Lets it continue at `code` as in the handler of a signal. `frame` is where
 *  the kernel's frame for the way back goes, with room for LG__FRAME_BYTES.
 * With that frame, a system call that waited begins anew, or ends with EINTR,
 * as after a signal with SA_RESTART. */
lg_status lg__tracee_send(lg__tracee *self, uint64_t code, uint64_t argument,
                          uint64_t frame, lg_error *err);

/** Brings the stopped thread back to where `before` sent it away, and lets it
 *  continue as lg__tracee_release does. */
void lg__tracee_return(lg__tracee *self, const lg__tracee *before);

#define LG__FRAME_BYTES (LG__VECTORS + 4096)

#endif
