/** Cycle: a row of cycles(), with its objects, its path and its picture. */
#include "binding/answers/binding_answers.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include "binding/objects/binding_objects.h"
#include "binding/pictures/binding_pictures.h"
#include "binding/support/binding_support.h"
#include <stdlib.h>
#include <string.h>

/* The places of fields in the tuple. */
enum {
    KIND = 0,
    RETAINED = 4,
    OBJECTS = 5,
    NODE = 6,
    CYCLE = 7,
    CUTS = 9,
    KEPT = 18, /* not an item but an attribute; see keep_cycles() */
};

/* What a cycle keeps if its snapshot goes with the call. */
enum { KEPT_TYPES, KEPT_PATH, KEPT_DRAWING, KEPT_NODES, KEPT_COUNT };

/* How many cycles keep a path and a picture, for each takes a search of its
 * own, and nodes; and how many nodes each of them keeps. */
enum { SEARCHED = 20, MEMBERS = 100 };

/* The node that the cycle is known by. NULL with TypeError if somebody made the
 * tuple with something else. */
static lg__node_object *
node_of(PyObject *self)
{
    PyObject *node = PyTuple_GET_ITEM(self, NODE);
    if (lg__node_check(node))
        return (lg__node_object *)node;
    PyErr_SetString(PyExc_TypeError, "the node of the Cycle is no Node");
    return NULL;
}

/* What the cycle has kept, a new reference. NULL without an exception: ask the
 * snapshot. */
static PyObject *
kept_part(PyObject *self, Py_ssize_t which)
{
    PyObject *kept = PyStructSequence_GetItem(self, KEPT);
    if (!PyTuple_CheckExact(kept) || PyTuple_GET_SIZE(kept) != KEPT_COUNT)
        return NULL;
    PyObject *part = PyTuple_GET_ITEM(kept, which);
    if (part == Py_Ellipsis)
        return NULL;
    Py_INCREF(part);
    return part;
}

/* Where a cycle is. */
typedef struct place {
    lg__snapshot_object *snapshot;
    const lg_analysis *analysis;
    uint32_t component;
} place;

/* Finds the cycle in the analysis; false with an exception. */
static bool
locate(PyObject *self, place *out)
{
    lg__node_object *node = node_of(self);
    const lg_analysis *analysis =
        node != NULL ? lg__analysis_get(node->snapshot) : NULL;
    if (analysis == NULL)
        return false;
    *out = (place){node->snapshot, analysis,
                   lg_node_component(analysis, node->index)};
    if (out->component == LG_NONE)
        PyErr_SetString(PyExc_ValueError, "the node is in no cycle");
    return out->component != LG_NONE;
}

static PyObject *
edges_of(const place *at, uint64_t *edges, size_t count)
{
    if (edges == NULL)
        return PyErr_NoMemory();
    return lg__sequence_of_edges(lg__object_state(at->snapshot), at->snapshot,
                                 edges, (Py_ssize_t)count);
}

/* The first nodes of a cycle, at most `limit`. */
static PyObject *
first_nodes(PyObject *self, uint32_t limit)
{
    place at;
    if (!locate(self, &at))
        return NULL;
    lg_component component = lg_analysis_component(at.analysis, at.component);
    uint32_t count = component.count < limit ? component.count : limit;
    lg_nodes nodes = {0};
    if (!lg_nodes_reserve(&nodes, count))
        return PyErr_NoMemory();
    nodes.count = count;
    memcpy(nodes.items, component.nodes, count * sizeof *nodes.items);
    PyObject *result = lg__sequence_of_nodes(lg__object_state(at.snapshot),
                                             at.snapshot, &nodes);
    lg_nodes_free(&nodes);
    return result;
}

static PyObject *
get_nodes(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *kept = kept_part(self, KEPT_NODES);
    return kept ? kept : first_nodes(self, UINT32_MAX);
}

/* Makes the nodes that stay, so that their snapshot keeps their facts. */
static PyObject *
keep_nodes(PyObject *self)
{
    PyObject *nodes = first_nodes(self, MEMBERS);
    PyObject *list = nodes ? PySequence_List(nodes) : NULL;
    if (list == NULL)
        Py_CLEAR(nodes);
    Py_XDECREF(list);
    return nodes;
}

/* Lists the strong edges between members; counts only when `edges` is NULL. */
static size_t
inner_edges(const lg_analysis *analysis, uint32_t index, uint64_t *edges)
{
    lg_component component = lg_analysis_component(analysis, index);
    const lg_columns *columns = lg_graph_columns(lg_analysis_graph(analysis));
    size_t count = 0;
    for (uint32_t i = 0; i < component.count; i++) {
        const lg_edge_range range =
            lg_columns_edges(columns, component.nodes[i]);
        for (uint64_t e = range.begin; e < range.end; e++) {
            if (lg_columns_kind(columns, e) & LG_EDGE_WEAK ||
                lg_node_component(analysis, lg_columns_target(columns, e)) !=
                    index)
                continue;
            if (edges != NULL)
                edges[count] = e;
            count++;
        }
    }
    return count;
}

