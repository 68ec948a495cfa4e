/**
 * How many elements an object keeps at most.
 */
#include "capture/walk/limit.h"

#include <stdio.h>

/** The beginning of a deque (Modules/_collectionsmodule.c, 3.9 to 3.15). */
typedef struct deque_layout {
    PyObject_VAR_HEAD void *left_block;
    void *right_block;
    Py_ssize_t left_index;
    Py_ssize_t right_index;
    size_t state;
    Py_ssize_t maxlen;
} deque_layout;

void
lg__walk_note_number(lg__heap_walk *walk, PyObject *object, const char *key,
                     Py_ssize_t number)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%zd", number);
    if (number >= 0)
        lg_builder_add_fact(walk->builder, lg__walk_node(walk, object), key,
                            text, (size_t)length);
}

void
lg__walk_note_maxlen(lg__heap_walk *walk, PyObject *object)
{
    lg__walk_note_number(walk, object, "maxlen",
                         ((deque_layout *)object)->maxlen);
}
