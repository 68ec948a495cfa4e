/** The instructions of code. */
#include "capture/cpython/capture_cpython.h"

#if LG__INTERNALS

#include "capture/cpython/compat_instructions.h"

/** The arguments of BINARY_OP: NB_ADD, NB_FLOOR_DIVIDE, NB_MULTIPLY,
 *  NB_SUBTRACT, NB_TRUE_DIVIDE (opcode.h). */
enum { ADD = 0, FLOOR_DIVIDE = 2, MULTIPLY = 5, SUBTRACT = 10, DIVIDE = 11 };

/** An instruction with its whole argument. */
typedef struct instruction {
    uint8_t opcode;
    uint32_t arg;
    uint32_t at;
    uint32_t next; /**< the offset of the next one */
} instruction;

typedef struct listing {
    const PyCodeObject *code;
    lg__step *out;
    size_t room;
    size_t count; /**< more than `room`: there was none left */
} listing;

static void
add(listing *to, const instruction *from, lg__step_kind kind, uint32_t arg)
{
    if (to->count < to->room)
        to->out[to->count] = (lg__step){kind, arg, from->at};
    to->count++;
}

/** Returns whether an instruction stands for another one: sys.monitoring calls
 *  tools before it, or a compiled one runs. Some stand for any, and the tables
 *  of CPython do not say how many words of cache follow the others. */
static bool
is_instrumented(uint8_t opcode)
{
#ifdef MIN_INSTRUMENTED_OPCODE
    if (opcode >= MIN_INSTRUMENTED_OPCODE)
        return true;
#endif
#ifdef ENTER_EXECUTOR
    if (opcode == ENTER_EXECUTOR)
        return true;
#endif
    (void)opcode;
    return false;
}

/** Adds a step that uses an element of a tuple of the code. */
static void
add_element(listing *to, const instruction *from, lg__step_kind kind,
            const PyObject *tuple, uint32_t index)
{
    bool known = (Py_ssize_t)index < PyTuple_GET_SIZE(tuple);
    add(to, from, known ? kind : LG__STEP_OTHER, index);
}

/** Adds a step that uses a slot. */
static void
add_slot(listing *to, const instruction *from, lg__step_kind kind,
         uint32_t slot)
{
    bool known = (Py_ssize_t)slot < lg__code_slot_count(to->code);
    add(to, from, known ? kind : LG__STEP_OTHER, slot);
}

/** What instructions are that are not one step. */
enum {
    SILENT = 64, /**< does nothing by itself */
    LOADS_TWO,
    STORES_AND_LOADS,
    STORES_TWO,
    STORES_SLICE,
    LOADS_CELL,
    STORES_CELL,
    LOADS_NAME, /**< whose argument is not shifted */
    COMPUTES,
};

