/**
 * A signal that rings a bell: a descriptor that a waiting thread can poll.
 *
 * Python's own signal handlers run in the main thread, and only when it comes
 * back to Python code. A thread that waits for this bell is heard while the
 * main thread is deep in native code, as long as that lets go of the GIL.
 */
#ifndef LEAKGRAPH_SIGNAL_FD_H
#define LEAKGRAPH_SIGNAL_FD_H

#include "binding/support/state.h"

/** _open_signal_fd(signal) -> descriptor: takes the signal's action over, from
 * any thread. A handler that was there is called after each ring. A forked
 * child hears nothing, nor is killed by the signal. One bell at a time; the
 *  descriptor is never closed. */
PyObject *core_open_signal_fd(PyObject *module, PyObject *argument);

/** _close_signal_fd(): puts the old action back, unless somebody took the
 * signal over since. */
PyObject *core_close_signal_fd(PyObject *module, PyObject *unused);

extern const char core_open_signal_fd_doc[];
extern const char core_close_signal_fd_doc[];

#endif
