#include "capture/memory/pages.h"

#include <unistd.h>

uint64_t
lg__pages_resident(uintptr_t start, uintptr_t end)
{
    enum { PAGES = 2048 };
    unsigned char present[PAGES];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint64_t bytes = 0;
    while (start < end) {
        uintptr_t part =
            end - start < PAGES * page ? end - start : PAGES * page;
        if (mincore((void *)start, part, present) != 0)
            return bytes;
        for (size_t i = 0; i < part / page; i++)
            bytes += present[i] & 1 ? page : 0;
        start += part;
    }
    return bytes;
}
