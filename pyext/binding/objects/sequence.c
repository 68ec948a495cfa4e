/**
 * Nodes, Edges and Roots: sequences that make their items on demand. Also the
 * biggest of a sequence, and what a node dominates.
 */
#include "binding/objects/binding_objects.h"
#include "binding/objects/arrow_tables.h"
#include "binding/support/binding_support.h"
#include "binding/objects/rows.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/py_node.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>

PyObject *
lg__nodes_dominated(lg__snapshot_object *snapshot, const lg_analysis *analysis,
                    const lg_node *node)
{
    lg_nodes nodes = {0};
    lg_error error;
    lg_status status = node != NULL
                           ? lg_node_owned(analysis, *node, &nodes, &error)
                           : lg_roots_owned(analysis, &nodes, &error);
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(snapshot), status, &error);
    PyObject *result =
        lg__sequence_of_nodes(lg__object_state(snapshot), snapshot, &nodes);
    lg_nodes_free(&nodes);
    return result;
}

static bool
list_numbers(const lg__sequence_object *self, lg_nodes *out)
{
    if (!lg_nodes_reserve(out, (size_t)self->range.length)) {
        PyErr_NoMemory();
        return false;
    }
    out->count = (size_t)self->range.length;
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = (uint32_t)lg__sequence_number(self, (Py_ssize_t)i);
    return true;
}

static PyObject *
rank(lg__sequence_object *self, const lg_nodes *all, size_t limit,
     const lg_monitor *monitor)
{
    lg_nodes ranked = {0};
    lg_error error;
    lg_status status;
    const lg_analysis *analysis = lg__analysis_acquire(self->snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status = lg_nodes_ranked(analysis, all->items, all->count, 0, limit,
                             &ranked, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(self->snapshot);
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(self), status, &error);
    PyObject *result =
        lg__sequence_of_nodes(lg__object_state(self), self->snapshot, &ranked);
    lg_nodes_free(&ranked);
    return result;
}

const char lg__nodes_biggest_doc[] =
    "biggest($self, /, limit=20, *, progress=None)\n--\n\n"
    "Those that retain the most, the biggest first: Nodes.\n\n"
    "limit     how many; None or 'all' for all\n"
    "progress  as in snapshot()";

static PyObject *
nodes_biggest(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static const char *const names[] = {"limit", "progress", NULL};
    static const lg__arg_list list = {"biggest", names, 1, 0};
    lg__sequence_object *nodes = (lg__sequence_object *)self;
    PyObject *values[2] = {NULL};
    size_t limit = 20;
    lg__progress watch;
    lg_nodes all = {0};
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_rows(values[0], &limit) || !list_numbers(nodes, &all))
        return NULL;
    PyObject *result = NULL;
    if (lg__progress_begin(&watch, values[1]))
        result = lg__progress_end(
            &watch,
            rank(nodes, &all, limit > 0 ? limit : SIZE_MAX, &watch.monitor));
    lg_nodes_free(&all);
    return result;
}

static void
sequence_dealloc(lg__sequence_object *self)
{
    lg_nodes_free(&self->nodes);
    free(self->edges);
    Py_XDECREF(self->snapshot);
    lg__object_free(self);
}

static PyObject *
sequence_item(lg__sequence_object *self, Py_ssize_t i)
{
    if (i < 0 || i >= self->range.length) {
        PyErr_SetString(PyExc_IndexError, "index out of range");
        return NULL;
    }
    lg__core_state *state = lg__object_state(self);
    uint64_t number = lg__sequence_number(self, i);
    if (self->item == LG__TYPE_EDGE)
        return lg__edge_new(state, self->snapshot, number, self->backward);
    if (self->item == LG__TYPE_NODE)
        return lg__node_new(state, self->snapshot, (uint32_t)number);
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    lg_root root = lg_graph_root(graph, (uint32_t)number);
    return lg__root_object(state, self->snapshot, &root);
}

static Py_ssize_t
sequence_length(lg__sequence_object *self)
{
    return self->range.length;
}

