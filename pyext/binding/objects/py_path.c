#include "binding/objects/py_path.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include "binding/objects/handle.h"

/** Owns all that it shows except the snapshot of its nodes. */
typedef struct path_object {
    PyObject_HEAD
    PyObject *root; /* Root or None */
    PyObject *hops; /* tuple of Hop */
    PyObject *text;
} path_object;

PyObject *
lg__hop_object(lg__core_state *state, lg__snapshot_object *snapshot,
               const lg_hop *hop, const char *reason)
{
    lg_graph *graph = lg__snapshot_graph(snapshot);
    PyObject *result =
        graph ? PyStructSequence_New(state->types[LG__TYPE_HOP]) : NULL;
    if (result == NULL)
        return NULL;
    lg_text label = {0};
    lg_hop_label(graph, hop, &label);
    PyObject *fields[] = {
        lg__text_object(&label),
        lg__node_new(state, snapshot, hop->source),
        lg__node_new(state, snapshot, hop->target),
        PyUnicode_FromString(reason),
    };
    for (Py_ssize_t i = 0; i < 4; i++)
        PyStructSequence_SetItem(result, i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

PyObject *
lg__hop_tuple(lg__core_state *state, lg__snapshot_object *snapshot,
              const lg_hop *hops, size_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *hop = lg__hop_object(state, snapshot, &hops[i], "");
        if (hop == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, hop);
    }
    return tuple;
}

static PyObject *
root_or_none(lg__core_state *state, lg__snapshot_object *snapshot,
             const lg_path *path)
{
    if (path->start != LG_STARTS_AT_ROOT)
        Py_RETURN_NONE;
    return lg__root_object(state, snapshot, &path->root);
}

static PyObject *
path_label(const lg_graph *graph, const lg_path *path)
{
    lg_text text = {0};
    lg_path_label(graph, path, &text);
    return lg__text_object(&text);
}

PyObject *
lg__path_new(lg__core_state *state, lg__snapshot_object *snapshot,
             const lg_path *path)
{
    lg_graph *graph = lg__snapshot_graph(snapshot);
    path_object *self = graph ? lg__object_new(state, LG__TYPE_PATH) : NULL;
    if (self == NULL)
        return NULL;
    self->root = root_or_none(state, snapshot, path);
    self->hops = lg__hop_tuple(state, snapshot, path->hops, path->count);
    self->text = path_label(graph, path);
    if (self->root == NULL || self->hops == NULL || self->text == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

PyObject *
lg__path_to(lg__snapshot_object *snapshot, uint32_t node)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_path path = {0};
    lg_error error;
    lg_status status;
    PyObject *result = NULL;
    Py_BEGIN_ALLOW_THREADS
    status = lg_path_from_root(graph, node, NULL, &path, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        result = lg__path_new(lg__object_state(snapshot), snapshot, &path);
    else if (status == LG_ENOTFOUND) {
        Py_INCREF(Py_None);
        result = Py_None;
    } else
        lg__error_raise(lg__object_state(snapshot), status, &error);
    lg_path_free(&path);
    lg__snapshot_release(snapshot);
    return result;
}

static void
path_dealloc(path_object *self)
{
    Py_XDECREF(self->root);
    Py_XDECREF(self->hops);
    Py_XDECREF(self->text);
    lg__object_free(self);
}

static PyObject *
get_labels(path_object *self, void *Py_UNUSED(closure))
{
    Py_ssize_t count = PyTuple_GET_SIZE(self->hops);
    PyObject *labels = PyTuple_New(count);
    for (Py_ssize_t i = 0; labels != NULL && i < count; i++) {
        PyObject *hop = PyTuple_GET_ITEM(self->hops, i);
        PyObject *label = PyStructSequence_GetItem(hop, 0);
        Py_INCREF(label);
        PyTuple_SET_ITEM(labels, i, label);
    }
    return labels;
}

static PyObject *
path_str(path_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

static PyObject *
path_repr(path_object *self)
{
    return PyUnicode_FromFormat("<leakgraph.Path %U>", self->text);
}

static Py_ssize_t
path_length(path_object *self)
{
    return PyTuple_GET_SIZE(self->hops);
}

static PyObject *
path_subscript(path_object *self, PyObject *key)
{
    return PyObject_GetItem(self->hops, key);
}

static PyObject *
path_iter(path_object *self)
{
    return PyObject_GetIter(self->hops);
}

static PyMemberDef path_members[] = {
    {"root", T_OBJECT, offsetof(path_object, root), READONLY,
     "The Root that it starts from; None if it starts from a dominator."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef path_getset[] = {
    {"labels", (getter)get_labels, NULL, "The labels of its hops.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot path_slots[] = {
    LG__SLOT(Py_tp_dealloc, path_dealloc),
    LG__SLOT(Py_tp_repr, path_repr),
    LG__SLOT(Py_tp_str, path_str),
    LG__SLOT(Py_tp_iter, path_iter),
    LG__SLOT(Py_mp_length, path_length),
    LG__SLOT(Py_mp_subscript, path_subscript),
    {Py_tp_members, path_members},
    {Py_tp_getset, path_getset},
    {Py_tp_doc,
     "A sequence of Hop: how something is reached.\n\nstr() is an expression: "
     "train.trainer.losses[0]."},
    {0, NULL},
};

PyType_Spec lg__path_spec = {
    .name = "leakgraph.Path",
    .basicsize = sizeof(path_object),
    .flags = LG__FINAL_TYPE,
    .slots = path_slots,
};
