/**
 * Watches over long native work: reacts to Ctrl-C, and shows progress as a line
 * on stderr, in a notebook's bar, or through the caller's callback.
 */
#ifndef LEAKGRAPH_PROGRESS_H
#define LEAKGRAPH_PROGRESS_H

#include "binding/support/shim.h"
#include <leakgraph/base.h>

typedef enum lg__progress_line {
    LG__LINE_AUTO, /* on a terminal or in a notebook, when the work takes over a
                  second */
    LG__LINE_ON,
    LG__LINE_OFF,
} lg__progress_line;

typedef struct lg__progress {
    lg_monitor monitor; /* for the work to call */
    PyObject *callable; /* borrowed: the caller's argument; or NULL */
    lg__progress_line line;
    double started;
    double last;
    int descriptor; /* stderr, if lines can go there without Python; otherwise
                       -1 */
    bool raised;    /* an exception is set in the calling thread */
    bool shown;     /* a line stands on stderr */
    bool placed;    /* the place of the line is known */
    PyObject *bar;  /* of a notebook: leakgraph.bar.Bar, or NULL */
} lg__progress;

/** `option` is the caller's `progress=`: NULL, None, a bool or a callable.
 *  TypeError and false for anything else. */
bool lg__progress_begin(lg__progress *self, PyObject *option);

/** The monitor for a walk over the heap, which holds the GIL: it writes the
 *  line without Python, if sys.stderr is the process's own. */
lg_monitor lg__progress_walking(lg__progress *self);

/** Call with the GIL held, once after the work. Clears the line; calls the
 *  callable with ("done", 1.0) if the work succeeded. False if that raised. */
bool lg__progress_finish(lg__progress *self, lg_status status);

/** The same with the answer of the work, which it takes over: NULL if the work
 *  failed. Returns the answer, or NULL with an exception. */
PyObject *lg__progress_end(lg__progress *self, PyObject *answer);

#endif
