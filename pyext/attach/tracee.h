/**
 * A thread of another process, stopped by ptrace. Whoever traces it may vanish
 * at any instant: the kernel then lets the thread go, so nothing here may leave
 * it in a state from which it does not find home.
 */
#ifndef LEAKGRAPH_TRACEE_H
#define LEAKGRAPH_TRACEE_H

#include "attach/outcome.h"
#include "attach/remote.h"

#include <sys/user.h>

typedef struct lg__tracee {
    const lg__remote *remote; /**< and its main thread */
    uint64_t mask;            /**< the signals that it blocks */
    struct user_regs_struct registers;
    int code; /**< of the system, when it forbids to trace */
} lg__tracee;

/** Stops the main thread, wherever it is, and reads its registers and mask. If
 *  somebody else has stopped the process, it stays as it is. */
lg__outcome lg__tracee_stop(lg__tracee *self, const lg__remote *remote);

/** Whether the stopped thread may be sent elsewhere: its code has 64 bits, it
 *  is on its own stack, which ends at `stack_end` or which the C library has
 *  made for it, and in no restartable sequence; and the process runs the
 * program of `remote`. */
lg__outcome lg__tracee_check(const lg__tracee *self, uint64_t stack_end);

/** The error by which the kernel repeats the system call that was interrupted:
 *  512 to 516; 0: none. */
uint64_t lg__tracee_restart(const lg__tracee *self);
/** The number of the system call that it waits in; -1 if it was running. */
long lg__tracee_waits_in(const lg__tracee *self);

/** Sends it to `code`, by one word. */
bool lg__tracee_send(const lg__tracee *self, uint64_t code);
bool lg__tracee_set_mask(const lg__tracee *self, uint64_t mask);
/** All signals but those that report a fault: a blocked fault would lose its
 *  handler. */
uint64_t lg__tracee_quiet_mask(void);

/** Lets it continue to the next entry or exit of a system call. Passes on
 *  signals, stops and what continues them. GONE if it ended. */
lg__outcome lg__tracee_step(lg__tracee *self);

/** Lets it go. */
void lg__tracee_detach(const lg__tracee *self);

#endif
