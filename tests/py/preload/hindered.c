/**
 * Preloaded into leakgraph: after HINDERED_AFTER visits, none comes to its
 * thread, and each takes the time that a visit has. Time is what the waits of
 * this process and those visits should take, whatever they take; how many
 * seconds they were stands on standard error at the end.
 */
#include "traced.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000L
#define VISIT_NANOSECONDS 300000000L
/* Others need real time to answer. */
#define LEAST_MILLISECONDS 1

static long passed, visits;

int
clock_gettime(clockid_t clock, struct timespec *out)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, out);
    *out = (struct timespec){passed / SECOND, passed % SECOND};
    return 0;
}

/* A visit shares this memory, and has waits of its own. */
int
nanosleep(const struct timespec *time, struct timespec *left)
{
    const struct timespec least = {0, LEAST_MILLISECONDS * 1000000L};
    (void)left;
    if (syscall(SYS_getpid) != getpid())
        return (int)syscall(SYS_nanosleep, time, NULL);
    passed += time->tv_sec * SECOND + time->tv_nsec;
    return (int)syscall(SYS_nanosleep, &least, NULL);
}

int
poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    int shortly =
        milliseconds > LEAST_MILLISECONDS ? LEAST_MILLISECONDS : milliseconds;
    int found = (int)syscall(SYS_poll, files, count, shortly);
    if (found == 0)
        passed += milliseconds * 1000000L;
    return found;
}

long
ptrace(enum __ptrace_request request, ...)
{
    va_list words;
    va_start(words, request);
    const traced call = traced_read(words);
    va_end(words);
    if (request == PTRACE_SEIZE && visits++ >= atol(getenv("HINDERED_AFTER"))) {
        passed += VISIT_NANOSECONDS;
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    }
    return traced_ask(request, &call);
}

__attribute__((destructor)) static void
tell(void)
{
    fprintf(stderr, "%.1f seconds\n", (double)passed / SECOND);
}
