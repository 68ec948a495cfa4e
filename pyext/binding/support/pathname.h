/** File names: anything os.fspath takes, with {pid} and {n} filled in. */
#ifndef LEAKGRAPH_PATHNAME_H
#define LEAKGRAPH_PATHNAME_H

#include "binding/support/shim.h"

/** The file system's bytes for `path`, a new reference. */
PyObject *pathname_bytes(PyObject *path);

/** The same with `{pid}` replaced by the process id and `{n}` by the smallest
 *  number from 1 that names no file yet. */
PyObject *pathname_filled(PyObject *path);

#endif
