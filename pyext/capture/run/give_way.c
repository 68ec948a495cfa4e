#include "capture/run/give_way.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

static void
volunteer(void)
{
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (write(file, "1000", 4) < 0)
        errno = 0;
    close(file);
}

static void
leave_real_time(void)
{
    const struct sched_param usual = {0};
    const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        sched_setscheduler(0, SCHED_OTHER, &usual);
}

void
lg__give_way(void)
{
    leave_real_time();
    volunteer();
}
