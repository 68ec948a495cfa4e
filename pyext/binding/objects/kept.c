#include "binding/objects/kept.h"
#include "binding/objects/result.h"
#include "binding/objects/size.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"
#include <leakgraph/internal/answers.h>
#include <marshal.h>

/* The format of marshal that every Python 3 reads. */
#define FORMAT 2

/* The facts that are kept of a node, in this order. */
enum {
    KEPT_REPR,
    KEPT_TYPE,
    KEPT_RETAINED,
    KEPT_REACHABLE,
    KEPT_NATIVE,
    KEPT_DOMINATOR, /* the facts from here on are kept as they are */
};

static const char *const names[] = {
    "__repr__",  "type",    "retained",    "is_reachable", "native",
    "dominator", "address", "type_name",   "size",         "refcount",
    "found",     "text",    "unexplained", "label",        "is_root",
    "device",    "facts",   "tracked",     "frozen",       "immortal",
    "synthetic", "buffer",  "frontier",    "spent",
};

enum { KEPT_COUNT = sizeof names / sizeof *names };

/* Takes over a Node and returns its number; returns None for None. */
static PyObject *
number_of(PyObject *node)
{
    if (node == NULL || node == Py_None)
        return node;
    uint32_t index = ((lg__node_object *)node)->index;
    Py_DECREF(node);
    return PyLong_FromUnsignedLong(index);
}

static PyObject *
dict_of(PyObject *size)
{
    PyObject *dict =
        size ? PyObject_CallOneArg((PyObject *)&PyDict_Type, size) : NULL;
    Py_XDECREF(size);
    return dict;
}

/* The attribute as marshal can write it; Ellipsis if only an analysis knows
   it. */
static PyObject *
plain_attribute(const lg__snapshot_object *snapshot, PyObject *node, int which)
{
    if (which == KEPT_REPR)
        return PyObject_Repr(node);
    if (snapshot->analysis == NULL &&
        (which >= KEPT_RETAINED && which <= KEPT_DOMINATOR)) {
        Py_INCREF(Py_Ellipsis);
        return Py_Ellipsis;
    }
    PyObject *value = lg__attribute_get(node, names[which]);
    if (which == KEPT_TYPE || which == KEPT_DOMINATOR)
        return number_of(value);
    return which == KEPT_RETAINED ? dict_of(value) : value;
}

static PyObject *
record_of(lg__snapshot_object *snapshot, uint32_t index)
{
    PyObject *node = lg__node_new(lg__object_state(snapshot), snapshot, index);
    PyObject *tuple = node ? PyTuple_New(KEPT_COUNT) : NULL;
    for (int i = 0; tuple != NULL && i < KEPT_COUNT; i++) {
        PyObject *value = plain_attribute(snapshot, node, i);
        if (value == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, i, value);
    }
    Py_XDECREF(node);
    PyObject *record =
        tuple ? PyMarshal_WriteObjectToString(tuple, FORMAT) : NULL;
    Py_XDECREF(tuple);
    return record;
}

static bool
remember_node(lg__snapshot_object *snapshot, PyObject *records, uint32_t index)
{
    PyObject *key = PyLong_FromUnsignedLong(index);
    int known = key ? PyDict_Contains(records, key) : -1;
    PyObject *record = known == 0 ? record_of(snapshot, index) : NULL;
    bool done = known == 1 ||
                (record != NULL && PyDict_SetItem(records, key, record) == 0);
    Py_XDECREF(record);
    Py_XDECREF(key);
    return done;
}

/* Records the nodes that were shown and their dominators. The collector does
 * not track the dict, so that no later snapshot shows it. */
static PyObject *
remember(lg__snapshot_object *snapshot)
{
    PyObject *records = PyDict_New();
    bool done = records != NULL;
    snapshot->notes_shown = false;
    for (size_t i = 0; done && i < snapshot->shown.count; i++) {
        uint32_t index = snapshot->shown.items[i], owner = LG_NONE;
        if (snapshot->analysis != NULL)
            owner = lg_node_owner(snapshot->analysis, index);
        done = remember_node(snapshot, records, index) &&
               (owner == LG_NONE || remember_node(snapshot, records, owner));
    }
    if (!done)
        Py_CLEAR(records);
    else if (PyObject_GC_IsTracked(records))
        PyObject_GC_UnTrack(records);
    return records;
}

