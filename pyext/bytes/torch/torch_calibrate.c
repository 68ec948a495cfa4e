/** Finds PyTorch's layout: once per process, at the first capture that finds
 *  PyTorch loaded. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"
#include "capture/common/capture_common.h"

#include <stdio.h>
#include <string.h>

#define CALIBRATION "leakgraph.calibration"

/** Writes the current exception as the reason, and clears it. */
static void
format_why(char *reason, size_t size)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const char *name =
        type != NULL ? ((PyTypeObject *)type)->tp_name : "TypeError";
    snprintf(reason, size, "PyTorch could not make a few tensors (%s)", name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
}

/** Drops the module with its functions, because only this file has imported
 *  it. */
static void
forget_module(PyObject *module)
{
    PyObject *package = lg__pass_module("leakgraph");
    PyObject *names = PyModule_GetDict(module);
    PyObject *modules = PyImport_GetModuleDict();
    if (PyMapping_DelItemString(modules, CALIBRATION) < 0)
        PyErr_Clear();
    if (package != NULL && PyObject_DelAttrString(package, "calibration") < 0)
        PyErr_Clear();
    Py_INCREF(names);
    Py_DECREF(module);
    PyDict_Clear(names);
    Py_DECREF(names);
}

/** The layout of scripted modules may be unknown even if the rest is known, and
 *  so may that of compiled code. */
static void
examine_script(const lg__torch_finder *finder, lg__torch_layout *layout)
{
    char reason[LG__TORCH_REASON];
    lg__torch_finder own = *finder;
    own.failed = false;
    own.reason = reason;
    own.reason_size = sizeof reason;
    layout->script.known = lg__torch_find_script(&own, &layout->script);
    own.failed = false;
    layout->code.known =
        layout->script.known && lg__torch_find_code(&own, &layout->code);
}

/** False if not even tensors have a known layout. */
static bool
examine(lg__torch_finder *finder, lg__torch_layout *layout)
{
    bool tensors = lg__torch_find_tensors(finder, layout);
    layout->graph = tensors && lg__torch_find_graph(finder, layout);
    if (tensors)
        examine_script(finder, layout);
    return tensors;
}

/** A process to which leakgraph attaches has not imported leakgraph, and may
 *  have none or another version. There, makes the module from the text in this
 *  library. */
static PyObject *
make_module(void)
{
    if (lg__pass_module("leakgraph") != NULL)
        return PyImport_ImportModule(CALIBRATION);
    PyObject *code = Py_CompileString(
        lg__torch_calibration, "leakgraph/calibration.py", Py_file_input);
    if (code == NULL)
        return NULL;
    PyObject *module = PyImport_ExecCodeModule(CALIBRATION, code);
    Py_DECREF(code);
    return module;
}

/** Makes the module that makes the objects. Leaves neither behind, because the
 *  observed process did not ask for them. */
static bool
calibrate(lg__memory *memory, lg__torch_layout *layout)
{
    lg__torch_finder finder = {.memory = memory,
                               .reason = layout->reason,
                               .reason_size = sizeof layout->reason};
    bool ours = lg__pass_module(CALIBRATION) == NULL, tensors = false;
    PyObject *module = make_module();
    PyObject *classes = NULL;
    if (module != NULL)
        finder.made = lg__method_call(module, "torch", NULL);
    if (finder.made != NULL && PyDict_Check(finder.made)) {
        tensors = examine(&finder, layout);
        classes = PyDict_GetItemString(finder.made, "classes");
        Py_XINCREF(classes);
    } else {
        format_why(layout->reason, sizeof layout->reason);
    }
    Py_XDECREF(finder.made);
    if (module != NULL && ours)
        forget_module(module);
    else
        Py_XDECREF(module);
    if (classes != NULL)
        lg__finder_discard(classes);
    return tensors;
}

/* Other threads run during the calibration, and may calibrate, too: the first
   to finish decides. */
const lg__torch_layout *
lg__torch_layout_find(lg__memory *memory, const char **reason)
{
    enum { UNTRIED, TENSORS, NOTHING };
    static int state;
    static lg__torch_layout layout;
    if (state == UNTRIED) {
        lg__torch_layout fresh = {0};
        bool tensors = calibrate(memory, &fresh);
        if (state == UNTRIED) {
            layout = fresh;
            state = tensors ? TENSORS : NOTHING;
        }
        lg__memory_forget(memory);
    }
    *reason = layout.reason;
    return state == TENSORS ? &layout : NULL;
}
