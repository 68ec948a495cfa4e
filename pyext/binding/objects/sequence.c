#include "binding/objects/sequence.h"
#include "binding/objects/arrow_tables.h"
#include "binding/support/convert.h"
#include "binding/support/python_call.h"
#include <stdlib.h>

static void
sequence_dealloc(sequence_object *self)
{
    free(self->items);
    Py_XDECREF(self->snapshot);
    object_free(self);
}

uint64_t
sequence_number(const sequence_object *self, Py_ssize_t i)
{
    if (self->items != NULL)
        return self->items[i];
    return self->range.start + (uint64_t)(i * self->range.step);
}

static PyObject *
sequence_item(sequence_object *self, Py_ssize_t i)
{
    if (i < 0 || i >= self->range.length) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    core_state *state = object_state(self);
    uint64_t number = sequence_number(self, i);
    if (self->item == TYPE_EDGE)
        return edge_new(state, self->snapshot, number, self->backward);
    if (self->item == TYPE_NODE)
        return node_new(state, self->snapshot, (uint32_t)number);
    lg_graph *graph = snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    lg_root root = lg_graph_root(graph, (uint32_t)number);
    return root_object(state, self->snapshot, &root);
}

static Py_ssize_t
sequence_length(sequence_object *self)
{
    return self->range.length;
}

static int
copy_items(sequence_object *to, const sequence_object *from, Py_ssize_t start,
           Py_ssize_t step)
{
    size_t count = (size_t)to->range.length;
    to->items = malloc((count + 1) * sizeof *to->items);
    if (to->items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        to->items[i] = from->items[start + (Py_ssize_t)i * step];
    return 0;
}

static PyObject *
sequence_slice(sequence_object *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t length =
        PySlice_AdjustIndices(self->range.length, &start, &stop, step);
    sequence_object *part =
        (sequence_object *)PyType_GenericAlloc(Py_TYPE((PyObject *)self), 0);
    if (part == NULL)
        return NULL;
    Py_INCREF(self->snapshot);
    part->snapshot = self->snapshot;
    part->item = self->item;
    part->backward = self->backward;
    part->range.length = length;
    part->range.step = self->range.step * step;
    part->range.start =
        self->range.start + (uint64_t)(start * self->range.step);
    if (self->items != NULL && copy_items(part, self, start, step) < 0)
        Py_CLEAR(part);
    return (PyObject *)part;
}

static PyObject *
sequence_subscript(sequence_object *self, PyObject *key)
{
    if (PySlice_Check(key))
        return sequence_slice(self, key);
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    return sequence_item(self, i < 0 ? i + self->range.length : i);
}

static PyObject *
sequence_repr(sequence_object *self)
{
    lg_text text = {0};
    lg_text_addf(&text, "<%s: ", Py_TYPE((PyObject *)self)->tp_name);
    lg_text_add_count(&text, (uint64_t)self->range.length);
    lg_text_add(&text, ">");
    return text_object(&text);
}

static PyObject *
roots_json(PyObject *self, void *Py_UNUSED(closure))
{
    return python_call(object_state(self), "leakgraph.frames", "to_json", self);
}

static PyObject *
roots_to_dicts(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.frames", "to_dicts",
                       self);
}

static PyObject *
roots_to_pandas(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.frames", "roots_pandas",
                       self);
}

static PyMethodDef roots_methods[] = {
    {"to_dicts", roots_to_dicts, METH_NOARGS,
     "to_dicts($self, /)\n--\n\nThe roots as a list of dicts: a Node is its "
     "index."},
    {"to_pandas", roots_to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\nThe roots as a pandas.DataFrame: a Node is "
     "its index."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef roots_getset[] = {
    {"json", roots_json, NULL, "The roots as JSON, a str.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef nodes_methods[] = {
    {"biggest", FASTCALL(nodes_biggest), METH_FASTCALL | METH_KEYWORDS,
     nodes_biggest_doc},
    ARROW_METHOD(nodes_arrow),
    ARROW_SCHEMA_METHOD(nodes_schema),
    {NULL, NULL, 0, NULL},
};

static PyMethodDef edges_methods[] = {
    ARROW_METHOD(edges_arrow),
    ARROW_SCHEMA_METHOD(edges_schema),
    {NULL, NULL, 0, NULL},
};

#define SEQUENCE_SLOTS(methods, doc)                                           \
    SLOT(Py_tp_dealloc, sequence_dealloc), SLOT(Py_tp_repr, sequence_repr),    \
        SLOT(Py_tp_iter, PySeqIter_New), SLOT(Py_sq_item, sequence_item),      \
        SLOT(Py_sq_length, sequence_length),                                   \
        SLOT(Py_mp_length, sequence_length),                                   \
        SLOT(Py_mp_subscript, sequence_subscript), {Py_tp_methods, methods},   \
    {                                                                          \
        Py_tp_doc, doc                                                         \
    }

static PyType_Slot nodes_slots[] = {
    SEQUENCE_SLOTS(nodes_methods, "A lazy sequence of Node."),
    {0, NULL},
};
static PyType_Slot edges_slots[] = {
    SEQUENCE_SLOTS(edges_methods, "A lazy sequence of Edge."),
    {0, NULL},
};
static PyType_Slot roots_slots[] = {
    SEQUENCE_SLOTS(roots_methods, "A lazy sequence of Root."),
    {Py_tp_getset, roots_getset},
    {0, NULL},
};

PyType_Spec nodes_spec = {
    .name = "leakgraph.Nodes",
    .basicsize = sizeof(sequence_object),
    .flags = FINAL_TYPE,
    .slots = nodes_slots,
};
PyType_Spec edges_spec = {
    .name = "leakgraph.Edges",
    .basicsize = sizeof(sequence_object),
    .flags = FINAL_TYPE,
    .slots = edges_slots,
};
PyType_Spec roots_spec = {
    .name = "leakgraph.Roots",
    .basicsize = sizeof(sequence_object),
    .flags = FINAL_TYPE,
    .slots = roots_slots,
};
