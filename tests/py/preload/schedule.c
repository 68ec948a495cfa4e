/**
 * The first alarms ring at once, and /proc/self/schedstat counts as SCHEDULE
 * says: by how many seconds a process has "ran" or "waited" each time it looks,
 * or neither.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RINGS = 3, SECONDS = 1000 };

static int (*original_open)(const char *, int, ...);
static unsigned (*original_alarm)(unsigned);
static const char *mode;
static int rings;
static long looks;

__attribute__((constructor)) static void
resolve(void)
{
    *(void **)&original_open = dlsym(RTLD_NEXT, "open");
    *(void **)&original_alarm = dlsym(RTLD_NEXT, "alarm");
    mode = getenv("SCHEDULE");
}

static int
forge(void)
{
    char text[64];
    looks++;
    long ran = strcmp(mode, "ran") == 0 ? looks * SECONDS : 0;
    long waited = strcmp(mode, "waited") == 0 ? looks * SECONDS : 0;
    int length = snprintf(text, sizeof text, "%ld000000000 %ld000000000 1\n",
                          ran, waited);
    int file = memfd_create("schedstat", MFD_CLOEXEC);
    if (write(file, text, (size_t)length) == length)
        lseek(file, 0, SEEK_SET);
    return file;
}

int
open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int permissions = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return strcmp(path, "/proc/self/schedstat") == 0
               ? forge()
               : original_open(path, flags, permissions);
}

int
open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    int permissions = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    return open(path, flags, permissions);
}

unsigned
alarm(unsigned seconds)
{
    unsigned before = original_alarm(seconds);
    if (seconds > 0 && rings++ < RINGS)
        raise(SIGALRM);
    return before;
}
