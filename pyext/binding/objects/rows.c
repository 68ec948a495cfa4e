#include "binding/objects/rows.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <stdbool.h>

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

static PyObject *
row_asdict(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *fields = lg__attribute_get((PyObject *)Py_TYPE(self), "_fields");
    PyObject *dict = fields ? PyDict_New() : NULL;
    Py_ssize_t count = dict ? PyTuple_GET_SIZE(fields) : 0;
    for (Py_ssize_t i = 0; dict != NULL && i < count; i++)
        if (PyDict_SetItem(dict, PyTuple_GET_ITEM(fields, i),
                           PyTuple_GET_ITEM(self, i)) < 0)
            Py_CLEAR(dict);
    Py_XDECREF(fields);
    return dict;
}

/* Copies a field, those included that a tuple does not show. */
static bool
copy_field(PyObject *from, PyObject *to, Py_ssize_t index)
{
    PyObject *value = PyStructSequence_GetItem(from, index);
    Py_XINCREF(value);
    PyStructSequence_SetItem(to, index, value);
    return value != NULL;
}

static Py_ssize_t
number_of(PyTypeObject *type, const char *name)
{
    PyObject *number = lg__attribute_get((PyObject *)type, name);
    Py_ssize_t value = number ? PyLong_AsSsize_t(number) : -1;
    Py_XDECREF(number);
    return value;
}

/* Puts the values of **fields into the row, a new one. */
static bool
put_fields(PyObject *row, PyObject *fields, PyObject *changes)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(changes, &at, &name, &value)) {
        Py_ssize_t index = PySequence_Index(fields, name);
        if (index < 0) {
            PyErr_Format(PyExc_TypeError, "%s has no field %R; it has %R",
                         Py_TYPE(row)->tp_name, name, fields);
            return false;
        }
        PyObject *old = PyStructSequence_GetItem(row, index);
        Py_INCREF(value);
        PyStructSequence_SetItem(row, index, value);
        Py_XDECREF(old);
    }
    return true;
}

static PyObject *
row_replace(PyObject *self, PyObject *args, PyObject *changes)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_ssize_t count = number_of(type, "n_fields");
    if (count < 0 || !PyArg_ParseTuple(args, ":_replace"))
        return NULL;
    PyObject *fields = lg__attribute_get((PyObject *)type, "_fields");
    PyObject *row = fields ? PyStructSequence_New(type) : NULL;
    bool made = row != NULL;
    for (Py_ssize_t i = 0; made && i < count; i++)
        made = copy_field(self, row, i);
    if (made && changes != NULL)
        made = put_fields(row, fields, changes);
    Py_XDECREF(fields);
    if (!made)
        Py_CLEAR(row);
    return row;
}

static PyMethodDef replace_method = {
    "_replace", (PyCFunction)(void (*)(void))row_replace,
    METH_VARARGS | METH_KEYWORDS,
    "_replace($self, /, **fields)\n--\n\nThe same row with other values."};

static PyMethodDef to_dict_method =
    LG__ROW_TO_DICT("A Node is its index, a Size a dict.");

static PyGetSetDef json_getter = LG__ROW_JSON;

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

static int
row_type_finish(PyTypeObject *type, const PyStructSequence_Desc *desc)
{
    PyObject *fields = PyTuple_New(desc->n_in_sequence);
    for (int i = 0; fields != NULL && i < desc->n_in_sequence; i++) {
        PyObject *name = PyUnicode_InternFromString(desc->fields[i].name);
        if (name == NULL)
            Py_CLEAR(fields);
        else
            PyTuple_SET_ITEM(fields, i, name);
    }
    if (lg__row_type_add(type, "_fields", fields) < 0 ||
        lg__row_type_add(type, "_replace",
                         PyDescr_NewMethod(type, &replace_method)) < 0 ||
        lg__row_type_add(type, "to_dict",
                         PyDescr_NewMethod(type, &to_dict_method)) < 0 ||
        lg__row_type_add(type, "json", PyDescr_NewGetSet(type, &json_getter)) <
            0)
        return -1;
    return lg__row_type_add(type, "_asdict",
                            PyDescr_NewMethod(type, &asdict_method));
}

int
lg__row_type_new(PyObject *module, lg__core_type id,
                 PyStructSequence_Desc *desc)
{
    PyTypeObject *type = PyStructSequence_NewType(desc);
    if (type == NULL || row_type_finish(type, desc) < 0) {
        Py_XDECREF((PyObject *)type);
        return -1;
    }
    /* As PyType_FromModuleAndSpec() does: lg__object_state() needs it. */
    Py_INCREF(module);
    ((PyHeapTypeObject *)type)->ht_module = module;
    lg__module_state(module)->types[id] = type;
    return PyModule_AddType(module, type);
}
