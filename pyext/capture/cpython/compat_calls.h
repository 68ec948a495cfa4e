/**
 * Calls with an argument tuple, `f(*args, **kwargs)`. A part of compat.h.
 *
 * Up to 3.13 the interpreter takes the tuple and the dict off the evaluation
 * stack and has them only in C variables while C code, which often runs
 * Python code again, is called (Python/ceval.c, CALL_FUNCTION_EX). Nothing
 * overwrites their words above the top of the stack meanwhile. Where the top is
 * nobody knows, and words above it may be stale: compare them, but do not
 * follow them. Since 3.14 they are the last words on the stack.
 */
#ifndef LEAKGRAPH_COMPAT_CALLS_H
#define LEAKGRAPH_COMPAT_CALLS_H

#include "capture/cpython/compat_frame.h"

#include <opcode.h>

/** How far below the tuple the function is on the stack. */
enum { LG__CALLED_BELOW = PY_VERSION_HEX >= 0x030D0000 ? 2 : 1 };

/** Whether functions of Python are called through C, which has the tuple
 *  meanwhile. Since 3.12 the interpreter calls them itself, and drops the tuple
 *  first. */
enum { LG__CALLS_FUNCTIONS_BY_C = PY_VERSION_HEX < 0x030C0000 };

/** The words of a frame's stack, whether they are in use or not. */
static inline const lg__slot *
lg__frame_stack(const lg__frame_view *view)
{
    return view->slots + lg__code_slot_count(view->code);
}

#if !LG__STACK_IS_VISIBLE
/** Returns whether only the interpreter knows the top of the frame's stack. */
static inline bool
lg__frame_stack_is_hidden(const lg__frame *frame)
{
#if PY_VERSION_HEX >= 0x030B0000
    return frame->stacktop < 0;
#elif PY_VERSION_HEX >= 0x030A0000
    return frame->f_stackdepth < 0;
#else
    return frame->f_stacktop == NULL;
#endif
}
#endif

/** The instructions of a code object: an opcode and an argument each. */
static inline const uint8_t *
lg__code_instructions(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return (const uint8_t *)_PyCode_CODE(code);
#else
    return (const uint8_t *)PyBytes_AS_STRING(code->co_code);
#endif
}

/** How many bytes the instructions of a code object take. */
static inline size_t
lg__code_length(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030B0000
    return (size_t)Py_SIZE(code) * sizeof(_Py_CODEUNIT);
#else
    return (size_t)PyBytes_GET_SIZE(code->co_code);
#endif
}

/** Since 3.15 an instruction may be replaced by one for callables that are no
 *  functions of Python. */
static inline bool
lg__opcode_calls_with_tuple(uint8_t opcode)
{
#ifdef INSTRUMENTED_CALL_FUNCTION_EX
    if (opcode == INSTRUMENTED_CALL_FUNCTION_EX)
        return true;
#endif
#ifdef CALL_EX_NON_PY_GENERAL
    if (opcode == CALL_EX_NON_PY_GENERAL)
        return true;
#endif
    return opcode == CALL_FUNCTION_EX;
}

/** A call with a tuple: the tuple is one of these words of the stack. */
typedef struct lg__tuple_call {
    uint32_t first;
    uint32_t last;  /**< the word after them */
    bool with_dict; /**< the word after the tuple is a dict */
} lg__tuple_call;

/** Returns whether the frame is in a call with a tuple whose word is on the
 *  stack or above its top. */
static inline bool
lg__frame_calls_with_tuple(const lg__frame *frame, const lg__frame_view *view,
                           lg__tuple_call *out)
{
    int at = lg__frame_instruction(frame, view->code);
    if (at < 0)
        return false;
    const uint8_t *instruction = lg__code_instructions(view->code) + at;
#if LG__STACK_IS_VISIBLE
    uint32_t count = (uint32_t)view->stack_count;
    if (count < LG__CALLED_BELOW + 2)
        return false;
    out->first = count - 2;
    out->last = count - 1;
    out->with_dict = lg__slot_object(lg__frame_stack(view)[count - 1]) != NULL;
#else
    if (!lg__frame_stack_is_hidden(frame))
        return false;
    out->with_dict = instruction[1] & 1;
    out->first = LG__CALLED_BELOW;
    out->last = (uint32_t)view->code->co_stacksize - out->with_dict;
#endif
    return lg__opcode_calls_with_tuple(instruction[0]);
}

#endif
