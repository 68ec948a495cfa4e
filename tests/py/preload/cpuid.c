/**
 * Preloaded into leakgraph: the kernel has the processor refuse CPUID to a
 * thread if CPUID_ERROR is 0, or else answers with that error. When the first
 * thread that leakgraph sends elsewhere stops for the first time, the process
 * gets CPUID_SIGNAL. A line tells of it if that thread is the one that gets it.
 */
#include "called.h"
#include "traced.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SET_CPUID = 0x1012 };

long
syscall(long number, ...)
{
    va_list rest;
    va_start(rest, number);
    const called call = called_read(number, rest);
    va_end(rest);
    if (number == SYS_arch_prctl && call.words[0] == SET_CPUID) {
        errno = atoi(getenv("CPUID_ERROR"));
        return errno ? -1 : 0;
    }
    return called_ask(&call);
}

long
ptrace(enum __ptrace_request request, ...)
{
    static enum { AT_HOME, SENT, SIGNALLED } state = AT_HOME;
    const char *number = getenv("CPUID_SIGNAL");
    va_list words;
    va_start(words, request);
    const traced call = traced_read(words);
    va_end(words);
    if (request == PTRACE_SYSCALL && state == SIGNALLED &&
        (long)call.data == atoi(number))
        dprintf(STDERR_FILENO, "it gets the signal\n");
    long result = traced_ask(request, &call);
    if (request == PTRACE_POKEUSER && state == AT_HOME)
        state = SENT;
    else if (request == PTRACE_GETREGS && state == SENT && number != NULL) {
        kill((pid_t)call.process, atoi(number));
        state = SIGNALLED;
    }
    return result;
}
