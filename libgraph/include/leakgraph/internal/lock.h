/**
 * Locks that hold in a forked child.
 *
 * fork() copies the memory of a process but only one of its threads. A lock
 * that another thread held is locked for good in the child, and a child that
 * waits for it never returns. An lg_lock knows how many forks ago it was taken:
 * in a child it is free unless the thread that forked is the one that holds it.
 *
 * What such a lock guards may be half done: its holder was stopped anywhere.
 * LG_LOCK_LEFT says so, once, to the next thread that takes it.
 *
 * While a process ends, the interpreter also stops each thread that asks for
 * the interpreter's own lock. So a thread that holds an lg_lock parks it before
 * it calls anything that may ask for that one.
 */
#ifndef LEAKGRAPH_LOCK_H
#define LEAKGRAPH_LOCK_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A lock; all zeros is a free one. Nothing has to be freed. */
typedef struct lg_lock {
    uint32_t word;
    uintptr_t holder; /**< what pthread_self() tells */
} lg_lock;

/** What came of an attempt to take a lock. */
typedef enum lg_lock_result {
    LG_LOCK_TAKEN = 0,
    LG_LOCK_LEFT, /**< taken; a thread that is no more, or has stopped for good,
                       held it */
    LG_LOCK_BUSY, /**< not taken */
} lg_lock_result;

/** Takes a lock if it is free. Safe after any kind of clone: it allocates
 *  nothing and waits for nobody. */
lg_lock_result lg_lock_try(lg_lock *lock);

/** Waits for a lock. LG_LOCK_BUSY: this thread has parked the lock. A thread
 *  that holds it otherwise waits for ever. */
lg_lock_result lg_lock_take(lg_lock *lock);

/** The same, but LG_LOCK_BUSY as soon as this thread has handled a signal
 *  meanwhile. */
lg_lock_result lg_lock_take_or_signal(lg_lock *lock);

/** Gives a lock back that this thread has taken. */
void lg_lock_give(lg_lock *lock);

/** Called by the holder, before something that may never return once the
 *  process ends. */
void lg_lock_park(lg_lock *lock);

/** Called by the holder, after that. */
void lg_lock_unpark(lg_lock *lock);

/** Says that the process ends: only the calling thread goes on, and what others
 *  have parked is left. Can be called again. */
void lg_process_ends(void);

/** Returns whether fork() made this process after leakgraph was loaded: then
 *  locks of other libraries may be held by threads that are no more. */
bool lg_process_is_forked(void);

#ifdef __cplusplus
}
#endif

#endif