/* Makes room for the listed numbers of a slice. */
static bool
make_room(lg__sequence_object *part, const lg__sequence_object *whole)
{
    size_t count = (size_t)part->range.length;
    if (whole->edges != NULL)
        part->edges = malloc((count + 1) * sizeof *part->edges);
    if ((whole->edges != NULL && part->edges == NULL) ||
        (whole->nodes.count != 0 && !lg_nodes_reserve(&part->nodes, count))) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

static bool
copy_listed(lg__sequence_object *to, const lg__sequence_object *from,
            Py_ssize_t start, Py_ssize_t step)
{
    if (!make_room(to, from))
        return false;
    size_t count = (size_t)to->range.length;
    for (size_t i = 0; i < count && from->edges != NULL; i++)
        to->edges[i] = from->edges[start + (Py_ssize_t)i * step];
    if (from->nodes.count == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        to->nodes.items[i] = from->nodes.items[start + (Py_ssize_t)i * step];
    to->nodes.count = count;
    return true;
}

static PyObject *
sequence_slice(lg__sequence_object *self, PyObject *slice)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) < 0)
        return NULL;
    Py_ssize_t length =
        PySlice_AdjustIndices(self->range.length, &start, &stop, step);
    lg__sequence_object *part = (lg__sequence_object *)PyType_GenericAlloc(
        Py_TYPE((PyObject *)self), 0);
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
    if (!copy_listed(part, self, start, step))
        Py_CLEAR(part);
    return (PyObject *)part;
}

static PyObject *
sequence_subscript(lg__sequence_object *self, PyObject *key)
{
    if (PySlice_Check(key))
        return sequence_slice(self, key);
    Py_ssize_t i = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    return sequence_item(self, i < 0 ? i + self->range.length : i);
}

static PyObject *
sequence_repr(lg__sequence_object *self)
{
    lg_text text = {0};
    lg_text_addf(&text, "<%s: ", Py_TYPE((PyObject *)self)->tp_name);
    lg_text_add_count(&text, (uint64_t)self->range.length);
    lg_text_add(&text, ">");
    return lg__text_object(&text);
}

static PyMethodDef roots_methods[] = {
    LG__ROWS_METHODS("roots", "A Node is its index."),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef roots_getset[] = {
    LG__ROWS_JSON("roots"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef nodes_getset[] = {
    LG__ROWS_JSON("nodes"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyGetSetDef edges_getset[] = {
    LG__ROWS_JSON("edges"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef nodes_methods[] = {
    {"biggest", LG__FASTCALL(nodes_biggest), METH_FASTCALL | METH_KEYWORDS,
     lg__nodes_biggest_doc},
    LG__ROWS_METHODS("nodes", "They have the columns of the Arrow table."),
    LG__ARROW_METHOD(lg__sequence_arrow),
    LG__ARROW_SCHEMA_METHOD(lg__sequence_schema),
    {NULL, NULL, 0, NULL},
};

static PyMethodDef edges_methods[] = {
    LG__ROWS_METHODS("edges", "They have the columns of the Arrow table."),
    LG__ARROW_METHOD(lg__sequence_arrow),
    LG__ARROW_SCHEMA_METHOD(lg__sequence_schema),
    {NULL, NULL, 0, NULL},
};

#define SEQUENCE_SLOTS(methods, doc)                                           \
    LG__SLOT(Py_tp_dealloc, sequence_dealloc),                                 \
        LG__SLOT(Py_tp_repr, sequence_repr),                                   \
        LG__SLOT(Py_tp_iter, PySeqIter_New),                                   \
        LG__SLOT(Py_sq_item, sequence_item),                                   \
        LG__SLOT(Py_sq_length, sequence_length),                               \
        LG__SLOT(Py_mp_length, sequence_length),                               \
        LG__SLOT(Py_mp_subscript, sequence_subscript),                         \
        {Py_tp_methods, methods},                                              \
    {                                                                          \
        Py_tp_doc, doc                                                         \
    }

static PyType_Slot nodes_slots[] = {
    SEQUENCE_SLOTS(nodes_methods, "A lazy sequence of Node."),
    {Py_tp_getset, nodes_getset},
    {0, NULL},
};
static PyType_Slot edges_slots[] = {
    SEQUENCE_SLOTS(edges_methods, "A lazy sequence of Edge."),
    {Py_tp_getset, edges_getset},
    {0, NULL},
};
static PyType_Slot roots_slots[] = {
    SEQUENCE_SLOTS(roots_methods, "A lazy sequence of Root."),
    {Py_tp_getset, roots_getset},
    {0, NULL},
};

PyType_Spec lg__nodes_spec = {
    .name = "leakgraph.Nodes",
    .basicsize = sizeof(lg__sequence_object),
    .flags = LG__FINAL_TYPE,
    .slots = nodes_slots,
};
PyType_Spec lg__edges_spec = {
    .name = "leakgraph.Edges",
    .basicsize = sizeof(lg__sequence_object),
    .flags = LG__FINAL_TYPE,
    .slots = edges_slots,
};
PyType_Spec lg__roots_spec = {
    .name = "leakgraph.Roots",
    .basicsize = sizeof(lg__sequence_object),
    .flags = LG__FINAL_TYPE,
    .slots = roots_slots,
};
