/**
 * Rows of references in the state of the interpreter, per version. A part of
 * compat.h. What a version does not list lies in its static variables, or is
 * immortal.
 */
#ifndef LEAKGRAPH_COMPAT_WORDS_H
#define LEAKGRAPH_COMPAT_WORDS_H

#include "capture/cpython/compat.h"

/** References, some NULL or to None, `stride` bytes apart. */
typedef struct lg__words {
    const void *first;
    size_t count;
    size_t stride;
    const char *name;
} lg__words;

static inline PyObject *
lg__words_at(const lg__words *words, size_t i)
{
    return *(PyObject *const *)((const char *)words->first + i * words->stride);
}

#define LG__WORDS_OF(array, name)                                              \
    (lg__words)                                                                \
    {                                                                          \
        array, sizeof(array) / sizeof *(array), sizeof *(array), name          \
    }

#if PY_VERSION_HEX >= 0x030A0000

/** Classes of the ast module, their names, and instances of those that have no
 *  fields: all that follows AST_type. */
static inline lg__words
lg__words_ast(PyInterpreterState *interpreter)
{
    size_t bytes =
        sizeof(struct ast_state) - offsetof(struct ast_state, AST_type);
    return (lg__words){&interpreter->ast.AST_type, bytes / sizeof(PyObject *),
                       sizeof(PyObject *), "ast"};
}

#endif

/** Names in the cache of attributes of classes: an entry owns its name, None
 *  if it is not in use, and borrows the value. */
static inline lg__words
lg__type_cache_names(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX >= 0x030A0000
#if PY_VERSION_HEX >= 0x030C0000
    const struct type_cache *cache = &interpreter->types.type_cache;
#else
    const struct type_cache *cache = &interpreter->type_cache;
#endif
    return (lg__words){&cache->hashtable[0].name,
                       sizeof cache->hashtable / sizeof cache->hashtable[0],
                       sizeof cache->hashtable[0], "type cache"};
#else
    (void)interpreter;
    return (lg__words){0};
#endif
}

enum { LG__WORDS_MAX = 5 };

/** Lists the rows of what an interpreter keeps for good; returns how many. */
static inline size_t
lg__interpreter_words(PyInterpreterState *interpreter,
                      lg__words words[LG__WORDS_MAX])
{
    size_t count = 0;
#if PY_VERSION_HEX < 0x030B0000
    words[count++] = LG__WORDS_OF(interpreter->small_ints, "small ints");
#endif
#if PY_VERSION_HEX >= 0x030A0000
    words[count++] = lg__words_ast(interpreter);
#if PY_VERSION_HEX < 0x030B0000
    words[count++] = LG__WORDS_OF(interpreter->bytes.characters, "characters");
    words[count++] = LG__WORDS_OF(interpreter->unicode.latin1, "characters");
#endif
#if PY_VERSION_HEX < 0x030C0000
    words[count++] = (lg__words){interpreter->unicode.ids.array,
                                 (size_t)interpreter->unicode.ids.size,
                                 sizeof(PyObject *), "identifiers"};
#endif
#endif
    return count;
}

#endif
