/** Drawings of an analysis, made on demand. */
#ifndef LEAKGRAPH_PICTURE_H
#define LEAKGRAPH_PICTURE_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/view.h>

typedef lg_status picture_maker(const lg_analysis *analysis, const void *of,
                                lg_view **out, lg_error *error);

/** A Drawing of the view that `make` makes without the GIL. */
PyObject *picture_of(snapshot_object *snapshot, picture_maker *make,
                     const void *of);

/** Calls a method of a Drawing and returns its result. Takes over `drawing`,
 *  which may be NULL. */
PyObject *picture_ask(PyObject *drawing, const char *method,
                      PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames);

#endif
