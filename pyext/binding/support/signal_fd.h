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

/** _open_signal_fd(signal, ends_children) -> descriptor: takes the action of
 * the signal over, from any thread. Also calls a handler that was there, after
 * each signal. A forked child does not notice the signal, which ends it only if
 *  `ends_children`, whatever the default action of the signal.
 *  Up to four signals, each once; the descriptors are never closed. */
PyObject *lg__core_open_signal_fd(PyObject *module, PyObject *arguments);

/** _close_signal_fd(signal): restores the previous action, unless somebody else
 * has taken the signal over since. */
PyObject *lg__core_close_signal_fd(PyObject *module, PyObject *argument);

/** _hears_signal(signal) -> bool: False after somebody else has set a handler,
 * which may call ours. */
PyObject *lg__core_hears_signal(PyObject *module, PyObject *argument);

/** _die_by_signal(signal): gives the signal its default action, from any
 * thread, and sends it to the process. */
PyObject *lg__core_die_by_signal(PyObject *module, PyObject *argument);

extern const char lg__core_die_by_signal_doc[];
extern const char lg__core_hears_signal_doc[];
extern const char lg__core_open_signal_fd_doc[];
extern const char lg__core_close_signal_fd_doc[];

#endif
