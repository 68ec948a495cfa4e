/**
 * Preloaded into leakgraph: /proc/PID/status ends with one more line, STATUS.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *
fopen(const char *path, const char *mode)
{
    FILE *(*original)(const char *, const char *);
    *(void **)&original = dlsym(RTLD_NEXT, "fopen");
    FILE *file = original(path, mode);
    const char *name = strrchr(path, '/');
    if (file == NULL || name == NULL || strcmp(name, "/status") != 0)
        return file;
    FILE *longer = tmpfile();
    for (int byte; (byte = fgetc(file)) != EOF;)
        fputc(byte, longer);
    fprintf(longer, "%s\n", getenv("STATUS"));
    rewind(longer);
    fclose(file);
    return longer;
}