/** What each instruction is: lg__step_kind, or one of these. */
static const uint8_t meanings[256] = {
    [NOP] = SILENT,
#ifdef PRECALL
    [PRECALL] = SILENT,
#endif
#ifdef PUSH_NULL
    [PUSH_NULL] = SILENT,
#endif
#ifdef NOT_TAKEN
    [NOT_TAKEN] = SILENT,
#endif
#ifdef LOAD_FAST_BORROW
    [LOAD_FAST_BORROW] = LG__STEP_LOCAL,
    [LOAD_FAST_BORROW_LOAD_FAST_BORROW] = LOADS_TWO,
#endif
#ifdef LOAD_FAST_LOAD_FAST
    [LOAD_FAST_LOAD_FAST] = LOADS_TWO,
    [STORE_FAST_LOAD_FAST] = STORES_AND_LOADS,
    [STORE_FAST_STORE_FAST] = STORES_TWO,
#endif
#ifdef LOAD_FAST_CHECK
    [LOAD_FAST_CHECK] = LG__STEP_LOCAL,
#endif
    [LOAD_FAST] = LG__STEP_LOCAL,
    [LOAD_DEREF] = LOADS_CELL,
#if defined LOAD_CLOSURE && LOAD_CLOSURE < 256
    [LOAD_CLOSURE] = LOADS_CELL,
#endif
    [LOAD_GLOBAL] = LG__STEP_GLOBAL,
    [LOAD_NAME] = LOADS_NAME,
    [LOAD_CONST] = LG__STEP_CONSTANT,
#ifdef LOAD_SMALL_INT
    [LOAD_SMALL_INT] = LG__STEP_NUMBER,
#endif
#if !LG__LOADS_METHODS_AS_ATTRIBUTES
    [LOAD_METHOD] = LG__STEP_ATTRIBUTE,
#endif
    [LOAD_ATTR] = LG__STEP_ATTRIBUTE,
    [STORE_FAST] = LG__STEP_STORE_LOCAL,
    [STORE_DEREF] = STORES_CELL,
    [STORE_GLOBAL] = LG__STEP_STORE_GLOBAL,
    [STORE_NAME] = LG__STEP_STORE_GLOBAL,
    [STORE_ATTR] = LG__STEP_STORE_ATTRIBUTE,
#ifdef STORE_SLICE
    [STORE_SLICE] = STORES_SLICE,
    [BINARY_SLICE] = LG__STEP_SLICE,
#endif
    [BUILD_SLICE] = LG__STEP_SLICE,
    [STORE_SUBSCR] = LG__STEP_STORE_ITEM,
    [DELETE_SUBSCR] = LG__STEP_DELETE_ITEM,
    [POP_TOP] = LG__STEP_END,
    [RETURN_VALUE] = LG__STEP_RETURN,
#ifdef CALL_FUNCTION
    [CALL_FUNCTION] = LG__STEP_CALL,
    [CALL_METHOD] = LG__STEP_CALL,
#else
    [CALL] = LG__STEP_CALL,
#endif
    [COMPARE_OP] = LG__STEP_COMPARE,
    [CONTAINS_OP] = LG__STEP_CONTAINS,
#ifdef BINARY_OP
    [BINARY_OP] = COMPUTES,
#else
    [BINARY_ADD] = LG__STEP_ADD,
    [BINARY_MULTIPLY] = LG__STEP_MULTIPLY,
    [BINARY_SUBTRACT] = LG__STEP_SUBTRACT,
    [BINARY_FLOOR_DIVIDE] = LG__STEP_DIVIDE,
    [BINARY_TRUE_DIVIDE] = LG__STEP_DIVIDE,
#endif
#ifdef POP_JUMP_FORWARD_IF_FALSE
    [POP_JUMP_FORWARD_IF_FALSE] = LG__STEP_JUMP_FALSE,
    [POP_JUMP_FORWARD_IF_TRUE] = LG__STEP_JUMP,
    [POP_JUMP_FORWARD_IF_NONE] = LG__STEP_JUMP,
    [POP_JUMP_FORWARD_IF_NOT_NONE] = LG__STEP_JUMP,
    [POP_JUMP_BACKWARD_IF_FALSE] = LG__STEP_JUMP_BACK,
    [POP_JUMP_BACKWARD_IF_TRUE] = LG__STEP_JUMP_BACK,
    [POP_JUMP_BACKWARD_IF_NONE] = LG__STEP_JUMP_BACK,
    [POP_JUMP_BACKWARD_IF_NOT_NONE] = LG__STEP_JUMP_BACK,
#else
    [POP_JUMP_IF_FALSE] = LG__STEP_JUMP_FALSE,
    [POP_JUMP_IF_TRUE] = LG__STEP_JUMP,
#ifdef POP_JUMP_IF_NONE
    [POP_JUMP_IF_NONE] = LG__STEP_JUMP,
    [POP_JUMP_IF_NOT_NONE] = LG__STEP_JUMP,
#endif
#endif
#ifdef JUMP_IF_FALSE_OR_POP
    [JUMP_IF_FALSE_OR_POP] = LG__STEP_JUMP,
    [JUMP_IF_TRUE_OR_POP] = LG__STEP_JUMP,
#endif
};

/** Adds the two steps of an instruction. */
static void
add_two(listing *to, const instruction *from, uint8_t meaning)
{
    if (meaning == STORES_SLICE) {
        add(to, from, LG__STEP_SLICE, 0);
        add(to, from, LG__STEP_STORE_ITEM, 0);
        return;
    }
    add_slot(to, from,
             meaning == LOADS_TWO ? LG__STEP_LOCAL : LG__STEP_STORE_LOCAL,
             from->arg >> 4);
    add_slot(to, from,
             meaning == STORES_TWO ? LG__STEP_STORE_LOCAL : LG__STEP_LOCAL,
             from->arg & 15);
}

