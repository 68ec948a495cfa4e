/** Stack frames that an allocator recorded, as one line of text. */
#ifndef LEAKGRAPH_BYTES_FRAMES_H
#define LEAKGRAPH_BYTES_FRAMES_H

#include <Python.h>
#include <stdbool.h>

/** `loss (model.py:12) < step (train.py:40)`, innermost first, from a list of
 *  dicts with name, filename and line; what is not of that shape is left out.
 *  *out is the caller's, to release with free(); NULL when there are none.
 * False when memory ran out. */
bool lg_frames_text(PyObject *frames, char **out);

#endif
