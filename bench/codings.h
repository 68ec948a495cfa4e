/**
 * Other ways to write targets, and another order of nodes; to compare.
 */
#ifndef LEAKGRAPH_CODINGS_H
#define LEAKGRAPH_CODINGS_H

#include <leakgraph/internal/columns.h>

#include "packed.h"

/** Copies columns with other numbers: among each so many nodes in a row, those
 *  of one shape follow each other. */
lg_columns codings_sorted(const lg_columns *columns, uint32_t window);
/** Frees such a copy. */
void codings_free(lg_columns *columns);

/** Prints bytes a node, and nanoseconds a node to read them in order, of each
 *  coding, as JSON. */
void codings_measure(const lg_columns *columns, uint32_t block);

#endif
