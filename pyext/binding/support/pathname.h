/** File names: anything os.fspath takes, with {pid}, {rank} and {n} filled in.
 */
#ifndef LEAKGRAPH_PATHNAME_H
#define LEAKGRAPH_PATHNAME_H

#include "binding/support/shim.h"

/** `path` in the encoding of the file system, a new reference. */
PyObject *lg__pathname_bytes(PyObject *path);

/** The same with `{pid}` replaced by the process id, `{rank}` by
 *  lg_process_rank() or 0, and `{n}` by the smallest number from 1 with which
 *  the file does not exist. */
PyObject *lg__pathname_filled(PyObject *path);

PyObject *lg__core_is_installed(PyObject *module, PyObject *path);

extern const char lg__core_is_installed_doc[];

#endif
