#include "device.h"
#include "convert.h"
#include <string.h>

static bool
raise_unknown(core_state *state, const lg_graph *graph, const char *name)
{
    lg_text known = {0};
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++) {
        lg_string device = lg_graph_device_name(graph, i);
        lg_text_add(&known, i ? ", '" : "'");
        lg_text_add_bytes(&known, device.data, device.length);
        lg_text_add(&known, "'");
    }
    PyObject *list = text_object(&known);
    if (list != NULL)
        PyErr_Format(state->errors[ERROR_ARGUMENT],
                     "There is no device '%s' in the snapshot; it has %U.",
                     name, list);
    Py_XDECREF(list);
    return false;
}

bool
device_named(core_state *state, const lg_graph *graph, PyObject *name,
             uint32_t *device)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "device must be a str, not %.100s",
                     Py_TYPE(name)->tp_name);
        return false;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(name, &length);
    if (text == NULL)
        return false;
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++) {
        lg_string known = lg_graph_device_name(graph, i);
        if (known.length == (size_t)length &&
            memcmp(known.data, text, known.length) == 0) {
            *device = i;
            return true;
        }
    }
    return raise_unknown(state, graph, text);
}