static PyObject *
get_edges(PyObject *self, void *Py_UNUSED(closure))
{
    place at;
    if (!locate(self, &at))
        return NULL;
    size_t count = inner_edges(at.analysis, at.component, NULL);
    uint64_t *edges = malloc((count + 1) * sizeof *edges);
    if (edges != NULL)
        inner_edges(at.analysis, at.component, edges);
    return edges_of(&at, edges, count);
}

/* The types of the nodes: a tuple of TypeRow. */
static PyObject *
type_rows(lg__snapshot_object *snapshot, lg_component of)
{
    const lg_question *question = lg_question_find("types");
    const lg_type_options options = {
        .size = sizeof options, .nodes = of.nodes, .node_count = of.count};
    const lg_ask ask = {.graph = lg__snapshot_graph(snapshot)};
    lg_types types;
    lg_table *table = NULL;
    lg_error error;
    lg_status status = lg_graph_types(ask.graph, &options, &types, &error);
    if (status == LG_OK) {
        status = lg_question_tabulate(question, &ask, &types, &table, &error);
        lg_types_free(&types);
    }
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(snapshot), status, &error);
    PyObject *rows = lg__answer_rows(snapshot, question, table);
    lg_table_free(table);
    return rows;
}

static PyObject *
get_types(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *kept = kept_part(self, KEPT_TYPES);
    if (kept != NULL)
        return kept;
    place at;
    if (!locate(self, &at))
        return NULL;
    return type_rows(at.snapshot,
                     lg_analysis_component(at.analysis, at.component));
}

static PyObject *
get_cut(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *cuts = PyTuple_GET_ITEM(self, CUTS);
    PyObject *first = Py_None;
    if (PyTuple_Check(cuts) && PyTuple_GET_SIZE(cuts) > 0)
        first = PyTuple_GET_ITEM(cuts, 0);
    Py_INCREF(first);
    return first;
}

/* The references of all cuts; *count says how many. NULL: memory ran out. */
static uint64_t *
list_cuts(const lg_cycle *cycle, size_t *count)
{
    size_t all = cycle->cut_count;
    for (size_t i = 0; i < cycle->cut_count; i++)
        all += cycle->cuts[i].alike;
    uint64_t *edges = malloc((all + 1) * sizeof *edges);
    *count = 0;
    for (size_t i = 0; edges != NULL && i < cycle->cut_count; i++) {
        const lg_cycle_cut *cut = &cycle->cuts[i];
        edges[(*count)++] = cut->hop.edges[cut->hop.edge_count - 1];
        for (size_t k = 0; k < cut->alike; k++)
            edges[(*count)++] = cut->edges[k];
    }
    return edges;
}

static PyObject *
get_cut_edges(PyObject *self, void *Py_UNUSED(closure))
{
    place at;
    lg_cycles found = {0};
    lg_error error;
    lg_status status;
    size_t count;
    PyObject *cuts = PyTuple_GET_ITEM(self, CUTS);
    if (!locate(self, &at))
        return NULL;
    /* To answer again takes a walk over the whole graph. */
    if (PyTuple_Check(cuts) && PyTuple_GET_SIZE(cuts) == 0)
        return edges_of(&at, malloc(sizeof(uint64_t)), 0);
    if (lg__snapshot_acquire(at.snapshot) == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_component_cycle(at.analysis, at.component, NULL, &found, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(at.snapshot);
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(at.snapshot), status, &error);
    uint64_t *edges = list_cuts(found.items, &count);
    lg_cycles_free(&found);
    return edges_of(&at, edges, count);
}

static PyObject *
get_path(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *kept = kept_part(self, KEPT_PATH);
    if (kept != NULL)
        return kept;
    PyObject *kind = PyTuple_GET_ITEM(self, KIND);
    lg__node_object *node = node_of(self);
    if (node == NULL)
        return NULL;
    if (!PyUnicode_Check(kind) ||
        PyUnicode_CompareWithASCIIString(
            kind, lg_cycle_kind_name(LG_CYCLE_HELD)) != 0)
        Py_RETURN_NONE;
    return lg__path_to(node->snapshot, node->index);
}

static lg_status
see(const lg_analysis *analysis, const void *component, lg_view **out,
    lg_error *error)
{
    lg_cycles found;
    lg_status status = lg_component_cycle(
        analysis, *(const uint32_t *)component, NULL, &found, error);
    if (status != LG_OK)
        return status;
    status = lg_view_cycle(analysis, found.items, out, error);
    lg_cycles_free(&found);
    return status;
}

static PyObject *
get_drawing(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *kept = kept_part(self, KEPT_DRAWING);
    if (kept != NULL)
        return kept;
    place at;
    if (!locate(self, &at))
        return NULL;
    return lg__picture_of(at.snapshot, see, &at.component);
}

/* What the cycle keeps: a tuple in the order of KEPT_TYPES ... */
static PyObject *
kept_of(PyObject *self, bool searched)
{
    PyObject *kept = PyTuple_New(KEPT_COUNT);
    for (Py_ssize_t part = 0; kept != NULL && part < KEPT_COUNT; part++) {
        PyObject *value = Py_Ellipsis;
        if (part == KEPT_TYPES)
            value = get_types(self, NULL);
        else if (!searched)
            Py_INCREF(value);
        else if (part == KEPT_NODES)
            value = keep_nodes(self);
        else
            value = part == KEPT_PATH ? get_path(self, NULL)
                                      : get_drawing(self, NULL);
        if (value == NULL)
            Py_CLEAR(kept);
        else
            PyTuple_SET_ITEM(kept, part, value);
    }
    return kept;
}

static bool
keep_cycle(PyObject *self, bool searched)
{
    PyObject *kept = kept_of(self, searched);
    if (kept == NULL)
        return false;
    PyObject *none = PyStructSequence_GetItem(self, KEPT);
    PyStructSequence_SetItem(self, KEPT, kept);
    Py_DECREF(none);
    return true;
}

static bool
keep_cycles(PyObject *rows)
{
    Py_ssize_t count = PyTuple_GET_SIZE(rows);
    for (Py_ssize_t i = 0; i < count; i++)
        if (!keep_cycle(PyTuple_GET_ITEM(rows, i), i < SEARCHED))
            return false;
    return true;
}

/* Pickles the items alone, because a picture cannot be pickled. */
static PyObject *
cycle_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *items = PyTuple_GetSlice(self, 0, KEPT);
    return items ? Py_BuildValue("(O(N))", (PyObject *)Py_TYPE(self), items)
                 : NULL;
}

