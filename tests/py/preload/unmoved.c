/**
 * Preloaded: mremap unmaps what is at the given place, and then refuses to move
 * a mapping there, as kernels before 6.17 do with several mappings.
 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/** The number of moves that failed. */
long moves_failed;

void *
mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    void *place = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
    va_end(arguments);
    if (place == NULL)
        return (void *)(intptr_t)syscall(SYS_mremap, old, old_length, length,
                                         flags, NULL);
    moves_failed++;
    munmap(place, length);
    errno = EFAULT;
    return MAP_FAILED;
}
