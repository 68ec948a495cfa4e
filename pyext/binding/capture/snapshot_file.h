/** Snapshots and files: load(), Snapshot.save(). */
#ifndef LEAKGRAPH_SNAPSHOT_FILE_H
#define LEAKGRAPH_SNAPSHOT_FILE_H

#include "binding/support/binding_support.h"
#include <leakgraph/file.h>

/** `compress=` as a zstd level: NULL or True: the default; False or 0: none. */
bool lg__snapshot_level(lg__core_state *state, PyObject *value, int *level);

/** Saves the graph with the GIL released; false with an exception. */
bool lg__snapshot_write(lg__core_state *state, const lg_graph *graph,
                        const char *path, const lg_save_options *options,
                        const lg_monitor *monitor);

PyObject *lg__core_load(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_load_doc[];

#endif
