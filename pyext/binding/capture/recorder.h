/** Captures as Python asks for them: snapshot() and save_snapshot(). */
#ifndef LEAKGRAPH_RECORDER_H
#define LEAKGRAPH_RECORDER_H

#include "binding/objects/py_snapshot.h"

PyObject *core_snapshot(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_save_snapshot(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);

/** Captures the whole heap into a new Snapshot; NULL with an exception. Leaves
 *  out `held`, the argument of the call, unless it is NULL. */
snapshot_object *snapshot_now(core_state *state, PyObject *held,
                              const lg_monitor *monitor);
/** The same; with `contents` it also finds equal contents. */
snapshot_object *snapshot_of_contents(core_state *state, bool contents,
                                      const lg_monitor *monitor);

extern const char core_snapshot_doc[];
extern const char core_save_snapshot_doc[];

#endif
