/** Edge: one reference of a Snapshot, seen from one of its ends. */
#include "binding/objects/binding_objects.h"
#include "binding/objects/rows.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/columns.h>

static void
edge_dealloc(lg__edge_object *self)
{
    Py_XDECREF(self->snapshot);
    lg__object_free(self);
}

static PyObject *
get_index(lg__edge_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->index);
}

static PyObject *
get_source(lg__edge_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    return lg__node_new(lg__object_state(self), self->snapshot,
                        lg_edge_source(graph, self->index));
}

static PyObject *
get_target(lg__edge_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    return lg__node_new(
        lg__object_state(self), self->snapshot,
        lg_columns_target(lg_graph_columns(graph), self->index));
}

static PyObject *
get_node(lg__edge_object *self, void *closure)
{
    return self->backward ? get_source(self, closure)
                          : get_target(self, closure);
}

static PyObject *
get_label(lg__edge_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    lg_text text = {0};
    lg_edge_label(graph, self->index, &text);
    return lg__text_object(&text);
}

/* The kind byte of the edge, or -1. */
static int
kind_byte(lg__edge_object *self)
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph ? lg_columns_kind(lg_graph_columns(graph), self->index) : -1;
}

static PyObject *
get_kind(lg__edge_object *self, void *Py_UNUSED(closure))
{
    int kind = kind_byte(self);
    if (kind < 0)
        return NULL;
    return PyUnicode_FromString(
        lg_edge_kind_name((unsigned)kind & LG_EDGE_KIND_MASK));
}

static PyObject *
get_weak(lg__edge_object *self, void *Py_UNUSED(closure))
{
    int kind = kind_byte(self);
    return kind < 0 ? NULL : PyBool_FromLong(kind & LG_EDGE_WEAK);
}

static PyObject *
get_counted(lg__edge_object *self, void *Py_UNUSED(closure))
{
    int kind = kind_byte(self);
    return kind < 0 ? NULL : PyBool_FromLong(!(kind & LG_EDGE_UNCOUNTED));
}

static PyObject *
get_traversed(lg__edge_object *self, void *Py_UNUSED(closure))
{
    int kind = kind_byte(self);
    return kind < 0 ? NULL : PyBool_FromLong(kind & LG_EDGE_TRAVERSED);
}

static PyGetSetDef edge_getset[] = {
    LG__ROW_JSON,
    {"index", (getter)get_index, NULL, "Its number in the snapshot.", NULL},
    {"source", (getter)get_source, NULL, "The node that holds it.", NULL},
    {"target", (getter)get_target, NULL, "The node that it refers to.", NULL},
    {"node", (getter)get_node, NULL,
     "The other end: the target, or the source in referrers().", NULL},
    {"label", (getter)get_label, NULL,
     "As Python would write it: .x, [0], ['key'].", NULL},
    {"kind", (getter)get_kind, NULL, "'attribute', 'value', 'index' ...", NULL},
    {"weak", (getter)get_weak, NULL, "Whether it keeps nothing alive.", NULL},
    {"counted", (getter)get_counted, NULL,
     "Whether the target's reference count includes it.", NULL},
    {"traversed", (getter)get_traversed, NULL,
     "Whether CPython's collector sees it.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *
edge_reduce(lg__edge_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *where = lg__handle_path(self->snapshot, "edge");
    PyObject *place =
        where ? Py_BuildValue("(OKO)", where, (unsigned long long)self->index,
                              self->backward ? Py_True : Py_False)
              : NULL;
    PyObject *reduced =
        place ? lg__python_call(lg__object_state(self), "leakgraph.pickled",
                                "reduced_edge", place)
              : NULL;
    Py_XDECREF(place);
    return reduced;
}

const char lg__core_edge_doc[] =
    "_edge($module, snapshot, index, backward, /)\n--\n\n"
    "The edge with that number, as its source or its target sees it.";

PyObject *
lg__core_edge(PyObject *module, PyObject *args)
{
    lg__core_state *state = lg__module_state(module);
    lg__snapshot_object *snapshot;
    unsigned long long index;
    int backward;
    if (!PyArg_ParseTuple(args, "O!Kp:_edge", state->types[LG__TYPE_SNAPSHOT],
                          &snapshot, &index, &backward))
        return NULL;
    lg_graph *graph = lg__snapshot_graph(snapshot);
    if (graph == NULL)
        return NULL;
    if (index < lg_graph_columns(graph)->edge_count)
        return lg__edge_new(state, snapshot, index, backward);
    PyErr_SetString(state->errors[LG__ERROR_NOT_FOUND],
                    "The snapshot has no such edge.");
    return NULL;
}

static PyMethodDef edge_methods[] = {
    LG__ROW_TO_DICT("It has the columns of the Arrow table of edges."),
    {"__reduce__", (PyCFunction)edge_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\n"},
    {"__copy__", lg__handle_copy, METH_NOARGS, "__copy__($self, /)\n--\n\n"},
    {"__deepcopy__", lg__handle_copy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyObject *
edge_repr(lg__edge_object *self)
{
    lg_graph *graph = self->snapshot->graph;
    if (self->snapshot->closed)
        return PyUnicode_FromString("<leakgraph.Edge of a closed snapshot>");
    lg_text text = {0};
    lg_text_add(&text, "<leakgraph.Edge: ");
    lg_node_title(graph, lg_edge_source(graph, self->index), false, &text);
    lg_text_add(&text, " ");
    lg_edge_label(graph, self->index, &text);
    lg_text_add(&text, " -> ");
    lg_node_title(graph,
                  lg_columns_target(lg_graph_columns(graph), self->index),
                  false, &text);
    lg_text_add(&text, ">");
    return lg__text_object(&text);
}

static PyObject *
edge_richcompare(lg__edge_object *self, PyObject *other, int operation)
{
    if (Py_TYPE(other) != Py_TYPE((PyObject *)self) ||
        (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    lg__edge_object *that = (lg__edge_object *)other;
    return lg__handle_compare(self->snapshot, self->index, that->snapshot,
                              that->index, operation);
}

static Py_hash_t
edge_hash(lg__edge_object *self)
{
    return lg__handle_hash(self->index);
}

static PyType_Slot edge_slots[] = {
    LG__SLOT(Py_tp_dealloc, edge_dealloc),
    LG__SLOT(Py_tp_repr, edge_repr),
    LG__SLOT(Py_tp_richcompare, edge_richcompare),
    LG__SLOT(Py_tp_hash, edge_hash),
    {Py_tp_getset, edge_getset},
    {Py_tp_methods, edge_methods},
    {Py_tp_doc, "A reference from one object of a snapshot to another.\n\n"
                "Edges are equal if their index is, and their snapshot or its "
                "file."},
    {0, NULL},
};

PyType_Spec lg__edge_spec = {
    .name = "leakgraph.Edge",
    .basicsize = sizeof(lg__edge_object),
    .flags = LG__FINAL_TYPE,
    .slots = edge_slots,
};
