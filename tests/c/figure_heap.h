/** A heap of figures, for tests. */
#ifndef LEAKGRAPH_FIGURE_HEAP_H
#define LEAKGRAPH_FIGURE_HEAP_H

#include "story.h"

#include <leakgraph/analysis.h>

enum { FIGURES = 8, PIXELS = 640 * 480 * 4, DATA = 1 << 20 };

typedef struct figure_heap {
    lg_graph *graph;
    lg_analysis *analysis;
    uint32_t figure[FIGURES];
    uint32_t artist[FIGURES];
    uint32_t canvas[FIGURES];
} figure_heap;

/** Adds a.forth = b and b.back = a. */
void figure_heap_tie(story *to, uint32_t a, const char *forth, uint32_t b,
                     const char *back);
/** Adds a figure of an artist with 1 MiB of data. Number 0 does not belong to
 *  pyplot, and figures with even numbers are drawn. Returns the manager, or the
 *  figure if it has none. */
uint32_t figure_heap_add(story *to, figure_heap *out, int number, bool closed);
/** Makes the heap. 1 and 2 are open; 2 is also a global. 3 is closed, but a
 *  list contains one of its artists. An animation holds 4, and a callback 5. 6
 *  and a half of 1 are garbage. Native code holds 7. 0 never belonged to
 *  pyplot. 2 and 3 share data. */
figure_heap figure_heap_make(void);
void figure_heap_free(figure_heap *built);

#endif
