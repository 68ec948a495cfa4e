#include "attach/visit.h"
#include "attach/errand.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/** The time that a visit has. It needs a few milliseconds, even on a busy
 *  machine; a second try is better than a thread that is held for long. */
#define LIMIT_NANOSECONDS 300000000L
#define STACK_BYTES ((size_t)256 << 10)

/** Ends this process when its time is up, even if somebody has suspended it:
 *  the kernel fires the timer all the same, and a stop does not hold SIGKILL
 *  off. */
static bool
limit_time(void)
{
    int timer = 0;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value.tv_nsec = LIMIT_NANOSECONDS};
    return syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0 &&
           syscall(SYS_timer_settime, timer, 0, &when, NULL) == 0;
}

/** What the process of the visit runs. */
static int
run(void *context)
{
    lg__visit *self = context;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (limit_time())
        self->outcome = lg__errand_run(self);
    return 0;
}

/** Starts the process with all signals blocked. Its end sends no signal, so
 *  nobody else's wait finds it. It shares errno with this thread, so errno says
 *  nothing here until it has ended. */
static int
start(lg__visit *self, char *stack)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int child = clone(run, stack + STACK_BYTES, CLONE_VM | CLONE_FILES, self);
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = code;
    return child;
}

lg_status
lg__visit_make(lg__visit *self, lg_error *err)
{
    char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    self->outcome = LG__CUT_OFF;
    int child = stack == MAP_FAILED ? -1 : start(self, stack);
    int code = errno;
    while (child > 0 && waitpid(child, NULL, __WALL) != child &&
           kill(child, 0) == 0)
        ;
    if (stack != MAP_FAILED)
        munmap(stack, STACK_BYTES);
    if (child > 0)
        return LG_OK;
    return lg_error_set(err, LG_ENOMEM, "cannot start a process: %s",
                        strerror(code));
}

bool
lg__visit_read(const lg__visit *self, lg__landing *out)
{
    lg__landing found;
    if (self->region == 0 ||
        !lg__remote_read(&self->target->remote, self->region + LG__REGION_CODE,
                         &found, sizeof found) ||
        found.region != self->region)
        return false;
    *out = found;
    return true;
}
