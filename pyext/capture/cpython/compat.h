/**
 * Everything that differs between CPython versions, and the only place where
 * PY_VERSION_HEX is asked: 3.9 to 3.15, free-threaded builds from 3.13 on.
 *
 * Layouts come from the interpreter's own internal headers where it ships them;
 * the few that it keeps in .c files (dict keys up to 3.10, lazy imports) are
 * declared here, each with the file it was read in.
 */
#ifndef LEAKGRAPH_COMPAT_H
#define LEAKGRAPH_COMPAT_H

#include "capture/cpython/compat_version.h"

#include "internal/pycore_gc.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#include "internal/pycore_object.h"
#include "internal/pycore_code.h"
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe.h"
#include "internal/pycore_typeobject.h"
#endif
#if PY_VERSION_HEX >= 0x030D0000
#include "internal/pycore_tstate.h"
#endif
#if PY_VERSION_HEX >= 0x030B0000
#include "internal/pycore_dict.h"
#include "internal/pycore_frame.h"
#else
#include <frameobject.h>
#endif
#include <structmember.h>

/* The collector. */

typedef PyGC_Head lg__gc_link;

/** Generation 0, followed by 1 and 2. Their place differs within a release. In
 * 3.14 they have other names since 3.14.5, but always lie before the permanent
 * one. In 3.13 they have moved by four bytes, but the pointer to the first has
 * not. */
static inline struct gc_generation *
lg__gc_young(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX >= 0x030E0000
    uintptr_t last = (uintptr_t)&interpreter->gc.permanent_generation;
    return (struct gc_generation *)(last - 3 * sizeof(struct gc_generation));
#elif LG__FREE_THREADED
    return interpreter->gc.generations;
#else
    return (struct gc_generation *)interpreter->gc.generation0;
#endif
}

#if LG__FREE_THREADED

/* This collector keeps no lists: it goes through the pages that objects are
   allocated from. */
enum { LG__GENERATIONS = 0, LG__PERMANENT = 0 };

static inline lg__gc_link *
lg__gc_head(PyInterpreterState *interpreter, int generation)
{
    (void)interpreter;
    (void)generation;
    return NULL;
}

#else

enum { LG__GENERATIONS = 4, LG__PERMANENT = 3 };

/** Head of generation 0 to 2, or of the permanent one. */
static inline lg__gc_link *
lg__gc_head(PyInterpreterState *interpreter, int generation)
{
    if (generation == LG__PERMANENT)
        return &interpreter->gc.permanent_generation.head;
    return &lg__gc_young(interpreter)[generation].head;
}

#endif

/** Calls visit(object, context) for tracked objects, until it returns 0, while
 *  all other threads stand still; some releases pass over frozen ones. GIL
 *  builds have better ways. */
static inline void
lg__visit_stopped(int (*visit)(PyObject *, void *), void *context)
{
#if LG__FREE_THREADED
    PyUnstable_GC_VisitObjects(visit, context);
#else
    (void)visit;
    (void)context;
#endif
}

static inline lg__gc_link *
lg__gc_next(const lg__gc_link *head)
{
    return (lg__gc_link *)(head->_gc_next & ~(uintptr_t)3);
}

static inline lg__gc_link *
lg__gc_prev(const lg__gc_link *head)
{
    return (lg__gc_link *)(head->_gc_prev & ~(uintptr_t)3);
}

static inline bool
lg__gc_collecting(PyInterpreterState *interpreter)
{
    return interpreter->gc.collecting != 0;
}

static inline lg__collector_facts
lg__collector_facts_of(PyInterpreterState *interpreter)
{
    const struct gc_generation *young = lg__gc_young(interpreter);
    const PyObject *garbage = interpreter->gc.garbage;
    lg__collector_facts facts = {
        .enabled = interpreter->gc.enabled != 0,
        .flags = interpreter->gc.debug,
        .garbage = garbage != NULL ? Py_SIZE(garbage) : 0,
    };
    for (int i = 0; i < 3; i++) {
        facts.thresholds[i] = young[i].threshold;
        facts.counts[i] = young[i].count;
    }
    return facts;
}

