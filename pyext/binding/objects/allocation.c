#include "binding/objects/allocation.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/writing.h>

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

bool
lg__allocations_traced(void)
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
