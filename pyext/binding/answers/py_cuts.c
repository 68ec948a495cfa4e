#include "binding/answers/py_cuts.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <stdlib.h>
#include <string.h>

static bool
add_edges(lg_edges *all, const lg_edges *more)
{
    if (lg_edges_add(all, more, NULL) == LG_OK)
        return true;
    PyErr_NoMemory();
    return false;
}

static bool
add_edge(lg_edges *all, lg_edge edge)
{
    const lg_edges one = {&edge, 1};
    return add_edges(all, &one);
}

static lg_status
find_references(const lg_graph *graph, const char *text,
                const lg_monitor *monitor, void *edges, lg_error *error)
{
    return lg_graph_references(graph, text, monitor, edges, error);
}

static bool
add_text(lg__snapshot_object *snapshot, PyObject *text, lg_edges *out)
{
    return lg__target_look_up(snapshot, "the reference", text, find_references,
                              out);
}

static bool
is_of(lg__snapshot_object *snapshot, const void *own)
{
    if (own == snapshot)
        return true;
    PyErr_SetString(lg__object_state(snapshot)->errors[LG__ERROR_ARGUMENT],
                    "The reference belongs to another snapshot.");
    return false;
}

/* All references with that label from one node to the other. */
static bool
add_labelled(lg_graph *graph, const lg_hops *hops, uint32_t target,
             const char *label, lg_edges *out)
{
    lg_text text = {0};
    bool going = true;
    for (size_t i = 0; going && i < hops->count; i++) {
        const lg_hop *hop = &hops->items[i];
        lg_text_free(&text);
        lg_hop_label(graph, hop, &text);
        if (hop->target == target && !hop->weak && text.data != NULL &&
            strcmp(text.data, label) == 0)
            going = add_edge(out, hop->edges[hop->edge_count - 1]);
    }
    lg_text_free(&text);
    return going;
}

/* Takes a Hop, or another row that begins like one. */
static bool
add_hop(lg__snapshot_object *snapshot, PyObject *hop, lg_edges *out)
{
    const char *label = PyUnicode_AsUTF8(PyTuple_GET_ITEM(hop, 0));
    const lg__node_object *source =
        (const lg__node_object *)PyTuple_GET_ITEM(hop, 1);
    const lg__node_object *target =
        (const lg__node_object *)PyTuple_GET_ITEM(hop, 2);
    lg_graph *graph = lg__snapshot_graph(snapshot);
    lg_hops hops = {0};
    lg_error error;
    if (label == NULL || graph == NULL || !is_of(snapshot, source->snapshot))
        return false;
    lg_status status = lg_node_hops_out(graph, source->index, &hops, &error);
    if (status != LG_OK) {
        lg__error_raise(lg__object_state(snapshot), status, &error);
        return false;
    }
    bool added = add_labelled(graph, &hops, target->index, label, out);
    lg_hops_free(&hops);
    return added;
}

static bool
add_reference(lg__snapshot_object *snapshot, PyObject *one, lg_edges *out)
{
    lg__core_state *state = lg__object_state(snapshot);
    PyTypeObject *type = Py_TYPE(one);
    if (PyUnicode_Check(one))
        return add_text(snapshot, one, out);
    if (type == state->types[LG__TYPE_EDGE])
        return is_of(snapshot, ((lg__edge_object *)one)->snapshot) &&
               add_edge(out, ((lg__edge_object *)one)->index);
    if (type == state->types[LG__TYPE_HOP] ||
        type == state->types[LG__TYPE_CYCLE_CUT])
        return add_hop(snapshot, one, out);
    PyErr_Format(PyExc_TypeError,
                 "cut takes texts such as '__main__.losses[*]', Edge and Hop, "
                 "not %.100s",
                 type->tp_name);
    return false;
}

static bool
is_one(lg__core_state *state, PyObject *cut)
{
    PyTypeObject *type = Py_TYPE(cut);
    return PyUnicode_Check(cut) || type == state->types[LG__TYPE_EDGE] ||
           type == state->types[LG__TYPE_HOP] ||
           type == state->types[LG__TYPE_CYCLE_CUT];
}

bool
lg__cuts_collect(lg__snapshot_object *snapshot, PyObject *cut, lg_edges *out)
{
    PyObject *all = NULL;
    if (is_one(lg__object_state(snapshot), cut))
        return add_reference(snapshot, cut, out);
    if (!lg__arg_objects("cut", cut, &all))
        return false;
    bool going = true;
    for (Py_ssize_t i = 0; all && going && i < PySequence_Fast_GET_SIZE(all);
         i++)
        going = add_reference(snapshot, PySequence_Fast_GET_ITEM(all, i), out);
    Py_XDECREF(all);
    return going;
}

const lg__answer_extras lg__what_if_extras = {
    .question = "what_if",
    .nodes = "The objects that would die: Nodes.",
};
