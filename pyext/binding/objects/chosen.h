/** The objects of a Snapshot that a program asks for: select(), find() and the
 *  operators [] and `in`. */
#ifndef LEAKGRAPH_CHOSEN_H
#define LEAKGRAPH_CHOSEN_H

#include "binding/objects/py_snapshot.h"

extern const char lg__snapshot_select_doc[];
PyObject *lg__snapshot_select(PyObject *snapshot, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames);
/** The node of a live object, or None; of a str that reads like a selector, the
 *  only node that it selects. */
PyObject *lg__snapshot_find(PyObject *snapshot, PyObject *object);
/** The node of a name, a selector or a live object; NotFoundError if there is
 *  none. */
PyObject *lg__snapshot_item(PyObject *snapshot, PyObject *key);
/** Whether lg__snapshot_item() finds it; -1 with an exception. */
int lg__snapshot_has(PyObject *snapshot, PyObject *key);

#endif
