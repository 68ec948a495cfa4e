/**
 * Types of C libraries whose layout is known. A class made in Python may have
 * any name, so this recognises types by address: it looks up the name in the
 * library's module, and takes the type if it is made in C.
 */
#ifndef LEAKGRAPH_KNOWN_H
#define LEAKGRAPH_KNOWN_H

#include <Python.h>
#include <stdbool.h>

typedef enum lg_known_name {
    LG_KNOWN_MANAGED_BUFFER, /**< the type of what a memoryview refers to */
    LG_KNOWN_LRU_CACHE,      /**< functools._lru_cache_wrapper */
    LG_KNOWN_ARRAY,
    LG_KNOWN_MMAP,
    LG_KNOWN_CDATA, /**< the base of all types of ctypes */
    LG_KNOWN_BYTESIO,
    LG_KNOWN_BYTESIO_VIEW, /**< the type of what BytesIO.getbuffer() shows */
    LG_KNOWN_NDARRAY,
    LG_KNOWN_DEQUE,
    /* From the deque on, the C __sizeof__ of the types counts memory behind
       their struct, and may be called. */
    LG_KNOWN_ORDERED_DICT,
    LG_KNOWN_CTYPES_DICT, /**< the namespace of a ctypes class, up to 3.12 */
    LG_KNOWN_DECIMAL,
    LG_KNOWN_STRINGIO,
    LG_KNOWN_BUFFERED_READER,
    LG_KNOWN_BUFFERED_WRITER,
    LG_KNOWN_BUFFERED_RANDOM,
    LG_KNOWN_BUFFERED_PAIR,
    LG_KNOWN_PATTERN,
    LG_KNOWN_MATCH,
    LG_KNOWN_ELEMENT,
    LG_KNOWN_PICKLER,
    LG_KNOWN_UNPICKLER,
    LG_KNOWN_PRODUCT,
    LG_KNOWN_COMBINATIONS,
    LG_KNOWN_REPEATED_COMBINATIONS,
    LG_KNOWN_PERMUTATIONS,
    LG_KNOWN_COUNT,
} lg_known_name;

typedef struct lg_known {
    PyTypeObject *type[LG_KNOWN_COUNT]; /**< borrowed; NULL: not loaded */
} lg_known;

/** Looks in the loaded modules; imports none. Call it with the GIL and before a
 *  walk, because it makes an object or two, and drops them. */
void lg_known_find(lg_known *out);

/** Returns whether the type is that one or derived from it in C's sense, so
 *  that its instances begin with its struct. */
bool lg_known_is(const lg_known *known, const PyTypeObject *type,
                 lg_known_name name);

/** Returns whether the C __sizeof__ of exactly this type may be called. */
bool lg_known_has_size(const lg_known *known, const PyTypeObject *type);

/** Returns whether a class statement, or a call of type, made the type. */
bool lg_type_is_pythons(const PyTypeObject *type);

/** The nearest type made in C that an object's type is or is derived from. */
PyTypeObject *lg_c_type_of(const PyObject *object);

/** The type made in C that a loaded module has under a name, borrowed, or NULL.
 *  Runs nothing. */
PyTypeObject *lg_c_type_in(const char *module, const char *name);

#endif
