#include "spare.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_RANGES = 64 };

/** Never more than this, whatever the captures needed. */
#define MOST_BYTES ((size_t)2 << 30)

typedef struct range {
    char *start;
    size_t size;
} range;

/** Ascending, and never adjacent: neighbours are one range. The lock is only
 *  tried: in a forked child another thread may have held it for good. */
static struct {
    pthread_mutex_t lock;
    range ranges[MOST_RANGES];
    size_t count;
    size_t bytes;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
remove_range(size_t i)
{
    kept.count--;
    memmove(&kept.ranges[i], &kept.ranges[i + 1],
            (kept.count - i) * sizeof(range));
}

/** Cuts `size` bytes off the front of a range. */
static void *
cut(size_t i, size_t size)
{
    void *start = kept.ranges[i].start;
    kept.ranges[i].start += size;
    kept.ranges[i].size -= size;
    kept.bytes -= size;
    if (kept.ranges[i].size == 0)
        remove_range(i);
    return start;
}

void *
lg_spare_take(size_t size)
{
    if (pthread_mutex_trylock(&kept.lock) != 0)
        return NULL;
    size_t best = MOST_RANGES;
    for (size_t i = 0; i < kept.count; i++)
        if (kept.ranges[i].size >= size &&
            (best == MOST_RANGES ||
             kept.ranges[i].size < kept.ranges[best].size))
            best = i;
    void *start = best < MOST_RANGES ? cut(best, size) : NULL;
    pthread_mutex_unlock(&kept.lock);
    if (start != NULL)
        madvise(start, size, MADV_KEEPONFORK);
    return start;
}

bool
lg_spare_take_at(void *start, size_t size)
{
    bool taken = false;
    if (pthread_mutex_trylock(&kept.lock) != 0)
        return false;
    for (size_t i = 0; i < kept.count && !taken; i++)
        if (kept.ranges[i].start == start && kept.ranges[i].size >= size)
            taken = cut(i, size) != NULL;
    pthread_mutex_unlock(&kept.lock);
    if (taken)
        madvise(start, size, MADV_KEEPONFORK);
    return taken;
}

/** Puts a range in its place, as one with its neighbours; false when there are
 *  too many. */
static bool
insert(char *start, size_t size)
{
    size_t i = 0;
    while (i < kept.count && kept.ranges[i].start < start)
        i++;
    range *before = i > 0 ? &kept.ranges[i - 1] : NULL;
    range *after = i < kept.count ? &kept.ranges[i] : NULL;
    bool joins_before = before != NULL && before->start + before->size == start;
    bool joins_after = after != NULL && start + size == after->start;
    if (!joins_before && !joins_after && kept.count == MOST_RANGES)
        return false;
    kept.bytes += size;
    if (joins_before) {
        before->size += size + (joins_after ? after->size : 0);
        if (joins_after)
            remove_range(i);
    } else if (joins_after) {
        *after = (range){start, size + after->size};
    } else {
        memmove(&kept.ranges[i + 1], &kept.ranges[i],
                (kept.count - i) * sizeof(range));
        kept.ranges[i] = (range){start, size};
        kept.count++;
    }
    return true;
}

void
lg_spare_give(void *start, size_t size)
{
    bool taken = false;
    if (pthread_mutex_trylock(&kept.lock) == 0) {
        /* Nobody waits at a fork for pages that say nothing. */
        taken = kept.bytes + size <= MOST_BYTES &&
                madvise(start, size, MADV_FREE) == 0 &&
                madvise(start, size, MADV_WIPEONFORK) == 0 &&
                insert(start, size);
        pthread_mutex_unlock(&kept.lock);
    }
    if (!taken)
        munmap(start, size);
}
