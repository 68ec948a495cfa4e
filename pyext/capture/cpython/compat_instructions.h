/**
 * How versions of CPython encode instructions. Only instructions.c includes
 * this: CPython's tables become a part of the file that does, under the names
 * that pyext/CMakeLists.txt gives them.
 */
#ifndef LEAKGRAPH_COMPAT_INSTRUCTIONS_H
#define LEAKGRAPH_COMPAT_INSTRUCTIONS_H

#include "capture/cpython/compat_calls.h"

#if PY_VERSION_HEX >= 0x030D0000
#include "internal/pycore_opcode_metadata.h"
#elif PY_VERSION_HEX >= 0x030B0000
#include "internal/pycore_opcode.h"
#endif

/** 1 if methods are attributes for the interpreter. */
#define LG__LOADS_METHODS_AS_ATTRIBUTES (PY_VERSION_HEX >= 0x030C0000)

/** By how much arguments are shifted, because low bits say something else than
 *  the operator or the name. */
enum {
    LG__COMPARE_SHIFT = PY_VERSION_HEX >= 0x030D0000   ? 5
                        : PY_VERSION_HEX >= 0x030C0000 ? 4
                                                       : 0,
    LG__GLOBAL_SHIFT = PY_VERSION_HEX >= 0x030B0000,
    LG__ATTRIBUTE_SHIFT = PY_VERSION_HEX >= 0x030C0000,
};

/** The instruction that a specialised one stands for. */
static inline uint8_t
lg__opcode_base(uint8_t opcode)
{
#if PY_VERSION_HEX >= 0x030B0000
    return _PyOpcode_Deopt[opcode];
#else
    return opcode;
#endif
}

/** How many words of inline cache follow it. */
static inline size_t
lg__opcode_caches(uint8_t opcode)
{
#if PY_VERSION_HEX >= 0x030B0000
    return _PyOpcode_Caches[opcode];
#else
    (void)opcode;
    return 0;
#endif
}

/** The slot of a cell or a free variable. */
static inline uint32_t
lg__code_slot_of_cell(const PyCodeObject *code, uint32_t arg)
{
    return PY_VERSION_HEX >= 0x030B0000 ? arg
                                        : arg + (uint32_t)code->co_nlocals;
}

/** The offset to which a jump goes forward, given that of the next one. */
static inline uint32_t
lg__jump_target(uint32_t next, uint32_t arg)
{
#if PY_VERSION_HEX >= 0x030B0000
    return next + 2 * arg;
#else
    (void)next;
    return PY_VERSION_HEX >= 0x030A0000 ? 2 * arg : arg;
#endif
}

#endif
