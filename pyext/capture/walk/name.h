/**
 * A short text that is being written. Included by heap_walk.h.
 */
#ifndef LEAKGRAPH_NAME_H
#define LEAKGRAPH_NAME_H

#include "capture/cpython/capture_cpython.h"

#include <leakgraph/base.h>

#include <string.h>

/** A flag of nodes, during a walk only: a tuple of the names of variables. */
enum { LG__NODE_VARIABLES = 1 << 13 };

/** Longest name kept, in bytes. */
#define LG__NAME_LIMIT 512

/** A short text that is being written, cut when full. It allocates no memory.
 */
typedef struct lg__name {
    size_t length;
    char data[1024];
} lg__name;

static inline void
lg__name_add_bytes(lg__name *name, const char *bytes, size_t length)
{
    size_t room = sizeof name->data - name->length;
    if (__builtin_expect(length > room, 0))
        length = room;
    memcpy(name->data + name->length, bytes, length);
    name->length += length;
}

/** Adds a text. It is inline because most are literals of a few characters. */
static inline void
lg__name_add(lg__name *name, const char *text)
{
    lg__name_add_bytes(name, text, strlen(text));
}

/** Adds an integer in decimal digits. */
void lg__name_add_int(lg__name *name, long long number);
/** Adds a count with thousands separators. */
void lg__name_add_count(lg__name *name, uint64_t count);
void lg__name_addf(lg__name *name, const char *format, ...) LG_PRINTF(2, 3);
/** Adds the text of a str from its memory, as UTF-8: at most `limit` bytes of
 *  it, and an ellipsis behind them if that is not all. */
void lg__name_add_str(lg__name *name, PyObject *str, size_t limit);
/** The same from a character on. */
void lg__name_add_str_from(lg__name *name, PyObject *str, Py_ssize_t start,
                           size_t limit);

#endif
