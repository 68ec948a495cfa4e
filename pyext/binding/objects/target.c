#include "binding/objects/target.h"
#include "binding/support/binding_support.h"
#include "binding/objects/handle.h"

#include <leakgraph/path.h>
#include <leakgraph/internal/columns.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    uint32_t type = lg_graph_type(graph, columns->type[node]).node;
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

bool
lg__target_find(lg__snapshot_object *snapshot, PyObject *object, uint32_t *node)
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

bool
lg__target_select(lg__snapshot_object *snapshot, PyObject *selector,
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
        bool done = lg__target_select(snapshot, target, &selected) &&
                    lg__nodes_extend(nodes, selected.items, selected.count);
        lg_nodes_free(&selected);
        return done;
    }
    if (Py_TYPE(target) == state->types[LG__TYPE_NODE])
        return resolve_node(snapshot, (lg__node_object *)target, nodes);
    uint32_t node;
    if (!lg__target_find(snapshot, target, &node))
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

bool
lg__target_reads_selector(PyObject *object)
{
    return begins_with_word(object) || begins(object, "#") ||
           begins(object, "0x");
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
    uint64_t edge = columns->first_edge[node];
    for (; edge < columns->first_edge[node + 1]; edge++) {
        Py_ssize_t at = lg_columns_payload(columns, edge);
        unsigned kind = columns->edge_kind[edge] & LG_EDGE_KIND_MASK;
        uint32_t item = columns->edge_target[edge];
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
    if (!lg__target_find(snapshot, target, &node))
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
