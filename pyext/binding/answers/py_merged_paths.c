/** MergedPaths: what they have besides rows and facts, a picture. */
#include "binding/answers/binding_answers.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/pictures/binding_pictures.h"

#include <leakgraph/internal/answer_views.h>

static PyObject *
merged_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "merged_html", self);
}

static lg_status
see(const lg_analysis *analysis, const void *of, lg_view **out, lg_error *err)
{
    const lg_nodes *nodes = of;
    return lg_view_paths(analysis, nodes->items, nodes->count, NULL, NULL, out,
                         err);
}

static PyObject *
get_drawing(lg__result_object *self, void *Py_UNUSED(closure))
{
    Py_ssize_t facts = PyTuple_GET_SIZE(self->facts);
    PyObject *snapshot = PyTuple_GET_ITEM(self->facts, facts - 2);
    PyObject *items = PyTuple_GET_ITEM(self->facts, facts - 1);
    lg_nodes nodes = {
        .items = (uint32_t *)PyBytes_AS_STRING(items),
        .count = (size_t)PyBytes_GET_SIZE(items) / sizeof(uint32_t),
    };
    return lg__picture_of((lg__snapshot_object *)snapshot, see, &nodes);
}

static PyObject *
merged_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames)
{
    return lg__picture_ask(get_drawing((lg__result_object *)self, NULL), "save",
                           args, nargs, kwnames);
}

static PyObject *
merged_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__picture_ask(get_drawing((lg__result_object *)self, NULL),
                           "_repr_svg_", NULL, 0, NULL);
}

static PyGetSetDef merged_getset[] = {
    {"drawing", (getter)get_drawing, NULL,
     "A Drawing of the tree: at most 48 boxes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef merged_methods[] = {
    {"_repr_html_", merged_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {"_repr_svg_", merged_repr_svg, METH_NOARGS,
     "_repr_svg_($self, /)\n--\n\n"},
    {"save", (PyCFunction)(void (*)(void))merged_save,
     METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, *, format=None)\n--\n\nWrite the picture and return "
     "its path, as Drawing.save() does."},
    {NULL, NULL, 0, NULL},
};

const lg__answer_extras lg__merged_extras = {
    .question = "paths",
    .methods = merged_methods,
    .snapshot = "The snapshot that they are part of.",
    .alias = "merged_paths",
    .attributes = merged_getset,
};
