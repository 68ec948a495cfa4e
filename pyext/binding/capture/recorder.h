/** Captures as Python asks for them: snapshot() and save_snapshot(). */
#ifndef LEAKGRAPH_RECORDER_H
#define LEAKGRAPH_RECORDER_H

#include "binding/objects/binding_objects.h"

PyObject *lg__core_snapshot(PyObject *module, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_save_snapshot(PyObject *module, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);

/** Captures the whole heap into a new Snapshot; NULL with an exception. Leaves
 *  out `held`, the argument of the call, unless it is NULL. */
lg__snapshot_object *lg__snapshot_now(lg__core_state *state, PyObject *held,
                                      const lg_monitor *monitor);
/** The same, if `held` is not NULL; with `contents` it also finds equal
 * contents. `needs` has LG_NEEDS_NATIVE if it finds who holds native memory,
 * and LG_NEEDS_LINES if it keeps the lines that tracemalloc knows, should it
 * trace. */
lg__snapshot_object *lg__snapshot_with(lg__core_state *state, PyObject *held,
                                       bool contents, unsigned needs,
                                       const lg_monitor *monitor);

extern const char lg__core_snapshot_doc[];
extern const char lg__core_save_snapshot_doc[];

#endif
