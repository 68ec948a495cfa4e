/**
 * Names that newer CPythons have and older ones lack. It tests for names only:
 * a test of the version belongs in capture/cpython/compat.h.
 */
#ifndef LEAKGRAPH_SHIM_H
#define LEAKGRAPH_SHIM_H

#include <Python.h>
#include <structmember.h>
#include <stdint.h>

/* Both are new in 3.10. Without the second, types_add() clears tp_new. */
#ifndef Py_TPFLAGS_IMMUTABLETYPE
#define Py_TPFLAGS_IMMUTABLETYPE 0
#endif
#ifndef Py_TPFLAGS_DISALLOW_INSTANTIATION
#define Py_TPFLAGS_DISALLOW_INSTANTIATION 0
#endif

/* New in 3.10: `match` needs these to see a mapping or a sequence. */
#ifndef Py_TPFLAGS_MAPPING
#define Py_TPFLAGS_MAPPING 0
#define Py_TPFLAGS_SEQUENCE 0
#endif

/* New in 3.12. A module without this slot supports subinterpreters. */
#ifdef Py_mod_multiple_interpreters
#define LG__NO_SUBINTERPRETERS                                                 \
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#else
#define LG__NO_SUBINTERPRETERS
#endif

/* New in 3.13. A module without this slot makes a free-threaded build take its
   lock back. */
#ifdef Py_mod_gil
#define LG__NO_GIL {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#else
#define LG__NO_GIL
#endif

/* Py_IsFinalizing is new in 3.13, as Py_mod_gil is. */
#ifndef Py_mod_gil
#define Py_IsFinalizing _Py_IsFinalizing
#endif

/** ISO C has no conversion from function to object pointer; POSIX has, and
 *  slots need it. */
#define LG__SLOT(id, function)                                                 \
    {                                                                          \
        (id), (void *)(uintptr_t)(function)                                    \
    }

#define LG__FASTCALL(function) (PyCFunction)(void (*)(void))(function)

#define LG__FINAL_TYPE                                                         \
    (Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |                           \
     Py_TPFLAGS_DISALLOW_INSTANTIATION)

#endif
