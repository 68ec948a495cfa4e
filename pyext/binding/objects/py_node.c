/**
 * The attributes of a node that are not columns of the graph, and those that
 * need the analysis.
 */
#include "binding/objects/py_node.h"
#include "binding/objects/kept.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/rows.h"
#include "binding/objects/size.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/native.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/wording.h>
#include <stdlib.h>

static bool
put(PyObject *facts, lg_string name, lg_string content)
{
    PyObject *key = lg__string_object(name);
    PyObject *value = lg__string_object(content);
    bool done =
        key != NULL && value != NULL && PyDict_SetItem(facts, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return done;
}

static PyObject *
node_facts(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    PyObject *facts = graph ? PyDict_New() : NULL;
    lg_fact fact;
    for (uint32_t i = 0;
         facts != NULL && lg_node_fact_at(graph, self->index, i, &fact); i++)
        if (!put(facts, fact.key, fact.text))
            Py_CLEAR(facts);
    return facts;
}

static PyObject *
node_device(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    return lg__string_object(
        lg_graph_device_name(graph, lg_node_device(graph, self->index)));
}

static void
node_dealloc(lg__node_object *self)
{
    Py_XDECREF(self->snapshot);
    lg__object_free(self);
}

/* Nodes have no subclasses, so no other type has this function. */
bool
lg__node_check(PyObject *object)
{
    return Py_TYPE(object)->tp_dealloc == (destructor)node_dealloc;
}

static const lg_columns *
node_columns(lg__node_object *self)
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph ? lg_graph_columns(graph) : NULL;
}

static PyObject *
get_index(lg__node_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(self->index);
}

static PyObject *
get_snapshot(lg__node_object *self, void *Py_UNUSED(closure))
{
    Py_INCREF(self->snapshot);
    return (PyObject *)self->snapshot;
}

static PyObject *
get_address(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_columns *columns = node_columns(self);
    return columns ? PyLong_FromUnsignedLongLong(
                         lg_columns_address(columns, self->index))
                   : NULL;
}

static PyObject *
get_type_name(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    uint32_t type = lg_columns_type(lg_graph_columns(graph), self->index);
    return lg__string_object(lg_graph_type(graph, type).name);
}

static PyObject *
get_type(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    uint32_t type = lg_columns_type(lg_graph_columns(graph), self->index);
    uint32_t node = lg_graph_type(graph, type).node;
    if (node == LG_NONE)
        Py_RETURN_NONE;
    return lg__node_new(lg__object_state(self), self->snapshot, node);
}

static PyObject *
get_size(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph ? PyLong_FromUnsignedLongLong(lg_node_size(graph, self->index))
                 : NULL;
}

static PyObject *
get_spent(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph
               ? PyLong_FromUnsignedLongLong(lg_node_spent(graph, self->index))
               : NULL;
}

static PyObject *
get_refcount(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_columns *columns = node_columns(self);
    return columns ? PyLong_FromUnsignedLong(
                         lg_columns_refcount(columns, self->index))
                   : NULL;
}

static PyObject *
get_found(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_columns *columns = node_columns(self);
    return columns
               ? PyLong_FromUnsignedLong(lg_columns_found(columns, self->index))
               : NULL;
}

static PyObject *
get_unexplained(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph ? PyLong_FromLongLong(lg_node_unexplained(graph, self->index))
                 : NULL;
}

static PyObject *
get_text(lg__node_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    return graph ? lg__string_object(lg_node_text(graph, self->index)) : NULL;
}

static PyObject *
get_label(lg__node_object *self, void *Py_UNUSED(closure))
{
    if (self->snapshot->kept != NULL) {
        PyObject *name = PyUnicode_FromString("label");
        PyObject *label = name ? lg__kept_attribute(self, name) : NULL;
        Py_XDECREF(name);
        if (label != NULL || PyErr_Occurred())
            return label;
    }
    lg_graph *graph = lg__snapshot_graph(self->snapshot);
    if (graph == NULL)
        return NULL;
    lg_text text = {0};
    lg_node_title(graph, self->index, false, &text);
    return lg__text_object(&text);
}

/* Asks Snapshot.why(), with its `progress`. */
static PyObject *
explain(PyObject *self, PyObject *progress)
{
    PyObject *snapshot = (PyObject *)((lg__node_object *)self)->snapshot;
    PyObject *why = PyObject_GetAttrString(snapshot, "why");
    PyObject *names = Py_BuildValue("(s)", "progress");
    PyObject *const values[] = {self, progress};
    PyObject *answer =
        why && names ? PyObject_Vectorcall(why, values, 1, names) : NULL;
    Py_XDECREF(names);
    Py_XDECREF(why);
    return answer;
}

