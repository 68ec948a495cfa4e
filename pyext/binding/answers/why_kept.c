/**
 * What a Why keeps once its snapshot is gone.
 */
#include "binding/answers/py_why.h"
#include "capture/common/capture_common.h"

/* Attributes that are made from the graph when they are asked for. */
static const char *const lazy_names[] = {
    "path",     "frees", "cuts", "cut_count", "kept", "paths",   "dominator",
    "retained", "spent", "hint", "merged",    "json", "drawing",
};

/* Makes all of them now, because the snapshot goes with the call. */
bool
lg__why_keep(lg__why_object *self)
{
    PyObject *made = PyDict_New();
    bool done = made != NULL;
    for (size_t i = 0; done && i < sizeof lazy_names / sizeof *lazy_names;
         i++) {
        PyObject *value = lg__attribute_get((PyObject *)self, lazy_names[i]);
        done = value && PyDict_SetItemString(made, lazy_names[i], value) == 0;
        Py_XDECREF(value);
    }
    if (!done)
        Py_CLEAR(made);
    self->made = made;
    lg_why_free(&self->why);
    self->why = (lg_why){0};
    return done;
}

PyObject *
lg__why_getattro(lg__why_object *self, PyObject *name)
{
    PyObject *value =
        self->made ? PyDict_GetItemWithError(self->made, name) : NULL;
    if (value == NULL && !PyErr_Occurred())
        return PyObject_GenericGetAttr((PyObject *)self, name);
    Py_XINCREF(value);
    return value;
}
