/** Drawing: a view of a graph, rendered on demand. Outlives its snapshot. */
#ifndef LEAKGRAPH_DRAWING_H
#define LEAKGRAPH_DRAWING_H

#include "binding/objects/binding_objects.h"
#include <leakgraph/render.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/renderers.h>

extern PyType_Spec lg__drawing_spec;

typedef struct lg__drawing_style {
    const char *title; /* copied; may be NULL */
    bool legend;
    const char *format; /* copied: "svg", "png" ...; NULL: not given */
} lg__drawing_style;

/** Takes the view over, also on failure. */
PyObject *lg__drawing_new(lg__core_state *state, lg_view *view,
                          const lg__drawing_style *style);

/** The file name of a picture as bytes, NULL if `filename` is None. Refuses a
 *  name without a known suffix before the work begins. `suffix` gets the format
 *  of the suffix. */
bool lg__drawing_file(lg__core_state *state, PyObject *filename,
                      const lg__drawing_style *style, char suffix[16],
                      PyObject **path);

/** Writes the picture; format NULL: the path's suffix decides. `renderer` has
 *  been started for it, or is NULL. PictureError when Graphviz cannot. */
bool lg__drawing_write(PyObject *drawing, const char *path, const char *format,
                       lg_renderer *renderer, const lg_monitor *monitor);

typedef lg_status lg__picture_maker(const lg_analysis *analysis, const void *of,
                                    lg_view **out, lg_error *error);

/** A Drawing of the view that `make` makes without the GIL. */
PyObject *lg__picture_of(lg__snapshot_object *snapshot, lg__picture_maker *make,
                         const void *of);

/** Calls a method of a Drawing and returns its result. Takes over `drawing`,
 *  which may be NULL. */
PyObject *lg__picture_ask(PyObject *drawing, const char *method,
                          PyObject *const *args, Py_ssize_t nargs,
                          PyObject *kwnames);

extern const char lg__core_render_doc[];

/** _core._render(dot, format): the picture as bytes. */
PyObject *lg__core_render(PyObject *module, PyObject *args);

#endif
