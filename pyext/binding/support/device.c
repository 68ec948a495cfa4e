#include "binding/support/device.h"
#include "binding/support/errors.h"
#include <string.h>

bool
device_named(core_state *state, const lg_graph *graph, PyObject *name,
             uint32_t *device)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "device must be a str, not %.100s",
                     Py_TYPE(name)->tp_name);
        return false;
    }
    lg_error error;
    const char *text = PyUnicode_AsUTF8(name);
    if (text == NULL)
        return false;
    lg_status status = lg_graph_device_find(graph, text, device, &error);
    if (status == LG_ENOTFOUND)
        status = LG_EINVAL;
    if (status != LG_OK)
        error_raise(state, status, &error);
    return status == LG_OK;
}

static const char prefix[] = "device:";

bool
by_check(core_state *state, PyObject *by)
{
    if (by == NULL || by == Py_None)
        return true;
    const char *text = PyUnicode_Check(by) ? PyUnicode_AsUTF8(by) : "";
    if (text == NULL)
        return false;
    if (strcmp(text, "retained") == 0 || strcmp(text, "host") == 0 ||
        strncmp(text, prefix, sizeof prefix - 1) == 0)
        return true;
    PyErr_Format(state->errors[ERROR_ARGUMENT],
                 "by must be 'retained', 'host' or 'device:' and a name such "
                 "as 'device:cuda:0', not %R.",
                 by);
    return false;
}

bool
by_find(core_state *state, const lg_graph *graph, PyObject *by, uint32_t *out)
{
    *out = 0;
    const char *text = by && by != Py_None ? PyUnicode_AsUTF8(by) : "retained";
    if (text == NULL || strcmp(text, "retained") == 0)
        return text != NULL;
    bool host = strcmp(text, "host") == 0;
    uint32_t device;
    PyObject *name =
        PyUnicode_FromString(host ? text : text + sizeof prefix - 1);
    bool known = name != NULL && device_named(state, graph, name, &device);
    Py_XDECREF(name);
    if (known)
        *out = device + 1;
    return known;
}
