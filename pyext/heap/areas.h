/**
 * The memory of this process as the kernel lists it, for a forked child, in
 * which nobody changes it. Whoever reads an address asks first whether it lies
 * in an area that was listed, and in a page that exists.
 */
#ifndef LEAKGRAPH_AREAS_H
#define LEAKGRAPH_AREAS_H

#include "bytes/common/bytes_common.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"

#include <string.h>

typedef enum lg__area_kind {
    LG__AREA_ANONYMOUS = 0, /**< private, writable, of no file */
    LG__AREA_HEAP,          /**< the same, where the program's break lies */
    LG__AREA_STACK,         /**< the main thread's stack */
    LG__AREA_FILE,          /**< pages of a file, private and readable */
} lg__area_kind;

/** A part of the address space that can be read. */
typedef struct lg__area {
    uintptr_t start, end;
    uintptr_t offset; /**< in the file */
    const char *path; /**< "": none */
    uint64_t inode;
    uint8_t kind; /**< lg__area_kind */
    bool writable;
} lg__area;

/** Ascending and disjoint, without leakgraph's own mappings. */
typedef struct lg__areas {
    lg__area *items;
    size_t count;
    size_t room;
    char *texts; /**< the paths */
    size_t text_bytes;
    const lg_allocator *allocator;
    int pagemap; /**< which pages exist: /proc/self/pagemap, or -1 */
} lg__areas;

/** Lists the areas. False, with nothing to free, if the kernel does not tell or
 *  memory ran out. O(mappings). */
bool lg__areas_read(lg__areas *out, const lg_allocator *allocator, int pagemap);
void lg__areas_free(lg__areas *areas);

/** The area that has the address, or NULL. O(log areas). */
const lg__area *lg__area_at(const lg__areas *areas, uintptr_t address);

/** Finds the next pages at or behind *from and before `to`, in one area, that
 *  exist, in memory or swapped out: [*from, return value). No more: `to`, with
 *  *from at `to`. If the kernel does not tell, all exist. Costs 8 bytes of
 *  reading for each page. */
uintptr_t lg__pages_present(const lg__areas *areas, uintptr_t *from,
                            uintptr_t to);

/** The word at an address that is known to be readable. */
static inline uintptr_t
lg__word_at(uintptr_t address)
{
    uintptr_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

/** The same for half a word. */
static inline uint32_t
lg__half_at(uintptr_t address)
{
    uint32_t half;
    memcpy(&half, (const void *)address, sizeof half);
    return half;
}

#endif
