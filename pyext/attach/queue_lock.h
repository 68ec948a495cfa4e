/**
 * The lock of the interpreter's queue of pending calls. A thread that was
 * interrupted while it held that lock must not ask for a pending call: it would
 * wait for itself.
 */
#ifndef LEAKGRAPH_QUEUE_LOCK_H
#define LEAKGRAPH_QUEUE_LOCK_H

#include "attach/remote.h"

/** Whether any thread holds it. `minor`: of Python 3; `runtime` and
 *  `interpreter`: addresses of the state that all interpreters share, and of
 *  the main one's. False if this knows nothing of the lock of that version. */
bool lg__queue_lock_held(const lg__remote *remote, unsigned minor,
                         uint64_t runtime, uint64_t interpreter);

#endif
