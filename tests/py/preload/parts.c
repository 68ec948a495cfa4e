/**
 * Preloaded into leakgraph: at its first PARTS_TIMES looks at the extended
 * registers of a thread (-1: at all), the system says that these PARTS have
 * values too; if PARTS is 0, the system refuses to tell.
 */
#include "traced.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

enum { PARTS_AT = 512 };

/** Changes the answer of the system, which has left `result`. */
static long
forge(const struct iovec *where, long result)
{
    static long looks = 0;
    uint64_t parts = strtoull(getenv("PARTS"), NULL, 0);
    long times = atol(getenv("PARTS_TIMES"));
    if (result != 0 || (times >= 0 && looks++ >= times))
        return result;
    *(uint64_t *)((char *)where->iov_base + PARTS_AT) |= parts;
    errno = ENODEV;
    return parts ? result : -1;
}

long
ptrace(enum __ptrace_request request, ...)
{
    va_list words;
    va_start(words, request);
    const traced call = traced_read(words);
    va_end(words);
    long result = traced_ask(request, &call);
    return request == PTRACE_GETREGSET && call.address == (void *)NT_X86_XSTATE
               ? forge(call.data, result)
               : result;
}
