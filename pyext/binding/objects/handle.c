#include "binding/objects/handle.h"

#include <leakgraph/internal/columns.h>
#include "binding/support/binding_support.h"
#include <stdlib.h>
#include <string.h>

/* Notes the node for kept.c: an answer keeps what it shows. */
static bool
note_shown(lg__snapshot_object *snapshot, uint32_t index)
{
    lg_nodes *shown = &snapshot->shown;
    if (shown->count == snapshot->shown_room) {
        size_t room = 2 * snapshot->shown_room + 64;
        if (!lg_nodes_reserve(shown, room)) {
            PyErr_NoMemory();
            return false;
        }
        snapshot->shown_room = room;
    }
    shown->items[shown->count++] = index;
    return true;
}

static bool
is_same_file(const lg__file_mark *one, const lg__file_mark *two)
{
    return one->inode != 0 && one->device == two->device &&
           one->inode == two->inode && one->changed == two->changed;
}

// Whether both have the same nodes: they are one Snapshot, or of one file, or
// answers keep the same of both. -1 with an exception.
static int
is_same_snapshot(const lg__snapshot_object *self,
                 const lg__snapshot_object *other)
{
    if (self == other || is_same_file(&self->file, &other->file))
        return 1;
    if (self->kept == NULL || other->kept == NULL)
        return 0;
    return PyObject_RichCompareBool(self->kept, other->kept, Py_EQ);
}

PyObject *
lg__handle_compare(const lg__snapshot_object *one, uint64_t index,
                   const lg__snapshot_object *two, uint64_t other,
                   int operation)
{
    int equal = index == other ? is_same_snapshot(one, two) : 0;
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

PyObject *
lg__handle_path(const lg__snapshot_object *snapshot, const char *what)
{
    PyObject *place = snapshot->kept ? snapshot->kept : snapshot->path;
    if (place == NULL)
        PyErr_Format(lg__object_state((void *)snapshot)->errors[LG__ERROR_BASE],
                     "The %s cannot be pickled, because its snapshot was never "
                     "saved: call Snapshot.save() first.",
                     what);
    return place;
}

PyObject *
lg__handle_copy(PyObject *self, PyObject *Py_UNUSED(memo))
{
    Py_INCREF(self);
    return self;
}

Py_hash_t
lg__handle_hash(uint64_t index)
{
    return (Py_hash_t)((index + 1) * 0x9E3779B97F4A7C15u >> 1);
}

PyObject *
lg__node_new(lg__core_state *state, lg__snapshot_object *snapshot,
             uint32_t index)
{
    if (snapshot->notes_shown && !note_shown(snapshot, index))
        return NULL;
    lg__node_object *self = lg__object_new(state, LG__TYPE_NODE);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->index = index;
    return (PyObject *)self;
}

PyObject *
lg__edge_new(lg__core_state *state, lg__snapshot_object *snapshot,
             uint64_t index, bool backward)
{
    lg__edge_object *self = lg__object_new(state, LG__TYPE_EDGE);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->index = index;
    self->backward = backward;
    return (PyObject *)self;
}

PyObject *
lg__root_object(lg__core_state *state, lg__snapshot_object *snapshot,
                const lg_root *root)
{
    PyObject *result = PyStructSequence_New(state->types[LG__TYPE_ROOT]);
    if (result == NULL)
        return NULL;
    PyObject *fields[] = {
        lg__node_new(state, snapshot, root->node),
        PyUnicode_FromString(lg_root_kind_name(root->kind)),
        lg__string_object(root->name),
    };
    for (Py_ssize_t i = 0; i < 3; i++)
        PyStructSequence_SetItem(result, i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

static const lg__core_type item_types[LG__TYPES] = {
    [LG__TYPE_NODES] = LG__TYPE_NODE,
    [LG__TYPE_EDGES] = LG__TYPE_EDGE,
    [LG__TYPE_ROOTS] = LG__TYPE_ROOT,
};

static lg__sequence_object *
sequence_alloc(lg__core_state *state, lg__core_type type,
               lg__snapshot_object *snapshot)
{
    lg__sequence_object *self = lg__object_new(state, type);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->item = item_types[type];
    return self;
}

PyObject *
lg__sequence_new(lg__core_state *state, lg__core_type type,
                 lg__snapshot_object *snapshot, lg__sequence_range range)
{
    lg__sequence_object *self = sequence_alloc(state, type, snapshot);
    if (self != NULL)
        self->range = range;
    return (PyObject *)self;
}

static PyObject *
listed_edges(lg__core_state *state, lg__snapshot_object *snapshot,
             uint64_t *edges, Py_ssize_t count, bool backward)
{
    lg__sequence_object *self = sequence_alloc(state, LG__TYPE_EDGES, snapshot);
    if (self == NULL) {
        free(edges);
        return NULL;
    }
    self->backward = backward;
    self->edges = edges;
    self->range.length = count;
    return (PyObject *)self;
}

PyObject *
lg__sequence_of_referrers(lg__core_state *state, lg__snapshot_object *snapshot,
                          uint64_t *edges, Py_ssize_t count)
{
    return listed_edges(state, snapshot, edges, count, true);
}

PyObject *
lg__sequence_of_edges(lg__core_state *state, lg__snapshot_object *snapshot,
                      uint64_t *edges, Py_ssize_t count)
{
    return listed_edges(state, snapshot, edges, count, false);
}

PyObject *
lg__sequence_of_nodes(lg__core_state *state, lg__snapshot_object *snapshot,
                      const lg_nodes *nodes)
{
    lg__sequence_object *self = sequence_alloc(state, LG__TYPE_NODES, snapshot);
    if (self == NULL)
        return NULL;
    if (!lg_nodes_reserve(&self->nodes, nodes->count)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    if (nodes->count != 0)
        memcpy(self->nodes.items, nodes->items,
               nodes->count * sizeof *nodes->items);
    self->nodes.count = nodes->count;
    self->range.length = (Py_ssize_t)nodes->count;
    return (PyObject *)self;
}
