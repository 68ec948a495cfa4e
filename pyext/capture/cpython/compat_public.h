/**
 * What a CPython is captured by that is newer than all whose internals this
 * project knows: public calls. Nothing of its internal headers is included,
 * because they may have gone. A part of compat.h, in place of the others.
 *
 * What the collector's lists, frames, inline values and the interpreter's own
 * state say is missing: the functions here return nothing for them, and the
 * self-check refuses the method that would read them.
 */
#ifndef LEAKGRAPH_COMPAT_PUBLIC_H
#define LEAKGRAPH_COMPAT_PUBLIC_H

#include "capture/cpython/compat_fields.h"
#include <structmember.h>
#include <unistd.h>

/* The collector. */

/** Never read: a place for the walkers' types. */
typedef struct lg__gc_link {
    uintptr_t next;
    uintptr_t previous;
} lg__gc_link;

enum { LG__GENERATIONS = 0, LG__PERMANENT = 0 };

static inline lg__gc_link *
lg__gc_head(PyInterpreterState *interpreter, int generation)
{
    (void)interpreter;
    (void)generation;
    return NULL;
}

static inline lg__gc_link *
lg__gc_next(const lg__gc_link *head)
{
    (void)head;
    return NULL;
}

static inline lg__gc_link *
lg__gc_prev(const lg__gc_link *head)
{
    (void)head;
    return NULL;
}

static inline void
lg__visit_stopped(int (*visit)(PyObject *, void *), void *context)
{
    PyUnstable_GC_VisitObjects(visit, context);
}

static inline bool
lg__gc_collecting(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return false;
}

static inline lg__collector_facts
lg__collector_facts_of(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return (lg__collector_facts){0};
}

static inline bool
lg__collector_pause(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return PyGC_Disable() != 0;
}

static inline void
lg__collector_resume(PyInterpreterState *interpreter, bool enabled)
{
    (void)interpreter;
    if (enabled)
        PyGC_Enable();
}

static inline size_t
lg__gc_long_lived(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return 0;
}

static inline bool
lg__is_tracked(PyObject *object)
{
    return PyObject_GC_IsTracked(object) != 0;
}

static inline bool
lg__is_frozen(PyObject *object)
{
    (void)object;
    return false;
}

/** Counts of immortal objects are far above this. */
static inline bool
lg__is_immortal(PyObject *object)
{
    return Py_REFCNT(object) > 500000000;
}

static inline bool
lg__is_let_go(PyObject *object)
{
    return LG__FREE_THREADED && lg__is_immortal(object);
}

static inline Py_ssize_t
lg__reference_count(PyInterpreterState *interpreter, PyObject *object)
{
    (void)interpreter;
    return Py_REFCNT(object);
}

/* Types. */

#define LG__GC_HEAD_SIZE (LG__FREE_THREADED ? 0 : 2 * sizeof(uintptr_t))
#define LG__TRACES_UNDER_HEAD 0

static inline size_t
lg__preheader_size(const PyTypeObject *type)
{
    bool managed =
        type->tp_flags & (Py_TPFLAGS_MANAGED_DICT | Py_TPFLAGS_MANAGED_WEAKREF);
    return (PyType_IS_GC((PyTypeObject *)type) ? LG__GC_HEAD_SIZE : 0) +
           (managed ? 2 * sizeof(PyObject *) : 0);
}

static inline lg__type_state
lg__type_state_of(PyInterpreterState *interpreter, PyTypeObject *type)
{
    PyObject *dict = PyType_GetDict(type);
    (void)interpreter;
    Py_XDECREF(dict);
    return (lg__type_state){dict, NULL};
}

static inline PyThreadState *
lg__thread_next(PyThreadState *thread, bool internal)
{
    (void)internal;
    return PyThreadState_Next(thread);
}

static inline unsigned long
lg__thread_ident(PyThreadState *thread)
{
    return thread == PyThreadState_Get() ? PyThread_get_thread_ident() : 0;
}

static inline PyObject *
lg__thread_dict(const PyThreadState *thread)
{
    (void)thread;
    return NULL;
}

/** Only the main thread itself knows. */
static inline unsigned long
lg__main_thread(void)
{
    return PyThread_get_thread_native_id() == (unsigned long)getpid()
               ? PyThread_get_thread_ident()
               : 0;
}

/** An address among CPython's variables. */
static inline const void *
lg__runtime(void)
{
    return &PyType_Type;
}

/** A digit has 30 bits. CPython says the length of large numbers alone. */
static inline size_t
lg__int_digits(PyObject *object)
{
    enum { BITS = 30 };
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    size_t digits = 1;
    if (overflow != 0)
        return ((size_t)PyLong_AsNativeBytes(object, NULL, 0, -1) * 8 - 2) /
                   BITS +
               1;
    for (value /= 1LL << BITS; value != 0; value /= 1LL << BITS)
        digits++;
    return digits;
}

#define LG__INT_DIGITS_OFFSET ((size_t)PyLong_Type.tp_basicsize)

/* Modules. */

static inline PyObject *
lg__module_dict(PyObject *module)
{
    return PyModule_GetDict(module);
}

static inline PyObject *
lg__module_name(PyObject *module)
{
    (void)module;
    return NULL;
}

static inline const void *
lg__module_state(PyObject *module, size_t bytes)
{
    (void)module;
    (void)bytes;
    return NULL;
}

/* Dicts and attributes. */

typedef struct _dictkeysobject lg__dict_keys;

#define LG__DICT_VALUES(dict) ((void)(dict), (PyObject *const *)NULL)

static inline const void *
lg__dict_lookup(PyObject *dict)
{
    (void)dict;
    return NULL;
}

static inline lg__dict_table
lg__dict_table_of(const lg__dict_keys *keys, const void *general_lookup)
{
    (void)keys;
    (void)general_lookup;
    return (lg__dict_table){0};
}

static inline size_t
lg__dict_keys_size(const lg__dict_keys *keys)
{
    (void)keys;
    return 0;
}

static inline PyTypeObject *
lg__frozen_dict_type(void)
{
#ifdef PyFrozenDict_Check
    return &PyFrozenDict_Type;
#else
    return NULL;
#endif
}

static inline bool
lg__type_is_dict(const PyTypeObject *type)
{
    return type == &PyDict_Type ||
           (type != NULL && type == lg__frozen_dict_type());
}

static inline size_t
lg__dict_size_behind(const PyDictObject *dict)
{
    (void)dict;
    return 0;
}

static inline bool
lg__dict_is_embedded(const PyDictObject *dict)
{
    (void)dict;
    return false;
}

static inline PyObject *
lg__interned_dict(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return NULL;
}

static inline bool
lg__type_has_managed_dict(const PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
}

static inline lg__dict_keys *
lg__type_cached_keys(PyTypeObject *type)
{
    (void)type;
    return NULL;
}

static inline PyObject *
lg__managed_dict(PyObject *object)
{
    (void)object;
    return NULL;
}

static inline const void *
lg__managed_word(PyObject *object)
{
    return object;
}

static inline lg__inline_values
lg__inline_values_of(PyObject *object)
{
    (void)object;
    return (lg__inline_values){NULL, 0};
}

static inline size_t
lg__inline_values_size(PyObject *object)
{
    (void)object;
    return 0;
}

#endif
