/**
 * What Snapshot.select() returns: the objects of a selector or a class, as far
 * as they pass the filters.
 */
#include "binding/objects/chosen.h"
#include "binding/objects/binding_objects.h"
#include "binding/objects/handle.h"
#include "binding/objects/target.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/columns.h>

enum { TARGET, HELD_BY, MIN_BYTES, MINE, MODULE, PROGRESS, ARGUMENTS };

typedef struct request {
    lg__snapshot_object *snapshot;
    lg_nodes nodes;
    lg_nodes holders;
    bool held;          /* keep only what a holder owns */
    uint64_t min_bytes; /* 0: any */
    lg__scope_request scope;
    lg__progress progress;
} request;

/* Adds all objects whose type is this class. */
static bool
select_class(request *self, PyObject *class)
{
    lg_nodes found = {0};
    if (!lg__target_resolve(self->snapshot, class, &found))
        return false;
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    const lg_columns *columns = lg_graph_columns(graph);
    const uint32_t node = found.items[0];
    bool done = true;
    for (uint32_t i = 0; done && i < columns->node_count; i++)
        if (lg_graph_type(graph, columns->type[i]).node == node)
            done = lg__nodes_extend(&self->nodes, &i, 1);
    lg_nodes_free(&found);
    return done;
}

static bool
find_targets(request *self, PyObject *target)
{
    if (PyLong_Check(target)) {
        PyErr_SetString(PyExc_TypeError,
                        "select() takes a selector, a class or an object, not "
                        "a number: node(i) is the node with the number i");
        return false;
    }
    return PyType_Check(target)
               ? select_class(self, target)
               : lg__target_resolve_set(self->snapshot, target, &self->nodes);
}

static bool
needs_filter(const request *self)
{
    return self->held || self->min_bytes > 0 || self->scope.mine ||
           self->scope.module != NULL;
}

static bool
passes(const request *self, const lg_analysis *analysis, const lg_scope *scope,
       lg_node node)
{
    lg_bytes bytes = lg_node_retained(analysis, node);
    return lg_scope_has(scope, node) &&
           bytes.host + bytes.devices >= self->min_bytes;
}

/* Needs no GIL. */
static lg_status
filter(request *self, const lg_analysis *analysis, lg_error *error)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(&self->scope, graph,
                                      &self->progress.monitor, &scope, error);
    size_t kept = 0;
    for (size_t i = 0; status == LG_OK && i < self->nodes.count; i++) {
        lg_node node = self->nodes.items[i];
        if (passes(self, analysis, scope, node))
            self->nodes.items[kept++] = node;
    }
    lg_scope_free(scope);
    if (status != LG_OK)
        return status;
    self->nodes.count = kept;
    return self->held
               ? lg_nodes_keep_owned(analysis, self->holders.items,
                                     self->holders.count, &self->nodes, error)
               : LG_OK;
}

static bool
apply_filters(request *self)
{
    if (!needs_filter(self))
        return true;
    const lg_analysis *analysis =
        lg__analysis_acquire(self->snapshot, &self->progress.monitor);
    if (analysis == NULL)
        return false;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = filter(self, analysis, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(self->snapshot);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(self->snapshot), status, &error);
    return status == LG_OK;
}

static PyObject *
run(request *self, PyObject *const *values)
{
    self->held = values[HELD_BY] != NULL && values[HELD_BY] != Py_None;
    if (!find_targets(self, values[TARGET]) ||
        (self->held && !lg__target_resolve_set(self->snapshot, values[HELD_BY],
                                               &self->holders)) ||
        !apply_filters(self))
        return NULL;
    return lg__sequence_of_nodes(lg__object_state(self->snapshot),
                                 self->snapshot, &self->nodes);
}

const char lg__snapshot_select_doc[] =
    "select($self, target, /, *, held_by=None, min_bytes=0, mine=False,\n"
    "       module=None, progress=None)\n"
    "--\n\n"
    "The nodes of a selector, a class or an object: Nodes.\n\n"
    "target     'type:torch.Tensor', 'name:train.losses[0]', '#17', '0x7f..'; "
    "or a\n"
    "           class: all objects whose type it is\n"
    "held_by    only what this target alone keeps alive\n"
    "min_bytes  only what retains at least this: 4096, '1 MiB'\n"
    "mine       only what the program's own modules hold\n"
    "module     only what matching modules hold: 'train.*'\n"
    "progress   as in snapshot()";

PyObject *
lg__snapshot_select(PyObject *snapshot, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static const char *const names[] = {
        "target", "held_by", "min_bytes", "mine", "module", "progress", NULL};
    static const lg__arg_list list = {"select", names, 1, 1};
    PyObject *values[ARGUMENTS] = {NULL};
    request self = {.snapshot = (lg__snapshot_object *)snapshot};
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_bytes("min_bytes", values[MIN_BYTES], 0, &self.min_bytes) ||
        !lg__arg_scope(values[MINE], values[MODULE], &self.scope) ||
        !lg__progress_begin(&self.progress, values[PROGRESS]))
        return NULL;
    PyObject *nodes = lg__progress_end(&self.progress, run(&self, values));
    lg_nodes_free(&self.nodes);
    lg_nodes_free(&self.holders);
    return nodes;
}

/* The only node that a str selects: of a bare name, what has it. */
static PyObject *
node_named(lg__snapshot_object *self, PyObject *text)
{
    PyObject *selector = lg__target_reads_selector(text)
                             ? PyUnicode_FromObject(text)
                             : PyUnicode_FromFormat("name:%U", text);
    lg_nodes nodes = {0};
    PyObject *node = NULL;
    if (selector != NULL && lg__target_select(self, selector, &nodes)) {
        if (nodes.count == 1)
            node = lg__node_new(lg__object_state(self), self, nodes.items[0]);
        else
            PyErr_Format(
                lg__object_state(self)->errors[LG__ERROR_ARGUMENT],
                "%R selects %zu objects: select() returns all of them.", text,
                nodes.count);
    }
    Py_XDECREF(selector);
    lg_nodes_free(&nodes);
    return node;
}

PyObject *
lg__snapshot_find(PyObject *snapshot, PyObject *object)
{
    lg__snapshot_object *self = (lg__snapshot_object *)snapshot;
    uint32_t node;
    if (PyUnicode_Check(object) && lg__target_reads_selector(object))
        return node_named(self, object);
    if (!lg__target_find(self, object, &node))
        return NULL;
    if (node == LG_NONE)
        Py_RETURN_NONE;
    return lg__node_new(lg__object_state(self), self, node);
}

PyObject *
lg__snapshot_item(PyObject *snapshot, PyObject *key)
{
    lg__snapshot_object *self = (lg__snapshot_object *)snapshot;
    lg_nodes nodes = {0};
    if (PyUnicode_Check(key))
        return node_named(self, key);
    PyObject *node =
        lg__target_resolve(self, key, &nodes)
            ? lg__node_new(lg__object_state(self), self, nodes.items[0])
            : NULL;
    lg_nodes_free(&nodes);
    return node;
}

int
lg__snapshot_has(PyObject *snapshot, PyObject *key)
{
    PyObject *node = lg__snapshot_item(snapshot, key);
    if (node == NULL &&
        PyErr_ExceptionMatches(
            lg__object_state(snapshot)->errors[LG__ERROR_NOT_FOUND]))
        PyErr_Clear();
    else if (node == NULL)
        return -1;
    Py_XDECREF(node);
    return node != NULL;
}
