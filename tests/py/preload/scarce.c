/**
 * Preloaded: memory runs out on demand. This counts the mappings, and their
 * growth, that a process makes without reserving memory, as captures do.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/** The number of mappings that still succeed; negative: no limit. */
long mappings_left = -1;

static int
may_map(void)
{
    if (mappings_left < 0)
        return 1;
    if (mappings_left > 0) {
        mappings_left--;
        return 1;
    }
    errno = ENOMEM;
    return 0;
}

void *
mmap(void *address, size_t length, int protection, int flags, int descriptor,
     off_t offset)
{
    if ((flags & MAP_NORESERVE) && !may_map())
        return MAP_FAILED;
    return (void *)(intptr_t)syscall(SYS_mmap, address, length, protection,
                                     flags, descriptor, offset);
}

/** Code that includes Python.h calls mmap by this name. */
void *
mmap64(void *address, size_t length, int protection, int flags, int descriptor,
       off_t offset)
{
    return mmap(address, length, protection, flags, descriptor, offset);
}

void *
mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
    void *target = NULL;
    if (flags & MREMAP_FIXED) {
        va_list arguments;
        va_start(arguments, flags);
        target = va_arg(arguments, void *);
        va_end(arguments);
    }
    if (!may_map())
        return MAP_FAILED;
    return (void *)(intptr_t)syscall(SYS_mremap, old, old_length, length, flags,
                                     target);
}
