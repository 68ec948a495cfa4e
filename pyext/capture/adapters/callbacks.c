/**
 * Decides who may call functions of the program. Such a function may take a
 * snapshot, or start a thread that does. If that snapshot called the function
 * again, this would never end.
 *
 * Threads that a callback starts are recognised by their timer slack, which a
 * thread inherits from the thread that starts it (prctl(2), PR_SET_TIMERSLACK).
 * While callbacks run, the slack of their thread ends with certain bits: some
 * 100 ns of difference, which nothing notices.
 */
#include "capture/adapters/adapter_pass.h"

#include <leakgraph/internal/lock.h>

#include <sys/prctl.h>
#include <time.h>

/** The last bits of a marked slack; no round number has them. */
enum { MARK = 0x2a7, MARK_BITS = 0x3ff };

/** How often a snapshot looks whether another one's callbacks have ended, and
 *  how long it sleeps before each look. Gives up at last, because the callbacks
 *  may wait for this snapshot. */
enum { LOOKS = 2000, SLEEP_NANOSECONDS = 1000000 };

static struct {
    lg_lock lock; /**< held while callbacks run */
    _Atomic bool endless;
} callbacks;

static _Thread_local struct {
    bool running;
    int slack;
} own;

static const char *
refusal(void)
{
    int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    bool marked = slack > 0 && (slack & MARK_BITS) == MARK;
    return own.running || marked ? "a reader took the snapshot" : NULL;
}

const char *
lg__pass_refusal(const lg__adapter_pass *pass)
{
    if (!lg__pass_will_ask(pass))
        return "its code may not run in a forked child";
    return refusal();
}

/** Waits for the callbacks of another thread, without the GIL. */
static bool
take(void)
{
    const struct timespec while_ = {.tv_nsec = SLEEP_NANOSECONDS};
    bool taken = lg_lock_try(&callbacks.lock) != LG_LOCK_BUSY;
    for (int i = 0; !taken && !callbacks.endless && i < LOOKS; i++) {
        Py_BEGIN_ALLOW_THREADS
        nanosleep(&while_, NULL);
        Py_END_ALLOW_THREADS
        taken = lg_lock_try(&callbacks.lock) != LG_LOCK_BUSY;
    }
    /* Lets others wait less long for the same callbacks. */
    callbacks.endless = !taken;
    return taken;
}

const char *
lg__pass_begin_callbacks(const lg__adapter_pass *pass)
{
    const char *why = lg__pass_refusal(pass);
    if (why != NULL)
        return why;
    if (!take())
        return "the readers of another snapshot were running";
    own.running = true;
    own.slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (own.slack > MARK_BITS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)(own.slack & ~MARK_BITS) | MARK,
              0, 0, 0);
    return NULL;
}

void
lg__pass_end_callbacks(void)
{
    if (own.slack > MARK_BITS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)own.slack, 0, 0, 0);
    own.running = false;
    lg_lock_give(&callbacks.lock);
}
