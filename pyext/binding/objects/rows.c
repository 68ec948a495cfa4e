#include "binding/objects/rows.h"
#include "binding/support/binding_support.h"

static PyObject *
call(PyObject *self, const char *function)
{
    return lg__python_call(lg__object_state(self), "leakgraph.frames", function,
                           self);
}

PyObject *
lg__row_json(PyObject *self, void *Py_UNUSED(unused))
{
    return call(self, "row_json");
}

PyObject *
lg__row_to_dict(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return call(self, "row_dict");
}

PyObject *
lg__rows_json(PyObject *self, void *Py_UNUSED(unused))
{
    return call(self, "to_json");
}

PyObject *
lg__rows_to_dicts(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return call(self, "to_dicts");
}

PyObject *
lg__rows_to_pandas(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return call(self, "to_pandas");
}
