/**
 * Preloaded: another thread closes what CLOSED names, and opens the file OTHER
 * in its place. "pipe": the writing end of the pipe for a child's reports, just
 * before the child is made. "file": the files for the snapshot, then. "spill":
 * the last of them, which is the one for the child's memory. "socket":
 * the end of the pair that leakgraph is about to take from a process.
 * "nothing": it opens nothing in place of that end. Once with CLOSED_ONCE.
 */
#include "called.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST = 3, LAST = 64 };

static bool
is_closed(const char *what)
{
    return strcmp(getenv("CLOSED"), what) == 0;
}

static bool
is_meant(int number)
{
    struct stat known;
    const int mode = fcntl(number, F_GETFL);
    if (mode < 0 || (mode & O_ACCMODE) == O_RDONLY ||
        fstat(number, &known) != 0)
        return false;
    return is_closed("pipe") ? S_ISFIFO(known.st_mode)
                             : (is_closed("file") || is_closed("spill")) &&
                                   S_ISREG(known.st_mode);
}

static void
replace(void)
{
    const int other = open(getenv("OTHER"), O_RDWR | O_CLOEXEC);
    bool done = false;
    for (int number = LAST; number >= FIRST && !done; number--)
        if (number != other && is_meant(number))
            done = dup2(other, number) >= 0 && is_closed("spill");
    close(other);
}

static long
take(void)
{
    if (is_closed("socket"))
        return open(getenv("OTHER"), O_RDWR | O_CLOEXEC);
    errno = EBADF;
    return -1;
}

long
syscall(long number, ...)
{
    static int taken;
    va_list rest;
    va_start(rest, number);
    const called call = called_read(number, rest);
    va_end(rest);
    if (number == SYS_clone)
        replace();
    if (number == SYS_pidfd_getfd &&
        (getenv("CLOSED_ONCE") == NULL || taken++ == 0))
        return take();
    return called_ask(&call);
}
