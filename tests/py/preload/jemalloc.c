/**
 * A malloc with the account of jemalloc: 48 MiB in use, of 64 MiB.
 */
#include <stddef.h>
#include <string.h>

extern void *__libc_malloc(size_t size);

void *
malloc(size_t size)
{
    return __libc_malloc(size);
}

int
mallctl(const char *name, void *old, size_t *length, void *new, size_t size)
{
    size_t bytes = strcmp(name, "stats.allocated") == 0 ? 48 : 64;
    if (old == NULL)
        return strcmp(name, "epoch") != 0 || new == NULL || size != 8;
    bytes <<= 20;
    memcpy(old, &bytes, *length);
    return 0;
}
