#include "binding/objects/row.h"

static PyObject *
row_asdict(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *fields =
        PyObject_GetAttrString((PyObject *)Py_TYPE(self), "_fields");
    PyObject *dict = fields ? PyDict_New() : NULL;
    Py_ssize_t count = dict ? PyTuple_GET_SIZE(fields) : 0;
    for (Py_ssize_t i = 0; dict != NULL && i < count; i++)
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(fields, i),
                           PyTuple_GET_ITEM(self, i)) < 0)
            Py_CLEAR(dict);
    Py_XDECREF(fields);
    return dict;
}

static PyMethodDef asdict_method = {
    "_asdict", row_asdict, METH_NOARGS,
    "_asdict($self, /)\n--\n\nThe fields as a dict by name."};

int
lg__row_type_add(PyTypeObject *type, const char *name, PyObject *value)
{
    int added =
        value ? PyObject_SetAttrString((PyObject *)type, name, value) : -1;
    Py_XDECREF(value);
    return added;
}

int
lg__row_type_finish(PyTypeObject *type, const PyStructSequence_Desc *desc)
{
    PyObject *fields = PyTuple_New(desc->n_in_sequence);
    for (int i = 0; fields != NULL && i < desc->n_in_sequence; i++) {
        PyObject *name = PyUnicode_InternFromString(desc->fields[i].name);
        if (name == NULL)
            Py_CLEAR(fields);
        else
            PyTuple_SET_ITEM(fields, i, name);
    }
    if (lg__row_type_add(type, "_fields", fields) < 0)
        return -1;
    return lg__row_type_add(type, "_asdict",
                            PyDescr_NewMethod(type, &asdict_method));
}
