/**
 * Reads memory through the kernel, because it may not be mapped: the kernel
 * returns an error instead of a fault.
 */
#ifndef LEAKGRAPH_PEEK_H
#define LEAKGRAPH_PEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Pages on which the capture has found objects, by their numbers; 0: none. An
 *  object does not go away during the walk, and so its page does not either. */
typedef struct lg__seen_pages {
    uintptr_t page[64];
} lg__seen_pages;

/** Copies bytes; false if they are not readable, or if the kernel forbids it.
 * Takes about a microsecond. */
bool lg__peek(void *to, const void *from, size_t size);

#endif
