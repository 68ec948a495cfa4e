/**
 * Reads memory that may not be there through the kernel, which returns an error
 * instead of a fault.
 */
#ifndef LEAKGRAPH_PEEK_H
#define LEAKGRAPH_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/** Copies bytes; false if they cannot be read, or the kernel does not let.
 * About a microsecond. */
bool lg_peek(void *to, const void *from, size_t size);

#endif