/** Stops automatic collections; returns whether they were on. */
static inline bool
lg__collector_pause(PyInterpreterState *interpreter)
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
lg__collector_resume(PyInterpreterState *interpreter, bool enabled)
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
 *  collection has left, and those that reached the oldest generation since. */
static inline size_t
lg__gc_long_lived(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX < 0x030E0000 || PY_VERSION_HEX >= 0x030F0000
    Py_ssize_t total = interpreter->gc.long_lived_total;
    Py_ssize_t pending = interpreter->gc.long_lived_pending;
    return total > 0 && pending >= 0 ? (size_t)(total + pending) : 0;
#else
    (void)interpreter;
    return 0;
#endif
}

static inline bool
lg__is_tracked(PyObject *object)
{
    return _PyObject_GC_IS_TRACKED(object);
}

/** Returns whether the collector passes over the object since gc.freeze(); GIL
 *  builds keep such objects in a list of their own instead. */
static inline bool
lg__is_frozen(PyObject *object)
{
#if LG__FREE_THREADED
    return (object->ob_gc_bits & _PyGC_BITS_FROZEN) != 0;
#else
    (void)object;
    return false;
#endif
}

/** Reference counts above this mean nothing: 3.11 gives 999,999,999 to its
 *  deep-frozen objects. */
static inline bool
lg__is_immortal(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030C0000
    return _Py_IsImmortal(object);
#else
    return Py_REFCNT(object) > 500000000;
#endif
}

/** Returns whether the collector does not track an object, or no longer,
 *  because it is immortal, as classes, modules and functions are without a GIL
 *  (_Py_SetImmortal in Objects/object.c, update_refs in
 *  Python/gc_free_threading.c). */
static inline bool
lg__is_let_go(PyObject *object)
{
    return LG__FREE_THREADED && lg__is_immortal(object);
}

#if LG__FREE_THREADED && PY_VERSION_HEX >= 0x030E0000
/** The index under which each thread counts its own references to a class, a
 *  code object or a namespace (Include/internal/pycore_object.h, 3.14); 0:
 *  none. */
static inline Py_ssize_t
lg__thread_count_id(PyObject *object)
{
    if (PyType_Check(object))
        return PyType_HasFeature((PyTypeObject *)object, Py_TPFLAGS_HEAPTYPE)
                   ? ((PyHeapTypeObject *)object)->unique_id
                   : 0;
    if (PyCode_Check(object))
        return ((PyCodeObject *)object)->_co_unique_id;
    if (PyDict_Check(object))
        return _PyDict_UniqueId((PyDictObject *)object);
    return 0;
}
#endif

/** The number of references to a mortal object. From 3.14 on a free-threaded
 *  build adds a constant to some counts, and keeps parts of others with each
 *  thread. */
static inline Py_ssize_t
lg__reference_count(PyInterpreterState *interpreter, PyObject *object)
{
    Py_ssize_t count = Py_REFCNT(object);
#if LG__FREE_THREADED && PY_VERSION_HEX >= 0x030E0000
    if (_PyObject_HasDeferredRefcount(object))
        count -= (Py_ssize_t)_Py_REF_DEFERRED;
    Py_ssize_t id = lg__thread_count_id(object);
    for (PyThreadState *thread = interpreter->threads.head;
         id > 0 && thread != NULL; thread = thread->next) {
        const _PyThreadStateImpl *own = (const _PyThreadStateImpl *)thread;
        if (id <= own->refcounts.size)
            count += own->refcounts.values[id - 1];
    }
#elif LG__FREE_THREADED
    /* The first collection merges these counts, and adds one reference. */
    if (_PyObject_HasDeferredRefcount(object))
        count--;
    (void)interpreter;
#else
    (void)interpreter;
#endif
    return count;
}

/* Types. */

/** Bytes of the collector's head before a tracked object. */
#define LG__GC_HEAD_SIZE (LG__FREE_THREADED ? 0 : sizeof(lg__gc_link))

