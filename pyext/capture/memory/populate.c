#include "capture/memory/populate.h"
#include "capture/memory/page_cache.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* linux/mman.h, from 5.14 on */
#endif

/** The end of the huge page that is being filled, or of the next one once an
 *  eighth is left. Pages that are asked for earlier are more often in vain. */
static size_t
wanted(size_t used)
{
    const size_t unit = LG__PAGE_CACHE_UNIT;
    return (used + unit / 8) / unit * unit + unit;
}

bool
lg__populate(lg__populated *populated, const void *block, size_t used,
             size_t size)
{
    size_t end = wanted(used);
    if (end > size)
        end = size;
    if (block == NULL)
        return false;
    if (populated->block != block)
        *populated = (lg__populated){block, used};
    if (end <= populated->size)
        return false;
    const size_t start = populated->size & ~(LG__PAGE_CACHE_UNIT - 1);
    populated->size = end;
    return madvise((char *)block + start, end - start, MADV_POPULATE_WRITE) ==
           0;
}