static PyObject *
node_why(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    static const char *const names[] = {"progress", NULL};
    static const lg__arg_list list = {"why", names, 0, 0};
    PyObject *progress = NULL;
    return lg__args_take(&list, args, nargs, kwnames, &progress)
               ? explain(self, progress != NULL ? progress : Py_None)
               : NULL;
}

static PyObject *
get_path(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *why = explain(self, Py_None);
    PyObject *path = why ? lg__attribute_get(why, "path") : NULL;
    Py_XDECREF(why);
    return path;
}

static PyObject *
get_is_root(lg__node_object *self, void *Py_UNUSED(closure))
{
    int answer = lg__snapshot_is_root(self->snapshot, self->index);
    return answer < 0 ? NULL : PyBool_FromLong(answer);
}

static PyObject *
get_flag(lg__node_object *self, void *flag)
{
    const lg_columns *columns = node_columns(self);
    if (columns == NULL)
        return NULL;
    uintptr_t flags = lg_columns_flags(columns, self->index);
    return PyBool_FromLong((flags & (uintptr_t)flag) != 0);
}

#define FLAG(name, flag, doc)                                                  \
    {                                                                          \
        name, (getter)get_flag, NULL, doc, (void *)(uintptr_t)(flag)           \
    }

static PyObject *
get_dominator(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint32_t dominator = lg_node_owner(analysis, self->index);
    if (dominator == LG_NONE)
        Py_RETURN_NONE;
    return lg__node_new(lg__object_state(self), self->snapshot, dominator);
}

static PyObject *
get_dominated(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    return analysis
               ? lg__nodes_dominated(self->snapshot, analysis, &self->index)
               : NULL;
}

PyObject *
lg__node_retained(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    return analysis ? lg__size_retained(self->snapshot, analysis, self->index)
                    : NULL;
}

static PyObject *
get_native(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    uint64_t bytes;
    lg_error error;
    lg_status status = lg_node_native(analysis, self->index, &bytes, &error);
    return status == LG_OK
               ? PyLong_FromUnsignedLongLong(bytes)
               : lg__error_raise(lg__object_state(self), status, &error);
}

static PyObject *
get_is_reachable(lg__node_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(self->snapshot);
    if (analysis == NULL)
        return NULL;
    return PyBool_FromLong(lg_node_is_reachable(analysis, self->index));
}

