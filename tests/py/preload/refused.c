/**
 * Preloaded: the system refuses what REFUSED names to this process. "splice":
 * vmsplice(). "pipe": to open a pipe once more. "both": both.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int
is_refused(const char *what)
{
    const char *refused = getenv("REFUSED");
    return refused != NULL &&
           (strcmp(refused, what) == 0 || strcmp(refused, "both") == 0);
}

ssize_t
vmsplice(int pipe, const struct iovec *parts, size_t count, unsigned flags)
{
    if (!is_refused("splice"))
        return syscall(SYS_vmsplice, pipe, parts, count, flags);
    errno = ENOSYS;
    return -1;
}

int
open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const int mode = va_arg(list, int);
    va_end(list);
    if (!is_refused("pipe") ||
        strncmp(path, "/proc/self/fd/", strlen("/proc/self/fd/")) != 0)
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    errno = EACCES;
    return -1;
}

/** Code that includes Python.h calls open() by this name. */
__attribute__((alias("open"))) int open64(const char *path, int flags, ...);
