/**
 * Watches over long native work: Ctrl-C, a line on stderr or a notebook's bar,
 * the caller's own callback.
 */
#ifndef LEAKGRAPH_PROGRESS_H
#define LEAKGRAPH_PROGRESS_H

#include "binding/support/shim.h"
#include <leakgraph/base.h>

typedef enum progress_line {
    LINE_AUTO, /* on a terminal or in a notebook, when the work takes over a
                  second */
    LINE_ON,
    LINE_OFF,
} progress_line;

typedef struct progress {
    lg_monitor monitor; /* what the work is given */
    PyObject *callable; /* borrowed: the caller's argument; or NULL */
    progress_line line;
    double started;
    double last;
    int descriptor; /* of stderr, where lines can be written past Python; -1 */
    bool raised;    /* an exception is set in the calling thread */
    bool shown;     /* a line stands on stderr */
    bool placed;    /* it is known where lines go */
    PyObject *bar;  /* of a notebook: leakgraph.bar.Bar, or NULL */
} progress;

/** `option` is the caller's `progress=`: NULL, None, a bool or a callable.
 *  TypeError and false for anything else. */
bool progress_start(progress *self, PyObject *option);

/** What a walk over the heap is given: it holds the GIL, and the line is
 * written past Python, if sys.stderr is the process's own. */
lg_monitor progress_walking(progress *self);

/** With the GIL held, once after the work. Wipes the line; tells the callable
 *  ("done", 1.0) if the work succeeded. False if that raised. */
bool progress_end(progress *self, lg_status status);

#endif
