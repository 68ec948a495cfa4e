#include "binding/objects/py_path.h"
#include "binding/support/binding_support.h"
#include "binding/objects/handle.h"
#include "binding/objects/rows.h"
#include "capture/common/capture_common.h"

/** Owns all that it shows except the snapshot of its nodes. */
typedef struct path_object {
    PyObject_HEAD
    PyObject *root;  /* Root or None */
    PyObject *hops;  /* tuple of Hop */
    PyObject *start; /* what the text begins with, before the first hop */
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

/** A tuple of Hop. */
static PyObject *
hop_tuple(lg__core_state *state, lg__snapshot_object *snapshot,
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

static PyObject *
start_label(const lg_graph *graph, const lg_path *path)
{
    const lg_path start = {.start = path->start, .root = path->root};
    return path_label(graph, &start);
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
    self->hops = hop_tuple(state, snapshot, path->hops, path->count);
    self->start = start_label(graph, path);
    self->text = path_label(graph, path);
    if (self->root == NULL || self->hops == NULL || self->start == NULL ||
        self->text == NULL)
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
    Py_XDECREF(self->start);
    Py_XDECREF(self->text);
    lg__object_free(self);
}

static PyObject *
labels_of(PyObject *hops)
{
    Py_ssize_t count = PyTuple_GET_SIZE(hops);
    PyObject *labels = PyTuple_New(count);
    for (Py_ssize_t i = 0; labels != NULL && i < count; i++) {
        PyObject *hop = PyTuple_GET_ITEM(hops, i);
        PyObject *label = PyStructSequence_GetItem(hop, 0);
        Py_INCREF(label);
        PyTuple_SET_ITEM(labels, i, label);
    }
    return labels;
}

static PyObject *
get_labels(path_object *self, void *Py_UNUSED(closure))
{
    return labels_of(self->hops);
}

/* Takes over what it is given; NULL fails with the current exception. */
static PyObject *
path_made(PyTypeObject *type, PyObject *root, PyObject *hops, PyObject *start,
          PyObject *text)
{
    path_object *self = NULL;
    if (root != NULL && hops != NULL && start != NULL && text != NULL)
        self = (path_object *)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_XDECREF(root);
        Py_XDECREF(hops);
        Py_XDECREF(start);
        Py_XDECREF(text);
        return NULL;
    }
    self->root = root;
    self->hops = hops;
    self->start = start;
    self->text = text;
    return (PyObject *)self;
}

static PyObject *
taken(PyObject *object)
{
    Py_XINCREF(object);
    return object;
}

/* What a part begins with: the whole's own beginning, or the object that the
 * hop before it leads to, whose name a closed snapshot has forgotten. */
static PyObject *
start_of_part(const path_object *self, Py_ssize_t first)
{
    if (first == 0)
        return taken(self->start);
    PyObject *before = PyTuple_GET_ITEM(self->hops, first - 1);
    PyObject *label =
        lg__attribute_get(PyStructSequence_GetItem(before, 2), "label");
    PyObject *closed = lg__object_state((void *)self)->errors[LG__ERROR_CLOSED];
    if (label != NULL || !PyErr_ExceptionMatches(closed))
        return label;
    PyErr_Clear();
    return PyUnicode_FromString("...");
}

static PyObject *
joined(PyObject *start, PyObject *hops)
{
    PyObject *empty = PyUnicode_FromString("");
    PyObject *labels = hops ? labels_of(hops) : NULL;
    PyObject *rest = empty && labels ? PyUnicode_Join(empty, labels) : NULL;
    PyObject *text = start && rest ? PyUnicode_Concat(start, rest) : NULL;
    Py_XDECREF(empty);
    Py_XDECREF(labels);
    Py_XDECREF(rest);
    return text;
}

/* A part of consecutive hops is a path, which keeps the root if it begins
 * there. Any other slice is a tuple of hops. */
static PyObject *
path_slice(path_object *self, PyObject *slice)
{
    Py_ssize_t first, end, step;
    if (PySlice_Unpack(slice, &first, &end, &step) < 0)
        return NULL;
    Py_ssize_t whole = PyTuple_GET_SIZE(self->hops);
    Py_ssize_t count = PySlice_AdjustIndices(whole, &first, &end, step);
    PyObject *hops = PyObject_GetItem(self->hops, slice);
    if (step != 1 || hops == NULL)
        return hops;
    PyObject *start = start_of_part(self, first);
    PyObject *text = count == whole ? taken(self->text) : joined(start, hops);
    return path_made(Py_TYPE((PyObject *)self),
                     taken(first == 0 ? self->root : Py_None), hops, start,
                     text);
}

const char lg__core_path_doc[] = "_path($module, root, hops, start, text, /)\n"
                                 "--\n\nA Path from its parts.";

PyObject *
lg__core_path(PyObject *module, PyObject *args)
{
    lg__core_state *state = lg__module_state(module);
    PyObject *root, *hops, *start, *text;
    if (!PyArg_ParseTuple(args, "OO!UU:_path", &root, &PyTuple_Type, &hops,
                          &start, &text))
        return NULL;
    bool fine = root == Py_None || Py_TYPE(root) == state->types[LG__TYPE_ROOT];
    for (Py_ssize_t i = 0; fine && i < PyTuple_GET_SIZE(hops); i++)
        fine = Py_TYPE(PyTuple_GET_ITEM(hops, i)) == state->types[LG__TYPE_HOP];
    if (fine)
        return path_made(state->types[LG__TYPE_PATH], taken(root), taken(hops),
                         taken(start), taken(text));
    PyErr_SetString(state->errors[LG__ERROR_ARGUMENT],
                    "The pickle holds no path of leakgraph.");
    return NULL;
}

static PyObject *
path_reduce(path_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *parts =
        PyTuple_Pack(4, self->root, self->hops, self->start, self->text);
    PyObject *reduced =
        parts ? lg__python_call(lg__object_state(self), "leakgraph.pickled",
                                "reduced_path", parts)
              : NULL;
    Py_XDECREF(parts);
    return reduced;
}

/* Paths are equal if their roots and hops are. */
static PyObject *
path_compare(path_object *self, PyObject *other, int operation)
{
    if (Py_TYPE(other) != Py_TYPE((PyObject *)self) ||
        (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    const path_object *that = (path_object *)other;
    int equal = PyObject_RichCompareBool(self->root, that->root, Py_EQ);
    if (equal == 1)
        equal = PyObject_RichCompareBool(self->hops, that->hops, Py_EQ);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t
path_hash(path_object *self)
{
    return PyObject_Hash(self->hops);
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
    return PySlice_Check(key) ? path_slice(self, key)
                              : PyObject_GetItem(self->hops, key);
}

static PyObject *
path_iter(path_object *self)
{
    return PyObject_GetIter(self->hops);
}

static PyMethodDef path_methods[] = {
    {"__reduce__", (PyCFunction)path_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\n"},
    {"__copy__", lg__handle_copy, METH_NOARGS, "__copy__($self, /)\n--\n\n"},
    {"__deepcopy__", lg__handle_copy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\n"},
    LG__ROWS_METHODS("hops", "A Node is its index."),
    {NULL, NULL, 0, NULL},
};

static PyMemberDef path_members[] = {
    {"root", T_OBJECT, offsetof(path_object, root), READONLY,
     "The Root that it starts from; None if it starts from a dominator."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef path_getset[] = {
    {"labels", (getter)get_labels, NULL, "The labels of its hops.", NULL},
    LG__ROWS_JSON("hops"),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot path_slots[] = {
    LG__SLOT(Py_tp_dealloc, path_dealloc),
    LG__SLOT(Py_tp_repr, path_repr),
    LG__SLOT(Py_tp_str, path_str),
    LG__SLOT(Py_tp_richcompare, path_compare),
    LG__SLOT(Py_tp_hash, path_hash),
    LG__SLOT(Py_tp_iter, path_iter),
    LG__SLOT(Py_mp_length, path_length),
    LG__SLOT(Py_mp_subscript, path_subscript),
    {Py_tp_members, path_members},
    {Py_tp_methods, path_methods},
    {Py_tp_getset, path_getset},
    {Py_tp_doc,
     "A sequence of Hop: how something is reached.\n\nstr() is an expression: "
     "train.trainer.losses[0]. A slice of consecutive hops\nis a Path. Paths "
     "are equal if their roots and hops are."},
    {0, NULL},
};

PyType_Spec lg__path_spec = {
    .name = "leakgraph.Path",
    .basicsize = sizeof(path_object),
    .flags = LG__FINAL_TYPE,
    .slots = path_slots,
};
