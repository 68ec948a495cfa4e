/**
 * A malloc with the account of tcmalloc: 48 MiB in use, of 80 MiB, of which the
 * kernel has 16 MiB back.
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
MallocExtension_GetNumericProperty(const char *name, size_t *value)
{
    size_t mebibytes = strcmp(name, "generic.heap_size") == 0 ? 80
                       : strcmp(name, "tcmalloc.pageheap_unmapped_bytes") == 0
                           ? 16
                           : 48;
    *value = mebibytes << 20;
    return 1;
}
