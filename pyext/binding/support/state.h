/**
 * What the module keeps: one set of types and exceptions per module object.
 */
#ifndef LEAKGRAPH_STATE_H
#define LEAKGRAPH_STATE_H

#include "binding/support/shim.h"

/** No more questions have types of their own, and no more types of rows lie
 *  within their rows and facts. */
enum { LG__ANSWERS = 18, LG__INNER_ROWS = 16 };

typedef enum lg__core_type {
    LG__TYPE_SNAPSHOT,
    LG__TYPE_NODE,
    LG__TYPE_EDGE,
    LG__TYPE_NODES,
    LG__TYPE_EDGES,
    LG__TYPE_ROOTS,
    LG__TYPE_COLUMN,
    LG__TYPE_SIZE,
    LG__TYPE_RESULT,
    LG__TYPE_INFO,
    LG__TYPE_DRAWING,
    LG__TYPE_PATH,
    LG__TYPE_WHY,
    LG__TYPE_ROOT, /* from here on, named tuples */
    LG__TYPE_HOP,
    LG__TYPE_CYCLE_CUT,
    LG__TYPE_CAPTURE_INFO,
    LG__TYPE_ANSWER, /* by the number of the question: results, and rows */
    LG__TYPE_ANSWER_ROW = LG__TYPE_ANSWER + LG__ANSWERS,
    LG__TYPE_INNER_ROW = LG__TYPE_ANSWER_ROW + LG__ANSWERS,
    LG__TYPES = LG__TYPE_INNER_ROW + LG__INNER_ROWS,
} lg__core_type;

typedef enum lg__core_error {
    LG__ERROR_BASE,
    LG__ERROR_ARGUMENT,
    LG__ERROR_CLOSED,
    LG__ERROR_NOT_FOUND,
    LG__ERROR_FILE,
    LG__ERROR_LIMIT,
    LG__ERROR_CANCELLED,
    LG__ERROR_PARTIAL,
    LG__ERROR_UNSUPPORTED,
    LG__ERROR_CHILD,
    LG__ERROR_PICTURE,
    LG__ERRORS,
} lg__core_error;

typedef struct lg__core_state {
    PyTypeObject *types[LG__TYPES];
    PyObject *errors[LG__ERRORS];
} lg__core_state;

static inline lg__core_state *
lg__module_state(PyObject *module)
{
    return PyModule_GetState(module);
}

/** The state behind an instance of one of the module's types. They cannot be
 *  subclassed, so the type of the instance is the module's. */
static inline lg__core_state *
lg__object_state(void *object)
{
    return PyType_GetModuleState(Py_TYPE((PyObject *)object));
}

/** A new, empty instance of one of the module's types, or NULL. */
static inline void *
lg__object_new(lg__core_state *state, lg__core_type type)
{
    PyTypeObject *python_type = state->types[type];
    return python_type->tp_alloc(python_type, 0);
}

/** The last step of every tp_dealloc here: an instance holds its heap type. */
static inline void
lg__object_free(void *object)
{
    PyTypeObject *type = Py_TYPE((PyObject *)object);
    type->tp_free(object);
    Py_DECREF(type);
}

#endif
