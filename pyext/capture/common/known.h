/**
 * Types of C libraries whose layout is known. A class made in Python may have
 * any name, so this recognises types by address: it looks up the name in the
 * library's module, and takes the type if it is made in C.
 */
#ifndef LEAKGRAPH_KNOWN_H
#define LEAKGRAPH_KNOWN_H

#include <Python.h>
#include <stdbool.h>

typedef enum lg__known_name {
    LG__KNOWN_MANAGED_BUFFER, /**< the type of what a memoryview refers to */
    LG__KNOWN_LRU_CACHE,      /**< functools._lru_cache_wrapper */
    LG__KNOWN_ARRAY,
    LG__KNOWN_MMAP,
    LG__KNOWN_CDATA, /**< the base of all types of ctypes */
    LG__KNOWN_BYTESIO,
    LG__KNOWN_BYTESIO_VIEW, /**< the type of what BytesIO.getbuffer() shows */
    LG__KNOWN_NDARRAY,
    LG__KNOWN_LOCK,
    LG__KNOWN_RLOCK,
    LG__KNOWN_NEWLINE_DECODER,
    LG__KNOWN_SIMPLE_QUEUE, /**< its __sizeof__ is new in 3.15 */
    /* From the queue on, the C __sizeof__ of the types counts memory behind
       their struct, and may be called. */
    LG__KNOWN_DEQUE,
    LG__KNOWN_ORDERED_DICT,
    LG__KNOWN_CTYPES_DICT, /**< the namespace of a ctypes class, up to 3.12 */
    LG__KNOWN_DECIMAL,
    LG__KNOWN_STRINGIO,
    LG__KNOWN_BUFFERED_READER,
    LG__KNOWN_BUFFERED_WRITER,
    LG__KNOWN_BUFFERED_RANDOM,
    LG__KNOWN_BUFFERED_PAIR,
    LG__KNOWN_PATTERN,
    LG__KNOWN_MATCH,
    LG__KNOWN_ELEMENT,
    LG__KNOWN_PICKLER,
    LG__KNOWN_UNPICKLER,
    LG__KNOWN_PRODUCT,
    LG__KNOWN_COMBINATIONS,
    LG__KNOWN_REPEATED_COMBINATIONS,
    LG__KNOWN_PERMUTATIONS,
    LG__KNOWN_COUNT,
} lg__known_name;

typedef struct lg__known {
    PyTypeObject *type[LG__KNOWN_COUNT]; /**< borrowed; NULL: not loaded */
} lg__known;

/** Returns whether the type is that one or derived from it in C's sense, so
 *  that its instances begin with its struct. */
bool lg__known_is(const lg__known *known, const PyTypeObject *type,
                  lg__known_name name);

/** Returns whether the C __sizeof__ of exactly this type may be called. */
bool lg__known_has_size(const lg__known *known, const PyTypeObject *type);

/** The traverser and the deallocator that a class statement gives its class.
 * The self-check sets them at import. */
extern traverseproc lg__subtype_traverse;
extern destructor lg__subtype_dealloc;

/** Returns whether a class statement, or a call of type, made the type. */
bool lg__type_is_pythons(const PyTypeObject *type);

/** The nearest type made in C that an object's type is or is derived from. */
PyTypeObject *lg__c_type_of(const PyObject *object);

#endif
