/** The one function that the renderer, a shared object of its own, exports. */
#ifndef LEAKGRAPH_RENDERER_H
#define LEAKGRAPH_RENDERER_H

#include <leakgraph/export.h>

#define LG_RENDER_SYMBOL "lg_render_graphviz"

/** Lays out and renders; waits for its turn. `dot` ends with NUL; *data is the
 *  caller's, to release with free(). */
typedef lg_status lg_render_function(const char *dot, const char *format,
                                     char **data, size_t *length,
                                     lg_error *err);

#endif
