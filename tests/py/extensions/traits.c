/**
 * Types with misleading declared members, like mypyc's traits, sqlite3's errors
 * and PySide6's tables.
 */
#include <Python.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

/* Where its base declares a dict, a derived object has something else. */
typedef struct trait_object {
    PyObject_HEAD
    const void *first;
    const void *second;
    PyObject *kept;
    PyObject *borrowed;
    PyObject *name; /* owned; traversers leave out what cannot be in a cycle */
} trait_object;

static const uintptr_t table[] = {0x1234567, 8, 0x4141414141414141};

static int
trait_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(((trait_object *)self)->kept);
    return 0;
}

static int
trait_clear(PyObject *self)
{
    Py_CLEAR(((trait_object *)self)->kept);
    return 0;
}

static void
trait_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    trait_clear(self);
    Py_CLEAR(((trait_object *)self)->name);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef trait_members[] = {
    {"__dict__", T_OBJECT, offsetof(trait_object, first), READONLY, NULL},
    {"__weakref__", T_OBJECT, offsetof(trait_object, second), READONLY, NULL},
    {"vtable", T_OBJECT, offsetof(trait_object, second), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyTypeObject Trait = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "traits.Trait",
    .tp_basicsize = offsetof(trait_object, kept),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = trait_traverse,
    .tp_members = trait_members,
};

static PyMemberDef derived_members[] = {
    {"kept", T_OBJECT, offsetof(trait_object, kept), READONLY, NULL},
    {"borrowed", T_OBJECT, offsetof(trait_object, borrowed), READONLY, NULL},
    {"name", T_OBJECT, offsetof(trait_object, name), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

/* The members' table begins at an odd address. */
static char moved[sizeof derived_members + 1];

static PyObject *
derived_new(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *kept, *borrowed, *name;
    (void)names;
    if (!PyArg_ParseTuple(args, "OOU", &kept, &borrowed, &name))
        return NULL;
    trait_object *self = (trait_object *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->first = table;
    /* Returns the object's address, with a mark that no address has. */
    self->second = (const void *)((uintptr_t)kept | (uintptr_t)0x4141 << 48);
    Py_INCREF(kept);
    Py_INCREF(name);
    self->kept = kept;
    self->borrowed = borrowed;
    self->name = name;
    return (PyObject *)self;
}

static PyTypeObject Derived = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "traits.Derived",
    .tp_basicsize = sizeof(trait_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_base = &Trait,
    .tp_new = derived_new,
    .tp_traverse = trait_traverse,
    .tp_clear = trait_clear,
    .tp_dealloc = trait_dealloc,
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "traits",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit_traits(void)
{
    memcpy(moved + 1, derived_members, sizeof derived_members);
    Derived.tp_members = (PyMemberDef *)(void *)(moved + 1);
    if (PyType_Ready(&Trait) < 0 || PyType_Ready(&Derived) < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL)
        return NULL;
    Py_INCREF(&Derived);
    if (PyModule_AddObject(module, "Derived", (PyObject *)&Derived) < 0)
        Py_CLEAR(module);
    return module;
}
