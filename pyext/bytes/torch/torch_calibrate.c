/** Finds PyTorch's layout: once per process, at the first capture that finds
 *  PyTorch loaded. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"

#include <stdio.h>
#include <string.h>

/** The calibration objects, or NULL with the reason. */
static PyObject *
make_calibration_objects(char *reason, size_t size)
{
    PyObject *module = PyImport_ImportModule("leakgraph.calibration");
    PyObject *made =
        module != NULL ? PyObject_CallMethod(module, "torch", NULL) : NULL;
    Py_XDECREF(module);
    if (made != NULL && PyDict_Check(made))
        return made;
    Py_XDECREF(made);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const char *name =
        type != NULL ? ((PyTypeObject *)type)->tp_name : "TypeError";
    snprintf(reason, size, "PyTorch could not make a few tensors (%s)", name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return NULL;
}

/** False if not even tensors have a known layout. */
static bool
calibrate(lg_memory *memory, lg_torch_layout *layout)
{
    lg_finder finder = {.memory = memory,
                        .reason = layout->reason,
                        .reason_size = sizeof layout->reason};
    finder.made =
        make_calibration_objects(layout->reason, sizeof layout->reason);
    if (finder.made == NULL)
        return false;
    bool tensors = lg_torch_find_tensors(&finder, layout);
    layout->graph = tensors && lg_torch_find_graph(&finder, layout);
    Py_DECREF(finder.made);
    return tensors;
}

/* Other threads run while calibration objects are made, and may be here, too:
   the first thread to finish decides. */
const lg_torch_layout *
lg_torch_layout_find(lg_memory *memory, const char **reason)
{
    enum { UNTRIED, TENSORS, NOTHING };
    static int state;
    static lg_torch_layout layout;
    if (state == UNTRIED) {
        lg_torch_layout fresh = {0};
        bool tensors = calibrate(memory, &fresh);
        if (state == UNTRIED) {
            layout = fresh;
            state = tensors ? TENSORS : NOTHING;
        }
        lg_memory_forget(memory);
    }
    *reason = layout.reason;
    return state == TENSORS ? &layout : NULL;
}
