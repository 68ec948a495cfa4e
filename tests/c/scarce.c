// Replaces malloc and openat through the linker's --wrap.
#include "scarce.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <sys/mman.h>

long malloc_left = -1;
static bool malloc_refused;
bool nameless_refused;

int __real_openat(int folder, const char *name, int flags, ...);
int __wrap_openat(int folder, const char *name, int flags, ...);

int
__wrap_openat(int folder, const char *name, int flags, ...)
{
    va_list rest;
    bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (nameless && nameless_refused) {
        errno = EOPNOTSUPP;
        return -1;
    }
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) || nameless ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return __real_openat(folder, name, flags, mode);
}

long mappings_left = -1;

void *__real_mmap(void *address, size_t length, int protection, int flags,
                  int descriptor, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags,
                  int descriptor, off_t offset);

void *
__wrap_mmap(void *address, size_t length, int protection, int flags,
            int descriptor, off_t offset)
{
    if (mappings_left >= 0 && mappings_left-- == 0) {
        errno = ENOMEM;
        mappings_left = 0;
        return MAP_FAILED;
    }
    return __real_mmap(address, length, protection, flags, descriptor, offset);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool
may_allocate(void)
{
    bool may = malloc_left < 0 || malloc_left-- > 0;
    malloc_refused |= !may;
    return may;
}

void *
__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

// To shrink a block needs no memory.
void *
__wrap_realloc(void *old, size_t size)
{
    bool shrinks = old != NULL && size <= malloc_usable_size(old);
    return shrinks || may_allocate() ? __real_realloc(old, size) : NULL;
}

int
sweep(const lg_graph *graph, lg_status (*work)(const lg_graph *))
{
    lg_status status = LG_ENOMEM;
    malloc_refused = true;
    for (long allowed = 0; malloc_refused && allowed < 10000; allowed++) {
        malloc_left = allowed;
        malloc_refused = false;
        status = work(graph);
        malloc_left = -1;
        CHECK(status == (malloc_refused ? LG_ENOMEM : LG_OK));
    }
    CHECK(status == LG_OK && !malloc_refused);
    return test_failures;
}
