/**
 * The mappings that leakgraph has made for itself, so that a search of the
 * process's memory passes over them. What captures have found lies there, and
 * looks like references to all of it.
 */
#ifndef LEAKGRAPH_OWN_RANGES_H
#define LEAKGRAPH_OWN_RANGES_H

#include "capture/common/capture_common.h"

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

#endif
