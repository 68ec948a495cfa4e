// Opens parts of the library that are shared objects of their own when they are
// first used.
//
// While a thread opens one, no other thread forks, so no child has a library
// that is half open. The loader's own lock does not see to that: the C library
// frees it in the child. There the loader finds the library among those that it
// has opened, and the first call of one of its functions jumps to an address
// that was never relocated.
//
// Whoever forks may hold what the loader needs, such as a lock that a
// constructor of another library takes. So fork() waits for some seconds only.
// A child of a fork that has not waited until the end finds the lock left, and
// opens nothing any more. A thread that forks within a constructor does not
// wait for itself: the child goes on with the constructor.
#include "base/base_private.h"

#include <leakgraph/internal/lock.h>
#include <leakgraph/internal/plugin.h>

#include <dlfcn.h>
#include <pthread.h>
#include <time.h>

// How often to look whether the lock is free, and the sleep between two looks:
// ten seconds in all.
enum { LOOKS = 10000, SLEEP_NANOSECONDS = 1000000 };

static struct {
    lg_lock lock;
    bool left; // a library is half open in this process
} opening;

// What this thread has the lock for.
static _Thread_local struct {
    bool opens;
    bool forks;
} own;

// Returns whether the thread has the lock now.
static bool
take(void)
{
    const struct timespec pause = {.tv_nsec = SLEEP_NANOSECONDS};
    lg_lock_result result = lg_lock_try(&opening.lock);
    for (int i = 0; i < LOOKS && result == LG_LOCK_BUSY; i++) {
        nanosleep(&pause, NULL);
        result = lg_lock_try(&opening.lock);
    }
    if (result == LG_LOCK_LEFT)
        opening.left = true;
    return result != LG_LOCK_BUSY;
}

static void
before_fork(void)
{
    own.forks = !own.opens && take();
}

static void
after_fork(void)
{
    if (own.forks)
        lg_lock_give(&opening.lock);
    own.forks = false;
}

// Without memory for the handlers, a fork waits for nothing.
__attribute__((constructor)) static void
watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

static lg_status
open_now(const char *file, const char *symbol, const char *what,
         const char *remedy, void **out, lg_error *err)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *found = handle != NULL ? dlsym(handle, symbol) : NULL;
    if (found == NULL)
        return lg_error_set(err, LG_EUNSUPPORTED, "%s cannot be opened: %s; %s",
                            what, dlerror(), remedy);
    *out = found;
    return LG_OK;
}

lg_status
lg_plugin_open(const char *file, const char *symbol, const char *what,
               const char *remedy, void **out, lg_error *err)
{
    if (own.opens || !take())
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "%s cannot be opened while the process forks or "
                            "opens another library: ask again",
                            what);
    own.opens = true;
    lg_status status =
        opening.left
            ? lg_error_set(err, LG_EUNSUPPORTED,
                           "%s cannot be opened in this process, which was "
                           "forked while a thread of its parent opened a "
                           "library: ask in the parent",
                           what)
            : open_now(file, symbol, what, remedy, out, err);
    own.opens = false;
    lg_lock_give(&opening.lock);
    return status;
}
