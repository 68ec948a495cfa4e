/**
 * Memory in a file, for a forked child when there is little other: its pages
 * can be written back and dropped, so they are nothing that a process is killed
 * for.
 *
 * The whole of a sparse file is mapped at once. A block that may grow has a
 * window of its own, far from the next: it grows in place, without a call.
 */
#ifndef LEAKGRAPH_SPILL_H
#define LEAKGRAPH_SPILL_H

#include <stdbool.h>
#include <stddef.h>

/** From here on, and for the rest of this process's life, large blocks are to
 *  lie in this file, which is empty, has no name, and is read and written. If
 * it cannot be mapped nothing changes. */
void lg_spill_begin(int descriptor);
/** A zeroed block of whole pages; NULL when there is no file or no room. */
void *lg_spill_take(size_t size, bool may_grow);
/** Whether a block that may grow has room for that size. */
bool lg_spill_fits(const void *block, size_t size);
/** Gives pages back. */
void lg_spill_give(void *start, size_t size);
/** Whether an address lies in the file. Its pages are not there (SIGBUS) when
 *  the disk is full. */
bool lg_spill_holds(const void *address);

#endif
