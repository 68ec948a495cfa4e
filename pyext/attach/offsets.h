/**
 * Where each version of CPython keeps what leakgraph reads or writes from
 * outside: offsets in the state that all interpreters share (_PyRuntime), or in
 * that of an interpreter. Nothing in a process tells them.
 */
#ifndef LEAKGRAPH_OFFSETS_H
#define LEAKGRAPH_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

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

/** NULL: unknown. */
const lg__offsets *lg__offsets_of(unsigned minor);

#endif
