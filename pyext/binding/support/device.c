#include "binding/support/device.h"
#include "binding/support/args.h"
#include "binding/support/errors.h"

#include <leakgraph/graph.h>

bool
lg__device_named(lg__core_state *state, const lg_graph *graph, PyObject *name,
                 uint32_t *device)
{
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "device must be a str, not %.100s",
                     Py_TYPE(name)->tp_name);
        return false;
    }
    lg_error error;
    const char *text = lg__arg_utf8("device", name);
    if (text == NULL)
        return false;
    lg_status status = lg_graph_device_find(graph, text, device, &error);
    if (status == LG_ENOTFOUND)
        status = LG_EINVAL;
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

bool
lg__by_check(lg__core_state *state, PyObject *by)
{
    if (by == NULL || by == Py_None || PyUnicode_Check(by))
        return true;
    PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                 "by must be 'retained', 'host' or a device such as 'cuda:0', "
                 "not %R.",
                 by);
    return false;
}

bool
lg__by_device(lg__core_state *state, const lg_graph *graph, PyObject *by,
              uint32_t *out)
{
    *out = LG_NONE;
    if (by == NULL || by == Py_None ||
        PyUnicode_CompareWithASCIIString(by, "retained") == 0)
        return true;
    return lg__device_named(state, graph, by, out);
}
