/**
 * Preloaded: all processes seem to be in the control groups that the files
 * "cgroup" and "mountinfo" of the folder GROUPS_FOLDER describe.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static pid_t first;

__attribute__((constructor)) static void
begin(void)
{
    first = getpid();
}

/** Forked children find memory.current.child, if it is there, in the place of
 *  memory.current. */
static const char *
stand_in(const char *path, char *room, size_t size)
{
    if (getpid() != first) {
        snprintf(room, size, "%s.child", path);
        if (strstr(path, "memory.current") && access(room, R_OK) == 0)
            return room;
    }
    const char *name = strrchr(path, '/');
    if (strncmp(path, "/proc/", strlen("/proc/")) != 0 ||
        (strcmp(name, "/cgroup") != 0 && strcmp(name, "/mountinfo") != 0))
        return path;
    snprintf(room, size, "%s%s", getenv("GROUPS_FOLDER"), name);
    return room;
}

/** That of programs with files of any size. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int
open(const char *path, int flags, ...)
{
    char room[PATH_MAX];
    int (*original)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    va_list rest;
    va_start(rest, flags);
    const int mode = va_arg(rest, int);
    va_end(rest);
    return original(stand_in(path, room, sizeof room), flags, mode);
}
