/**
 * The words by which a frame refers to objects. From 3.14 on they are tagged,
 * and some own no reference. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_SLOT_H
#define LEAKGRAPH_COMPAT_SLOT_H

#include "capture/cpython/compat.h"

#if PY_VERSION_HEX >= 0x030E0000
typedef _PyStackRef lg__slot;

static inline PyObject *
lg__slot_object(lg__slot slot)
{
    return PyStackRef_IsNullOrInt(slot) ? NULL
                                        : PyStackRef_AsPyObjectBorrow(slot);
}

/** Returns whether the slot owns its reference. It may borrow from a
 *  caller's slot or, in a free-threaded build, refer to what only the
 *  collector frees. */
static inline bool
lg__slot_is_counted(lg__slot slot)
{
#if LG__FREE_THREADED && PY_VERSION_HEX < 0x030F0000
    return !PyStackRef_IsDeferred(slot);
#else
    return PyStackRef_RefcountOnObject(slot);
#endif
}
#else
typedef PyObject *lg__slot;

static inline PyObject *
lg__slot_object(lg__slot slot)
{
    return slot;
}

static inline bool
lg__slot_is_counted(lg__slot slot)
{
    (void)slot;
    return true;
}
#endif

#endif
