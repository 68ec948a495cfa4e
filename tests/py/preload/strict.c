/**
 * Preloaded: malloc and similar functions end every process but the one that
 * loaded this library. A forked child that breaks its rules and calls them dies
 * by SIGABRT.
 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

int careless(void *object, void *visit, void *arg);

static pid_t home;

__attribute__((constructor)) static void
remember(void)
{
    home = getpid();
}

static void
check(void)
{
    static const char text[] = "memory of the C library in a child\n";
    if (home == 0 || getpid() == home)
        return;
    if (write(2, text, sizeof text - 1) > 0)
        abort();
    _exit(99);
}

void *
malloc(size_t size)
{
    check();
    return __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
    check();
    return __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
    check();
    return __libc_realloc(old, size);
}

void *
memalign(size_t alignment, size_t size)
{
    check();
    return __libc_memalign(alignment, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int
posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = memalign(alignment, size);
    return *out == NULL;
}

void
free(void *block)
{
    if (block != NULL)
        check();
    __libc_free(block);
}

/** A tp_traverse that breaks the rule. */
int
careless(void *object, void *visit, void *arg)
{
    (void)object;
    (void)visit;
    (void)arg;
    void *volatile block = malloc(1);
    free(block);
    return 0;
}
