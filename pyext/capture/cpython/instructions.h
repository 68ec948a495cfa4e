/**
 * What the instructions of code do, in words that every CPython from 3.9 on
 * shares: specialised instructions count as what they specialise, and inline
 * caches as nothing.
 */
#ifndef LEAKGRAPH_INSTRUCTIONS_H
#define LEAKGRAPH_INSTRUCTIONS_H

#include "capture/cpython/compat_version.h"

typedef enum lg__step_kind {
    LG__STEP_OTHER,
    LG__STEP_LOCAL,     /**< loads a slot: of a variable, cell or free one */
    LG__STEP_GLOBAL,    /**< loads a name */
    LG__STEP_CONSTANT,  /**< loads a constant */
    LG__STEP_NUMBER,    /**< loads a small number, the argument */
    LG__STEP_ATTRIBUTE, /**< takes an attribute or a method */
    LG__STEP_CALL,
    LG__STEP_COMPARE,  /**< with an operator: Py_LT and so on */
    LG__STEP_CONTAINS, /**< asks whether a container has a value */
    LG__STEP_ADD,
    LG__STEP_SUBTRACT,
    LG__STEP_MULTIPLY,
    LG__STEP_DIVIDE, /**< perhaps without a rest */
    LG__STEP_SLICE,
    LG__STEP_JUMP_FALSE, /**< goes to an offset, forward */
    LG__STEP_JUMP,       /**< the same, in another case: of true, of None */
    LG__STEP_JUMP_BACK,  /**< goes back, in any such case */
    LG__STEP_STORE_LOCAL,
    LG__STEP_STORE_GLOBAL,
    LG__STEP_STORE_ATTRIBUTE,
    LG__STEP_STORE_ITEM,
    LG__STEP_DELETE_ITEM,
    LG__STEP_END, /**< drops a value */
    LG__STEP_RETURN,
} lg__step_kind;

typedef struct lg__step {
    uint32_t kind; /**< lg__step_kind */
    uint32_t arg;  /**< a slot, the index of a name or of a constant, ... */
    uint32_t at;   /**< the offset of the instruction */
} lg__step;

/** Returns whether code may delete or store elements, or take slices: words of
 *  inline caches look like instructions here. */
bool lg__code_may_cut(const PyCodeObject *code);
/** Lists the steps of code, if there is room for all. Returns how many; 0:
 *  there are more, or they are unknown. Anybody can make code of any bytes: a
 *  step of a slot, a name or a constant that the code does not have is
 *  LG__STEP_OTHER, so that the others' arguments are indices. */
size_t lg__code_steps(const PyCodeObject *code, lg__step *out, size_t room);

#endif