static PyObject *
cycle_str(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return PyObject_Str(PyTuple_GET_ITEM(self, CYCLE));
}

static PyObject *
cycle_repr(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *objects = PyTuple_GET_ITEM(self, OBJECTS);
    bool one = PyLong_AsLong(objects) == 1;
    return PyUnicode_FromFormat(
        "<leakgraph.Cycle, %S: %S object%s, retains %S: %S>",
        PyTuple_GET_ITEM(self, KIND), objects, one ? "" : "s",
        PyTuple_GET_ITEM(self, RETAINED), PyTuple_GET_ITEM(self, CYCLE));
}

static PyObject *
cycle_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__picture_ask(get_drawing(self, NULL), "_repr_svg_", NULL, 0,
                           NULL);
}

static PyGetSetDef getset[] = {
    {"nodes", get_nodes, NULL,
     "All its objects: Nodes. Of the 20 biggest cycles, the first 100 stay "
     "usable\nwithout the snapshot.",
     NULL},
    {"edges", get_edges, NULL,
     "The strong references among them: Edges. Needs the snapshot.", NULL},
    {"types", get_types, NULL,
     "Their types: a tuple of TypeRow(count, size, spent, type), the most "
     "bytes\n"
     "first.",
     NULL},
    {"cut", get_cut, NULL, "The first of cuts, or None.", NULL},
    {"cut_edges", get_cut_edges, NULL,
     "All references to cut, including those that are alike: Edges. Needs the "
     "snapshot.",
     NULL},
    {"path", get_path, NULL,
     "A shortest Path from a root to a held cycle; else None.", NULL},
    {"drawing", get_drawing, NULL, "A Drawing of it.", NULL},
};

static PyMethodDef methods[] = {
    {"__str__", cycle_str, METH_NOARGS, NULL},
    {"__repr__", cycle_repr, METH_NOARGS, NULL},
    {"__reduce__", cycle_reduce, METH_NOARGS, NULL},
    {"_repr_svg_", cycle_repr_svg, METH_NOARGS, "_repr_svg_($self, /)\n--\n\n"},
};

static int
finish_type(PyTypeObject *type)
{
    for (size_t i = 0; i < sizeof getset / sizeof *getset; i++)
        if (lg__row_type_add(type, getset[i].name,
                             PyDescr_NewGetSet(type, &getset[i])) < 0)
            return -1;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (lg__row_type_add(type, methods[i].ml_name,
                             PyDescr_NewMethod(type, &methods[i])) < 0)
            return -1;
    return 0;
}

static PyObject *
cycles_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "cycles_html", self);
}

static PyMethodDef cycles_methods[] = {
    {"_repr_html_", cycles_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

const lg__answer_extras lg__cycle_extras = {
    .question = "cycles",
    .hidden = "_kept",
    .finish = finish_type,
    .keep = keep_cycles,
    .methods = cycles_methods,
    .snapshot = "The snapshot that they are part of.",
};
