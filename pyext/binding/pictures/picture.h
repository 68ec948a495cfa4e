/** Drawings of an analysis, made on demand. */
#ifndef LEAKGRAPH_PICTURE_H
#define LEAKGRAPH_PICTURE_H

#include "binding/objects/binding_objects.h"
#include <leakgraph/view.h>

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

#endif
