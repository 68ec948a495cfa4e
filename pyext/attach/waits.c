/**
 * Waits of a main thread during which another call on it does no harm: those in
 * which it holds no lock of the C library, such as malloc's or the loader's.
 */
#include "attach/attach_target.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/** How much of the stack is searched for the function that waits. */
#define STACK_WORDS 96

static bool
waits_for_event(long call)
{
    static const long calls[] = {
        SYS_poll,          SYS_ppoll,           SYS_select,
        SYS_pselect6,      SYS_epoll_wait,      SYS_epoll_pwait,
        SYS_accept,        SYS_accept4,         SYS_recvfrom,
        SYS_recvmsg,       SYS_nanosleep,       SYS_clock_nanosleep,
        SYS_wait4,         SYS_waitid,          SYS_pause,
        SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (call == calls[i])
            return true;
    return false;
}

/** The loader reads libraries; nobody else waits long for a file. */
static bool
reads_stream(int process, uint64_t descriptor)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/fd/%d", process, (int)descriptor);
    return readlink(path, name, sizeof name - 1) > 0 &&
           (strncmp(name, "socket:", 7) == 0 ||
            strncmp(name, "pipe:", 5) == 0 || strncmp(name, "/dev/", 5) == 0);
}

/** Whether the stack has a return address in a function that waits for a lock
 *  of Python. */
static bool
waits_for_lock(const lg__attach_target *self, uint64_t stack)
{
    uint64_t words[STACK_WORDS];
    if (!lg__remote_read(self->process, stack, words, sizeof words))
        return false;
    for (size_t i = 0; i < STACK_WORDS; i++)
        for (size_t j = 0; j < sizeof self->waits / sizeof *self->waits; j++)
            if (words[i] - self->waits[j].address < self->waits[j].size)
                return true;
    return false;
}

bool
lg__target_waits(const lg__attach_target *self, long call, uint64_t first,
                 uint64_t stack)
{
    if (call == SYS_read)
        return reads_stream(self->process, first);
    if (call == SYS_futex)
        return waits_for_lock(self, stack);
    return waits_for_event(call);
}

bool
lg__target_seems_waiting(const lg__attach_target *self)
{
    char path[64];
    long call = -1;
    unsigned long long words[6] = {0}, stack = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", self->process,
             self->process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    int count =
        fscanf(file, "%ld %llx %llx %llx %llx %llx %llx %llx", &call, &words[0],
               &words[1], &words[2], &words[3], &words[4], &words[5], &stack);
    fclose(file);
    return count == 8 && lg__target_waits(self, call, words[0], stack);
}
