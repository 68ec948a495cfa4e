/**
 * Preloaded into leakgraph: the thread that it stops is in a restartable
 * sequence, as the area for those says that the C library has made. If
 * SEQUENCE_TOLD is 0, the system does not tell where that is, as before Linux
 * 5.13.
 */
#include "traced.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

enum { GET_RSEQ = 0x420f, POINTER_AT = 8, LENGTH = 2 };

/** Where the forged description of the sequence lies: no program is there. */
#define DESCRIPTION ((off_t)1 << 50)

extern const ptrdiff_t __rseq_offset;
static struct user_regs_struct stopped;

long
ptrace(enum __ptrace_request request, ...)
{
    va_list words;
    va_start(words, request);
    const traced call = traced_read(words);
    va_end(words);
    if ((int)request == GET_RSEQ && atoi(getenv("SEQUENCE_TOLD")) == 0) {
        errno = EIO;
        return -1;
    }
    long result = traced_ask(request, &call);
    if (request == PTRACE_GETREGS && result == 0)
        memcpy(&stopped, call.data, sizeof stopped);
    return result;
}

ssize_t
pread(int file, void *to, size_t size, off_t from)
{
    const uint64_t where[] = {DESCRIPTION, 0};
    const uint64_t sequence[] = {0, stopped.rip - 1, LENGTH, 0};
    off_t area = (off_t)stopped.fs_base + __rseq_offset;
    const void *forged = from == DESCRIPTION         ? sequence
                         : from == area + POINTER_AT ? where
                                                     : NULL;
    if (forged == NULL)
        return syscall(SYS_pread64, file, to, size, from);
    memcpy(to, forged, size);
    return (ssize_t)size;
}

ssize_t
pread64(int file, void *to, size_t size, off_t from)
{
    return pread(file, to, size, from);
}
