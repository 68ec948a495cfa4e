/**
 * Frames and what runs in them, per version: a part of compat.h of its own
 * because frames changed in every release.
 *
 * A "frame" here is what the interpreter executes: a PyFrameObject up to 3.10,
 * an _PyInterpreterFrame since. Nothing here makes a frame object.
 */
#ifndef LEAKGRAPH_CAPTURE_COMPAT_FRAME_H
#define LEAKGRAPH_CAPTURE_COMPAT_FRAME_H

#include "compat.h"

#if PY_VERSION_HEX >= 0x030B0000
typedef _PyInterpreterFrame lg_frame;
#else
typedef struct _frame lg_frame;
#endif

/** What one frame holds. All borrowed. */
typedef struct lg_frame_view {
    PyCodeObject *code; /**< NULL: not a Python frame, pass over it */
    PyObject *function; /**< NULL up to 3.10 */
    PyObject *globals;
    PyObject *locals_mapping; /**< module or class body namespace, or NULL */
    PyObject *object;         /**< the frame object if one exists */
    PyObject *generator;      /**< owner when it is a generator's frame */
    PyObject *const *slots;   /**< local variables, then the stack */
    Py_ssize_t local_count;
    Py_ssize_t stack_count;
} lg_frame_view;

static inline lg_frame *
lg_thread_top_frame(PyThreadState *thread)
{
#if PY_VERSION_HEX >= 0x030D0000
    return thread->current_frame;
#elif PY_VERSION_HEX >= 0x030B0000
    return thread->cframe != NULL ? thread->cframe->current_frame : NULL;
#else
    return thread->frame;
#endif
}

static inline lg_frame *
lg_frame_previous(const lg_frame *frame)
{
#if PY_VERSION_HEX >= 0x030B0000
    return frame->previous;
#else
    return frame->f_back;
#endif
}

/** Number of local variables, cells and free variables of a code object, in the
 *  order of the frame's slots. */
static inline Py_ssize_t
lg_code_slot_count(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return code->co_nlocalsplus;
#else
    return code->co_nlocals + PyTuple_GET_SIZE(code->co_cellvars) +
           PyTuple_GET_SIZE(code->co_freevars);
#endif
}

/** Name of slot i of a code object: borrowed. */
static inline PyObject *
lg_code_slot_name(const PyCodeObject *code, Py_ssize_t i)
{
#if PY_VERSION_HEX >= 0x030B0000
    return PyTuple_GET_ITEM(code->co_localsplusnames, i);
#else
    if (i < code->co_nlocals)
        return PyTuple_GET_ITEM(code->co_varnames, i);
    i -= code->co_nlocals;
    Py_ssize_t cells = PyTuple_GET_SIZE(code->co_cellvars);
    if (i < cells)
        return PyTuple_GET_ITEM(code->co_cellvars, i);
    return PyTuple_GET_ITEM(code->co_freevars, i - cells);
#endif
}

static inline PyObject *
lg_code_qualified_name(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return code->co_qualname;
#else
    return code->co_name;
#endif
}

#if PY_VERSION_HEX >= 0x030B0000

static inline lg_frame_view
lg_frame_view_of(lg_frame *frame)
{
    lg_frame_view view = {0};
#if PY_VERSION_HEX >= 0x030C0000
    if (frame->owner == FRAME_OWNED_BY_CSTACK)
        return view;
#endif
#if PY_VERSION_HEX >= 0x030D0000
    if (frame->f_executable == NULL || !PyCode_Check(frame->f_executable))
        return view;
    view.code = (PyCodeObject *)frame->f_executable;
#else
    view.code = frame->f_code;
#endif
#if PY_VERSION_HEX >= 0x030C0000
    view.function = frame->f_funcobj;
#else
    view.function = (PyObject *)frame->f_func;
#endif
    view.globals = frame->f_globals;
    view.locals_mapping = frame->f_locals;
    view.object = (PyObject *)frame->frame_obj;
    if (frame->owner == FRAME_OWNED_BY_GENERATOR)
        view.generator =
            (PyObject *)((char *)frame - offsetof(PyGenObject, gi_iframe));
    view.slots = frame->localsplus;
    view.local_count = view.code->co_nlocalsplus;
    /* stacktop is -1 while the frame is inside a C call: its temporaries are
       then out of reach, its variables are not. */
    if (frame->stacktop > view.local_count)
        view.stack_count = frame->stacktop - view.local_count;
    else if (frame->stacktop >= 0)
        view.local_count = frame->stacktop;
    return view;
}

/** The frame that a frame object stands for. */
static inline lg_frame *
lg_frame_of_object(PyObject *object)
{
    return ((PyFrameObject *)object)->f_frame;
}

/** The frame inside a generator, or NULL when it is finished. */
static inline lg_frame *
lg_frame_of_generator(PyObject *generator)
{
    PyGenObject *self = (PyGenObject *)generator;
    if (self->gi_frame_state >= FRAME_CLEARED)
        return NULL;
    return (lg_frame *)self->gi_iframe;
}

