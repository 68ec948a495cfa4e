/**
 * What malloc reports of itself. A program may run with another malloc than the
 * C library's, usually by LD_PRELOAD. jemalloc and tcmalloc then have an
 * account of their own; that of the C library is empty.
 */
#include "bytes/python/process.h"

#include <dlfcn.h>
#include <string.h>

/** glibc 2.33's struct mallinfo2. It looks the function up, because a build for
 *  older systems runs on newer ones, and because musl does not have it. */
typedef struct malloc_info {
    size_t arena, ordblks, smblks, hblks, hblkhd;
    size_t usmblks, fsmblks, uordblks, fordblks, keepcost;
} malloc_info;

/** Finds a function of the library that has malloc; NULL: it has none of that
 *  name. Other libraries may have a jemalloc of their own. */
static void *
beside_malloc(const char *name)
{
    Dl_info of_function, of_malloc;
    void *function = dlsym(RTLD_DEFAULT, name);
    void *allocate = dlsym(RTLD_DEFAULT, "malloc");
    bool same = function != NULL && allocate != NULL &&
                dladdr(function, &of_function) != 0 &&
                dladdr(allocate, &of_malloc) != 0 &&
                of_function.dli_fbase == of_malloc.dli_fbase;
    return same ? function : NULL;
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
read_glibc(lg__allocator_bytes *out)
{
    malloc_info (*ask)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "mallinfo2");
    if (symbol == NULL)
        return;
    memcpy(&ask, &symbol, sizeof ask);
    malloc_info info = ask();
    size_t used = info.uordblks + info.hblkhd;
    if (used > 0)
        set_bytes(out, used, used + info.fordblks);
}

void
lg__malloc_bytes_read(lg__allocator_bytes *out)
{
    if (!read_jemalloc(out) && !read_tcmalloc(out))
        read_glibc(out);
}
