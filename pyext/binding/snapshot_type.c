/** Snapshot: its attributes and methods, of which other files answer many. */
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>

static void
snapshot_dealloc(lg__snapshot_object *self)
{
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    lg__snapshot_dispose(self);
    lg__object_free(self);
}

static PyObject *
get_nodes(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_columns(graph)->node_count;
    return lg__sequence_new(lg__object_state(self), LG__TYPE_NODES, self,
                            (lg__sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_edges(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint64_t count = lg_graph_columns(graph)->edge_count;
    return lg__sequence_new(lg__object_state(self), LG__TYPE_EDGES, self,
                            (lg__sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_roots(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_root_count(graph);
    return lg__sequence_new(lg__object_state(self), LG__TYPE_ROOTS, self,
                            (lg__sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_is_partial(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self);
    return graph ? PyBool_FromLong(lg_graph_is_partial(graph)) : NULL;
}

static PyObject *
get_method(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = lg__snapshot_graph(self);
    return graph
               ? lg__string_object(lg_graph_info_find(graph, "capture.method"))
               : NULL;
}

static PyObject *
get_closed(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->closed);
}

static PyObject *
get_path(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    PyObject *path = self->path ? self->path : Py_None;
    Py_INCREF(path);
    return path;
}

static PyGetSetDef snapshot_getset[] = {
    {"nodes", (getter)get_nodes, NULL, "Every object, as a sequence of Node.",
     NULL},
    {"edges", (getter)get_edges, NULL,
     "Every reference, as a sequence of Edge.", NULL},
    {"roots", (getter)get_roots, NULL,
     "Where reachability starts, as a sequence of Root(node, kind, name).",
     NULL},
    {"is_partial", (getter)get_is_partial, NULL,
     "Whether it holds only a part of the heap.", NULL},
    {"method", (getter)get_method, NULL,
     "How it was captured: 'internal', or 'public: reason'.", NULL},
    {"path", (getter)get_path, NULL,
     "The file that it came from or was last saved to, or None.", NULL},
    {"closed", (getter)get_closed, NULL, "Whether close() was called.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *
snapshot_close(lg__snapshot_object *self, PyObject *Py_UNUSED(unused))
{
    if (self->exports > 0) {
        PyErr_SetString(PyExc_BufferError,
                        "The snapshot cannot be closed while a memoryview of "
                        "column() is in use; release it first.");
        return NULL;
    }
    lg__snapshot_give_up(self);
    Py_RETURN_NONE;
}

static PyObject *
snapshot_enter(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (lg__snapshot_graph((lg__snapshot_object *)self) == NULL)
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *
snapshot_exit(lg__snapshot_object *self, PyObject *const *Py_UNUSED(args),
              Py_ssize_t Py_UNUSED(nargs))
{
    return snapshot_close(self, NULL);
}

static PyObject *
snapshot_node(lg__snapshot_object *self, PyObject *argument)
{
    if (!PyIndex_Check(argument))
        return lg__snapshot_item((PyObject *)self, argument);
    Py_ssize_t i = PyNumber_AsSsize_t(argument, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    if (self->kept != NULL && i >= 0 && i < LG_NONE &&
        lg__kept_has(self, (uint32_t)i))
        return lg__node_new(lg__object_state(self), self, (uint32_t)i);
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_columns(graph)->node_count;
    if (i < 0 || (uint64_t)i >= count)
        return PyErr_Format(PyExc_IndexError,
                            "There is no node %zd: the snapshot has %lu.", i,
                            (unsigned long)count);
    return lg__node_new(lg__object_state(self), self, (uint32_t)i);
}

static PyObject *
snapshot_uncollected(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.expect",
                           "uncollected", self);
}

static lg_status
list_collectable(const lg_graph *graph, lg_nodes *out, lg_error *error)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    uint8_t *flags;
    lg_status status = lg_graph_collectable(graph, &flags, error);
    if (status != LG_OK)
        return status;
    bool enough = lg_nodes_reserve(out, count);
    for (uint32_t i = 0; enough && i < count; i++)
        if (flags[i])
            out->items[out->count++] = i;
    free(flags);
    if (!enough)
        return lg_error_set(error, LG_ENOMEM, "Memory ran out.");
    return LG_OK;
}

/* What the garbage collector would free. */
static PyObject *
snapshot_collectable(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_nodes nodes = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = list_collectable(graph, &nodes, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    lg__core_state *state = lg__object_state(self);
    PyObject *result = status == LG_OK
                           ? lg__sequence_of_nodes(state, snapshot, &nodes)
                           : lg__error_raise(state, status, &error);
    lg_nodes_free(&nodes);
    return result;
}

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

static PyMethodDef snapshot_methods[] = {
    {"save", LG__FASTCALL(lg__snapshot_save), KEYWORDS, lg__snapshot_save_doc},
    {"close", (PyCFunction)snapshot_close, METH_NOARGS,
     "close($self, /)\n"
     "--\n\n"
     "Free its memory now; later use raises ClosedError.\n\n"
     "A free-threaded build frees it with the last reference to the "
     "snapshot.\n\n"
     "Raises BufferError while a memoryview of column() is in use."},
    {"__enter__", snapshot_enter, METH_NOARGS, "__enter__($self, /)\n--\n\n"},
    {"__exit__", LG__FASTCALL(snapshot_exit), METH_FASTCALL,
     "__exit__($self, /, *args)\n--\n\nClose the snapshot."},
    {"node", (PyCFunction)snapshot_node, METH_O,
     "node($self, index, /)\n--\n\nThe node with that number, or of a live "
     "object: snapshot[object]."},
    {"find", lg__snapshot_find, METH_O,
     "find($self, obj, /)\n"
     "--\n\n"
     "The node of a live object, or None; or the only node that a selector "
     "selects.\n\n"
     "Also None if the object at its address had another type when the "
     "snapshot was\n"
     "taken. Raises an error on a snapshot of another process."},
    {"select", LG__FASTCALL(lg__snapshot_select), KEYWORDS,
     lg__snapshot_select_doc},
    {"show_refs", LG__FASTCALL(lg__snapshot_show_refs), KEYWORDS,
     lg__snapshot_show_refs_doc},
    {"show_backrefs", LG__FASTCALL(lg__snapshot_show_backrefs), KEYWORDS,
     lg__snapshot_show_backrefs_doc},
    {"show_path", LG__FASTCALL(lg__snapshot_show_path), KEYWORDS,
     lg__snapshot_show_path_doc},
    {"show_dominators", LG__FASTCALL(lg__snapshot_show_dominators), KEYWORDS,
     lg__snapshot_show_dominators_doc},
    {"analyze", LG__FASTCALL(lg__snapshot_analyze), KEYWORDS,
     lg__snapshot_analyze_doc},
    {"retained", LG__FASTCALL(lg__snapshot_retained), KEYWORDS,
     lg__snapshot_retained_doc},
    {"diff", LG__FASTCALL(lg__snapshot_diff), KEYWORDS, lg__snapshot_diff_doc},
    {"report", LG__FASTCALL(lg__snapshot_report), KEYWORDS,
     lg__snapshot_report_doc},
    {"summary", LG__FASTCALL(lg__snapshot_summary), KEYWORDS,
     lg__snapshot_summary_doc},
    {"why", LG__FASTCALL(lg__snapshot_why), KEYWORDS, lg__snapshot_why_doc},
    {"collectable", snapshot_collectable, METH_NOARGS,
     "collectable($self, /)\n--\n\nThe objects that CPython's collector would "
     "free now: Nodes."},
    {"uncollected", snapshot_uncollected, METH_NOARGS,
     "uncollected($self, /)\n--\n\nThe objects of expect_collectable() that "
     "are still alive: a sequence of\nUncollected(label, node, why)."},
    {"info", lg__snapshot_info, METH_NOARGS,
     "info($self, /)\n--\n\nFacts about the snapshot: time, pid, python, "
     "capture.method ..."},
    {"column", lg__snapshot_column, METH_O,
     "column($self, name, /)\n"
     "--\n\n"
     "A read-only memoryview of one column: a copy of the addresses, types, "
     "sizes, counts,\n"
     "first edges and payloads, which take fewer bytes in a snapshot; "
     "otherwise without a copy.\n\n"
     "Names: address, type, size (4294967295: ask Node.size), refcount,\n"
     "found, node_flags, first_edge, edge_target, edge_payload, edge_kind.\n"
     "While the memoryview is in use, the snapshot cannot be closed."},
    {"export", LG__FASTCALL(lg__snapshot_export), KEYWORDS,
     lg__snapshot_export_doc},
    {"to_networkx", LG__FASTCALL(lg__snapshot_to_networkx), KEYWORDS,
     "to_networkx($self, /, *, progress=None)\n--\n\nA networkx.MultiDiGraph "
     "of all objects and "
     "references.\n\nNodes have title, type, size and device; edges have "
     "label, "
     "kind and weak."},
    {"to_igraph", LG__FASTCALL(lg__snapshot_to_igraph), KEYWORDS,
     "to_igraph($self, /, *, progress=None)\n--\n\nA directed igraph.Graph of "
     "all objects and "
     "references.\n\nIts attributes are those of to_networkx()."},
    {"sql", (PyCFunction)(void (*)(void))lg__snapshot_sql,
     METH_VARARGS | METH_KEYWORDS,
     "sql($self, query, /, **tables)\n"
     "--\n\n"
     "Run a DuckDB query over the tables of the snapshot; returns a DuckDB "
     "relation.\n\n"
     "The tables are nodes, edges, types, retained, variables, top, cycles, "
     "tensors,\n"
     "figures, threads, memory, host and findings. Keywords add tables; a "
     "Snapshot\n"
     "adds all of its own under its name: sql('from old.types', "
     "old=snapshot).\n"
     "Needs duckdb."},
    {"_retained_arrow", lg__snapshot_retained_arrow, METH_NOARGS,
     "_retained_arrow($self, /)\n--\n\nWhat each node retains, for Arrow: a "
     "capsule."},
    {"to_parquet", LG__FASTCALL(lg__snapshot_to_parquet), KEYWORDS,
     "to_parquet($self, /, folder, *, progress=None)\n--\n\n"
     "Write nodes.parquet, edges.parquet and "
     "types.parquet, and return their paths.\n\nNeeds pyarrow."},
    {"_repr_html_", lg__snapshot_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static Py_ssize_t
snapshot_length(lg__snapshot_object *self)
{
    lg_graph *graph = lg__snapshot_graph(self);
    return graph ? (Py_ssize_t)lg_graph_columns(graph)->node_count : -1;
}

static PyObject *
snapshot_repr(lg__snapshot_object *self)
{
    if (self->closed)
        return PyUnicode_FromString("<leakgraph.Snapshot, closed>");
    const lg_columns *columns = lg_graph_columns(self->graph);
    lg_string pid = lg_graph_info_find(self->graph, "pid");
    lg_text text = {0};
    lg_text_add(&text, "<leakgraph.Snapshot of pid ");
    lg_text_add_bytes(&text, pid.length ? pid.data : "?",
                      pid.length ? pid.length : 1);
    lg_text_add(&text, ": ");
    lg_text_add_count(&text, columns->node_count);
    lg_text_add(&text, " objects, ");
    lg_text_add_count(&text, columns->edge_count);
    lg_text_add(&text, " references");
    lg_text_add(&text, lg_graph_is_partial(self->graph) ? ", partial>" : ">");
    return lg__text_object(&text);
}

static PyMemberDef snapshot_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(lg__snapshot_object, weakrefs),
     READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot snapshot_slots[] = {
    LG__SLOT(Py_tp_dealloc, snapshot_dealloc),
    LG__SLOT(Py_tp_repr, snapshot_repr),
    LG__SLOT(Py_sq_length, snapshot_length),
    LG__SLOT(Py_mp_length, snapshot_length),
    LG__SLOT(Py_mp_subscript, lg__snapshot_item),
    LG__SLOT(Py_sq_contains, lg__snapshot_has),
    {Py_tp_getset, snapshot_getset},
    {Py_tp_methods, snapshot_methods},
    {Py_tp_members, snapshot_members},
    {Py_tp_doc, "The objects of a process at one moment, and the references "
                "between them.\n\n"
                "snapshot() and load() make one. It never changes, and any "
                "number of threads may\n"
                "use it. If a method takes a target, a str is a selector, a "
                "Node is that node, and\n"
                "anything else is a live object."},
    {0, NULL},
};

PyType_Spec lg__snapshot_spec = {
    .name = "leakgraph.Snapshot",
    .basicsize = sizeof(lg__snapshot_object),
    .flags = LG__FINAL_TYPE,
    .slots = snapshot_slots,
};
