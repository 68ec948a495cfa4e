/**
 * What libraries have in common that answer ptrace() for the system.
 */
#ifndef LEAKGRAPH_TRACED_H
#define LEAKGRAPH_TRACED_H

#include <stdarg.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

/** What follows the request in a call of ptrace(). */
typedef struct traced {
    long process;
    void *address;
    void *data;
} traced;

static inline traced
traced_read(va_list words)
{
    traced call;
    call.process = va_arg(words, long);
    call.address = va_arg(words, void *);
    call.data = va_arg(words, void *);
    return call;
}

/** Asks the system. */
static inline long
traced_ask(enum __ptrace_request request, const traced *call)
{
    return syscall(SYS_ptrace, request, call->process, call->address,
                   call->data);
}

#endif
