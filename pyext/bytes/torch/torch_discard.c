/** Drops the objects of a calibration, without leaving garbage for the
 *  collector. */
#include "bytes/torch/torch_finder.h"

enum { PARTS_MAX = 64 };

/** Objects that only refer to each other, unless somebody else holds one. */
typedef struct parts {
    PyObject *object[PARTS_MAX]; /**< borrowed; the classes come first */
    size_t classes;
    size_t count;
    bool full;
} parts;

static void
add_part(parts *to, PyObject *object)
{
    if (object == NULL)
        return;
    if (to->count < PARTS_MAX)
        to->object[to->count++] = object;
    else
        to->full = true;
}

/** The objects that CPython makes for a class and that refer back to it. */
static void
add_parts_of(parts *to, const PyTypeObject *type)
{
    Py_ssize_t position = 0;
    PyObject *value;
    add_part(to, type->tp_dict);
    add_part(to, type->tp_mro);
    while (PyDict_Next(type->tp_dict, &position, NULL, &value))
        if (Py_TYPE(value) == &PyGetSetDescr_Type)
            add_part(to, value);
}

typedef struct counter {
    PyObject *of;
    Py_ssize_t found;
} counter;

static int
count_reference(PyObject *referent, void *context)
{
    counter *to = context;
    to->found += referent == to->of;
    return 0;
}

static bool
nobody_else_holds(const parts *all, size_t index)
{
    counter to = {all->object[index], 0};
    for (size_t i = 0; i < all->count; i++) {
        PyObject *from = all->object[i];
        Py_TYPE(from)->tp_traverse(from, count_reference, &to);
    }
    Py_ssize_t callers = index < all->classes ? 1 : 0;
    return Py_REFCNT(to.of) == to.found + callers;
}

/* A class is in a cycle with its order of bases and its descriptors. This
   breaks the cycle as the collector would, if nothing else refers to it. */
void
lg__finder_discard(PyObject *classes)
{
    parts all = {.full = !PyTuple_CheckExact(classes)};
    for (Py_ssize_t i = 0; !all.full && i < PyTuple_GET_SIZE(classes); i++) {
        PyObject *type = PyTuple_GET_ITEM(classes, i);
        all.full = !PyType_Check(type) ||
                   !lg__type_is_pythons((PyTypeObject *)type) ||
                   Py_REFCNT(classes) != 1;
        add_part(&all, type);
    }
    all.classes = all.count;
    for (size_t i = 0; !all.full && i < all.classes; i++)
        add_parts_of(&all, (PyTypeObject *)all.object[i]);
    bool alone = !all.full;
    for (size_t i = 0; alone && i < all.count; i++)
        alone = nobody_else_holds(&all, i);
    for (size_t i = 0; alone && i < all.classes; i++)
        PyType_Type.tp_clear(all.object[i]);
    Py_DECREF(classes);
}
