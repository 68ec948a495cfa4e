// Libraries by the names of their files: those of the system and of the
// interpreter, and the packages that have the others. What others keep in their
// variables is a registry of the process.
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

// Sets what a path says of the package: the first name behind the folder into
// which pip installs, without what marks a private module or bundled libraries.
// Returns its length; 0: pip has not installed it.
static size_t
package_name(const char *path, const char **name)
{
    static const char folder[] = "-packages/";
    const char *at = strstr(path, folder);
    if (at == NULL)
        return 0;
    at += sizeof folder - 1;
    *name = at + strspn(at, "_");
    return strcspn(*name, "/.");
}

static uint32_t
number_of_package(const lg__native *native, size_t range)
{
    const lg_native_range *ranges = native->memory->ranges;
    const char *name;
    const char *other;
    const size_t length = package_name(ranges[range].name, &name);
    if (length == 0)
        return 0;
    for (size_t i = 0; i < range; i++)
        if (package_name(ranges[i].name, &other) == length &&
            memcmp(name, other, length) == 0)
            return native->range_package[i];
    return (uint32_t)range + 1;
}

bool
lg__native_packages(lg__native *native)
{
    const size_t ranges = native->memory->range_count;
    native->range_package = lg__native_take(native, ranges, 4);
    for (size_t i = 0; i < ranges && native->range_package != NULL; i++)
        native->range_package[i] = number_of_package(native, i);
    return native->range_package != NULL;
}

uint32_t
lg__address_package(const lg__native *native, uint64_t address)
{
    const lg_native_range *range = lg__range_find(native->memory, address);
    return range != NULL ? native->range_package[range - native->memory->ranges]
                         : 0;
}

uint32_t
lg__block_package(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    if (!lg__bit_is_set(native->classed, block))
        return 0;
    return native->mark[block] & LG__BLOCK_TYPED
               ? native->kind_package[lg__kind_of(native, block)]
               : lg__address_package(native, lg__block_word(at, 0));
}
