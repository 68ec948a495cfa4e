/** Stack frames that an allocator recorded, as one line of text. */
#ifndef LEAKGRAPH_FRAMES_H
#define LEAKGRAPH_FRAMES_H

#include <Python.h>
#include <stdbool.h>

/** A reader of many stacks. It keeps texts, because most frames are in several
 *  stacks, and PyTorch uses the same dict in each. */
typedef struct lg_frames lg_frames;

/** NULL when memory ran out. Call this and all that follows with the GIL held.
 *  */
lg_frames *lg_frames_open(void);
void lg_frames_close(lg_frames *self);

/** Writes `loss (model.py:12) < step (train.py:40)`, innermost first, from a
 *  list of dicts with name, filename and line; leaves out items of another
 *  shape, machinery (frame_names.h) and arguments of functions of C++. What the
 * program noted stands before them, as `user_metadata 'text'`; it may be NULL,
 * or no text. The caller releases *out with free(); NULL if there is neither.
 * False when memory ran out. */
bool lg_frames_text(lg_frames *self, PyObject *metadata, PyObject *frames,
                    char **out);

#endif
