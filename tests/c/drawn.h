/**
 * Small graphs written as text: nodes are the letters from a on.
 */
#ifndef LG_DRAWN_H
#define LG_DRAWN_H

#include <leakgraph/analysis.h>

/** Edges are pairs of letters, as in "ab bc ca"; each letter of `roots` is the
 *  root of a thread. A node's size is 100, or 1 MiB if it is named in `big`. */
lg_graph *draw(const char *roots, const char *edges, const char *big);
/** The analysis of a graph, which must succeed. */
lg_analysis *analysed(const lg_graph *graph);
/** Edges of every node of a random graph of that many, without furniture: some
 *  near, some far, with knots of all sizes and some garbage. */
lg_graph *draw_random(uint64_t seed, uint32_t nodes);

enum { DRAWN_SIZE = 100, DRAWN_BIG = 1 << 20 };

#endif
