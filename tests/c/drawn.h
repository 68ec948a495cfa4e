/** Small graphs drawn as text: nodes are the letters from a on. */
#ifndef LEAKGRAPH_DRAWN_H
#define LEAKGRAPH_DRAWN_H

#include <leakgraph/internal/report.h>

/** Draws a graph. Edges are pairs of letters, as in "ab bc ca"; each letter of
 *  `roots` is the root of a thread. A node's size is 100, or 1 MiB if `big`
 *  names it. */
lg_graph *draw(const char *roots, const char *edges, const char *big);
/** Analyses a graph; the analysis must succeed. */
lg_analysis *analysed(const lg_graph *graph);
/** Draws a random graph of that size without implicit roots. Some edges lead to
 *  near nodes and some to far ones; components have all sizes, and some nodes
 *  are garbage. */
lg_graph *draw_random(uint64_t seed, uint32_t nodes);

/** Draws a cycle: each node refers to the next, and the last to the first,
 *  which is a root. */
lg_graph *draw_cycle(uint32_t nodes);

/** Draws 0 -> 1 <-> 2 -> 3, 2 -> 5, and 4 -> 4 as garbage. Node i has 2**i
 *  bytes, but 3 has 8 GiB. 3 and 4 are on device 2, and 5 is on device 1. */
lg_graph *drawn_with_devices(void);

enum { DRAWN_SIZE = 100, DRAWN_BIG = 1 << 20 };

/** Calls lg_report_why for the biggest of these nodes. */
lg_status why_report(const lg_analysis *analysis, const uint32_t *nodes,
                     size_t count, const char *note, lg_format format,
                     lg_text *out);

#endif
