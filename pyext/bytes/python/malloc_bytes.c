/**
 * What malloc reports of itself. A program may run with another malloc than the
 * C library's, usually by LD_PRELOAD. jemalloc and tcmalloc then have an
 * account of their own; that of the C library is empty.
 */
#include "bytes/python/process_memory.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

/** Where the program or library that contains this address begins; NULL: none
 *  does. */
static void *
base_of(void *address)
{
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 ? info.dli_fbase
                                                          : NULL;
}

/** Where this library begins if it has a malloc of its own, otherwise NULL. */
static void *
base_with_malloc(const struct link_map *library)
{
    Dl_info info;
    void *handle = dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD);
    void *allocate = handle != NULL ? dlsym(handle, "malloc") : NULL;
    bool own = allocate != NULL && dladdr(allocate, &info) != 0 &&
               strcmp(info.dli_fname, library->l_name) == 0;
    if (handle != NULL)
        dlclose(handle);
    return own ? info.dli_fbase : NULL;
}

/** Where the first library with a malloc begins. A program that takes the
 *  address of malloc, and is not position-independent, has an entry named
 *  malloc itself, which jumps there. */
static void *
base_of_first_malloc(void)
{
    void *program = dlopen(NULL, RTLD_LAZY);
    struct link_map *map;
    void *base = NULL;
    if (program == NULL || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
        return NULL;
    while (base == NULL && (map = map->l_next) != NULL)
        base = base_with_malloc(map);
    dlclose(program);
    return base;
}

/** Finds a function of the library that has malloc; NULL: it has none of that
 *  name. Other libraries may have a jemalloc of their own. */
static void *
beside_malloc(const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    void *base = base_of(function);
    if (base == NULL || (base != base_of(dlsym(RTLD_DEFAULT, "malloc")) &&
                         base != base_of_first_malloc()))
        return NULL;
    return function;
}

static void
set_bytes(lg__allocator_bytes *out, size_t used, size_t held)
{
    out->malloc_known = true;
    out->malloc_used = used;
    out->malloc_free = held > used ? held - used : 0;
}

/** jemalloc: it counts anew when the program sets its epoch. */
static bool
read_jemalloc(lg__allocator_bytes *out)
{
    int (*ask)(const char *, void *, size_t *, void *, size_t);
    void *symbol = beside_malloc("mallctl");
    uint64_t epoch = 1;
    size_t used, resident, size = sizeof used;
    if (symbol == NULL)
        return false;
    memcpy(&ask, &symbol, sizeof ask);
    if (ask("epoch", NULL, NULL, &epoch, sizeof epoch) != 0 ||
        ask("stats.allocated", &used, &size, NULL, 0) != 0 ||
        ask("stats.resident", &resident, &size, NULL, 0) != 0)
        return false;
    set_bytes(out, used, resident);
    return true;
}

/** tcmalloc of gperftools. */
static bool
read_tcmalloc(lg__allocator_bytes *out)
{
    int (*ask)(const char *, size_t *);
    void *symbol = beside_malloc("MallocExtension_GetNumericProperty");
    size_t used, heap, unmapped;
    if (symbol == NULL)
        return false;
    memcpy(&ask, &symbol, sizeof ask);
    if (!ask("generic.current_allocated_bytes", &used) ||
        !ask("generic.heap_size", &heap) ||
        !ask("tcmalloc.pageheap_unmapped_bytes", &unmapped))
        return false;
    set_bytes(out, used, heap - unmapped);
    return true;
}

/** Without its malloc, glibc has allocated nothing. A library that only wraps
 *  malloc leaves the account as it is. */
static void
read_glibc(uint64_t cached, lg__allocator_bytes *out)
{
    lg__mallinfo (*ask)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "mallinfo2");
    if (symbol == NULL)
        return;
    memcpy(&ask, &symbol, sizeof ask);
    lg__mallinfo info = ask();
    size_t used = info.uordblks + info.hblkhd;
    if (used > cached)
        set_bytes(out, used - cached, used + info.fordblks);
}

void
lg__malloc_bytes_read(uint64_t cached, lg__allocator_bytes *out)
{
    if (!read_jemalloc(out) && !read_tcmalloc(out))
        read_glibc(cached, out);
}
