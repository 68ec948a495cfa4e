/**
 * What a caller asks about, as nodes of a Snapshot, and what Snapshot.select()
 * returns: the objects of a selector or a class, as far as they pass the
 * filters.
 */
#include "binding/objects/binding_objects.h"
#include "binding/objects/handle.h"
#include "binding/objects/target.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/path.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

bool
lg__nodes_extend(lg_nodes *nodes, const uint32_t *more, size_t count)
{
    size_t total = nodes->count + count;
    if (!lg_nodes_reserve(nodes, total)) {
        PyErr_NoMemory();
        return false;
    }
    if (count > 0)
        memcpy(nodes->items + nodes->count, more, count * sizeof *more);
    nodes->count = total;
    return true;
}

static uint32_t
address_node(lg_graph *graph, const void *address)
{
    uint32_t node;
    Py_BEGIN_ALLOW_THREADS
    node = lg_graph_find(graph, (uint64_t)(uintptr_t)address);
    Py_END_ALLOW_THREADS
    return node;
}

/* An address is reused as soon as its object dies. Only the type there can be
 * checked without the object's help. */
bool
lg__target_has_type(const lg_graph *graph, uint32_t node, PyObject *object)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t type = lg_graph_type(graph, lg_columns_type(columns, node)).node;
    return type == LG_NONE || lg_columns_address(columns, type) ==
                                  (uint64_t)(uintptr_t)Py_TYPE(object);
}

bool
lg__target_is_here(const lg_graph *graph)
{
    char own[24];
    int length = snprintf(own, sizeof own, "%ld", (long)getpid());
    lg_string pid = lg_graph_info_find(graph, "pid");
    return pid.length == (uint32_t)length &&
           memcmp(pid.data, own, pid.length) == 0;
}

static bool
check_process(lg__core_state *state, const lg_graph *graph)
{
    if (lg__target_is_here(graph))
        return true;
    lg_string pid = lg_graph_info_find(graph, "pid");
    PyObject *other = PyUnicode_DecodeUTF8(pid.length ? pid.data : "",
                                           (Py_ssize_t)pid.length, "replace");
    if (other == NULL)
        return false;
    PyErr_Format(state->errors[LG__ERROR_BASE],
                 "The snapshot is of another process (pid %U; this is %ld), "
                 "and has no live objects of this one; use a selector such as "
                 "'type:dict'.",
                 other, (long)getpid());
    Py_DECREF(other);
    return false;
}

/** Finds the node of a live object: LG_NONE if it has none, or if its address
 *  had an object of another type. False with an exception if the graph is of
 *  another process. */
static bool
target_find(lg__snapshot_object *snapshot, PyObject *object, uint32_t *node)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return false;
    bool ours = check_process(lg__object_state(snapshot), graph);
    uint32_t found = ours ? address_node(graph, object) : LG_NONE;
    if (found != LG_NONE && !lg__target_has_type(graph, found, object))
        found = LG_NONE;
    lg__snapshot_release(snapshot);
    *node = found;
    return ours;
}

