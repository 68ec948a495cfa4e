// Threads that help with one piece of work.
#include "base/base_private.h"
#include <leakgraph/lock.h>

#include <sched.h>
#include <signal.h>
#include <time.h>

static bool
has_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

bool
lg__helper_start(lg__helper *helper, void *(*work)(void *), void *context)
{
    sigset_t all, before;
    helper->works = false;
    if (!has_processors() || lg_process_is_forked())
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helper->works = pthread_create(&helper->thread, NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return helper->works;
}

void
lg__helper_wait(lg__helper *helper)
{
    if (helper->works)
        pthread_join(helper->thread, NULL);
    helper->works = false;
}

bool
lg__helper_wait_for(lg__helper *helper, unsigned milliseconds)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000L;
    }
    if (helper->works && pthread_timedjoin_np(helper->thread, NULL, &end) == 0)
        helper->works = false;
    return !helper->works;
}
