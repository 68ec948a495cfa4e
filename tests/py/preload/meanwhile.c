/**
 * Preloaded into leakgraph: the command MEANWHILE runs once before it makes a
 * folder.
 */
#include <dlfcn.h>
#include <stdlib.h>

char *
mkdtemp(char *pattern)
{
    char *(*original)(char *) = dlsym(RTLD_NEXT, "mkdtemp");
    const char *command = getenv("MEANWHILE");
    unsetenv("LD_PRELOAD");
    if (system(command) != 0)
        abort();
    return original(pattern);
}