bool
lg__target_look_up(lg__snapshot_object *snapshot, const char *what,
                   PyObject *text, lg__look_up *look_up, void *out)
{
    const char *utf8 = lg__arg_utf8(what, text);
    lg_graph *graph = utf8 ? lg__snapshot_acquire(snapshot) : NULL;
    if (graph == NULL)
        return false;
    lg_error error;
    lg_status status;
    lg__progress watch;
    if (!lg__progress_begin(&watch, NULL)) {
        lg__snapshot_release(snapshot);
        return false;
    }
    Py_BEGIN_ALLOW_THREADS
    status = look_up(graph, utf8, &watch.monitor, out, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return lg__progress_finish(&watch, status) && status == LG_OK;
}

static lg_status
select_nodes(const lg_graph *graph, const char *selector,
             const lg_monitor *monitor, void *nodes, lg_error *error)
{
    return lg_graph_select(graph, selector, monitor, nodes, error);
}

/** The nodes that a selector names. */
static bool
target_select(lg__snapshot_object *snapshot, PyObject *selector,
              lg_nodes *nodes)
{
    if (!PyUnicode_Check(selector)) {
        PyErr_Format(PyExc_TypeError, "a selector must be a str, not %.100s",
                     Py_TYPE(selector)->tp_name);
        return false;
    }
    return lg__target_look_up(snapshot, "the selector", selector, select_nodes,
                              nodes);
}

static void
raise_not_found(lg__core_state *state, PyObject *object)
{
    PyErr_Format(state->errors[LG__ERROR_NOT_FOUND],
                 "The %.100s at %p is not in the snapshot: it is newer, or "
                 "nothing that leakgraph can see holds it.",
                 Py_TYPE(object)->tp_name, (void *)object);
}

static bool
resolve_node(lg__snapshot_object *snapshot, lg__node_object *node,
             lg_nodes *nodes)
{
    if (node->snapshot == snapshot)
        return lg__nodes_extend(nodes, &node->index, 1);
    PyErr_SetString(lg__object_state(snapshot)->errors[LG__ERROR_ARGUMENT],
                    "The node belongs to another snapshot.");
    return false;
}

bool
lg__target_resolve(lg__snapshot_object *snapshot, PyObject *target,
                   lg_nodes *nodes)
{
    lg__core_state *state = lg__object_state(snapshot);
    if (PyUnicode_Check(target)) {
        lg_nodes selected = {0};
        bool done = target_select(snapshot, target, &selected) &&
                    lg__nodes_extend(nodes, selected.items, selected.count);
        lg_nodes_free(&selected);
        return done;
    }
    if (Py_TYPE(target) == state->types[LG__TYPE_NODE])
        return resolve_node(snapshot, (lg__node_object *)target, nodes);
    uint32_t node;
    if (!target_find(snapshot, target, &node))
        return false;
    if (node != LG_NONE)
        return lg__nodes_extend(nodes, &node, 1);
    raise_not_found(state, target);
    return false;
}

/* Adds the nodes of a Nodes, or of a list of Node. */
static bool
is_set(lg__core_state *state, PyObject *target)
{
    if (PyList_Check(target) && PyList_GET_SIZE(target) > 0)
        return Py_TYPE(PyList_GET_ITEM(target, 0)) ==
               state->types[LG__TYPE_NODE];
    return Py_TYPE(target) == state->types[LG__TYPE_NODES];
}

bool
lg__target_is_live(lg__core_state *state, PyObject *target)
{
    return !PyUnicode_Check(target) &&
           Py_TYPE(target) != state->types[LG__TYPE_NODE] &&
           !is_set(state, target);
}

/* Reads characters one by one: to encode the text would leave its UTF-8 with an
   object of the program, which would be larger from then on. */
static bool
begins(PyObject *text, const char *prefix)
{
    Py_ssize_t length = (Py_ssize_t)strlen(prefix);
    if (PyUnicode_GetLength(text) < length)
        return false;
    for (Py_ssize_t i = 0; i < length; i++)
        if (PyUnicode_ReadChar(text, i) != (Py_UCS4)prefix[i])
            return false;
    return true;
}

static bool
begins_with_word(PyObject *object)
{
    static const char *const prefixes[] = {
        "name:", "type:", "node:", "module:"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(object, prefixes[i]))
            return true;
    return false;
}

/** Whether a str begins like a selector: 'type:...', '#17'. */
static bool
begins_as_selector(PyObject *object)
{
    return begins_with_word(object) || begins(object, "#") ||
           begins(object, "0x");
}

/* Whether a text has a prefix and then digits, at least one, and no more. */
static bool
is_number(PyObject *text, const char *prefix, const char *digits)
{
    Py_ssize_t first = (Py_ssize_t)strlen(prefix);
    Py_ssize_t length = PyUnicode_GetLength(text);
    bool fits = length > first && begins(text, prefix);
    for (Py_ssize_t i = first; fits && i < length; i++) {
        Py_UCS4 character = PyUnicode_ReadChar(text, i);
        fits = character > 0 && character < 128 &&
               strchr(digits, (int)character) != NULL;
    }
    return fits;
}

/** Whether a str is a selector: '#17', but neither '# a remark' nor '#ff7700',
 *  which are texts of a program. */
static bool
is_selector(PyObject *object)
{
    return begins_with_word(object) || is_number(object, "#", "0123456789") ||
           is_number(object, "0x", "0123456789abcdefABCDEF");
}

bool
lg__target_is_object(lg__core_state *state, const char *function,
                     PyObject *object)
{
    if (!PyUnicode_Check(object) || !begins_with_word(object))
        return true;
    PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                 "leakgraph.%s() takes an object; for the selector %R, ask a "
                 "snapshot: leakgraph.snapshot().%s(%R).",
                 function, object, function, object);
    return false;
}