static PyGetSetDef node_getset[] = {
    {"index", (getter)get_index, NULL, "Its number in the snapshot.", NULL},
    {"snapshot", (getter)get_snapshot, NULL, "The snapshot it is part of.",
     NULL},
    {"address", (getter)get_address, NULL,
     "Where the object was: id() in its process.", NULL},
    {"type_name", (getter)get_type_name, NULL,
     "Module and qualified name of its type; builtins bare.", NULL},
    {"type", (getter)get_type, NULL,
     "The node of its type, or None if that is not in the snapshot.", NULL},
    {"size", (getter)get_size, NULL, "Shallow size in bytes, all on `device`.",
     NULL},
    {"spent", (getter)get_spent, NULL,
     "Bytes that the allocator spends on it, which is more than `size`:\nan "
     "int "
     "of 28 bytes takes 32.",
     NULL},
    {"refcount", (getter)get_refcount, NULL, "Its reference count.", NULL},
    {"found", (getter)get_found, NULL, "References that leakgraph can see.",
     NULL},
    {"unexplained", (getter)get_unexplained, NULL,
     "refcount - found: positive when native code holds it; 0 for immortal "
     "objects and in partial snapshots.",
     NULL},
    {"text", (getter)get_text, NULL,
     "Its own text: a qualified name, a key; '' if there is none.", NULL},
    {"label", (getter)get_label, NULL, "What it is, in a few words.", NULL},
    {"name", (getter)get_label, NULL, "The same as label.", NULL},
    {"path", (getter)get_path, NULL, "A path to it from a root, or None: Path.",
     NULL},
    LG__ROW_JSON,
    {"is_root", (getter)get_is_root, NULL, "Whether it is a GC root.", NULL},
    {"dominator", (getter)get_dominator, NULL,
     "The nearest node that every path from the roots goes through, or "
     "None.\n\n"
     "Nothing dominates the namespace of a module and what it holds.",
     NULL},
    {"dominated", (getter)get_dominated, NULL,
     "The nodes whose immediate dominator it is, the biggest first: Nodes.",
     NULL},
    {"retained", (getter)lg__node_retained, NULL,
     "Bytes that you would free with it: its own, and those of all that it "
     "dominates:\n"
     "a Size. A member of a cycle of garbage retains what the cycle retains.",
     NULL},
    {"native", (getter)get_native, NULL,
     "Bytes of C code among those that it retains: blocks that nothing else "
     "holds,\nas far as pointers tell. 0 without native=True.",
     NULL},
    {"is_reachable", (getter)get_is_reachable, NULL,
     "Whether a root reaches it over strong references.", NULL},
    {"device", (getter)node_device, NULL,
     "Where its own bytes are: 'host', 'cuda:0' ...", NULL},
    {"facts", (getter)node_facts, NULL,
     "Further facts, as a dict of texts: dtype, shape and bytes of an array,\n"
     "'not inspected' with the reason ...",
     NULL},
    FLAG("tracked", LG_NODE_TRACKED, "Whether the cyclic collector tracks it."),
    FLAG("frozen", LG_NODE_FROZEN, "Whether gc.freeze() froze it."),
    FLAG("immortal", LG_NODE_IMMORTAL,
         "Whether the interpreter never frees it."),
    FLAG("synthetic", LG_NODE_SYNTHETIC,
         "Whether it is not a Python object: a thread, the interpreter, a "
         "buffer."),
    FLAG("buffer", LG_NODE_BUFFER,
         "Whether it is memory outside of any object, such as an array's data. "
         "Its size counts here, once."),
    FLAG("frontier", LG_NODE_FRONTIER,
         "Whether a partial capture stopped here: its references are unknown."),
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *
node_referents(lg__node_object *self, PyObject *Py_UNUSED(unused))
{
    const lg_columns *columns = node_columns(self);
    if (columns == NULL)
        return NULL;
    uint64_t first = lg_columns_first_edge(columns, self->index);
    uint64_t end = lg_columns_first_edge(columns, self->index + 1);
    lg__sequence_range range = {first, 1, (Py_ssize_t)(end - first)};
    return lg__sequence_new(lg__object_state(self), LG__TYPE_EDGES,
                            self->snapshot, range);
}

/* Called twice: first for the count, then for the edges. The first call may
 * build the reverse index, so release the GIL. */
static uint64_t *
copy_referrers(lg_graph *graph, uint32_t node, uint64_t *count)
{
    uint64_t *edges = NULL;
    *count = lg_node_referrers(graph, node, NULL, 0);
    if (*count != UINT64_MAX)
        edges = malloc((size_t)(*count + 1) * sizeof *edges);
    if (edges != NULL)
        lg_node_referrers(graph, node, edges, *count);
    return edges;
}

static PyObject *
node_referrers(lg__node_object *self, PyObject *Py_UNUSED(unused))
{
    lg_graph *graph = lg__snapshot_acquire(self->snapshot);
    if (graph == NULL)
        return NULL;
    uint64_t count, *edges;
    Py_BEGIN_ALLOW_THREADS
    edges = copy_referrers(graph, self->index, &count);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(self->snapshot);
    if (edges == NULL)
        return PyErr_NoMemory();
    return lg__sequence_of_referrers(lg__object_state(self), self->snapshot,
                                     edges, (Py_ssize_t)count);
}

static PyObject *
node_reduce(lg__node_object *self, PyObject *Py_UNUSED(unused))
{
    PyObject *where = lg__handle_path(self->snapshot, "node");
    PyObject *place =
        where ? Py_BuildValue("(Ok)", where, (unsigned long)self->index) : NULL;
    PyObject *reduced =
        place ? lg__python_call(lg__object_state(self), "leakgraph.pickled",
                                "reduced", place)
              : NULL;
    Py_XDECREF(place);
    return reduced;
}

static PyObject *
node_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "node_html", self);
}

