/**
 * What a node retains and who dominates it.
 */
#include "binding/objects/py_analysis.h"
#include "binding/objects/sequence.h"
#include "binding/support/binding_support.h"
#include "binding/objects/py_node.h"
#include "binding/objects/size.h"
#include <leakgraph/native.h>
#include <stdlib.h>

PyObject *
lg__node_dominator(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint32_t dominator = lg_node_owner(analysis, self->index);
    if (dominator == LG_NONE)
        Py_RETURN_NONE;
    return lg__node_new(lg__object_state(self), self->snapshot, dominator);
}

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

PyObject *
lg__node_dominated(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    return analysis
               ? lg__nodes_dominated(self->snapshot, analysis, &self->index)
               : NULL;
}

PyObject *
lg__node_retained(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    return analysis ? lg__size_retained(self->snapshot, analysis, self->index)
                    : NULL;
}

PyObject *
lg__node_native(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint64_t bytes;
    lg_error error;
    lg_status status = lg_node_native(analysis, self->index, &bytes, &error);
    return status == LG_OK
               ? PyLong_FromUnsignedLongLong(bytes)
               : lg__error_raise(lg__object_state(self), status, &error);
}

PyObject *
lg__node_is_reachable(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    return PyBool_FromLong(lg_node_is_reachable(analysis, self->index));
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
rank(lg__sequence_object *self, const lg_nodes *all, size_t limit)
{
    lg_nodes ranked = {0};
    lg_error error;
    lg_status status;
    const lg_analysis *analysis = lg__analysis_acquire(self->snapshot, NULL);
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
    "biggest($self, /, limit=20)\n--\n\n"
    "Those that retain the most, the biggest first: Nodes.\n\n"
    "limit  how many; None or 'all' for all";

PyObject *
lg__nodes_biggest(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    static const char *const names[] = {"limit", NULL};
    static const lg__arg_list list = {"biggest", names, 1, 0};
    lg__sequence_object *nodes = (lg__sequence_object *)self;
    PyObject *values[1] = {NULL};
    size_t limit = 20;
    lg_nodes all = {0};
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_rows(values[0], &limit) || !list_numbers(nodes, &all))
        return NULL;
    PyObject *result = rank(nodes, &all, limit > 0 ? limit : SIZE_MAX);
    lg_nodes_free(&all);
    return result;
}
