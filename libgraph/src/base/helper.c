// Threads that help, and two pieces of work at once.
//
// A helper is never on its owner's stack: an interpreter that ends stops
// threads that ask it for its lock, and the helper goes on.
#include "base/base_private.h"

#include <leakgraph/internal/lock.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

struct lg_helper {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
    pid_t process; // which has the thread
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
};

static bool
has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

static void *
run(void *context)
{
    lg_helper *helper = context;
    helper->work(helper->context);
    pthread_mutex_lock(&helper->lock);
    helper->done = true;
    pthread_cond_signal(&helper->ended);
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

// Starts the thread. Signals of the program do not interrupt it, except for
// those by which it says that it failed.
static bool
start(lg_helper *helper)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool started = pthread_create(&helper->thread, NULL, run, helper) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void
init(lg_helper *helper)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&helper->ended, &steady);
    pthread_condattr_destroy(&steady);
    pthread_mutex_init(&helper->lock, NULL);
}

static void
release(lg_helper *helper)
{
    pthread_cond_destroy(&helper->ended);
    pthread_mutex_destroy(&helper->lock);
    lg__free(helper);
}

lg_helper *
lg_helper_start(void (*work)(void *), void *context)
{
    lg_helper *helper = has_processors() && !lg_process_is_forked()
                            ? lg__calloc(1, sizeof *helper)
                            : NULL;
    if (helper == NULL)
        return NULL;
    helper->work = work;
    helper->context = context;
    helper->process = getpid();
    init(helper);
    if (start(helper))
        return helper;
    release(helper);
    return NULL;
}

// Returns whether fork() made this process after the helper was started, so
// that the helper works in the parent only.
static bool
is_parents(const lg_helper *helper)
{
    return helper->process != getpid();
}

static struct timespec
in_milliseconds(unsigned milliseconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += milliseconds * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000L;
    at.tv_nsec %= 1000000000L;
    return at;
}

bool
lg_helper_wait_for(lg_helper *helper, unsigned milliseconds)
{
    if (helper == NULL || is_parents(helper))
        return true;
    const struct timespec end = in_milliseconds(milliseconds);
    int late = 0;
    pthread_mutex_lock(&helper->lock);
    while (!helper->done && late == 0)
        late = pthread_cond_timedwait(&helper->ended, &helper->lock, &end);
    bool done = helper->done;
    pthread_mutex_unlock(&helper->lock);
    return done;
}

void
lg_helper_end(lg_helper *helper)
{
    if (helper == NULL)
        return;
    if (is_parents(helper)) {
        lg__free(helper);
        return;
    }
    pthread_join(helper->thread, NULL);
    release(helper);
}

typedef struct other {
    const lg__work *work;
    lg_status status;
    lg_error error;
} other;

static void
run_other(void *context)
{
    other *self = context;
    self->status = self->work->run(self->work->context, &self->error);
}

lg_status
lg__run_parallel(const lg__work *first, const lg__work *second, bool at_once,
                 lg_error *err)
{
    other beside = {.work = second};
    lg_helper *helper = at_once ? lg_helper_start(run_other, &beside) : NULL;
    lg_status status = first->run(first->context, err);
    if (helper == NULL)
        return status == LG_OK ? second->run(second->context, err) : status;
    lg_helper_end(helper);
    if (status == LG_OK && beside.status != LG_OK && err != NULL)
        *err = beside.error;
    return status == LG_OK ? beside.status : status;
}
