/**
 * Asks the kernel for the pages of a block that another thread fills, shortly
 * before it comes to them. Getting a page takes longer than filling it, so a
 * second thread saves most of that.
 */
#ifndef LEAKGRAPH_POPULATE_H
#define LEAKGRAPH_POPULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How far the pages of a block are populated. All zeros to begin with. */
typedef struct lg__populated {
    const char *block;
    size_t size;
} lg__populated;

/** Populates the next pages of a block of `size` bytes, of which `used` are
 *  filled, if that is due. Returns whether it was. Changes no contents. A
 * kernel that cannot do it (before 5.14) does nothing. */
bool lg__populate(lg__populated *populated, const void *block, size_t used,
                  size_t size);

#endif
