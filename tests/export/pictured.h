/** Pictures of made-up heaps, to look for words in them. */
#ifndef LEAKGRAPH_PICTURED_H
#define LEAKGRAPH_PICTURED_H

#include "heap.h"

#include <leakgraph/analysis.h>
#include <leakgraph/view.h>

typedef struct pictured {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_view *view;
    lg_text json;
    lg_text dot;
} pictured;

/** Adds owner.name, an object of the type app.Thing. */
uint32_t pictured_add(test_heap *heap, uint32_t owner, const char *name,
                      uint64_t size);
/** Ends and analyses the heap. Set `view`, then call pictured_draw. */
pictured pictured_begin(test_heap *heap);
/** Writes the view in both formats. */
void pictured_draw(pictured *made);
void pictured_forget(pictured *made);
/** Whether the text contains the words so many times. If not, prints it. */
bool pictured_says(const lg_text *text, const char *what, size_t times);

#endif
