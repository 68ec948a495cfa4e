/**
 * Preloaded into leakgraph: another user puts a link to LINKS_TO in the place
 * of a file whose rights change, if the file's folder is that user's.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int
chmod(const char *path, mode_t mode)
{
    char copy[PATH_MAX];
    struct stat folder;
    int (*original)(const char *, mode_t) = dlsym(RTLD_NEXT, "chmod");
    snprintf(copy, sizeof copy, "%s", path);
    if (stat(dirname(copy), &folder) == 0 && folder.st_uid != 0 &&
        unlink(path) == 0 && symlink(getenv("LINKS_TO"), path) != 0)
        abort();
    return original(path, mode);
}
