/**
 * What a node retains and who dominates it.
 */
#include "binding/objects/py_analysis.h"
#include "binding/support/device.h"
#include "binding/objects/py_node.h"
#include "binding/objects/sequence.h"
#include <stdlib.h>

/* The object that a namespace or closure is drawn as: the answer must not
 * depend on whether this Python keeps attributes in a dict. */
static uint32_t
unfolded(const lg_graph *graph, uint32_t node)
{
    uint32_t owner = node;
    while (owner != LG_NONE) {
        node = owner;
        owner = lg_node_folded_into(graph, node);
    }
    return node;
}

PyObject *
node_dominator(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint32_t dominator = unfolded(lg_analysis_graph(analysis),
                                  lg_node_dominator(analysis, self->index));
    if (dominator == LG_NONE)
        Py_RETURN_NONE;
    return node_new(object_state(self), self->snapshot, dominator);
}

/* ----------------------------------------------------------- dominated --- */

static bool
append_dominated(const lg_analysis *analysis, uint32_t node, lg_nodes *nodes)
{
    uint32_t count = lg_node_dominated(analysis, node, NULL, 0);
    size_t total = nodes->count + count;
    uint32_t *items = realloc(nodes->items, (total + 1) * sizeof *items);
    if (items == NULL)
        return false;
    lg_node_dominated(analysis, node, items + nodes->count, count);
    *nodes = (lg_nodes){items, total};
    return true;
}

static int
compare_retained(const void *left, const void *right, void *analysis)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    lg_bytes bytes_a = lg_node_retained(analysis, a);
    lg_bytes bytes_b = lg_node_retained(analysis, b);
    uint64_t total_a = bytes_a.host + bytes_a.device;
    uint64_t total_b = bytes_b.host + bytes_b.device;
    if (total_a != total_b)
        return total_a > total_b ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* In place of each namespace that folds into the node, what it dominates. */
static bool
gather_dominated(const lg_analysis *analysis, uint32_t node, lg_nodes *nodes)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    size_t kept = 0;
    if (!append_dominated(analysis, node, nodes))
        return false;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t item = nodes->items[i];
        if (node == LG_NONE || unfolded(graph, item) != node) {
            nodes->items[kept++] = item;
            continue;
        }
        if (!append_dominated(analysis, item, nodes))
            return false;
    }
    nodes->count = kept;
    qsort_r(nodes->items, kept, sizeof *nodes->items, compare_retained,
            (void *)(uintptr_t)analysis);
    return true;
}

PyObject *
nodes_dominated(snapshot_object *snapshot, const lg_analysis *analysis,
                uint32_t node)
{
    lg_nodes nodes = {0};
    PyObject *result =
        gather_dominated(analysis, node, &nodes)
            ? sequence_of_nodes(object_state(snapshot), snapshot, &nodes)
            : PyErr_NoMemory();
    lg_nodes_free(&nodes);
    return result;
}

PyObject *
node_dominated(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    return analysis ? nodes_dominated(self->snapshot, analysis, self->index)
                    : NULL;
}

PyObject *
node_retained(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    return PyLong_FromUnsignedLongLong(
        lg_node_retained(analysis, self->index).host);
}

PyObject *
node_retained_total(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    lg_bytes bytes = lg_node_retained(analysis, self->index);
    return PyLong_FromUnsignedLongLong(bytes.host + bytes.device);
}

PyObject *
node_is_reachable(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    return PyBool_FromLong(lg_node_is_reachable(analysis, self->index));
}

PyObject *
node_retained_on(node_object *self, PyObject *name)
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    uint32_t device;
    if (analysis == NULL ||
        !device_named(object_state(self), lg_analysis_graph(analysis), name,
                      &device))
        return NULL;
    return PyLong_FromUnsignedLongLong(
        lg_node_retained_on(analysis, self->index, device));
}
