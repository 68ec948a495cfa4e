/**
 * What a node retains and who dominates it.
 */
#include "binding/objects/py_analysis.h"
#include "binding/support/errors.h"
#include "binding/objects/py_node.h"
#include "binding/objects/size.h"
#include <leakgraph/answers.h>

PyObject *
node_dominator(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint32_t dominator = lg_node_owner(analysis, self->index);
    if (dominator == LG_NONE)
        Py_RETURN_NONE;
    return node_new(object_state(self), self->snapshot, dominator);
}

PyObject *
nodes_dominated(snapshot_object *snapshot, const lg_analysis *analysis,
                uint32_t node)
{
    lg_nodes nodes = {0};
    lg_error error;
    lg_status status = lg_node_owned(analysis, node, &nodes, &error);
    if (status != LG_OK)
        return error_raise(object_state(snapshot), status, &error);
    PyObject *result =
        sequence_of_nodes(object_state(snapshot), snapshot, &nodes);
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
    return analysis ? size_retained(self->snapshot, analysis, self->index)
                    : NULL;
}

PyObject *
node_is_reachable(node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    return PyBool_FromLong(lg_node_is_reachable(analysis, self->index));
}
