/**
 * A signal as a descriptor that a waiting thread can poll.
 *
 * Python's own signal handlers run in the main thread, and only when that
 * thread returns to Python code. A thread that waits for this descriptor
 * notices the signal while the main thread is deep in native code, as long as
 * that code releases the GIL.
 */
#ifndef LEAKGRAPH_SIGNAL_FD_H
#define LEAKGRAPH_SIGNAL_FD_H

#include "binding/support/state.h"

/** _open_signal_fd(signal) -> descriptor: takes the action of the signal over,
 *  from any thread. Also calls a handler that was there, after each signal. A
 *  forked child does not notice the signal, and the signal does not kill it.
 *  One signal at a time; the descriptor is never closed. */
PyObject *lg__core_open_signal_fd(PyObject *module, PyObject *argument);

/** _close_signal_fd(): restores the previous action, unless somebody else has
 *  taken the signal over since. */
PyObject *lg__core_close_signal_fd(PyObject *module, PyObject *unused);

/** _hears_signal() -> bool: False after somebody else has set a handler, which
 *  may call ours. */
PyObject *lg__core_hears_signal(PyObject *module, PyObject *unused);

extern const char lg__core_hears_signal_doc[];
extern const char lg__core_open_signal_fd_doc[];
extern const char lg__core_close_signal_fd_doc[];

#endif
