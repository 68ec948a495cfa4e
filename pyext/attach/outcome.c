#include "attach/outcome.h"

#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <string.h>

/** What keeps a process from a safe point. NULL: nothing that passes. */
static const char *const obstacles[] = {
    [LG__CUT_OFF] = "its main thread is inside the kernel",
    [LG__LOADING] = "its program is still being loaded",
    [LG__SHARES_MEMORY] = "it shares the memory of its parent until it starts "
                          "another program",
    [LG__NEW_REGISTERS] = "its main thread uses registers that leakgraph "
                          "has not been tried with (APX)",
    [LG__IN_SEQUENCE] = "its main thread runs a restartable sequence",
    [LG__ON_ALIEN_STACK] = "its main thread runs on the stack of a coroutine "
                           "or of a signal handler",
    [LG__LOW_STACK] = "its main thread has little room left on its stack",
    [LG__IN_FRAGILE_WAIT] =
        "its main thread waits for a semaphore of System V "
        "or for io_getevents() or io_uring, and any look at "
        "it would end that wait",
    [LG__WENT_HOME] =
        "it may not map memory, make it executable, or make sockets",
    [LG__NO_DESCRIPTORS] =
        "it has almost as many files open as it may (ulimit -n)",
    [LG__CLOSED] = "another thread of it closes files that are not its own",
    [LG__NO_INTERPRETER] = "its Python has not started yet, or has ended",
    [LG__GIL_KEPT] = "another thread of it keeps the GIL",
    [LG__BUSY] = "its main thread runs or waits in C code",
    [LG__ALIEN_THREAD] = "its Python runs on another thread than the first",
    [LG__ROOMS_TAKEN] = "its main thread is in leakgraph's code",
    [LG__NOT_WRITABLE] = "its memory cannot be written to",
    [LG__QUEUE_LOCKED] =
        "its main thread may hold the lock of Python's pending calls",
    [LG__QUEUE_FULL] = "the queue of pending calls of its Python is full",
};

static const char *
obstacle_of(lg__outcome self)
{
    return (size_t)self < sizeof obstacles / sizeof *obstacles ? obstacles[self]
                                                               : NULL;
}

bool
lg__outcome_may_change(lg__outcome self)
{
    return self == LG__STOPPED || self == LG__TRACED ||
           obstacle_of(self) != NULL;
}

static lg_status
explain_socket(int process, int code, lg_error *err)
{
    return lg_error_set(err, LG_EUNSUPPORTED, "cannot talk to process %d: %s%s",
                        process, strerror(code),
                        code == ENOSYS ? "; attach needs Linux 5.6" : "");
}

lg_status
lg__outcome_explain(lg__outcome self, int process, int code, unsigned seconds,
                    lg_error *err)
{
    switch (self) {
    case LG__GONE:
        return lg_error_set(err, LG_ECHILD, "process %d ended", process);
    case LG__REPLACED:
        return lg_error_set(err, LG_ECHILD,
                            "process %d has started another program: attach to "
                            "that",
                            process);
    case LG__STOPPED:
        return lg_error_set(err, LG_ECHILD,
                            "process %d is stopped: continue it (kill -CONT "
                            "%d) and try again",
                            process, process);
    case LG__FROZEN:
        return lg_error_set(err, LG_ECHILD,
                            "the control group of process %d is frozen, as by "
                            "docker pause: let it go on and try again",
                            process);
    case LG__TRACED:
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d is traced by process %d already: end "
                            "that and try again",
                            process, code);
    case LG__NO_ROOM:
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d has no room for code behind the text "
                            "of its files: use leakgraph run",
                            process);
    case LG__REFUSES_CPUID:
        return lg_error_set(
            err, LG_EUNSUPPORTED,
            "process %d has the processor refuse it CPUID "
            "(ARCH_SET_CPUID), as recorders of programs do, and "
            "may die of any library that it loads: start it "
            "without that and attach again",
            process);
    case LG__REFUSES_TIME:
        return lg_error_set(
            err, LG_EUNSUPPORTED,
            "process %d has the processor refuse it RDTSC (PR_SET_TSC), as "
            "recorders of programs do, and would die as soon as it reads a "
            "clock: start it without that and attach again",
            process);
    case LG__ALIEN_CODE:
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "process %d has code of 32 bits, or handles its "
                            "system calls itself: use leakgraph run",
                            process);
    case LG__NO_SOCKET:
        return explain_socket(process, code, err);
    default:
        return lg_error_set(
            err, LG_ECHILD,
            "process %d did not come to a safe point within %u s: %s; nothing "
            "happened to it, and a longer --timeout may help",
            process, seconds, obstacle_of(self));
    }
}
