#include "capture/run/give_way.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In /proc/self/stat, between the name of the process and its policy. */
enum { WORDS_BEFORE_POLICY = 39 };

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

/* Asked by a file, because a filter of system calls lets the process read, but
   may end it for sched_getscheduler(). The words are counted from the state of
   the process, because its name may have spaces. */
static int
policy_here(void)
{
    char text[1024] = "";
    const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    const char *at = length > 0 ? strrchr(text, ')') : NULL;
    for (int i = 0; at != NULL && i < WORDS_BEFORE_POLICY; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? atoi(at) : SCHED_OTHER;
}

static void
leave_real_time(void)
{
    const struct sched_param usual = {0};
    const int policy = policy_here();
    if (policy == SCHED_FIFO || policy == SCHED_RR)
        sched_setscheduler(0, SCHED_OTHER, &usual);
}

void
lg__give_way(void)
{
    leave_real_time();
    volunteer();
}
