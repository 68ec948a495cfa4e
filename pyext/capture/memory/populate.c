#include "capture/memory/populate.h"
#include "capture/memory/page_cache.h"

#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* linux/mman.h, from 5.14 on */
#endif

/** The small pages that are asked for at once. */
enum { SMALL_UNIT = 1 << 17 };

/** The end of the huge page that is being filled, or of the next one once an
 *  eighth is left. Pages that are asked for earlier are more often in vain. Of
 *  small pages, a few are asked for once half of those before are filled. */
static size_t
wanted(size_t used, bool huge)
{
    const size_t unit = huge ? LG__PAGE_CACHE_UNIT : SMALL_UNIT;
    return (used + unit / (huge ? 8 : 2)) / unit * unit + unit;
}

bool
lg__populate(lg__populated *populated, const void *block, size_t used,
             size_t size)
{
    const bool huge = lg__page_cache_is_huge(size);
    size_t end = wanted(used, huge);
    if (end > size)
        end = size;
    if (block == NULL)
        return false;
    if (populated->block != block)
        *populated = (lg__populated){block, used};
    if (end <= populated->size)
        return false;
    const size_t start =
        populated->size & ~(huge ? LG__PAGE_CACHE_UNIT - 1 : SMALL_UNIT - 1);
    populated->size = end;
    return madvise((char *)block + start, end - start, MADV_POPULATE_WRITE) ==
           0;
}
