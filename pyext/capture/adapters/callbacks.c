/**
 * Who may call functions of the program. Such a function may take a snapshot,
 * or start a thread that does. If that called it again, it would never end.
 */
#include "capture/adapters/adapter_pass.h"

#include <leakgraph/lock.h>

/** The threads that were started while callbacks ran. Another thread may have
 *  started some of them: nothing in a thread says who did. */
typedef struct started_threads {
    int64_t interpreter;
    uint64_t before, last; /**< ids */
} started_threads;

/** Threads of callbacks that ran longer ago have most likely ended. */
enum { STARTED_MAX = 16 };

static struct {
    lg_lock lock; /**< held while callbacks run */
    started_threads started[STARTED_MAX];
    unsigned next;
    uint64_t before;
} callbacks;

/** Whether a callback started this thread. */
static bool
is_started(int64_t interpreter)
{
    uint64_t id = PyThreadState_GetID(PyThreadState_Get());
    for (size_t i = 0; i < STARTED_MAX; i++) {
        const started_threads *threads = &callbacks.started[i];
        if (threads->interpreter == interpreter && id > threads->before &&
            id <= threads->last)
            return true;
    }
    return false;
}

const char *
lg_pass_begin_callbacks(const lg_adapter_pass *pass)
{
    PyInterpreterState *interpreter = pass->walk->interpreter;
    if (lg_lock_try(&callbacks.lock) == LG_LOCK_BUSY)
        return "a reader was running";
    if (is_started(PyInterpreterState_GetID(interpreter))) {
        lg_lock_give(&callbacks.lock);
        return "a reader started this thread";
    }
    callbacks.before = lg_thread_last_id(interpreter);
    return NULL;
}

void
lg_pass_end_callbacks(const lg_adapter_pass *pass)
{
    PyInterpreterState *interpreter = pass->walk->interpreter;
    uint64_t last = lg_thread_last_id(interpreter);
    if (last > callbacks.before)
        callbacks.started[callbacks.next++ % STARTED_MAX] = (started_threads){
            .interpreter = PyInterpreterState_GetID(interpreter),
            .before = callbacks.before,
            .last = last,
        };
    lg_lock_give(&callbacks.lock);
}
