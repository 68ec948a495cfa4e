/**
 * Frames, and the rest of what only the interpreter's internals show: nothing,
 * in a CPython whose internals are unknown. A part of compat_public.h.
 */
#ifndef LEAKGRAPH_COMPAT_PUBLIC_FRAME_H
#define LEAKGRAPH_COMPAT_PUBLIC_FRAME_H

#include "capture/cpython/compat_public.h"

/* Frames. */

typedef struct lg__frame lg__frame;
typedef PyObject *lg__slot;

#define LG__STACK_IS_VISIBLE 1

enum {
    LG__FRAMES_ARE_OBJECTS = false,
    LG__CALLED_BELOW = 1,
    LG__CALLS_FUNCTIONS_BY_C = false
};

typedef struct lg__frame_view {
    PyCodeObject *code;
    PyObject *function;
    bool code_counted;
    bool function_counted;
    PyObject *globals;
    PyObject *locals_mapping;
    PyObject *object;
    PyObject *generator;
    const lg__slot *slots;
    Py_ssize_t local_count;
    Py_ssize_t stack_count;
} lg__frame_view;

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

static inline lg__frame *
lg__thread_top_frame(PyThreadState *thread)
{
    (void)thread;
    return NULL;
}

static inline lg__frame *
lg__frame_previous(const lg__frame *frame)
{
    (void)frame;
    return NULL;
}

static inline lg__frame_view
lg__frame_view_of(lg__frame *frame)
{
    (void)frame;
    return (lg__frame_view){0};
}

static inline lg__frame *
lg__frame_of_object(PyObject *object)
{
    (void)object;
    return NULL;
}

static inline lg__frame *
lg__frame_of_generator(PyObject *generator)
{
    (void)generator;
    return NULL;
}

static inline PyObject *
lg__generator_frame_object(PyObject *generator)
{
    (void)generator;
    return NULL;
}

static inline PyObject *
lg__generator_name(PyObject *generator)
{
    (void)generator;
    return NULL;
}

static inline size_t
lg__generator_size_behind(PyObject *generator)
{
    (void)generator;
    return 0;
}

static inline size_t
lg__frame_size_behind(PyObject *object)
{
    (void)object;
    return 0;
}

static inline int
lg__frame_instruction(const lg__frame *frame, const PyCodeObject *code)
{
    (void)frame;
    (void)code;
    return 0;
}

/* Code and calls. */

static inline Py_ssize_t
lg__code_slot_count(const PyCodeObject *code)
{
    (void)code;
    return 0;
}

static inline PyObject *
lg__code_slot_name(const PyCodeObject *code, Py_ssize_t i)
{
    (void)code;
    (void)i;
    return NULL;
}

static inline PyObject *
lg__code_qualified_name(const PyCodeObject *code)
{
    return code->co_qualname;
}

static inline size_t
lg__code_size_behind(const PyCodeObject *code)
{
    return (size_t)Py_SIZE(code) * sizeof(uint16_t);
}

static inline size_t
lg__code_executor_count(const PyCodeObject *code)
{
    (void)code;
    return 0;
}

static inline PyObject *
lg__code_executor(const PyCodeObject *code, size_t i)
{
    (void)code;
    (void)i;
    return NULL;
}

typedef struct lg__tuple_call {
    uint32_t first;
    uint32_t last;
    bool with_dict;
} lg__tuple_call;

static inline const lg__slot *
lg__frame_stack(const lg__frame_view *view)
{
    return view->slots;
}

static inline bool
lg__frame_calls_with_tuple(const lg__frame *frame, const lg__frame_view *view,
                           lg__tuple_call *out)
{
    (void)frame;
    (void)view;
    (void)out;
    return false;
}

#endif
