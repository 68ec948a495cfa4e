/**
 * Random graphs that the oracle can solve, the same for the same seed.
 */
#ifndef LEAKGRAPH_RANDOM_GRAPH_H
#define LEAKGRAPH_RANDOM_GRAPH_H

#include <leakgraph/base.h>

/** Makes a graph of 1 to 40 nodes. Starts the sequence of random_below. */
lg_graph *random_graph(uint64_t seed);
/** Returns the next number of the sequence, below the limit. */
uint32_t random_below(uint32_t limit);

#endif
