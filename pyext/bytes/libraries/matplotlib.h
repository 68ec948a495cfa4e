/** What the parts of the adapter for matplotlib share. */
#ifndef LEAKGRAPH_MATPLOTLIB_H
#define LEAKGRAPH_MATPLOTLIB_H

#include "capture/adapters/adapter.h"

/** A size in whole pixels; 0: none. */
typedef struct lg_extent {
    uint32_t width;
    uint32_t height;
} lg_extent;

/** Rounds the size of a canvas to pixels; 0 x 0 if no canvas has such a
 *  size. */
lg_extent lg_extent_of(double width, double height);
/** Reads the number in the attribute with that name; 0 if there is none. */
double lg_number_attribute(lg_adapter_pass *pass, PyObject *object,
                           const char *name);
/** The size with which one of Agg's renderers was made. */
lg_extent lg_renderer_extent(lg_adapter_pass *pass, PyObject *renderer);

/** Charge pixels to the C++ object behind a renderer, and to a copied region of
 *  a canvas. */
void lg_renderer_scan(lg_adapter_pass *pass, const lg_instance *instance);
void lg_region_scan(lg_adapter_pass *pass, const lg_instance *instance);

#endif