/** Bytes before the object: the collector's head, the managed dict and weak
 *  reference words. */
static inline size_t
lg__preheader_size(const PyTypeObject *type)
{
    size_t bytes = PyType_IS_GC((PyTypeObject *)type) ? LG__GC_HEAD_SIZE : 0;
#if PY_VERSION_HEX >= 0x030C0000
    if (type->tp_flags & Py_TPFLAGS_PREHEADER)
        bytes += 2 * sizeof(PyObject *);
#elif PY_VERSION_HEX >= 0x030B0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT)
        bytes += 2 * sizeof(PyObject *);
#endif
    return bytes;
}

/** 1 if tracemalloc expects an object's block to begin with the collector's
 * head, although it begins lg__preheader_size() before the object. */
#if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
#define LG__TRACES_UNDER_HEAD 1
#else
#define LG__TRACES_UNDER_HEAD 0
#endif

/** If interpreter is NULL, uses public calls, which give only the dict. */
static inline lg__type_state
lg__type_state_of(PyInterpreterState *interpreter, PyTypeObject *type)
{
    lg__type_state state = {type->tp_dict, (PyObject *)type->tp_subclasses};
#if PY_VERSION_HEX >= 0x030C0000
    if (!(type->tp_flags & _Py_TPFLAGS_STATIC_BUILTIN))
        return state;
    if (interpreter == NULL) {
        state.dict = PyType_GetDict(type);
        Py_XDECREF(state.dict);
        state.subclasses = NULL;
        return state;
    }
    /* tp_subclasses is a 1-based index here (Objects/typeobject.c,
       static_builtin_index_get in 3.12, managed_static_type_index_get). */
    size_t index = (size_t)type->tp_subclasses;
    state.dict = state.subclasses = NULL;
    if (index == 0)
        return state;
#if PY_VERSION_HEX >= 0x030D0000
    /* Some extension modules have such types, too, with indexes of their
       own. */
    const managed_static_type_state *found = NULL;
    if (index <= _Py_MAX_MANAGED_STATIC_BUILTIN_TYPES)
        found = &interpreter->types.builtins.initialized[index - 1];
    if ((found == NULL || found->type != type) &&
        index <= _Py_MAX_MANAGED_STATIC_EXT_TYPES)
        found = &interpreter->types.for_extensions.initialized[index - 1];
    if (found == NULL || found->type != type)
        return state;
#else
    if (index > _Py_MAX_STATIC_BUILTIN_TYPES)
        return state;
    const static_builtin_state *found = &interpreter->types.builtins[index - 1];
    if (found->type != type)
        return state;
#endif
    state.dict = found->tp_dict;
    state.subclasses = found->tp_subclasses;
#else
    (void)interpreter;
#endif
    return state;
}

/** The next thread of an interpreter. PyThreadState_Next takes a lock, which in
 *  a forked child may be taken for ever, so read the list directly where its
 *  layout is known. */
static inline PyThreadState *
lg__thread_next(PyThreadState *thread, bool internal)
{
    return internal || LG__FREE_THREADED ? thread->next
                                         : PyThreadState_Next(thread);
}

/** The number by which the threading module knows a thread; 0: unknown. */
static inline unsigned long
lg__thread_ident(PyThreadState *thread)
{
    return thread->thread_id;
}

static inline PyObject *
lg__thread_dict(const PyThreadState *thread)
{
    return thread->dict;
}

static inline unsigned long
lg__main_thread(void)
{
    return _PyRuntime.main_thread;
}

/** An address among CPython's variables. */
static inline const void *
lg__runtime(void)
{
    return &_PyRuntime;
}

/** Number of digits of an int, at least 1 where one is always allocated. */
static inline size_t
lg__int_digits(PyObject *object)
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
#define LG__INT_DIGITS_OFFSET offsetof(PyLongObject, long_value.ob_digit)
#else
#define LG__INT_DIGITS_OFFSET offsetof(PyLongObject, ob_digit)
#endif

#endif
