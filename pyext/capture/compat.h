/**
 * Everything that differs between CPython versions, and the only place where
 * PY_VERSION_HEX is asked. GIL builds of 3.9 to 3.13.
 *
 * Layouts come from the interpreter's own internal headers where it ships them;
 * the few that it keeps in .c files (dict keys up to 3.10, module objects) are
 * declared here, each with the file it was read in.
 */
#ifndef LEAKGRAPH_CAPTURE_COMPAT_H
#define LEAKGRAPH_CAPTURE_COMPAT_H

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x03090000 || PY_VERSION_HEX >= 0x030E0000
#error "leakgraph captures CPython 3.9 to 3.13"
#endif
#ifdef Py_GIL_DISABLED
#error "leakgraph needs a CPython build with the GIL"
#endif

#include "internal/pycore_gc.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#include "internal/pycore_object.h"
#include "internal/pycore_code.h"
#if PY_VERSION_HEX >= 0x030B0000
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#include <structmember.h>
#else
#include <frameobject.h>
#include <structmember.h>
#endif

/* ------------------------------------------------------- the collector --- */

enum { LG_GENERATIONS = 4, LG_PERMANENT = 3 };

/** Head of generation 0 to 2, or of the permanent one. */
static inline PyGC_Head *
lg_gc_head(PyInterpreterState *interpreter, int generation)
{
    if (generation == LG_PERMANENT)
        return &interpreter->gc.permanent_generation.head;
    return &interpreter->gc.generations[generation].head;
}

static inline PyGC_Head *
lg_gc_next(const PyGC_Head *head)
{
    return (PyGC_Head *)(head->_gc_next & ~(uintptr_t)3);
}

static inline PyGC_Head *
lg_gc_prev(const PyGC_Head *head)
{
    return (PyGC_Head *)(head->_gc_prev & ~(uintptr_t)3);
}

static inline bool
lg_gc_collecting(PyInterpreterState *interpreter)
{
    return interpreter->gc.collecting != 0;
}

/** Stops collections that start by themselves; says whether there were any. */
static inline bool
lg_collector_pause(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX >= 0x030A0000
    (void)interpreter;
    return PyGC_Disable() != 0;
#else
    bool enabled = interpreter->gc.enabled != 0;
    interpreter->gc.enabled = 0;
    return enabled;
#endif
}

static inline void
lg_collector_resume(PyInterpreterState *interpreter, bool enabled)
{
#if PY_VERSION_HEX >= 0x030A0000
    (void)interpreter;
    if (enabled)
        PyGC_Enable();
#else
    interpreter->gc.enabled = enabled;
#endif
}

/** About how many objects the collector tracks: those that its last full
 *  collection left, and what came to the oldest generation since. */
static inline size_t
lg_gc_long_lived(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX < 0x030E0000
    Py_ssize_t total = interpreter->gc.long_lived_total;
    Py_ssize_t pending = interpreter->gc.long_lived_pending;
    return total > 0 && pending >= 0 ? (size_t)(total + pending) : 0;
#else
    (void)interpreter;
    return 0;
#endif
}

/** Reference counts above this mean nothing: 3.11 gives 999,999,999 to its
 *  deep-frozen objects. */
static inline bool
lg_is_immortal(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030C0000
    return _Py_IsImmortal(object);
#else
    return Py_REFCNT(object) > 500000000;
#endif
}

/* ---------------------------------------------------------------- types --- */

/** Bytes before the object: the collector's head, the managed dict and weak
 *  reference words. */
static inline size_t
lg_preheader_size(const PyTypeObject *type)
{
    size_t bytes = PyType_IS_GC((PyTypeObject *)type) ? sizeof(PyGC_Head) : 0;
#if PY_VERSION_HEX >= 0x030C0000
    if (type->tp_flags & Py_TPFLAGS_PREHEADER)
        bytes += 2 * sizeof(PyObject *);
#elif PY_VERSION_HEX >= 0x030B0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT)
        bytes += 2 * sizeof(PyObject *);
#endif
    return bytes;
}

/** What a type object keeps elsewhere when it is a static builtin. */
typedef struct lg_type_state {
    PyObject *dict;
    PyObject *subclasses;
} lg_type_state;

static inline lg_type_state
lg_type_state_of(PyInterpreterState *interpreter, PyTypeObject *type)
{
    lg_type_state state = {type->tp_dict, (PyObject *)type->tp_subclasses};
#if PY_VERSION_HEX >= 0x030C0000
    if (!(type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN))
        return state;
    /* tp_subclasses is a 1-based index here (Objects/typeobject.c,
       static_builtin_index_get in 3.12, managed_static_type_index_get). */
    size_t index = (size_t)type->tp_subclasses;
    state.dict = state.subclasses = NULL;
#if PY_VERSION_HEX >= 0x030D0000
    const managed_static_type_state *all =
        interpreter->types.builtins.initialized;
    size_t count = _Py_MAX_MANAGED_STATIC_BUILTIN_TYPES;
#else
    const static_builtin_state *all = interpreter->types.builtins;
    size_t count = _Py_MAX_STATIC_BUILTIN_TYPES;
#endif
    if (index == 0 || index > count || all[index - 1].type != type)
        return state;
    state.dict = all[index - 1].tp_dict;
    state.subclasses = all[index - 1].tp_subclasses;
#else
    (void)interpreter;
#endif
    return state;
}

/** Number of digits of an int, at least 1 where one is always allocated. */
static inline size_t
lg_int_digits(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030C0000
    size_t digits = ((PyLongObject *)object)->long_value.lv_tag >> 3;
    return digits ? digits : 1;
#else
    Py_ssize_t size = Py_SIZE(object);
    size_t digits = (size_t)(size < 0 ? -size : size);
#if PY_VERSION_HEX >= 0x030B0000
    if (digits == 0)
        return 1;
#endif
    return digits;
#endif
}

#if PY_VERSION_HEX >= 0x030C0000
#define LG_INT_DIGITS_OFFSET offsetof(PyLongObject, long_value.ob_digit)
#else
#define LG_INT_DIGITS_OFFSET offsetof(PyLongObject, ob_digit)
#endif

/** Objects/moduleobject.c, 3.9; internal/pycore_moduleobject.h since: the
 *  layout has not changed. */
typedef struct lg_module_layout {
    PyObject_HEAD
    PyObject *md_dict;
    PyModuleDef *md_def;
    void *md_state;
    PyObject *md_weaklist;
    PyObject *md_name;
} lg_module_layout;

#endif
