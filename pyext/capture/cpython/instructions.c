/** The instructions of code. */
#include "capture/cpython/capture_cpython.h"

#if LG__INTERNALS

#include "capture/cpython/compat_instructions.h"

#ifdef BINARY_OP
/** The argument of BINARY_OP that subtracts: NB_SUBTRACT (opcode.h). */
enum { SUBTRACT = 10 };
#endif

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

/** Returns whether an instruction stands for another one, which is elsewhere.
 */
static bool
is_instrumented(uint8_t opcode)
{
#ifdef INSTRUMENTED_LINE
    if (opcode == INSTRUMENTED_LINE)
        return true;
#endif
#ifdef INSTRUMENTED_INSTRUCTION
    if (opcode == INSTRUMENTED_INSTRUCTION)
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

/** Adds two steps for one instruction that does two things with variables. */
static bool
add_pair(listing *to, const instruction *from)
{
    uint32_t first = from->arg >> 4, second = from->arg & 15;
    (void)to;
    switch (from->opcode) {
#ifdef LOAD_FAST_BORROW_LOAD_FAST_BORROW
    case LOAD_FAST_BORROW_LOAD_FAST_BORROW:
#endif
#ifdef LOAD_FAST_LOAD_FAST
    case LOAD_FAST_LOAD_FAST:
        add(to, from, LG__STEP_LOCAL, first);
        add(to, from, LG__STEP_LOCAL, second);
        return true;
    case STORE_FAST_LOAD_FAST:
        add(to, from, LG__STEP_STORE_LOCAL, first);
        add(to, from, LG__STEP_LOCAL, second);
        return true;
    case STORE_FAST_STORE_FAST:
        add(to, from, LG__STEP_STORE_LOCAL, first);
        add(to, from, LG__STEP_STORE_LOCAL, second);
        return true;
#endif
    default:
        (void)first;
        (void)second;
        return false;
    }
}

static bool
add_load(listing *to, const instruction *from)
{
    switch (from->opcode) {
#ifdef LOAD_FAST_CHECK
    case LOAD_FAST_CHECK:
#endif
#ifdef LOAD_FAST_BORROW
    case LOAD_FAST_BORROW:
#endif
    case LOAD_FAST:
        add(to, from, LG__STEP_LOCAL, from->arg);
        return true;
    case LOAD_DEREF:
        add(to, from, LG__STEP_LOCAL,
            lg__code_slot_of_cell(to->code, from->arg));
        return true;
    case LOAD_GLOBAL:
        add_element(to, from, LG__STEP_GLOBAL, to->code->co_names,
                    from->arg >> LG__GLOBAL_SHIFT);
        return true;
    case LOAD_NAME:
        add_element(to, from, LG__STEP_GLOBAL, to->code->co_names, from->arg);
        return true;
    case LOAD_CONST:
        add_element(to, from, LG__STEP_CONSTANT, to->code->co_consts,
                    from->arg);
        return true;
#ifdef LOAD_SMALL_INT
    case LOAD_SMALL_INT:
        add(to, from, LG__STEP_NUMBER, from->arg);
        return true;
#endif
#if !LG__LOADS_METHODS_AS_ATTRIBUTES
    case LOAD_METHOD:
#endif
    case LOAD_ATTR:
        add_element(to, from, LG__STEP_ATTRIBUTE, to->code->co_names,
                    from->arg >> LG__ATTRIBUTE_SHIFT);
        return true;
    default:
        return false;
    }
}

static bool
add_store(listing *to, const instruction *from)
{
    switch (from->opcode) {
    case STORE_FAST:
        add(to, from, LG__STEP_STORE_LOCAL, from->arg);
        return true;
    case STORE_DEREF:
        add(to, from, LG__STEP_STORE_LOCAL,
            lg__code_slot_of_cell(to->code, from->arg));
        return true;
    case STORE_GLOBAL:
    case STORE_NAME:
        add(to, from, LG__STEP_STORE_GLOBAL, from->arg);
        return true;
    case STORE_ATTR:
        add(to, from, LG__STEP_STORE_ATTRIBUTE, from->arg);
        return true;
#ifdef STORE_SLICE
    case STORE_SLICE:
        add(to, from, LG__STEP_SLICE, 0);
        add(to, from, LG__STEP_STORE_ITEM, 0);
        return true;
#endif
    case STORE_SUBSCR:
        add(to, from, LG__STEP_STORE_ITEM, 0);
        return true;
    case DELETE_SUBSCR:
        add(to, from, LG__STEP_DELETE_ITEM, 0);
        return true;
    case POP_TOP:
        add(to, from, LG__STEP_END, 0);
        return true;
    default:
        return false;
    }
}

/** Returns what an instruction does that neither loads nor stores. */
static lg__step_kind
action_of(const instruction *of)
{
    switch (of->opcode) {
#ifdef CALL_FUNCTION
    case CALL_FUNCTION:
#else
    case CALL:
#endif
        return LG__STEP_CALL;
    case COMPARE_OP:
        return LG__STEP_COMPARE;
#ifdef BINARY_OP
    case BINARY_OP:
        return of->arg == SUBTRACT ? LG__STEP_SUBTRACT : LG__STEP_OTHER;
#else
    case BINARY_SUBTRACT:
        return LG__STEP_SUBTRACT;
#endif
#ifdef BINARY_SLICE
    case BINARY_SLICE:
#endif
    case BUILD_SLICE:
        return LG__STEP_SLICE;
#ifdef POP_JUMP_FORWARD_IF_FALSE
    case POP_JUMP_FORWARD_IF_FALSE:
#else
    case POP_JUMP_IF_FALSE:
#endif
        return LG__STEP_JUMP_FALSE;
    default:
        return LG__STEP_OTHER;
    }
}

/** Returns whether an instruction does nothing by itself. */
static bool
is_silent(uint8_t opcode)
{
    switch (opcode) {
#ifdef PRECALL
    case PRECALL:
#endif
#ifdef PUSH_NULL
    case PUSH_NULL:
#endif
#ifdef NOT_TAKEN
    case NOT_TAKEN:
#endif
    case NOP:
        return true;
    default:
        return false;
    }
}

static void
add_instruction(listing *to, const instruction *from)
{
    if (is_silent(from->opcode) || add_load(to, from) || add_store(to, from) ||
        add_pair(to, from))
        return;
    lg__step_kind kind = action_of(from);
    uint32_t arg = kind == LG__STEP_COMPARE ? from->arg >> LG__COMPARE_SHIFT
                   : kind == LG__STEP_JUMP_FALSE
                       ? lg__jump_target(from->next, from->arg)
                       : from->arg;
    add(to, from, kind, arg);
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

size_t
lg__code_steps(const PyCodeObject *code, lg__step *out, size_t room)
{
    (void)code;
    (void)out;
    (void)room;
    return 0;
}

#endif
