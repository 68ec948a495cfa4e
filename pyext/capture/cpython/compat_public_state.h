/**
 * The interpreter's own state, in a CPython whose internals are unknown:
 * nothing. A part of compat_public.h.
 */
#ifndef LEAKGRAPH_COMPAT_PUBLIC_STATE_H
#define LEAKGRAPH_COMPAT_PUBLIC_STATE_H

#include "capture/cpython/compat_public.h"

/* Tables without rows. */

static const lg__field lg__module_fields[] = {{0, 0, NULL}};
static const lg__field lg__generator_fields[] = {{0, 0, NULL}};
static const lg__field lg__coroutine_fields[] = {{0, 0, NULL}};
static const lg__field lg__frame_object_fields[] = {{0, 0, NULL}};
static const lg__field lg__interpreter_fields[] = {{0, 0, NULL}};
static const lg__field lg__thread_fields[] = {{0, 0, NULL}};
static const lg__field lg__readline_fields[] = {{0, 0, NULL}};

typedef struct lg__readline_state {
    PyObject *unknown;
} lg__readline_state;

typedef struct lg__words {
    size_t count;
    const char *name;
} lg__words;

enum { LG__WORDS_MAX = 1 };

static inline PyObject *
lg__words_at(const lg__words *words, size_t i)
{
    (void)words;
    (void)i;
    return NULL;
}

static inline size_t
lg__interpreter_words(PyInterpreterState *interpreter,
                      lg__words words[LG__WORDS_MAX])
{
    (void)interpreter;
    words[0] = (lg__words){0, ""};
    return 0;
}

static inline lg__words
lg__type_cache_names(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return (lg__words){0, ""};
}

typedef struct lg__local_words {
    PyObject *key;
    PyObject *sentinel;
    bool by_key;
} lg__local_words;

static inline lg__local_words
lg__thread_local_words(const PyThreadState *thread)
{
    (void)thread;
    return (lg__local_words){NULL, NULL, false};
}

typedef struct lg__exit_handler {
    PyObject *parts[3];
} lg__exit_handler;

static inline int
lg__exit_handler_count(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return 0;
}

static inline lg__exit_handler
lg__exit_handler_at(PyInterpreterState *interpreter, int i)
{
    (void)interpreter;
    (void)i;
    return (lg__exit_handler){{NULL, NULL, NULL}};
}

enum { LG__FREE_TUPLES_ITEMS = 20, LG__FREE_TUPLES_MOST = 2000 };

static inline int64_t
lg__free_tuples(PyInterpreterState *interpreter, unsigned items)
{
    (void)interpreter;
    (void)items;
    return -1;
}

/* Buffers. */

typedef struct lg__stringio {
    Py_UCS4 *characters;
    size_t room;
} lg__stringio;

static inline bool
lg__stringio_has_layout(const PyTypeObject *type)
{
    (void)type;
    return false;
}

static inline void
lg__stringio_text_of(const lg__stringio *stream, PyObject *objects[2])
{
    (void)stream;
    objects[0] = objects[1] = NULL;
}

static inline const void *
lg__bytearray_block(const PyByteArrayObject *array, uint64_t *bytes)
{
    PyObject *object = (PyObject *)(uintptr_t)array;
    *bytes = (uint64_t)PyByteArray_Size(object);
    return *bytes > 0 ? PyByteArray_AsString(object) : NULL;
}

/* The self-check. */

#define LG__TEXT_OF(number) #number
#define LG__RELEASE(major, minor) LG__TEXT_OF(major) "." LG__TEXT_OF(minor)

static inline const char *
lg__untested_patch(void)
{
    return "CPython " LG__RELEASE(
        PY_MAJOR_VERSION, PY_MINOR_VERSION) " is newer than this leakgraph";
}

static inline bool
lg__offsets_agree(void)
{
    return true;
}

static inline bool
lg__interpreter_agrees(PyInterpreterState *interpreter)
{
    (void)interpreter;
    return true;
}

#endif
