#include "binding/pictures/drawing.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include "binding/support/pathname.h"
#include <stdlib.h>
#include <string.h>

typedef struct drawing_object {
    PyObject_HEAD
    lg_view *view;
    char *title;
    char *format;
    bool legend;
} drawing_object;

static char *
copy_text(const char *text)
{
    return text ? strdup(text) : NULL;
}

PyObject *
drawing_new(core_state *state, lg_view *view, const drawing_style *style)
{
    drawing_object *self = object_new(state, TYPE_DRAWING);
    if (self == NULL) {
        lg_view_free(view);
        return NULL;
    }
    self->view = view;
    self->title = copy_text(style->title);
    self->format = copy_text(style->format);
    self->legend = style->legend;
    return (PyObject *)self;
}

static void
drawing_dealloc(drawing_object *self)
{
    lg_view_free(self->view);
    free(self->title);
    free(self->format);
    object_free(self);
}

/* --------------------------------------------------------------- texts --- */

static lg_status
make_dot(drawing_object *self, lg_text *dot, lg_error *error)
{
    lg_dot_options options = {self->title, self->legend};
    return lg_view_dot(self->view, &options, dot, error);
}

static PyObject *
finish_text(drawing_object *self, lg_status status, lg_text *text,
            const lg_error *error)
{
    if (status == LG_OK)
        return text_object(text);
    lg_text_free(text);
    return error_raise(object_state(self), status, error);
}

static PyObject *
get_dot(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = make_dot(self, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_text(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_view_text(self->view, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_json(drawing_object *self, void *Py_UNUSED(closure))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_view_json(self->view, &text, &error);
    return finish_text(self, status, &text, &error);
}

static PyObject *
get_nodes(drawing_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(lg_view_node_count(self->view));
}

static PyObject *
drawing_repr(drawing_object *self)
{
    return get_text(self, NULL);
}

static PyGetSetDef drawing_getset[] = {
    {"dot", (getter)get_dot, NULL, "The picture as Graphviz DOT.", NULL},
    {"text", (getter)get_text, NULL, "The picture as an indented tree.", NULL},
    {"json", (getter)get_json, NULL, "What is drawn, as JSON.", NULL},
    {"nodes", (getter)get_nodes, NULL, "How many nodes are drawn.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* -------------------------------------------------------------- images --- */

typedef struct image {
    char *data;
    size_t length;
} image;

/* Needs no GIL. */
static lg_status
render(drawing_object *self, const char *format, image *out, lg_error *error)
{
    lg_text dot = {0};
    lg_status status = make_dot(self, &dot, error);
    if (status == LG_OK)
        status = lg_render(dot.data, dot.length, format, &out->data,
                           &out->length, error);
    lg_text_free(&dot);
    return status;
}

/* Where Graphviz is missing a notebook falls back to the text, which says
 * nothing of pictures: so a warning does. */
static PyObject *
fall_back(lg_status status, const lg_error *error, core_state *state)
{
    if (status != LG_EUNSUPPORTED)
        return error_raise(state, status, error);
    if (PyErr_WarnEx(PyExc_RuntimeWarning, error->message, 1) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* The image for a notebook as bytes; None when another format was asked for. */
static PyObject *
notebook_image(drawing_object *self, const char *format)
{
    if (self->format != NULL && strcmp(self->format, format) != 0)
        Py_RETURN_NONE;
    image picture = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = render(self, format, &picture, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return fall_back(status, &error, object_state(self));
    PyObject *bytes =
        PyBytes_FromStringAndSize(picture.data, (Py_ssize_t)picture.length);
    free(picture.data);
    return bytes;
}

/* Without the XML prologue, which has no place inside a page. */
static PyObject *
drawing_repr_svg(drawing_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *bytes = notebook_image(self, "svg");
    if (bytes == NULL || bytes == Py_None)
        return bytes;
    const char *svg = strstr(PyBytes_AS_STRING(bytes), "<svg");
    PyObject *text = PyUnicode_FromString(svg ? svg : "");
    Py_DECREF(bytes);
    return text;
}

static PyObject *
drawing_repr_png(drawing_object *self, PyObject *Py_UNUSED(unused))
{
    return notebook_image(self, "png");
}

static lg_status
write_file(drawing_object *self, const char *path, const char *format,
           lg_error *error)
{
    lg_text dot = {0};
    lg_status status = make_dot(self, &dot, error);
    if (status == LG_OK)
        status = lg_render_file(dot.data, dot.length, format, path, error);
    lg_text_free(&dot);
    return status;
}

bool
drawing_write(PyObject *drawing, const char *path, const char *format)
{
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = write_file((drawing_object *)drawing, path, format, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        error_raise(object_state(drawing), status, &error);
    return status == LG_OK;
}

bool
drawing_file(core_state *state, PyObject *filename, const drawing_style *style,
             char suffix[16], PyObject **path)
{
    *path = NULL;
    if (filename == NULL || filename == Py_None)
        return true;
    *path = pathname_filled(filename);
    if (*path == NULL)
        return false;
    if (style->format != NULL)
        return true;
    lg_error error;
    lg_status status =
        lg_render_format_of(PyBytes_AS_STRING(*path), suffix, &error);
    if (status == LG_OK)
        return true;
    error_raise(state, status, &error);
    Py_CLEAR(*path);
    return false;
}

static PyObject *
drawing_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const char *const names[] = {"path", "format", NULL};
    static const arg_list list = {"save", names, 2, 1};
    PyObject *values[2] = {NULL};
    const char *format;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_text("format", values[1], &format))
        return NULL;
    PyObject *path = pathname_filled(values[0]);
    if (path == NULL)
        return NULL;
    PyObject *result = NULL;
    if (drawing_write(self, PyBytes_AS_STRING(path), format))
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return result;
}

/* ---------------------------------------------------------------- type --- */

static PyMethodDef drawing_methods[] = {
    {"save", FASTCALL(drawing_save), METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, format=None)\n--\n\nWrite the picture and return "
     "its path.\n\nThe suffix chooses the format unless format says it: svg, "
     "png, pdf, dot or\nanything else that Graphviz writes."},
    {"_repr_svg_", (PyCFunction)drawing_repr_svg, METH_NOARGS,
     "_repr_svg_($self, /)\n--\n\n"},
    {"_repr_png_", (PyCFunction)drawing_repr_png, METH_NOARGS,
     "_repr_png_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot drawing_slots[] = {
    SLOT(Py_tp_dealloc, drawing_dealloc),
    SLOT(Py_tp_repr, drawing_repr),
    {Py_tp_getset, drawing_getset},
    {Py_tp_methods, drawing_methods},
    {Py_tp_doc, "A picture of a few dozen objects.\n\nA notebook shows it "
                "inline, a terminal as a text tree; save() writes a file."},
    {0, NULL},
};

PyType_Spec drawing_spec = {
    .name = "leakgraph.Drawing",
    .basicsize = sizeof(drawing_object),
    .flags = FINAL_TYPE,
    .slots = drawing_slots,
};
