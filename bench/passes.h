/**
 * Passes over a packed graph, timed beside the same passes over columns.
 */
#ifndef LEAKGRAPH_PASSES_H
#define LEAKGRAPH_PASSES_H

#include "packed.h"

/** Seconds that this thread has computed. */
double passes_now(void);

/** Packs the columns, runs each pass over both in turn, and prints the seconds
 *  for a node as JSON: the medians of three rounds. Both must give the same
 *  answer. */
void passes_measure(const lg_columns *columns, uint32_t block);

#endif
