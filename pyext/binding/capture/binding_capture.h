/**
 * What other rooms may use of the functions that take, save and load snapshots.
 */
#ifndef LEAKGRAPH_BINDING_CAPTURE_H
#define LEAKGRAPH_BINDING_CAPTURE_H

#include "binding/capture/snapshot_file.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

/* Functions of the module that take a snapshot and ask it one question. */

#define LG__ASKED(name)                                                        \
    extern const char lg__core_##name##_doc[];                                 \
    PyObject *lg__core_##name(PyObject *module, PyObject *const *args,         \
                              Py_ssize_t nargs, PyObject *kwnames);

LG__ASKED(export)
LG__ASKED(info)
LG__ASKED(report)
LG__ASKED(retained)

#undef LG__ASKED

/* Snapshots of other processes: _attach(), for leakgraph.attach(). */

PyObject *lg__core_attach(PyObject *module, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_attach_version(PyObject *module, PyObject *args);

extern const char lg__core_attach_doc[];
extern const char lg__core_attach_version_doc[];

/* The memory of this process, cheap enough to read again and again, and what it
 * keeps for later captures. */

PyObject *lg__core_resident_bytes(PyObject *module, PyObject *unused);
PyObject *lg__core_malloc_bytes(PyObject *module, PyObject *unused);
PyObject *lg__core_snapshot_need(PyObject *module, PyObject *unused);
PyObject *lg__core_control_groups(PyObject *module, PyObject *root);
PyObject *lg__core_group_room(PyObject *module, PyObject *root);

PyObject *lg__core_children(PyObject *module, PyObject *unused);

extern const char lg__core_resident_bytes_doc[];
extern const char lg__core_malloc_bytes_doc[];
extern const char lg__core_snapshot_need_doc[];
extern const char lg__core_control_groups_doc[];
extern const char lg__core_group_room_doc[];
extern const char lg__core_children_doc[];

PyObject *lg__core_keep_memory(PyObject *module, PyObject *most);

extern const char lg__core_keep_memory_doc[];

/* Native blocks for the tests of what lists them. */

extern const char lg__core_native_blocks_doc[];
PyObject *lg__core_native_blocks(PyObject *module, PyObject *unused);

/* Captures as Python asks for them: snapshot() and save_snapshot(). */

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

/* The live objects that refer to other live objects. */

/** Visits each object of a list once, however many targets there are. */
PyObject *lg__core_referrers(PyObject *module, PyObject *args);

extern const char lg__core_referrers_doc[];

#endif
