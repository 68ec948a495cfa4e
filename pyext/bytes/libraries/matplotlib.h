/** Shared by the parts of the adapter for matplotlib. */
#ifndef LEAKGRAPH_MATPLOTLIB_H
#define LEAKGRAPH_MATPLOTLIB_H

#include "capture/adapters/adapter.h"

/** A size in whole pixels; 0: none. */
typedef struct lg_extent {
    uint32_t width;
    uint32_t height;
} lg_extent;

/** None, if that is no size that a canvas has. */
lg_extent lg_extent_of(double width, double height);
/** A number that an instance keeps under that name, or 0. */
double lg_number_attribute(lg_adapter_pass *pass, PyObject *object,
                           const char *name);
/** The pixels of one of Agg's renderers, as it was made. */
lg_extent lg_renderer_extent(lg_adapter_pass *pass, PyObject *renderer);

/** Charge pixels to the C++ object behind a renderer, and to a copied region
 *  of a canvas. */
void lg_renderer_scan(lg_adapter_pass *pass, const lg_instance *instance);
void lg_region_scan(lg_adapter_pass *pass, const lg_instance *instance);

#endif
