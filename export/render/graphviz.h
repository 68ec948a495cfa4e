/** Graphviz behind one function. */
#ifndef LEAKGRAPH_GRAPHVIZ_H
#define LEAKGRAPH_GRAPHVIZ_H

#include <leakgraph/base.h>

/** Loads Graphviz's plugins and the fonts for a picture in `format`. Ignores
 *  failures, because the drawing reports them. */
void lg__graphviz_warm_up(const char *format);

/** Lays `dot` out and draws it. LG_EINVAL lists the known formats, and
 *  LG_ERENDER says what Graphviz says. Call it once per process: it frees
 *  nothing, because Graphviz 2.42 corrupts the heap while it frees some
 *  layouts. */
lg_status lg__graphviz_draw(const char *dot, const char *format, char **data,
                            size_t *length, lg_error *err);

#endif
