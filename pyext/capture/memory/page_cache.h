/**
 * Keeps memory for a capture's next block and, on request, from one capture to
 * the next. A capture waits most for fresh pages; pages that were touched
 * before cost nothing. What is kept is offered to the kernel (MADV_FREE), which
 * takes it as soon as memory is short, before anything is swapped or killed;
 * until then it counts as the process's. A forked child has the same ranges,
 * empty. Also maps, counts and populates pages for those that do not keep any.
 */
#ifndef LEAKGRAPH_PAGE_CACHE_H
#define LEAKGRAPH_PAGE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/** Blocks are multiples of this size, and aligned to it. */
#define LG__PAGE_CACHE_UNIT ((size_t)2 << 20)
/** Asks for the pages that suit a mapping of that size. */
void lg__page_cache_advise(void *start, size_t size);

/** A mapping of that size. Its first *kept bytes are kept pages, with any
 *  contents. The rest is fresh, in huge pages if the system grants them. NULL
 *  without address space. */
void *lg__page_cache_map(size_t size, size_t *kept);
/** A fresh mapping of that size, aligned likewise. */
void *lg__page_cache_room(size_t size);
/** Replaces the pages of a mapping that nobody has written to with kept pages,
 *  from its beginning on, as many as there are. */
void lg__page_cache_fill(void *start, size_t size);
/** Moves the bytes of a mapping to the front of another that nobody has written
 *  to, without touching them if the kernel can. */
void lg__page_cache_move(void *from, size_t size, void *to);
/** Takes the range right behind a block, so that the block can grow in place;
 *  false if that range is not kept. */
bool lg__page_cache_take_at(void *start, size_t size);
/** Keeps a mapped range, or unmaps it if enough is kept. During a capture the
 *  limit is far higher than after it. */
void lg__page_cache_give(void *start, size_t size, bool capturing);
/** The same for the unused end of a block. Keeps only the part that has pages,
 *  which is at its beginning. */
void lg__page_cache_give_end(void *start, size_t size, bool capturing);

/** Sets how many bytes may stay from one capture to the next; 0 at first.
 *  Unmaps the excess and returns the previous limit. */
size_t lg__page_cache_keep(size_t most);
/** Unmaps the excess over that limit at the end of a capture. Does nothing if
 *  another thread uses the cache. */
void lg__page_cache_trim(void);
/** Returns whether any bytes may stay from one capture to the next. */
bool lg__page_cache_keeps(void);
/** How many bytes of what is kept are in memory now. O(pages). */
uint64_t lg__page_cache_resident(void);

/** Zeroed pages; NULL without address space. */
static inline void *
lg__pages_map(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start != MAP_FAILED ? start : NULL;
}

/** The pages of a mapped range that are in memory, in bytes. O(pages). */
uint64_t lg__pages_resident(uintptr_t start, uintptr_t end);

/** How far the pages of a block are populated. All zeros to begin with. */
typedef struct lg__populated {
    const char *block;
    size_t size;
} lg__populated;

/** Asks the kernel for the next pages of a block that another thread fills,
 *  shortly before it comes to them, if that is due: the block has `size` bytes,
 *  of which `used` are filled. Returns whether it was. Getting a page takes
 *  longer than filling it, so a second thread saves most of that. Changes no
 *  contents. A kernel that cannot do it (before 5.14) does nothing. */
bool lg__populate(lg__populated *populated, const void *block, size_t used,
                  size_t size);

#endif
