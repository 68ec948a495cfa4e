/**
 * The attributes of a node that are not columns of the graph.
 */
#include "binding/support/binding_support.h"
#include "binding/objects/py_node.h"

static bool
put(PyObject *facts, lg_string name, lg_string content)
{
    PyObject *key = lg__string_object(name);
    PyObject *value = lg__string_object(content);
    bool done =
        key != NULL && value != NULL && PyDict_SetItem(facts, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return done;
}

PyObject *
lg__node_facts(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    PyObject *facts = graph ? PyDict_New() : NULL;
    lg_string key, value;
    for (uint32_t i = 0;
         facts != NULL && lg_node_fact_at(graph, self->index, i, &key, &value);
         i++)
        if (!put(facts, key, value))
            Py_CLEAR(facts);
    return facts;
}

PyObject *
lg__node_device(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    return lg__string_object(
        lg_graph_device_name(graph, lg_node_device(graph, self->index)));
}
