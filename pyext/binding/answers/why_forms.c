/**
 * The forms of a Why: texts, a picture, dicts, a pandas DataFrame.
 */
#include "binding/answers/py_why.h"
#include "binding/pictures/picture.h"
#include "binding/support/python_call.h"

static lg_status
see(const lg_analysis *Py_UNUSED(analysis), const void *why, lg_view **out,
    lg_error *error)
{
    return lg_view_why(why, NULL, NULL, out, error);
}

PyObject *
why_drawing(why_object *self, void *Py_UNUSED(closure))
{
    if (self->made != NULL)
        return PyObject_GetAttrString((PyObject *)self, "drawing");
    if (self->drawing == NULL)
        self->drawing = picture_of(self->snapshot, see, &self->why);
    Py_XINCREF(self->drawing);
    return self->drawing;
}

/* The first line of the report, which names the object and its bytes. */
PyObject *
why_repr(why_object *self)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(self->text);
    Py_ssize_t end = PyUnicode_FindChar(self->text, '\n', 0, length, 1);
    PyObject *line = PyUnicode_Substring(self->text, 0, end < 0 ? length : end);
    if (line == NULL)
        return NULL;
    PyObject *repr = PyUnicode_FromFormat("<leakgraph.Why: %U>", line);
    Py_DECREF(line);
    return repr;
}

PyObject *
why_str(why_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

PyObject *
why_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    return picture_ask(why_drawing((why_object *)self, NULL), "save", args,
                       nargs, kwnames);
}

PyObject *
why_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return picture_ask(why_drawing((why_object *)self, NULL), "_repr_svg_",
                       NULL, 0, NULL);
}

PyObject *
why_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.notebook", "why_html",
                       self);
}

PyObject *
why_to_dicts(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.frames", "why_dicts",
                       self);
}

PyObject *
why_to_pandas(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.frames", "why_pandas",
                       self);
}
