/** How many tuples wait in CPython's free lists, per version. A part of
 *  compat.h. */
#ifndef LEAKGRAPH_COMPAT_FREE_H
#define LEAKGRAPH_COMPAT_FREE_H

#include "capture/cpython/compat.h"

/** Tuples with up to this many items have lists, one for each number of items,
 *  which keep so many tuples at most. */
enum { LG__FREE_TUPLES_ITEMS = 20, LG__FREE_TUPLES_MOST = 2000 };

/** How many tuples of that many items wait; -1 if only CPython's own account
 *  says so, as up to 3.12, or if threads have the lists. */
static inline int64_t
lg__free_tuples(PyInterpreterState *interpreter, unsigned items)
{
#if LG__FREE_THREADED || PY_VERSION_HEX < 0x030D0000
    (void)interpreter;
    (void)items;
    return -1;
#elif PY_VERSION_HEX < 0x030E0000
    return interpreter->object_state.freelists.tuples.numfree[items - 1];
#else
    return interpreter->object_state.freelists.tuples[items - 1].size;
#endif
}

#endif
