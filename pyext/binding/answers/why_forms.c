/**
 * The forms of a Why: texts, a picture, dicts, a pandas DataFrame.
 */
#include "binding/answers/py_why.h"
#include "binding/pictures/binding_pictures.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

static lg_status
see(const lg_analysis *Py_UNUSED(analysis), const void *why, lg_view **out,
    lg_error *error)
{
    return lg_view_why(why, NULL, NULL, out, error);
}

PyObject *
lg__why_drawing(lg__why_object *self, void *Py_UNUSED(closure))
{
    if (self->made != NULL)
        return lg__attribute_get((PyObject *)self, "drawing");
    if (self->drawing == NULL)
        self->drawing = lg__picture_of(self->snapshot, see, &self->why);
    Py_XINCREF(self->drawing);
    return self->drawing;
}

/* A prompt shows the report. */
PyObject *
lg__why_repr(lg__why_object *self)
{
    Py_ssize_t end = PyUnicode_GET_LENGTH(self->text);
    while (end > 0 && PyUnicode_READ_CHAR(self->text, end - 1) == '\n')
        end--;
    return PyUnicode_Substring(self->text, 0, end);
}

PyObject *
lg__why_str(lg__why_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

PyObject *
lg__why_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    return lg__picture_ask(lg__why_drawing((lg__why_object *)self, NULL),
                           "save", args, nargs, kwnames);
}

PyObject *
lg__why_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__picture_ask(lg__why_drawing((lg__why_object *)self, NULL),
                           "_repr_svg_", NULL, 0, NULL);
}

PyObject *
lg__why_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "why_html", self);
}

PyObject *
lg__why_iter(PyObject *self)
{
    return lg__python_call(lg__object_state(self), "leakgraph.frames",
                           "references", self);
}
