/**
 * Frames and what runs in them, which differ in every release. A part of
 * compat.h.
 *
 * A "frame" here is what the interpreter executes: a PyFrameObject up to 3.10,
 * an _PyInterpreterFrame since. Nothing here makes a frame object.
 */
#ifndef LEAKGRAPH_COMPAT_FRAME_H
#define LEAKGRAPH_COMPAT_FRAME_H

#include "capture/cpython/compat_slot.h"

#if PY_VERSION_HEX >= 0x030B0000
typedef _PyInterpreterFrame lg__frame;
#else
typedef struct _frame lg__frame;
#endif

/** Returns whether the stack of a frame is visible while the frame is in a C
 *  call. */
#define LG__STACK_IS_VISIBLE (PY_VERSION_HEX >= 0x030E0000)

/** What one frame holds, all borrowed. */
typedef struct lg__frame_view {
    PyCodeObject *code; /**< NULL: not a Python frame, pass over it */
    PyObject *function; /**< NULL up to 3.10 */
    bool code_counted;  /**< the frame owns a reference to its code */
    bool function_counted;
    PyObject *globals;
    PyObject *locals_mapping; /**< module or class body namespace, or NULL */
    PyObject *object;         /**< the frame object if one exists */
    PyObject *generator;      /**< owner when it is a generator's frame */
    const lg__slot *slots;    /**< local variables, then the stack */
    Py_ssize_t local_count;
    Py_ssize_t stack_count;
} lg__frame_view;

static inline lg__frame *
lg__thread_top_frame(PyThreadState *thread)
{
#if PY_VERSION_HEX >= 0x030D0000
    return thread->current_frame;
#elif PY_VERSION_HEX >= 0x030B0000
    return thread->cframe != NULL ? thread->cframe->current_frame : NULL;
#else
    return thread->frame;
#endif
}

static inline lg__frame *
lg__frame_previous(const lg__frame *frame)
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
lg__code_slot_count(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return code->co_nlocalsplus;
#else
    return code->co_nlocals + PyTuple_GET_SIZE(code->co_cellvars) +
           PyTuple_GET_SIZE(code->co_freevars);
#endif
}

static inline PyObject *
lg__tuple_item_or_null(PyObject *tuple, Py_ssize_t i)
{
    return i < PyTuple_GET_SIZE(tuple) ? PyTuple_GET_ITEM(tuple, i) : NULL;
}

/** Name of slot i of a code object: borrowed; NULL if it has none. Up to 3.10,
 *  a code object may have more local variables than names. */
static inline PyObject *
lg__code_slot_name(const PyCodeObject *code, Py_ssize_t i)
{
#if PY_VERSION_HEX >= 0x030B0000
    return lg__tuple_item_or_null(code->co_localsplusnames, i);
#else
    if (i < code->co_nlocals)
        return lg__tuple_item_or_null(code->co_varnames, i);
    i -= code->co_nlocals;
    Py_ssize_t cells = PyTuple_GET_SIZE(code->co_cellvars);
    if (i < cells)
        return PyTuple_GET_ITEM(code->co_cellvars, i);
    return lg__tuple_item_or_null(code->co_freevars, i - cells);
#endif
}

static inline PyObject *
lg__code_qualified_name(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return code->co_qualname;
#else
    return code->co_name;
#endif
}

#if PY_VERSION_HEX >= 0x030B0000

/** Returns whether the frame belongs to C code and runs nothing of Python's. */
static inline bool
lg__frame_is_native(const lg__frame *frame)
{
#if PY_VERSION_HEX >= 0x030E0000
    return frame->owner >= FRAME_OWNED_BY_INTERPRETER;
#elif PY_VERSION_HEX >= 0x030C0000
    return frame->owner == FRAME_OWNED_BY_CSTACK;
#else
    (void)frame;
    return false;
#endif
}

/** Code and function of a frame. */
static inline void
lg__frame_view_program(const lg__frame *frame, lg__frame_view *view)
{
    view->code_counted = view->function_counted = true;
#if PY_VERSION_HEX >= 0x030E0000
    PyObject *code = lg__slot_object(frame->f_executable);
    view->code_counted = lg__slot_is_counted(frame->f_executable);
    view->function = lg__slot_object(frame->f_funcobj);
    view->function_counted = lg__slot_is_counted(frame->f_funcobj);
#elif PY_VERSION_HEX >= 0x030D0000
    PyObject *code = frame->f_executable;
    view->function = frame->f_funcobj;
#elif PY_VERSION_HEX >= 0x030C0000
    PyObject *code = (PyObject *)frame->f_code;
    view->function = frame->f_funcobj;
#else
    PyObject *code = (PyObject *)frame->f_code;
    view->function = (PyObject *)frame->f_func;
#endif
    if (code != NULL && PyCode_Check(code))
        view->code = (PyCodeObject *)code;
}

/** How many slots are in use: all variables, and the known part of the stack.
 *  Up to 3.13 the top of the stack is unknown during a C call, so only the
 *  variables count then. */
static inline void
lg__frame_view_slots(const lg__frame *frame, lg__frame_view *view)
{
    view->slots = frame->localsplus;
    view->local_count = view->code->co_nlocalsplus;
#if PY_VERSION_HEX >= 0x030E0000
    Py_ssize_t top = frame->stackpointer != NULL
                         ? frame->stackpointer - frame->localsplus
                         : -1;
#else
    Py_ssize_t top = frame->stacktop;
#endif
    if (top > view->local_count)
        view->stack_count = top - view->local_count;
    else if (top >= 0)
        view->local_count = top;
}

