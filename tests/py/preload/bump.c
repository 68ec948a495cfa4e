/**
 * A malloc of its own, which takes memory from one mapping and frees none.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 16 };

static _Atomic(char *) next;

static size_t *
size_of(void *block)
{
    return (size_t *)(void *)((char *)block - HEAD);
}

void *
aligned_alloc(size_t align, size_t size)
{
    if (next == NULL)
        next = mmap(NULL, (size_t)1 << 32, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *start = __atomic_fetch_add((char **)&next, HEAD + align + size,
                                     __ATOMIC_SEQ_CST);
    void *block = (void *)(((uintptr_t)start + HEAD + align - 1) & -align);
    *size_of(block) = size;
    return block;
}

void *
malloc(size_t size)
{
    return aligned_alloc(HEAD, size);
}

void *
calloc(size_t count, size_t size)
{
    return malloc(count * size);
}

void
free(void *block)
{
    (void)block;
}

void *
realloc(void *block, size_t size)
{
    void *larger = malloc(size);
    if (block != NULL)
        memcpy(larger, block, *size_of(block) < size ? *size_of(block) : size);
    return larger;
}

void *
memalign(size_t align, size_t size)
{
    return aligned_alloc(align, size);
}

int
posix_memalign(void **out, size_t align, size_t size)
{
    *out = aligned_alloc(align, size);
    return 0;
}

size_t
malloc_usable_size(void *block)
{
    return block != NULL ? *size_of(block) : 0;
}
