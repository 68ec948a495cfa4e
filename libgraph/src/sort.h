/**
 * Sorting without memory: the C library's qsort asks malloc for a buffer, and a
 * forked child of a process with threads may find malloc locked for ever.
 */
#ifndef LG_SORT_H
#define LG_SORT_H

#include <stddef.h>

/** Heap sort, in place. Not stable. O(count log count). */
void lg__sort(void *items, size_t count, size_t size,
              int (*compare)(const void *, const void *));

#endif
