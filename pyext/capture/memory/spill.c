#include "capture/memory/spill.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOWS = 128 };

/** The sizes of the file: as much as file systems and address spaces commonly
 *  grant, and the least that is worth it. */
#define MOST ((size_t)1 << 43)
#define LEAST ((size_t)1 << 33)

static struct {
    char *start; /* NULL: no file */
    size_t window;
    size_t windows_taken;
    char *fixed; /* blocks that do not grow share the first window */
} file;

void
lg__spill_begin(int descriptor)
{
    for (size_t size = MOST; size >= LEAST && file.start == NULL; size /= 4) {
        if (ftruncate(descriptor, (off_t)size) != 0)
            continue;
        void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        if (start == MAP_FAILED)
            continue;
        file.start = file.fixed = start;
        file.window = size / WINDOWS;
        file.windows_taken = 1;
    }
}

static void *
take_fixed(size_t size)
{
    char *block = file.fixed;
    if (size > (size_t)(file.start + file.window - block))
        return NULL;
    file.fixed += size;
    return block;
}

void *
lg__spill_take(size_t size, bool may_grow)
{
    if (file.start == NULL || size > file.window)
        return NULL;
    if (!may_grow)
        return take_fixed(size);
    if (file.windows_taken == WINDOWS)
        return NULL;
    return file.start + file.windows_taken++ * file.window;
}

bool
lg__spill_holds(const void *address)
{
    uintptr_t start = (uintptr_t)file.start;
    uintptr_t at = (uintptr_t)address;
    return start != 0 && at >= start && at - start < WINDOWS * file.window;
}

bool
lg__spill_fits(const void *block, size_t size)
{
    return lg__spill_holds(block) && size <= file.window;
}

void
lg__spill_give(void *start, size_t size)
{
    /* If the file system cannot make holes, the pages stay until the file
       goes. */
    madvise(start, size, MADV_REMOVE);
}
