#include "binding/objects/handle.h"
#include "binding/support/convert.h"
#include <stdlib.h>

/* Notes the node for kept.c: an answer keeps what it shows. */
static bool
note_shown(snapshot_object *snapshot, uint32_t index)
{
    lg_nodes *shown = &snapshot->shown;
    if (shown->count == snapshot->shown_room) {
        size_t room = 2 * snapshot->shown_room + 64;
        uint32_t *items = realloc(shown->items, room * sizeof *items);
        if (items == NULL) {
            PyErr_NoMemory();
            return false;
        }
        shown->items = items;
        snapshot->shown_room = room;
    }
    shown->items[shown->count++] = index;
    return true;
}

PyObject *
node_new(core_state *state, snapshot_object *snapshot, uint32_t index)
{
    if (snapshot->notes_shown && !note_shown(snapshot, index))
        return NULL;
    node_object *self = object_new(state, TYPE_NODE);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->index = index;
    return (PyObject *)self;
}

PyObject *
edge_new(core_state *state, snapshot_object *snapshot, uint64_t index,
         bool backward)
{
    edge_object *self = object_new(state, TYPE_EDGE);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->index = index;
    self->backward = backward;
    return (PyObject *)self;
}

PyObject *
root_object(core_state *state, snapshot_object *snapshot, const lg_root *root)
{
    PyObject *result = PyStructSequence_New(state->types[TYPE_ROOT]);
    if (result == NULL)
        return NULL;
    PyObject *fields[] = {
        node_new(state, snapshot, root->node),
        PyUnicode_FromString(lg_root_kind_name(root->kind)),
        string_object(root->name),
    };
    for (Py_ssize_t i = 0; i < 3; i++)
        PyStructSequence_SetItem(result, i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

static const core_type item_types[TYPE_COUNT] = {
    [TYPE_NODES] = TYPE_NODE,
    [TYPE_EDGES] = TYPE_EDGE,
    [TYPE_ROOTS] = TYPE_ROOT,
};

static sequence_object *
sequence_alloc(core_state *state, core_type type, snapshot_object *snapshot)
{
    sequence_object *self = object_new(state, type);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->item = item_types[type];
    return self;
}

PyObject *
sequence_new(core_state *state, core_type type, snapshot_object *snapshot,
             sequence_range range)
{
    sequence_object *self = sequence_alloc(state, type, snapshot);
    if (self != NULL)
        self->range = range;
    return (PyObject *)self;
}

static PyObject *
listed_edges(core_state *state, snapshot_object *snapshot, uint64_t *edges,
             Py_ssize_t count, bool backward)
{
    sequence_object *self = sequence_alloc(state, TYPE_EDGES, snapshot);
    if (self == NULL) {
        free(edges);
        return NULL;
    }
    self->backward = backward;
    self->items = edges;
    self->range.length = count;
    return (PyObject *)self;
}

PyObject *
sequence_of_referrers(core_state *state, snapshot_object *snapshot,
                      uint64_t *edges, Py_ssize_t count)
{
    return listed_edges(state, snapshot, edges, count, true);
}

PyObject *
sequence_of_edges(core_state *state, snapshot_object *snapshot, uint64_t *edges,
                  Py_ssize_t count)
{
    return listed_edges(state, snapshot, edges, count, false);
}

PyObject *
sequence_of_nodes(core_state *state, snapshot_object *snapshot,
                  const lg_nodes *nodes)
{
    sequence_object *self = sequence_alloc(state, TYPE_NODES, snapshot);
    if (self == NULL)
        return NULL;
    self->items = malloc((nodes->count + 1) * sizeof *self->items);
    if (self->items == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < nodes->count; i++)
        self->items[i] = nodes->items[i];
    self->range.length = (Py_ssize_t)nodes->count;
    return (PyObject *)self;
}