/* Whether the node has one of the items where the list or tuple has it. Another
   object may have been at the same address. */
static bool
shares_item(const lg_graph *graph, uint32_t node, PyObject *target)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t edge = lg_columns_first_edge(columns, node);
    for (; edge < lg_columns_first_edge(columns, node + 1); edge++) {
        Py_ssize_t at = lg_columns_payload(columns, edge);
        unsigned kind = lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK;
        uint32_t item = lg_columns_target(columns, edge);
        if (kind == LG_EDGE_INDEX && at < PySequence_Fast_GET_SIZE(target) &&
            lg_columns_address(columns, item) ==
                (uint64_t)(uintptr_t)PySequence_Fast_GET_ITEM(target, at))
            return true;
    }
    return false;
}

/* Whether only the call that took the snapshot holds it, as it holds the list
   of retained([cache, queue]). */
static bool
is_of_the_call(lg__snapshot_object *snapshot, uint32_t node)
{
    return lg__snapshot_is_root(snapshot, node) == 0 &&
           lg_node_referrers(lg__snapshot_graph(snapshot), node, NULL, 0) == 0;
}

/* A list or tuple that the snapshot lacks stands for its items, and so does one
   that was made for the call. */
static bool
stands_for_items(lg__snapshot_object *snapshot, PyObject *target)
{
    uint32_t node = LG_NONE;
    if ((!PyList_CheckExact(target) && !PyTuple_CheckExact(target)) ||
        PySequence_Fast_GET_SIZE(target) == 0)
        return false;
    if (!target_find(snapshot, target, &node))
        PyErr_Clear();
    return node == LG_NONE ||
           !shares_item(lg__snapshot_graph(snapshot), node, target) ||
           is_of_the_call(snapshot, node);
}

bool
lg__target_resolve_set(lg__snapshot_object *snapshot, PyObject *target,
                       lg_nodes *nodes)
{
    if (!is_set(lg__object_state(snapshot), target) &&
        !stands_for_items(snapshot, target))
        return lg__target_resolve(snapshot, target, nodes);
    PyObject *items = PySequence_Fast(target, "");
    bool done = items != NULL;
    for (Py_ssize_t i = 0; done && i < PySequence_Fast_GET_SIZE(items); i++)
        done = lg__target_resolve(snapshot, PySequence_Fast_GET_ITEM(items, i),
                                  nodes);
    Py_XDECREF(items);
    return done;
}

bool
lg__target_locate(lg__core_state *state, lg_graph *graph,
                  PyObject *const *objects, size_t count, lg_nodes *nodes)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t node = address_node(graph, objects[i]);
        if (node == LG_NONE) {
            raise_not_found(state, objects[i]);
            return false;
        }
        if (!lg__nodes_extend(nodes, &node, 1))
            return false;
    }
    return true;
}

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
        if (lg_graph_type(graph, lg_columns_type(columns, i)).node == node)
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
    PyObject *selector = begins_as_selector(text)
                             ? PyUnicode_FromObject(text)
                             : PyUnicode_FromFormat("name:%U", text);
    lg_nodes nodes = {0};
    PyObject *node = NULL;
    if (selector != NULL && target_select(self, selector, &nodes)) {
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
    if (PyUnicode_Check(object) && is_selector(object))
        return node_named(self, object);
    if (!target_find(self, object, &node))
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
