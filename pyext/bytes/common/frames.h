/** Stack frames that an allocator recorded, as one line of text. */
#ifndef LEAKGRAPH_FRAMES_H
#define LEAKGRAPH_FRAMES_H

#include <Python.h>
#include <stdbool.h>

/** A reader of many stacks. It keeps the text of each frame, because most
 *  frames are in several stacks, and PyTorch uses the same dict in each. */
typedef struct lg__frames lg__frames;

/** Makes a reader; NULL when memory ran out. Call all functions here with the
 *  GIL held. */
lg__frames *lg__frames_open(void);
void lg__frames_close(lg__frames *self);

/** Writes `loss (model.py:12) < step (train.py:40)`, innermost first, from a
 *  list of dicts with name, filename and line. Leaves out items of another
 *  shape, machinery (frame_names.h) and arguments of functions of C++. Begins
 *  with `user_metadata 'text'` if the program noted a text. The caller releases
 *  *out with free(); it is NULL if there is nothing to write. False when memory
 *  ran out. */
bool lg__frames_text(lg__frames *self, PyObject *metadata, PyObject *frames,
                     char **out);

#endif
