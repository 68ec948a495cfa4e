/** What the parts of the adapter for matplotlib share. */
#ifndef LEAKGRAPH_MATPLOTLIB_H
#define LEAKGRAPH_MATPLOTLIB_H

#include "capture/adapters/capture_adapters.h"

/** A size in whole pixels; 0: none. */
typedef struct lg__extent {
    uint32_t width;
    uint32_t height;
} lg__extent;

/** Rounds the size of a canvas to pixels; 0 x 0 if no canvas has such a
 *  size. */
lg__extent lg__extent_of(double width, double height);
/** Reads the number in the attribute with that name; 0 if there is none. */
double lg__number_attribute(lg__adapter_pass *pass, PyObject *object,
                            const char *name);
/** The size with which one of Agg's renderers was made. */
lg__extent lg__renderer_extent(lg__adapter_pass *pass, PyObject *renderer);

/** The bytes that the rasterizer of a RendererAgg keeps, given the address of
 *  the C++ object; 0 if its memory does not look like one. */
uint64_t lg__renderer_cells(const void *renderer);

/** Charge pixels to the C++ object behind a renderer, and to a copied region of
 *  a canvas. */
void lg__renderer_scan(lg__adapter_pass *pass, const lg__instance *instance);
void lg__region_scan(lg__adapter_pass *pass, const lg__instance *instance);

#endif