static lg__step_kind
step_of_operator(uint32_t operator)
{
    switch (operator) {
    case ADD:
        return LG__STEP_ADD;
    case SUBTRACT:
        return LG__STEP_SUBTRACT;
    case MULTIPLY:
        return LG__STEP_MULTIPLY;
    case DIVIDE:
    case FLOOR_DIVIDE:
        return LG__STEP_DIVIDE;
    default:
        return LG__STEP_OTHER;
    }
}

static void
add_instruction(listing *to, const instruction *from)
{
    const PyCodeObject *code = to->code;
    uint8_t meaning = meanings[from->opcode];
    switch (meaning) {
    case SILENT:
        return;
    case LOADS_TWO:
    case STORES_AND_LOADS:
    case STORES_TWO:
    case STORES_SLICE:
        add_two(to, from, meaning);
        return;
    case LOADS_CELL:
        add_slot(to, from, LG__STEP_LOCAL,
                 lg__code_slot_of_cell(code, from->arg));
        return;
    case STORES_CELL:
        add_slot(to, from, LG__STEP_STORE_LOCAL,
                 lg__code_slot_of_cell(code, from->arg));
        return;
    case LG__STEP_LOCAL:
    case LG__STEP_STORE_LOCAL:
        add_slot(to, from, (lg__step_kind)meaning, from->arg);
        return;
    case LG__STEP_STORE_GLOBAL:
    case LG__STEP_STORE_ATTRIBUTE:
        add_element(to, from, (lg__step_kind)meaning, code->co_names,
                    from->arg);
        return;
    case LOADS_NAME:
        add_element(to, from, LG__STEP_GLOBAL, code->co_names, from->arg);
        return;
    case COMPUTES:
        add(to, from, step_of_operator(from->arg), 0);
        return;
    case LG__STEP_GLOBAL:
        add_element(to, from, LG__STEP_GLOBAL, code->co_names,
                    from->arg >> LG__GLOBAL_SHIFT);
        return;
    case LG__STEP_CONSTANT:
        add_element(to, from, LG__STEP_CONSTANT, code->co_consts, from->arg);
        return;
    case LG__STEP_ATTRIBUTE:
        add_element(to, from, LG__STEP_ATTRIBUTE, code->co_names,
                    from->arg >> LG__ATTRIBUTE_SHIFT);
        return;
    case LG__STEP_COMPARE:
        add(to, from, LG__STEP_COMPARE, from->arg >> LG__COMPARE_SHIFT);
        return;
    case LG__STEP_JUMP_FALSE:
    case LG__STEP_JUMP:
        add(to, from, (lg__step_kind)meaning,
            lg__jump_target(from->next, from->arg));
        return;
    default:
        add(to, from, (lg__step_kind)meaning, from->arg);
        return;
    }
}

bool
lg__code_may_cut(const PyCodeObject *code)
{
    size_t length = lg__code_length(code);
    const uint8_t *bytes = lg__code_instructions(code);
    for (size_t i = 0; i + 1 < length; i += 2) {
        if (bytes[i] == DELETE_SUBSCR || bytes[i] == BUILD_SLICE ||
            lg__opcode_base(bytes[i]) == STORE_SUBSCR)
            return true;
#ifdef BINARY_SLICE
        if (bytes[i] == BINARY_SLICE || bytes[i] == STORE_SLICE)
            return true;
#endif
    }
    return false;
}

size_t
lg__code_steps(const PyCodeObject *code, lg__step *out, size_t room)
{
    size_t length = lg__code_length(code);
    const uint8_t *bytes = lg__code_instructions(code);
    listing to = {.code = code, .out = out, .room = room};
    uint32_t extended = 0;
    for (size_t i = 0, next; i + 1 < length && to.count <= room; i = next) {
        uint8_t opcode = lg__opcode_base(bytes[i]);
        if (is_instrumented(opcode))
            return 0;
        uint32_t arg = extended << 8 | bytes[i + 1];
        next = i + 2 + 2 * lg__opcode_caches(opcode);
        extended = opcode == EXTENDED_ARG ? arg : 0;
        if (opcode != EXTENDED_ARG)
            add_instruction(
                &to, &(instruction){opcode, arg, (uint32_t)i, (uint32_t)next});
    }
    return to.count <= room ? to.count : 0;
}

#else

bool
lg__code_may_cut(const PyCodeObject *code)
{
    (void)code;
    return false;
}

size_t
lg__code_steps(const PyCodeObject *code, lg__step *out, size_t room)
{
    (void)code;
    (void)out;
    (void)room;
    return 0;
}

#endif
