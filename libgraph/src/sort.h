/**
 * Sorting without memory: the C library's qsort asks malloc for a buffer, and a
 * forked child of a process with threads may find malloc locked for ever.
 */
#ifndef LG_SORT_H
#define LG_SORT_H

#include <stddef.h>

/** In place: quicksort, and heap sort where that goes wrong. Not stable.
 *  O(count log count), O(count) if they are sorted already. */
void lg__sort(void *items, size_t count, size_t size,
              int (*compare)(const void *, const void *));

#endif
