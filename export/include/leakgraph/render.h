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
 * own, started for this picture: whatever happens there, this process goes on.
 * The monitor (or NULL) can end it, and is asked ten times a second. LG_EINVAL
 * lists the known formats. LG_ERENDER says in one sentence why there is no
 * picture and what to do; lg_view_text() has what it would show. Free *data
 * with free(). Works in any thread, in several at a time, and in forked
 * children.
 *
 * The environment can set LEAKGRAPH_RENDERER, the program to start, and the
 * limits LEAKGRAPH_RENDER_SECONDS (60) and LEAKGRAPH_RENDER_MEBIBYTES (2048); 0
 * means no limit.
 */
LG_API lg_status lg_render(const char *dot, size_t dot_length,
                           const char *format, const lg_monitor *monitor,
                           char **data, size_t *length, lg_error *err);

/**
 * A renderer that starts while its picture is still being chosen: it takes tens
 * of milliseconds until it can draw, most of them for fonts. It draws one
 * picture, and ends with this process at the latest.
 */
typedef struct lg_renderer lg_renderer;

/** Starts a renderer without waiting for it. Returns NULL for "dot" and "gv",
 *  and if it cannot start one: lg_renderer_draw() then tries again, and says
 *  why. Start and draw in one thread, because the kernel ends the renderer with
 *  the thread that started it. */
LG_API lg_renderer *lg_renderer_start(const char *format);
/** Frees the renderer, and ends it if it waits for its picture. Call it in any
 *  case; NULL is fine. */
LG_API void lg_renderer_end(lg_renderer *renderer);

/** lg_render() by a renderer that is ready, if it has drawn nothing so far and
 *  was started for the same format, and else by a new one. NULL is fine. */
LG_API lg_status lg_renderer_draw(lg_renderer *renderer, const char *dot,
                                  size_t dot_length, const char *format,
                                  const lg_monitor *monitor, char **data,
                                  size_t *length, lg_error *err);

/** The format that a file's suffix stands for, lower case, borrowed from path:
 *  LG_EINVAL when there is no suffix. */
LG_API lg_status lg_render_format_of(const char *path, char format[16],
                                     lg_error *err);

/** LG_EINVAL, with the known formats, if there is no such format. Starts the
 *  renderer only for an unusual format. If it cannot start one, every format
 *  passes. */
LG_API lg_status lg_render_format_check(const char *format, lg_error *err);

/** Renders to a file, which is made as lg_graph_save makes its files: whole or
 *  not at all, the user's alone. `format` may be NULL: the suffix decides. "-"
 *  writes to standard output. */
LG_API lg_status lg_render_file(const char *dot, size_t dot_length,
                                const char *format, const char *path,
                                const lg_monitor *monitor, lg_error *err);
/** lg_render_file() by a renderer that is ready, as lg_renderer_draw(). */
LG_API lg_status lg_renderer_draw_file(lg_renderer *renderer, const char *dot,
                                       size_t dot_length, const char *format,
                                       const char *path,
                                       const lg_monitor *monitor,
                                       lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