PyObject *
lg__kept_answer(lg__snapshot_object *snapshot, PyObject *answer)
{
    if (answer != NULL) {
        PyTypeObject *result =
            lg__object_state(snapshot)->types[LG__TYPE_RESULT];
        if (PyObject_TypeCheck(answer, result))
            ((lg__result_object *)answer)->passing = true;
        snapshot->kept = remember(snapshot);
        if (snapshot->kept != NULL)
            lg__snapshot_forget(snapshot);
        else
            Py_CLEAR(answer);
    }
    Py_XDECREF(snapshot);
    return answer;
}

bool
lg__kept_has(const lg__snapshot_object *snapshot, uint32_t index)
{
    PyObject *key = PyLong_FromUnsignedLong(index);
    int known = key ? PyDict_Contains(snapshot->kept, key) : -1;
    Py_XDECREF(key);
    PyErr_Clear();
    return known == 1;
}

static PyObject *
recall(const lg__node_object *node, int which)
{
    PyObject *key = PyLong_FromUnsignedLong(node->index);
    PyObject *record =
        key ? PyDict_GetItemWithError(node->snapshot->kept, key) : NULL;
    Py_XDECREF(key);
    PyObject *tuple =
        record ? PyMarshal_ReadObjectFromString(PyBytes_AS_STRING(record),
                                                PyBytes_GET_SIZE(record))
               : NULL;
    if (tuple == NULL)
        return NULL;
    PyObject *value = NULL;
    if (PyTuple_Check(tuple) && which < PyTuple_GET_SIZE(tuple))
        value = PyTuple_GET_ITEM(tuple, which);
    if (value == Py_Ellipsis)
        value = NULL;
    Py_XINCREF(value);
    Py_DECREF(tuple);
    return value;
}

PyObject *
lg__kept_repr(const lg__node_object *node)
{
    PyObject *text = recall(node, KEPT_REPR);
    if (text != NULL || PyErr_Occurred())
        return text;
    return PyUnicode_FromFormat("<leakgraph.Node %lu>",
                                (unsigned long)node->index);
}

/* The node with that number, if it is kept, too. */
static PyObject *
node_numbered(const lg__node_object *node, PyObject *number)
{
    if (number == NULL || number == Py_None)
        return number;
    uint32_t index = (uint32_t)PyLong_AsUnsignedLongMask(number);
    Py_DECREF(number);
    if (!lg__kept_has(node->snapshot, index))
        return NULL;
    return lg__node_new(lg__object_state(node->snapshot), node->snapshot,
                        index);
}

PyObject *
lg__kept_attribute(const lg__node_object *node, PyObject *name)
{
    int which = KEPT_TYPE;
    while (which < KEPT_COUNT &&
           PyUnicode_CompareWithASCIIString(name, names[which]) != 0)
        which++;
    PyObject *value = which < KEPT_COUNT ? recall(node, which) : NULL;
    if (which == KEPT_TYPE || which == KEPT_DOMINATOR)
        return node_numbered(node, value);
    if (which != KEPT_RETAINED || value == NULL)
        return value;
    PyObject *size = lg__size_from(
        lg__object_state(node->snapshot)->types[LG__TYPE_SIZE], value);
    Py_DECREF(value);
    return size;
}

/* Makes a closed Snapshot that knows what `kept` says. */
static PyObject *
recalled_snapshot(lg__core_state *state, PyObject *kept)
{
    lg__snapshot_object *self = lg__object_new(state, LG__TYPE_SNAPSHOT);
    if (self == NULL)
        return NULL;
    Py_INCREF(kept);
    self->kept = kept;
    self->closed = true;
    return (PyObject *)self;
}

const char lg__core_recalled_doc[] = "_recalled($module, records, /)\n--\n\n"
                                     "What a pickle holds of a snapshot.";

PyObject *
lg__core_recalled(PyObject *module, PyObject *records)
{
    Py_ssize_t at = 0;
    PyObject *key, *record;
    bool fine = PyDict_CheckExact(records);
    while (fine && PyDict_Next(records, &at, &key, &record))
        fine = PyLong_CheckExact(key) && PyBytes_CheckExact(record);
    if (!fine) {
        PyErr_SetString(lg__module_state(module)->errors[LG__ERROR_ARGUMENT],
                        "The pickle holds no nodes of leakgraph.");
        return NULL;
    }
    return recalled_snapshot(lg__module_state(module), records);
}
