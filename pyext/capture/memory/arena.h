/**
 * Memory for a capture: anonymous mappings, grown by mremap, so that the walked
 * heap never changes under the walk and growing a column moves page tables
 * instead of bytes.
 *
 * Pages are kept for a capture's next block and, on request, from one capture
 * to the next. A capture waits most for fresh pages; pages that were touched
 * before cost nothing. What is kept is offered to the kernel (MADV_FREE), which
 * takes it as soon as memory is short, before anything is swapped or killed;
 * until then it counts as the process's. A forked child has the same ranges,
 * empty.
 *
 * All mappings that leakgraph has made for itself are remembered, so that a
 * search of the process's memory passes over them. What captures have found
 * lies there, and looks like references to all of it.
 *
 * A forked child puts its memory into a file when memory is short. The kernel
 * can write the pages back and drop them, so it does not kill a process for
 * them. The whole of a sparse file is mapped at once. A block that may grow has
 * a window of its own, far from the next, and grows in place without a call.
 */
#ifndef LEAKGRAPH_ARENA_H
#define LEAKGRAPH_ARENA_H

#include "capture/common/capture_common.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <leakgraph/internal/allocator.h>

/** An allocator with a budget in bytes (0: none). Its context is reference
 *  counted by hand: released with the graph. allocator->context is NULL when
 *  memory ran out. */
lg_allocator lg__arena_new(uint64_t max_bytes);

/** Call it when the capture is over. What was kept for its blocks goes back to
 *  the system, and so will each freed block, except for what
 *  lg__page_cache_keep allows. */
void lg__arena_rest(const lg_allocator *allocator);

/** Blocks are multiples of this size, and aligned to it. */
#define LG__PAGE_CACHE_UNIT ((size_t)2 << 20)

/** A mapping of that size. Its first *kept bytes are kept pages, with any
 *  contents. The rest is fresh, in huge pages if the system grants them. NULL
 *  without address space. */
void *lg__page_cache_map(size_t size, size_t *kept);
/** Keeps a mapped range, or unmaps it if enough is kept. During a capture the
 *  limit is far higher than after it. */
void lg__page_cache_give(void *start, size_t size, bool capturing);

/** Sets how many bytes may stay from one capture to the next; 0 at first.
 *  Unmaps the excess and returns the previous limit. */
size_t lg__page_cache_keep(size_t most);
/** Returns whether any bytes may stay. */
bool lg__page_cache_keeps(void);

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
 *  contents. A kernel that cannot do it (before 5.14) does nothing. The block
 *  is of lg__page_cache_map unless it `is_column`, which the allocator of a
 *  capture made. */
bool lg__populate(lg__populated *populated, const void *block, size_t used,
                  size_t size, bool is_column);

/** The most ranges that are remembered. */
enum { LG__OWN_RANGES = 1024 };

/** Adds a mapping. Forgets it if there are too many. */
void lg__own_ranges_add(const void *start, size_t size);
/** Removes a mapping, or a part of one. */
void lg__own_ranges_remove(const void *start, size_t size);
/** Copies all ranges in ascending order, and returns how many there are. */
size_t lg__own_ranges_copy(lg__range out[LG__OWN_RANGES]);

/** The bytes that leakgraph has in memory for captures: of those that run, of
 *  snapshots, and what is kept for captures to come. O(pages): 1 ms a GiB. */
uint64_t lg__own_pages_bytes(void);

/** Puts large blocks into this file for the rest of the process's life. The
 *  file is empty, has no name, and is open for reading and writing. If it
 *  cannot be mapped, nothing changes. */
void lg__spill_begin(int descriptor);
/** A zeroed block of whole pages; NULL without a file or without room. */
void *lg__spill_take(size_t size, bool may_grow);
/** Gives pages back. */
void lg__spill_give(void *start, size_t size);
/** Returns whether an address lies in the file. When the disk is full, touching
 *  it raises SIGBUS. */
bool lg__spill_holds(const void *address);

#endif
