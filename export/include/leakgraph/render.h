/**
 * Images: DOT rendered by Graphviz, in a process of its own.
 *
 * The conventions of leakgraph.h hold. Link with leakgraph::pictures.
 */
#ifndef LEAKGRAPH_RENDER_H
#define LEAKGRAPH_RENDER_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Renders DOT to an image in `format` ("svg", "png", "pdf", any that Graphviz
 * has; "dot" and "gv" are the text itself). Graphviz runs in a process of its
 * own, started for this picture: whatever it does there, this process goes on.
 * The monitor (or NULL) is asked ten times a second and ends it. LG_EINVAL
 * lists the known formats; LG_ERENDER says in one sentence why there is no
 * picture and what to do; lg_view_text() has what it would show. *data is
 * released with free(). From any thread, several at a time, in forked children
 * too.
 *
 * Read from the environment: LEAKGRAPH_RENDERER, the program to start;
 * LEAKGRAPH_RENDER_SECONDS (60) and LEAKGRAPH_RENDER_MEBIBYTES (2048), what it
 * may take, 0: any.
 */
LG_API lg_status lg_render(const char *dot, size_t dot_length,
                           const char *format, const lg_monitor *monitor,
                           char **data, size_t *length, lg_error *err);

/** The format that a file's suffix stands for, lower case, borrowed from path:
 *  LG_EINVAL when there is no suffix. */
LG_API lg_status lg_render_format_of(const char *path, char format[16],
                                     lg_error *err);

/** LG_EINVAL, with the known formats, when no picture can be had in `format`.
 *  The renderer is started only for a format that is not one of the usual ones;
 *  where it cannot be, every format passes. */
LG_API lg_status lg_render_format_check(const char *format, lg_error *err);

/** Renders to a file, which is made as lg_graph_save makes its files: whole or
 *  not at all, the user's alone. `format` may be NULL: the suffix decides. "-"
 *  writes to standard output. */
LG_API lg_status lg_render_file(const char *dot, size_t dot_length,
                                const char *format, const char *path,
                                const lg_monitor *monitor, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
