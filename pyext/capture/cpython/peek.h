/**
 * Reads memory through the kernel, because it may not be mapped: the kernel
 * returns an error instead of a fault.
 */
#ifndef LEAKGRAPH_PEEK_H
#define LEAKGRAPH_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/** Copies bytes; false if they are not readable, or if the kernel forbids it.
 * Takes about a microsecond. */
bool lg__peek(void *to, const void *from, size_t size);

#endif
