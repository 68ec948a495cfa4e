/**
 * Reads a type's declared members from an odd address, where PySide6 keeps its
 * own. Uses the capture's function: the compiler includes members.h.
 */
#include <Python.h>
#include <string.h>
#include <structmember.h>

static PyMemberDef members[] = {
    {"first", T_OBJECT, 16, READONLY, NULL},
    {"second", T_INT, 24, READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static char moved[sizeof members + 1];

static PyObject *
odd_names(PyObject *self, PyObject *unused)
{
    PyTypeObject type = {.tp_members = (PyMemberDef *)(void *)(moved + 1)};
    PyObject *names = PyList_New(0);
    PyMemberDef member;
    (void)self;
    (void)unused;
    memcpy(moved + 1, members, sizeof members);
    for (size_t i = 0; names != NULL && lg__member_at(&type, i, &member); i++) {
        PyObject *name = PyUnicode_FromString(member.name);
        if (name == NULL || PyList_Append(names, name) < 0)
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyMethodDef functions[] = {
    {"names", odd_names, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "odd_members",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit_odd_members(void)
{
    return PyModule_Create(&definition);
}
