/**
 * Looks at a process without touching it: whether leakgraph may attach to it,
 * which Python it runs, and where its functions are.
 */
#ifndef LEAKGRAPH_ATTACH_TARGET_H
#define LEAKGRAPH_ATTACH_TARGET_H

#include "attach/injected.h"
#include "attach/outcome.h"
#include "attach/remote.h"
#include "attach/room.h"

/** Where a version of CPython keeps what leakgraph reads or writes from
 * outside: offsets in the state that all interpreters share (_PyRuntime), or in
 * that of an interpreter. Nothing in a process tells them. */
typedef struct lg__offsets {
    unsigned minor;
    /* The lock of the queue of pending calls. */
    bool is_shared; /**< it lies in the shared state */
    bool is_mutex;  /**< of one byte; or a pointer to a semaphore of the C
                         library */
    uint64_t lock;
    /* Of which signals Python has yet to tell the program: an int for each. */
    uint64_t signals; /**< that of signal 1, in the shared state */
    uint64_t stride;  /**< from one to the next; 0: all have the same */
    /* Scripts of other processes (script.h); 0: the version runs none. */
    uint64_t support;      /**< the words of debugger_support */
    uint64_t audit;        /**< hooks in C, in the shared state */
    uint64_t audit_python; /**< and in Python, in that of an interpreter */
} lg__offsets;

/** What Python keeps for a signal. */
typedef struct lg__handler_row {
    uint64_t tripped; /**< the lower half: 1 until it tells the program */
    uint64_t handler; /**< an object; the same for all that have none */
} lg__handler_row;

/** How many signals there are. */
#define LG__SIGNALS 64

/** Whether these may be the rows of all signals: those two that nobody can set
 *  have the usual handler, and those two that belong to the C library another
 *  one. */
bool lg__are_handlers(const lg__handler_row rows[LG__SIGNALS]);

typedef struct lg__attach_target {
    lg__remote remote;
    unsigned minor;             /**< of Python 3 */
    const lg__offsets *offsets; /**< of that version; NULL: unknown */
    bool filtered;              /**< it has a seccomp filter */
    uint64_t runtime;           /**< of the state that all interpreters share */
    uint64_t handlers;         /**< of Python's handlers of signals: from signal
                                   1 on, lg__handler_row; 0: unknown */
    lg__remote_place code;     /**< of Python; size 0: unknown */
    uint64_t stack_end;        /**< of the main thread's stack */
    uint64_t stack_low;        /**< nothing can be called there once that stack
                                   reaches below it */
    int64_t sequences;         /**< where the C library has a thread's area for
                                   restartable sequences, from the thread's own
                                   data on; 0: it has none */
    lg__rooms rooms;           /**< for the stub */
    lg__bootstrap bootstrap;   /**< its functions */
    lg__remote_place waits[2]; /**< functions that wait for a lock, without the
                                   GIL; size 0: the process has none */
} lg__attach_target;

/** Looks at the process without stopping it. LG_EUNSUPPORTED or LG_ENOTFOUND
 *  with a sentence that says why leakgraph cannot attach to it. `filtered`:
 *  take the risk that its filter of system calls ends it. `any`: its program
 *  need not be Python, for a visit that takes the exit status of a child. On
 *  success, lg__attach_target_close must follow. */
lg_status lg__attach_target_find(int process, bool filtered, bool any,
                                 lg__attach_target *out, lg_error *err);
void lg__attach_target_close(lg__attach_target *self);

/** Says why the system refused to trace the process, given the error code. */
lg_status lg__target_explain(int process, int code, lg_error *err);

/** Whether the process may open too few more files. */
bool lg__target_lacks_descriptors(int process);

/** Whether the process finds the same file by this path. */
bool lg__target_sees(int process, const char *path);

/** Who traces the process; 0: nobody. */
int lg__target_tracer(int process);
/** Whether somebody has stopped it. */
bool lg__target_is_stopped(int process);

/** Where a thread is when it waits in the kernel. */
typedef struct lg__wait {
    long call;
    uint64_t first; /**< argument */
    uint64_t second;
    uint64_t fourth;
    uint64_t stack; /**< where it ends */
    uint64_t code;  /**< behind the `syscall` instruction */
} lg__wait;

/** Whether its main thread waits in the kernel, in a call during which it holds
 *  no lock of the C library: for input, time, a child or a lock of Python, and
 *  in no handler of a signal, which may have interrupted the holder of a lock.
 */
bool lg__target_waits(const lg__attach_target *self, const lg__wait *wait);

typedef enum lg__state {
    LG__STATE_RUNS,
    LG__STATE_WAITS,   /**< as above */
    LG__STATE_FRAGILE, /**< waits in a system call that ends early after any
                            stop, and that nobody expects to */
} lg__state;

/** What its main thread seems to do, from outside, without a stop. */
lg__state lg__target_state(const lg__attach_target *self);

#endif
