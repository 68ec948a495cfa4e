/**
 * Memory in a file, for a forked child when memory is short. The kernel can
 * write the pages back and drop them, so it does not kill a process for them.
 *
 * The whole of a sparse file is mapped at once. A block that may grow has a
 * window of its own, far from the next, and grows in place without a call.
 */
#ifndef LEAKGRAPH_SPILL_H
#define LEAKGRAPH_SPILL_H

#include <stdbool.h>
#include <stddef.h>

/** Puts large blocks into this file for the rest of the process's life. The
 *  file is empty, has no name, and is open for reading and writing. If it
 *  cannot be mapped, nothing changes. */
void lg__spill_begin(int descriptor);
/** A zeroed block of whole pages; NULL without a file or without room. */
void *lg__spill_take(size_t size, bool may_grow);
/** Returns whether a block that may grow has room for that size. */
bool lg__spill_fits(const void *block, size_t size);
/** Gives pages back. */
void lg__spill_give(void *start, size_t size);
/** Returns whether an address lies in the file. When the disk is full, touching
 *  it raises SIGBUS. */
bool lg__spill_holds(const void *address);

#endif
