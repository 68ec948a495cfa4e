/**
 * Finds the class of a C++ object from its vtable, by the type information of
 * the Itanium C++ ABI, which gcc and clang follow.
 */
#ifndef LEAKGRAPH_RTTI_H
#define LEAKGRAPH_RTTI_H

#include "bytes/common/target_memory.h"

enum { LG__RTTI_NAME = 256, LG__RTTI_DEPTH = 8 };

/** The mangled names of an object's class and of its bases at offset 0, nearest
 *  first. */
typedef struct lg__rtti {
    unsigned count;
    char name[LG__RTTI_DEPTH][LG__RTTI_NAME]; /**< cut if longer */
} lg__rtti;

/** Reads them from the address of a vtable, which is an object's first word.
 *  False if that is no vtable. */
bool lg__rtti_read(lg__memory *memory, uintptr_t vtable, lg__rtti *out);
/** Returns whether the class or one of those bases has this mangled name. */
bool lg__rtti_is_a(const lg__rtti *rtti, const char *mangled);
/** The last part of a mangled name, as people write it: "MulBackward0",
 *  "CppNode<Doubled>". */
void lg__rtti_shorten(const char *mangled, char *out, size_t size);

#endif