static PyMethodDef node_methods[] = {
    LG__ROW_TO_DICT("It has the columns of the Arrow table of nodes."),
    {"__reduce__", (PyCFunction)node_reduce, METH_NOARGS,
     "__reduce__($self, /)\n--\n\n"},
    {"__copy__", lg__handle_copy, METH_NOARGS, "__copy__($self, /)\n--\n\n"},
    {"__deepcopy__", lg__handle_copy, METH_O,
     "__deepcopy__($self, memo, /)\n--\n\n"},
    {"why", LG__FASTCALL(node_why), METH_FASTCALL | METH_KEYWORDS,
     "why($self, /, *, progress=None)\n--\n\nWhy it is alive, and what to cut: "
     "Why."},
    {"_repr_html_", node_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {"referents", (PyCFunction)node_referents, METH_NOARGS,
     "referents($self, /)\n--\n\nThe references it holds, as a sequence of "
     "Edge; .node is what each refers to."},
    {"referrers", (PyCFunction)node_referrers, METH_NOARGS,
     "referrers($self, /)\n--\n\nThe references to it, as a sequence of Edge; "
     ".node is who holds each.\n\nThe first call on a snapshot indexes all "
     "references backwards."},
    {NULL, NULL, 0, NULL},
};

static PyObject *
node_getattro(lg__node_object *self, PyObject *name)
{
    if (self->snapshot->kept != NULL && PyUnicode_Check(name)) {
        PyObject *value = lg__kept_attribute(self, name);
        if (value != NULL || PyErr_Occurred())
            return value;
    }
    return PyObject_GenericGetAttr((PyObject *)self, name);
}

static PyObject *
node_repr(lg__node_object *self)
{
    lg_graph *graph = self->snapshot->graph;
    if (self->snapshot->kept != NULL)
        return lg__kept_repr(self);
    if (self->snapshot->closed)
        return PyUnicode_FromFormat("<leakgraph.Node %lu of a closed snapshot>",
                                    (unsigned long)self->index);
    lg_text text = {0};
    lg_text_addf(&text, "<leakgraph.Node %lu: ", (unsigned long)self->index);
    lg_node_title(graph, self->index, false, &text);
    lg_text_add(&text, ", ");
    lg_node_bytes_format(graph, self->index, &text);
    lg_text_add(&text, ">");
    return lg__text_object(&text);
}

/* The node of a type is equal to the name of the type: node.type == "dict". */
static PyObject *
compare_name(lg__node_object *self, PyObject *name, int operation)
{
    const lg_graph *graph = lg__snapshot_graph(self->snapshot);
    bool equal = false;
    if (graph == NULL)
        return NULL;
    for (uint32_t i = 0; !equal && i < lg_graph_type_count(graph); i++) {
        lg_type type = lg_graph_type(graph, i);
        if (type.node != self->index)
            continue;
        PyObject *text = lg__string_object(type.name);
        if (text == NULL)
            return NULL;
        equal = PyUnicode_Compare(text, name) == 0;
        Py_DECREF(text);
    }
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyObject *
node_richcompare(lg__node_object *self, PyObject *other, int operation)
{
    if (PyUnicode_Check(other) && self->snapshot->graph != NULL &&
        (operation == Py_EQ || operation == Py_NE))
        return compare_name(self, other, operation);
    if (Py_TYPE(other) != Py_TYPE((PyObject *)self) ||
        (operation != Py_EQ && operation != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    lg__node_object *that = (lg__node_object *)other;
    return lg__handle_compare(self->snapshot, self->index, that->snapshot,
                              that->index, operation);
}

static Py_hash_t
node_hash(lg__node_object *self)
{
    return lg__handle_hash(self->index);
}

static PyObject *
node_int(lg__node_object *self)
{
    return PyLong_FromUnsignedLong(self->index);
}

static PyType_Slot node_slots[] = {
    LG__SLOT(Py_tp_dealloc, node_dealloc),
    LG__SLOT(Py_tp_repr, node_repr),
    LG__SLOT(Py_tp_getattro, node_getattro),
    LG__SLOT(Py_tp_richcompare, node_richcompare),
    LG__SLOT(Py_tp_hash, node_hash),
    LG__SLOT(Py_nb_int, node_int),
    {Py_tp_getset, node_getset},
    {Py_tp_methods, node_methods},
    {Py_tp_doc, "An object of a snapshot.\n\nNodes are equal if their "
                "index is, and their snapshot or its file. A Node keeps its "
                "snapshot\nalive. int(node) is its index, so "
                "json.dumps(row, default=int) writes\nevery row."},
    {0, NULL},
};

PyType_Spec lg__node_spec = {
    .name = "leakgraph.Node",
    .basicsize = sizeof(lg__node_object),
    .flags = LG__FINAL_TYPE,
    .slots = node_slots,
};
