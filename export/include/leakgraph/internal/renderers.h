/**
 * Renderers that start early, and formats of images.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_RENDERERS_H
#define LEAKGRAPH_RENDERERS_H

#include <leakgraph/render.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A renderer that starts while the caller still chooses the picture: it takes
 * tens of milliseconds until it can draw, most of them for fonts. It draws one
 * picture, and ends with this process at the latest.
 */
typedef struct lg_renderer lg_renderer;

/** Starts a renderer without waiting for it. Returns NULL for "dot" and "gv",
 *  and if it cannot start one: lg_renderer_draw() then tries again, and says
 *  why. Start and draw in one thread, because the kernel ends the renderer with
 *  the thread that started it. */
lg_renderer *lg_renderer_start(const char *format);

/** Frees the renderer, and ends it if it still waits for its picture. Call it
 *  in any case; NULL is fine. */
void lg_renderer_end(lg_renderer *renderer);

/** Does what lg_dot_render() does, with a renderer that is ready. If that one
 * has drawn already, or was started for another format, starts a new one. NULL
 * is fine. */
lg_status lg_renderer_draw(lg_renderer *renderer, const char *dot,
                           const char *format, const lg_monitor *monitor,
                           lg_text *out, lg_error *err);

/** Finds the format that a file's suffix stands for, in lower case, borrowed
 *  from the path. LG_EINVAL when there is no suffix. */
lg_status lg_render_format_of(const char *path, char format[16], lg_error *err);

/** Checks a format: LG_EINVAL lists the known ones. Starts the renderer only
 *  for an unusual format. If it cannot start one, every format passes. */
lg_status lg_render_format_check(const char *format, lg_error *err);

/** Renders DOT to a file as lg_view_save writes, with a renderer that is ready,
 *  or NULL, as lg_renderer_draw() does. */
lg_status lg_renderer_draw_file(lg_renderer *renderer, const char *dot,
                                const char *format, const char *path,
                                const lg_monitor *monitor, lg_error *err);

/** Adds a picture in SVG with the colours that it has on a dark page: as a file
 *  of its own, where the reader prefers dark pages, or inlined in a cell of a
 *  notebook, where the notebook is dark; there it is no wider than the cell,
 *  and what is no SVG is left out. */
void lg_svg_add(lg_text *out, const char *image, bool inlined);

#ifdef __cplusplus
}
#endif

#endif
