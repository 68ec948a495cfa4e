/**
 * What atexit.register() keeps, per version. A part of compat.h. In 3.9 the
 * module tells the collector of it, and from 3.14 on the interpreter has a
 * list.
 */
#ifndef LEAKGRAPH_COMPAT_EXIT_H
#define LEAKGRAPH_COMPAT_EXIT_H

#include "capture/cpython/compat.h"

/** A handler, and its arguments; NULL where there is none. */
typedef struct lg__exit_handler {
    PyObject *parts[3];
} lg__exit_handler;

#if PY_VERSION_HEX >= 0x030A0000 && PY_VERSION_HEX < 0x030E0000

static inline int
lg__exit_handler_count(PyInterpreterState *interpreter)
{
    const struct atexit_state *state = &interpreter->atexit;
    bool sound = state->callbacks != NULL && state->ncallbacks >= 0 &&
                 state->ncallbacks <= state->callback_len;
    return sound ? state->ncallbacks : 0;
}

/** atexit.unregister() leaves a gap. */
static inline lg__exit_handler
lg__exit_handler_at(PyInterpreterState *interpreter, int i)
{
    if (interpreter->atexit.callbacks[i] == NULL)
        return (lg__exit_handler){{NULL, NULL, NULL}};
    return (lg__exit_handler){{interpreter->atexit.callbacks[i]->func,
                               interpreter->atexit.callbacks[i]->args,
                               interpreter->atexit.callbacks[i]->kwargs}};
}

#else

static inline int
lg__exit_handler_count(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return 0;
}

static inline lg__exit_handler
lg__exit_handler_at(PyInterpreterState *interpreter, int i)
{
    (void)interpreter;
    (void)i;
    return (lg__exit_handler){{NULL, NULL, NULL}};
}

#endif

#endif