#else

static inline lg_frame_view
lg_frame_view_of(lg_frame *frame)
{
    lg_frame_view view = {0};
    if (frame->f_code == NULL)
        return view;
    view.code = frame->f_code;
    view.globals = frame->f_globals;
    view.locals_mapping = frame->f_locals;
    view.object = (PyObject *)frame;
    view.generator = frame->f_gen;
    view.slots = frame->f_localsplus;
    view.local_count = lg_code_slot_count(view.code);
#if PY_VERSION_HEX >= 0x030A0000
    if (frame->f_stackdepth > 0)
        view.stack_count = frame->f_stackdepth;
#else
    if (frame->f_stacktop != NULL)
        view.stack_count = frame->f_stacktop - frame->f_valuestack;
#endif
    return view;
}

static inline lg_frame *
lg_frame_of_object(PyObject *object)
{
    return (PyFrameObject *)object;
}

/** Up to 3.10 a generator refers to a frame object, which has the variables. */
static inline lg_frame *
lg_frame_of_generator(PyObject *generator)
{
    (void)generator;
    return NULL;
}

#endif

/** Whether each generator refers to a frame object of its own. */
static inline PyObject *
lg_generator_frame_object(PyObject *generator)
{
#if PY_VERSION_HEX >= 0x030B0000
    (void)generator;
    return NULL;
#else
    return (PyObject *)((PyGenObject *)generator)->gi_frame;
#endif
}

/** Local variables and stack that a frame of this code has room for. */
static inline size_t
lg_code_slot_bytes(const PyCodeObject *code)
{
    return (size_t)(lg_code_slot_count(code) + code->co_stacksize) *
           sizeof(PyObject *);
}

/** Bytes behind a code object's struct: its instructions from 3.11 on, before
 *  the opcode cache and the map of cells (Objects/codeobject.c, code_sizeof).
 */
static inline size_t
lg_code_size_behind(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    size_t bytes = (size_t)Py_SIZE(code) * sizeof(_Py_CODEUNIT);
    return (bytes + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
#else
    size_t bytes = 0;
    if (code->co_cell2arg != NULL && code->co_cellvars != NULL)
        bytes +=
            (size_t)PyTuple_GET_SIZE(code->co_cellvars) * sizeof(Py_ssize_t);
    if (code->co_opcache != NULL)
        bytes +=
            (size_t)PyBytes_GET_SIZE(code->co_code) / sizeof(_Py_CODEUNIT) +
            (size_t)code->co_opcache_size * sizeof(_PyOpcache);
    return bytes;
#endif
}

/** Bytes of slots behind the struct of a frame object (Objects/frameobject.c,
 *  frame_sizeof). */
static inline size_t
lg_frame_size_behind(PyObject *object)
{
    lg_frame *frame = lg_frame_of_object(object);
    if (frame == NULL)
        return 0;
    const PyCodeObject *code = lg_frame_view_of(frame).code;
    if (code == NULL)
        return 0;
#if PY_VERSION_HEX >= 0x030B0000
    return lg_code_slot_bytes(code);
#else
    return lg_code_slot_bytes(code) - sizeof(PyObject *);
#endif
}

/** The code that a generator runs or ran, or NULL. */
static inline const PyCodeObject *
lg_generator_code(PyObject *generator)
{
#if PY_VERSION_HEX >= 0x030D0000
    /* The frame keeps its code when it is cleared. */
    lg_frame *frame = (lg_frame *)((PyGenObject *)generator)->gi_iframe;
    return (PyCodeObject *)frame->f_executable;
#elif PY_VERSION_HEX >= 0x030C0000
    lg_frame *frame = (lg_frame *)((PyGenObject *)generator)->gi_iframe;
    return frame->f_code;
#else
    return (PyCodeObject *)((PyGenObject *)generator)->gi_code;
#endif
}

/** Bytes of slots behind a generator's struct: its frame is part of it from
 *  3.11 on. */
static inline size_t
lg_generator_size_behind(PyObject *generator)
{
#if PY_VERSION_HEX >= 0x030B0000
    const PyCodeObject *code = lg_generator_code(generator);
    return code != NULL && PyCode_Check((PyObject *)code)
               ? lg_code_slot_bytes(code)
               : 0;
#else
    (void)generator;
    return 0;
#endif
}

/** Where in the code the frame is: an offset in bytes, for the line table. */
static inline int
lg_frame_instruction(const lg_frame *frame, const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (int)((const char *)frame->instr_ptr -
                 (const char *)_PyCode_CODE(code));
#elif PY_VERSION_HEX >= 0x030B0000
    return (int)((const char *)frame->prev_instr -
                 (const char *)_PyCode_CODE(code));
#elif PY_VERSION_HEX >= 0x030A0000
    (void)code;
    return frame->f_lasti * 2;
#else
    (void)code;
    return frame->f_lasti;
#endif
}

#endif
