/**
 * Images: views and DOT rendered by Graphviz, in a process of its own.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_RENDER_H
#define LEAKGRAPH_RENDER_H

#include <leakgraph/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Draws a view and saves the picture as lg_graph_save writes: whole or not at
 * all, and readable by the user alone. `format` may be NULL: the suffix of the
 * path decides. The path "-" stands for standard output, which needs a format.
 * options may be NULL. See lg_dot_render for the formats, the limits and the
 * errors.
 */
LG_API lg_status lg_view_save(const lg_view *view,
                              const lg_dot_options *options, const char *format,
                              const char *path, const lg_monitor *monitor,
                              lg_error *err);

/**
 * Renders DOT to an image, which it adds to `out`, in `format` ("svg", "png",
 * "pdf", any that Graphviz has; "dot" and "gv" are the text itself). Graphviz
 * runs in a process of its own: this process survives whatever happens there.
 * After a picture, that process waits some seconds for the next one. It is no
 * child of this one meanwhile. Two file descriptors stay open here until the
 * next picture. The monitor (or NULL) can end it, and is asked ten times a
 * second. LG_EINVAL lists the known formats. LG_ERENDER says in one sentence
 * why there is no picture and what to do; lg_view_text() shows the same as
 * text. Works in any thread, in several threads at a time, and in forked
 * children.
 *
 * The environment can set LEAKGRAPH_RENDERER, the program to start, and the
 * limits LEAKGRAPH_RENDER_SECONDS (60) and LEAKGRAPH_RENDER_MEBIBYTES (2048); 0
 * means no limit. LEAKGRAPH_RENDER_KEPT_SECONDS (10) is how soon the next
 * picture must follow; 0: nothing ever waits.
 */
LG_API lg_status lg_dot_render(const char *dot, const char *format,
                               const lg_monitor *monitor, lg_text *out,
                               lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
