/**
 * What the module keeps: one set of types and exceptions per module object.
 */
#ifndef LEAKGRAPH_STATE_H
#define LEAKGRAPH_STATE_H

#include "binding/support/shim.h"

typedef enum core_type {
    TYPE_SNAPSHOT,
    TYPE_NODE,
    TYPE_EDGE,
    TYPE_NODES,
    TYPE_EDGES,
    TYPE_ROOTS,
    TYPE_COLUMN,
    TYPE_SIZE,
    TYPE_RESULT,
    TYPE_TABLE,
    TYPE_INFO,
    TYPE_THREADS,
    TYPE_DRAWING,
    TYPE_DOMINATORS,
    TYPE_CYCLES,
    TYPE_PATH,
    TYPE_TOP,
    TYPE_TENSORS,
    TYPE_TENSOR_GROUPS,
    TYPE_FIGURES,
    TYPE_ACCOUNTING,
    TYPE_FINDINGS,
    TYPE_GROWTH,
    TYPE_RANKS,
    TYPE_MERGED,
    TYPE_WHY,
    TYPE_WHAT_IF,
    TYPE_WASTE,
    TYPE_ROOT, /* from here on, named tuples */
    TYPE_TYPE_ROW,
    TYPE_DOMINATOR_ROW,
    TYPE_TOP_ROW,
    TYPE_TENSOR_ROW,
    TYPE_TENSOR_GROUP,
    TYPE_FIGURE_ROW,
    TYPE_ACCOUNT,
    TYPE_FINDING,
    TYPE_GROWTH_ROW,
    TYPE_GROWTH_TYPE,
    TYPE_GROWTH_ACCOUNT,
    TYPE_GROWTH_TALLY,
    TYPE_RANK_ROW,
    TYPE_RANK_REPEAT,
    TYPE_RANK,
    TYPE_MERGED_ROW,
    TYPE_THREAD_ROW,
    TYPE_HOP,
    TYPE_CYCLE,
    TYPE_CYCLE_CUT,
    TYPE_FINDING_HOLDER,
    TYPE_CAPTURE_INFO,
    TYPE_DYING,
    TYPE_SURVIVOR,
    TYPE_WASTE_ROW,
    TYPE_COUNT,
} core_type;

typedef enum core_error {
    ERROR_BASE,
    ERROR_ARGUMENT,
    ERROR_CLOSED,
    ERROR_NOT_FOUND,
    ERROR_FILE,
    ERROR_LIMIT,
    ERROR_CANCELLED,
    ERROR_PARTIAL,
    ERROR_UNSUPPORTED,
    ERROR_CHILD,
    ERROR_PICTURE,
    ERROR_COUNT,
} core_error;

typedef struct core_state {
    PyTypeObject *types[TYPE_COUNT];
    PyObject *errors[ERROR_COUNT];
} core_state;

static inline core_state *
module_state(PyObject *module)
{
    return PyModule_GetState(module);
}

/** The state behind an instance of one of the module's types. They cannot be
 *  subclassed, so the type of the instance is the module's. */
static inline core_state *
object_state(void *object)
{
    return PyType_GetModuleState(Py_TYPE((PyObject *)object));
}

/** A new, empty instance of one of the module's types, or NULL. */
static inline void *
object_new(core_state *state, core_type type)
{
    PyTypeObject *python_type = state->types[type];
    return python_type->tp_alloc(python_type, 0);
}

/** The last step of every tp_dealloc here: an instance holds its heap type. */
static inline void
object_free(void *object)
{
    PyTypeObject *type = Py_TYPE((PyObject *)object);
    type->tp_free(object);
    Py_DECREF(type);
}

#endif
