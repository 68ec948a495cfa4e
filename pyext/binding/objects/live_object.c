/** Finds the object of a node again, among the objects that the collector
 *  knows: an address alone may be that of freed memory. */
#include "binding/objects/allocation.h"

#include <leakgraph/internal/columns.h>
#include "binding/objects/target.h"
#include "capture/common/capture_common.h"

/* How many referrers of an object that the collector does not track to ask. */
enum { REFERRERS = 8 };

/* The object of the node if the list has it: a new reference, or NULL. */
static PyObject *
find_in(PyObject *list, const lg_graph *graph, uint32_t node)
{
    const uint64_t address = lg_columns_address(lg_graph_columns(graph), node);
    for (Py_ssize_t i = 0; address != 0 && i < PyList_GET_SIZE(list); i++) {
        PyObject *object = PyList_GET_ITEM(list, i);
        if ((uint64_t)(uintptr_t)object != address)
            continue;
        if (!lg__target_has_type(graph, node, object))
            return NULL;
        Py_INCREF(object);
        return object;
    }
    return NULL;
}

static PyObject *
find_behind(PyObject *collector, PyObject *holder, const lg_graph *graph,
            uint32_t node)
{
    PyObject *list = lg__method_call(collector, "get_referents", holder);
    PyObject *found = list ? find_in(list, graph, node) : NULL;
    Py_XDECREF(list);
    return found;
}

/* Asks the objects that referred to it. */
static PyObject *
find_held(PyObject *collector, PyObject *tracked, const lg_graph *graph,
          uint32_t node)
{
    lg_edge edges[REFERRERS];
    PyObject *found = NULL;
    uint64_t count;
    Py_BEGIN_ALLOW_THREADS
    count = lg_node_referrers(graph, node, edges, REFERRERS);
    Py_END_ALLOW_THREADS
    if (count == UINT64_MAX)
        return NULL;
    for (uint64_t i = 0; found == NULL && i < count && i < REFERRERS; i++) {
        PyObject *holder =
            find_in(tracked, graph, lg_edge_source(graph, edges[i]));
        if (holder != NULL)
            found = find_behind(collector, holder, graph, node);
        Py_XDECREF(holder);
    }
    return found;
}

static PyObject *
find_object(const lg_graph *graph, uint32_t node)
{
    PyObject *collector = PyImport_ImportModule("gc");
    PyObject *tracked =
        collector ? lg__method_call(collector, "get_objects", NULL) : NULL;
    PyObject *found = NULL;
    if (tracked != NULL)
        found = find_in(tracked, graph, node);
    if (tracked != NULL && found == NULL)
        found = find_held(collector, tracked, graph, node);
    Py_XDECREF(tracked);
    Py_XDECREF(collector);
    PyErr_Clear();
    return found;
}

PyObject *
lg__allocation_note_of(const lg_graph *graph, uint32_t node)
{
    PyObject *object = lg__target_is_here(graph) && lg__allocations_traced()
                           ? find_object(graph, node)
                           : NULL;
    if (object == NULL)
        return PyUnicode_FromString("");
    PyObject *note = lg__allocation_note(object);
    Py_DECREF(object);
    return note;
}
