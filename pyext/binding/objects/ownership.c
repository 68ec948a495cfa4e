/**
 * The graph of a Snapshot: who owns it, who uses it, and when it is freed.
 */
#include "binding/support/binding_support.h"
#include "binding/objects/py_snapshot.h"
#include "capture/run/capture_run.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include <stdlib.h>

static lg_string
device_name(const void *graph, uint32_t device)
{
    return lg_graph_device_name(graph, device);
}

PyObject *
lg__snapshot_new(lg__core_state *state, lg_graph *graph)
{
    lg__snapshot_object *self = lg__object_new(state, LG__TYPE_SNAPSHOT);
    if (self == NULL) {
        lg_graph_free(graph);
        return NULL;
    }
    self->graph = graph;
    self->devices =
        lg__string_tuple(lg_graph_device_count(graph) + 1, device_name, graph);
    if (self->devices == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

lg_graph *
lg__snapshot_graph(lg__snapshot_object *self)
{
    /* While the interpreter ends, its other threads stop when they take its
       lock. */
    if (Py_IsFinalizing())
        lg_process_ends();
    if (!self->closed)
        return self->graph;
    PyErr_SetString(lg__object_state(self)->errors[LG__ERROR_CLOSED],
                    self->kept
                        ? "The answer keeps only what it shows, not its "
                          "snapshot; to ask more, take one with "
                          "leakgraph.snapshot() and ask that."
                        : "The snapshot was closed; take or load it again.");
    return NULL;
}

lg_graph *
lg__snapshot_acquire(lg__snapshot_object *self)
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph != NULL)
        self->uses++;
    return graph;
}

static void
free_graph(lg__snapshot_object *self)
{
    lg_graph *graph = self->graph;
    lg_analysis *analysis = self->analysis;
    self->graph = NULL;
    self->analysis = NULL;
    Py_BEGIN_ALLOW_THREADS
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    Py_END_ALLOW_THREADS
}

static bool
is_free_to_go(const lg__snapshot_object *self)
{
    return self->closed && self->uses == 0 && !lg__capture_is_free_threaded();
}

void
lg__snapshot_release(lg__snapshot_object *self)
{
    self->uses--;
    if (is_free_to_go(self))
        free_graph(self);
}

void
lg__snapshot_give_up(lg__snapshot_object *self)
{
    if (self->closed)
        return;
    self->closed = true;
    if (is_free_to_go(self))
        free_graph(self);
}

void
lg__snapshot_forget(lg__snapshot_object *self)
{
    self->closed = true;
    free_graph(self);
    lg_nodes_free(&self->shown);
    self->shown = (lg_nodes){0};
}

PyObject *
lg__snapshot_gone(lg__core_state *state, PyObject *devices)
{
    lg__snapshot_object *self =
        devices != NULL ? lg__object_new(state, LG__TYPE_SNAPSHOT) : NULL;
    if (self == NULL) {
        Py_XDECREF(devices);
        return NULL;
    }
    self->devices = devices;
    self->closed = true;
    return (PyObject *)self;
}

void
lg__snapshot_dispose(lg__snapshot_object *self)
{
    lg_nodes_free(&self->shown);
    Py_XDECREF(self->kept);
    lg_analysis_free(self->analysis);
    lg_graph_free(self->graph);
    free(self->root_bits);
    Py_XDECREF(self->devices);
    Py_XDECREF(self->path);
}

static uint8_t *
make_root_bits(const lg_graph *graph)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    uint8_t *bits = calloc((size_t)count / 8 + 1, 1);
    if (bits == NULL)
        return NULL;
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++) {
        uint32_t node = lg_graph_root(graph, i).node;
        bits[node / 8] |= (uint8_t)(1u << node % 8);
    }
    return bits;
}

int
lg__snapshot_is_root(lg__snapshot_object *self, uint32_t node)
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL)
        return -1;
    if (self->root_bits == NULL)
        self->root_bits = make_root_bits(graph);
    if (self->root_bits == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return self->root_bits[node / 8] >> node % 8 & 1;
}
