// The libraries of the system and of the interpreter, by the names of their
// files. What others keep in their variables is a registry of the process.
#include "native/native_private.h"

#include <string.h>

typedef struct runtime {
    const char *name;      // how the name of the file begins
    lg_native_level level; // of a word that leads to the beginning of a block
    bool libc;             // malloc's lists lie there
    bool system;           // it says nothing about who has allocated a block
} runtime;

// The variables of these libraries keep memory, but each is a cache of the
// process and no registry of a program. Those of malloc are often stale, and
// libstdc++ keeps a block for exceptions that nobody has written.
static const runtime runtimes[] = {
    {"libc.so", LG_LEVEL_WEAK, true, true},
    {"libc-", LG_LEVEL_WEAK, true, true}, // libc-2.31.so
    {"libpthread", LG_LEVEL_WEAK, false, true},
    {"ld-", LG_LEVEL_POSSIBLE, true, true}, // ld-linux-x86-64.so.2, ld-2.31.so
    {"libstdc++", LG_LEVEL_WEAK, false, true},
    {"libpython", LG_LEVEL_POSSIBLE, false, false},
    {"python", LG_LEVEL_POSSIBLE, false, false}, // the program
};

static const char *
file_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const runtime *
runtime_of(const lg_native_range *range)
{
    const char *file = file_of(range->name);
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (strncmp(file, runtimes[i].name, strlen(runtimes[i].name)) == 0)
            return &runtimes[i];
    return NULL;
}

bool
lg__range_is_libc(const lg_native_range *range)
{
    const runtime *known = runtime_of(range);
    return known != NULL && known->libc;
}

bool
lg__range_is_system(const lg_native_range *range)
{
    const runtime *known = runtime_of(range);
    return known != NULL && known->system;
}

lg_native_level
lg__range_level(const lg_native_range *range)
{
    const runtime *known = runtime_of(range);
    if (*range->name == '\0')
        return LG_LEVEL_WEAK;
    if (strstr(range->name, "/leakgraph/_core.") != NULL)
        return LG_LEVEL_POSSIBLE;
    return known != NULL ? known->level : LG_LEVEL_VARIABLE;
}
