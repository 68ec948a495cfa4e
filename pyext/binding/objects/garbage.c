/**
 * What the garbage collector would free.
 */
#include "binding/objects/handle.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>

static lg_status
list_collectable(const lg_graph *graph, lg_nodes *out, lg_error *error)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    uint8_t *flags;
    lg_status status = lg_graph_collectable(graph, &flags, error);
    if (status != LG_OK)
        return status;
    bool enough = lg_nodes_reserve(out, count);
    for (uint32_t i = 0; enough && i < count; i++)
        if (flags[i])
            out->items[out->count++] = i;
    free(flags);
    if (!enough)
        return lg_error_set(error, LG_ENOMEM, "Memory ran out.");
    return LG_OK;
}

PyObject *
lg__snapshot_collectable(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_nodes nodes = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = list_collectable(graph, &nodes, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    lg__core_state *state = lg__object_state(self);
    PyObject *result = status == LG_OK
                           ? lg__sequence_of_nodes(state, snapshot, &nodes)
                           : lg__error_raise(state, status, &error);
    lg_nodes_free(&nodes);
    return result;
}
