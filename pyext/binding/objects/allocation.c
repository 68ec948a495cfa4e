#include "binding/objects/allocation.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"
#include "binding/objects/target.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/internal/columns.h>

#define FRAMES_SHOWN 4

/* The module tracemalloc if it is imported and traces; NULL otherwise, without
 * an exception. */
static PyObject *
active_tracemalloc(void)
{
    PyObject *name = PyUnicode_FromString("tracemalloc");
    PyObject *module = name ? PyImport_GetModule(name) : NULL;
    Py_XDECREF(name);
    PyObject *answer =
        module ? lg__method_call(module, "is_tracing", NULL) : NULL;
    if (answer != Py_True)
        Py_CLEAR(module);
    Py_XDECREF(answer);
    return module;
}

/* A Traceback's frames go from the oldest to the newest. */
static void
add_frames(PyObject *traceback, lg_text *text)
{
    Py_ssize_t count = PyObject_Size(traceback);
    for (Py_ssize_t i = 0; i < count && i < FRAMES_SHOWN; i++) {
        PyObject *frame = PySequence_GetItem(traceback, count - 1 - i);
        PyObject *place = frame ? PyObject_Str(frame) : NULL;
        const char *utf8 = place ? PyUnicode_AsUTF8(place) : NULL;
        if (utf8 != NULL) {
            lg_text_add(text, i == 0 ? "allocated at " : ", called from ");
            lg_text_add(text, utf8);
        }
        Py_XDECREF(place);
        Py_XDECREF(frame);
    }
}

/** Whether tracemalloc is imported and traces. */
static bool
allocations_traced(void)
{
    PyObject *module = active_tracemalloc();
    Py_XDECREF(module);
    PyErr_Clear();
    return module != NULL;
}

bool
lg__tracemalloc_runs(void)
{
    PyObject *module = PyImport_ImportModule("_tracemalloc");
    PyObject *answer =
        module ? lg__method_call(module, "is_tracing", NULL) : NULL;
    bool runs = answer == Py_True;
    Py_XDECREF(answer);
    Py_XDECREF(module);
    PyErr_Clear();
    return runs;
}

PyObject *
lg__allocation_note(PyObject *object)
{
    PyObject *tracemalloc = active_tracemalloc();
    PyObject *traceback =
        tracemalloc ? lg__object_traceback(tracemalloc, object) : NULL;
    lg_text text = {0};
    if (traceback != NULL && traceback != Py_None)
        add_frames(traceback, &text);
    Py_XDECREF(traceback);
    Py_XDECREF(tracemalloc);
    PyErr_Clear();
    return lg__text_object(&text);
}

const char lg__core_object_traceback_doc[] =
    "_object_traceback($module, obj, /)\n--\n\n"
    "Return the tracemalloc.Traceback of an object; None if it was not traced.";

PyObject *
lg__core_object_traceback(PyObject *Py_UNUSED(module), PyObject *object)
{
    PyObject *tracemalloc = active_tracemalloc();
    if (tracemalloc == NULL && PyErr_Occurred())
        return NULL;
    if (tracemalloc == NULL)
        Py_RETURN_NONE;
    PyObject *traceback = lg__object_traceback(tracemalloc, object);
    Py_DECREF(tracemalloc);
    return traceback;
}

/* The object of a node is found again among those that the collector knows: an
   address alone may be that of freed memory. */

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
    PyObject *object = lg__target_is_here(graph) && allocations_traced()
                           ? find_object(graph, node)
                           : NULL;
    if (object == NULL)
        return PyUnicode_FromString("");
    PyObject *note = lg__allocation_note(object);
    Py_DECREF(object);
    return note;
}
