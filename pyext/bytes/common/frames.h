/** Stack frames that an allocator recorded, as one line of text. */
#ifndef LEAKGRAPH_FRAMES_H
#define LEAKGRAPH_FRAMES_H

#include <Python.h>
#include <stdbool.h>

/** A reader of many stacks: most frames are in several of them, where PyTorch
 *  lists the very same dict. */
typedef struct lg_frames lg_frames;

/** NULL when memory ran out. To be closed with the GIL held, as all of it. */
lg_frames *lg_frames_open(void);
void lg_frames_close(lg_frames *self);

/** `loss (model.py:12) < step (train.py:40)`, innermost first, from a list of
 *  dicts with name, filename and line; what is not of that shape is left out.
 *  *out is the caller's, to release with free(); NULL when there are none.
 * False when memory ran out. */
bool lg_frames_text(lg_frames *self, PyObject *frames, char **out);

#endif