static inline lg__frame_view
lg__frame_view_of(lg__frame *frame)
{
    lg__frame_view view = {0};
    if (lg__frame_is_native(frame))
        return view;
    lg__frame_view_program(frame, &view);
    if (view.code == NULL)
        return view;
    view.globals = frame->f_globals;
    view.locals_mapping = frame->f_locals;
    view.object = (PyObject *)frame->frame_obj;
    if (frame->owner == FRAME_OWNED_BY_GENERATOR)
        view.generator =
            (PyObject *)((char *)frame - offsetof(PyGenObject, gi_iframe));
    lg__frame_view_slots(frame, &view);
    return view;
}

/** The frame of a frame object. */
static inline lg__frame *
lg__frame_of_object(PyObject *object)
{
    return ((PyFrameObject *)object)->f_frame;
}

#if PY_VERSION_HEX >= 0x030E0000
#define LG__GENERATOR_FRAME(self) (&(self)->gi_iframe)
#else
#define LG__GENERATOR_FRAME(self) ((lg__frame *)(self)->gi_iframe)
#endif

/** The frame inside a generator, or NULL when it is finished. */
static inline lg__frame *
lg__frame_of_generator(PyObject *generator)
{
    PyGenObject *self = (PyGenObject *)generator;
    if (self->gi_frame_state >= FRAME_CLEARED)
        return NULL;
    return LG__GENERATOR_FRAME(self);
}

#else

/** Returns how many words of the stack are below the innermost block of a frame
 *  that runs, such as the method `__exit__` of a with statement. Those are in
 *  use until the block ends; only the interpreter knows of the others. */
static inline Py_ssize_t
lg__frame_stack_below_blocks(const lg__frame *frame)
{
    return frame->f_iblock > 0
               ? frame->f_blockstack[frame->f_iblock - 1].b_level
               : 0;
}

static inline lg__frame_view
lg__frame_view_of(lg__frame *frame)
{
    lg__frame_view view = {0};
    if (frame->f_code == NULL)
        return view;
    view.code = frame->f_code;
    view.globals = frame->f_globals;
    view.locals_mapping = frame->f_locals;
    view.object = (PyObject *)frame;
    view.generator = frame->f_gen;
    view.slots = frame->f_localsplus;
    view.local_count = lg__code_slot_count(view.code);
#if PY_VERSION_HEX >= 0x030A0000
    view.stack_count = frame->f_stackdepth >= 0
                           ? frame->f_stackdepth
                           : lg__frame_stack_below_blocks(frame);
#else
    view.stack_count = frame->f_stacktop != NULL
                           ? frame->f_stacktop - frame->f_valuestack
                           : lg__frame_stack_below_blocks(frame);
#endif
    return view;
}

static inline lg__frame *
lg__frame_of_object(PyObject *object)
{
    return (PyFrameObject *)object;
}

/** Up to 3.10 a generator refers to a frame object, which has the variables. */
static inline lg__frame *
lg__frame_of_generator(PyObject *generator)
{
    (void)generator;
    return NULL;
}

#endif

/** Up to 3.10 a frame is an object, also while it runs. */
enum { LG__FRAMES_ARE_OBJECTS = PY_VERSION_HEX < 0x030B0000 };

/** Returns whether each generator has a frame object of its own. */
static inline PyObject *
lg__generator_frame_object(PyObject *generator)
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
lg__code_slot_bytes(const PyCodeObject *code)
{
    return (size_t)(lg__code_slot_count(code) + code->co_stacksize) *
           sizeof(PyObject *);
}

/** Bytes behind a code object's struct: its instructions from 3.11 on, before
 *  the opcode cache and the map of cells (Objects/codeobject.c, code_sizeof).
 */
static inline size_t
lg__code_size_behind(const PyCodeObject *code)
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
lg__frame_size_behind(PyObject *object)
{
    lg__frame *frame = lg__frame_of_object(object);
    if (frame == NULL)
        return 0;
    const PyCodeObject *code = lg__frame_view_of(frame).code;
    if (code == NULL)
        return 0;
#if PY_VERSION_HEX >= 0x030B0000
    return lg__code_slot_bytes(code);
#else
    return lg__code_slot_bytes(code) - sizeof(PyObject *);
#endif
}

/** The code that a generator runs or ran, or NULL. */
static inline const PyCodeObject *
lg__generator_code(PyObject *generator)
{
#if PY_VERSION_HEX >= 0x030C0000
    /* The frame keeps its code when it is cleared. */
    lg__frame_view view = {0};
    lg__frame_view_program(LG__GENERATOR_FRAME((PyGenObject *)generator),
                           &view);
    return view.code;
#else
    return (PyCodeObject *)((PyGenObject *)generator)->gi_code;
#endif
}

/** The qualified name of a generator; borrowed. */
static inline PyObject *
lg__generator_name(PyObject *generator)
{
    return ((PyGenObject *)generator)->gi_qualname;
}

/** Bytes of slots behind a generator's struct: its frame is part of it from
 *  3.11 on. */
static inline size_t
lg__generator_size_behind(PyObject *generator)
{
#if PY_VERSION_HEX >= 0x030B0000
    const PyCodeObject *code = lg__generator_code(generator);
    return code != NULL ? lg__code_slot_bytes(code) : 0;
#else
    (void)generator;
    return 0;
#endif
}

/** Where in the code the frame is: an offset in bytes, for the line table. */
static inline int
lg__frame_instruction(const lg__frame *frame, const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030E0000
    /* A free-threaded build has a copy of the instructions for each thread. */
    (void)code;
    return (int)((const char *)frame->instr_ptr -
                 (const char *)_PyFrame_GetBytecode((lg__frame *)frame));
#elif PY_VERSION_HEX >= 0x030D0000
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
