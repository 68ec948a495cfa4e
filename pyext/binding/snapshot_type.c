#include "binding/objects/arrow_tables.h"
#include "binding/objects/py_snapshot.h"
#include "binding/objects/kept.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/objects/handle.h"
#include "binding/support/python_call.h"
#include "binding/objects/target.h"

static void
snapshot_dealloc(snapshot_object *self)
{
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    snapshot_dispose(self);
    object_free(self);
}

static PyObject *
get_nodes(snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_columns(graph)->node_count;
    return sequence_new(object_state(self), TYPE_NODES, self,
                        (sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_edges(snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint64_t count = lg_graph_columns(graph)->edge_count;
    return sequence_new(object_state(self), TYPE_EDGES, self,
                        (sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_roots(snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_root_count(graph);
    return sequence_new(object_state(self), TYPE_ROOTS, self,
                        (sequence_range){0, 1, (Py_ssize_t)count});
}

static PyObject *
get_is_partial(snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = snapshot_graph(self);
    return graph ? PyBool_FromLong(lg_graph_is_partial(graph)) : NULL;
}

static PyObject *
get_method(snapshot_object *self, void *Py_UNUSED(closure))
{
    lg_graph *graph = snapshot_graph(self);
    return graph ? string_object(lg_graph_info_find(graph, "capture.method"))
                 : NULL;
}

static PyObject *
get_closed(snapshot_object *self, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(self->closed);
}

static PyObject *
get_path(snapshot_object *self, void *Py_UNUSED(closure))
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
    {"dominators", (getter)snapshot_dominators, NULL,
     "Who retains what, analysed at the first use: Dominators.\n\n"
     "PartialError on a snapshot of a part of the heap.",
     NULL},
    {"path", (getter)get_path, NULL,
     "The file that it came from or was last saved to, or None.", NULL},
    {"closed", (getter)get_closed, NULL, "Whether close() was called.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyObject *
snapshot_close(snapshot_object *self, PyObject *Py_UNUSED(unused))
{
    if (self->exports > 0) {
        PyErr_SetString(PyExc_BufferError,
                        "The snapshot cannot be closed while a memoryview of "
                        "column() is in use; release it first.");
        return NULL;
    }
    snapshot_give_up(self);
    Py_RETURN_NONE;
}

static PyObject *
snapshot_enter(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (snapshot_graph((snapshot_object *)self) == NULL)
        return NULL;
    Py_INCREF(self);
    return self;
}

static PyObject *
snapshot_exit(snapshot_object *self, PyObject *const *Py_UNUSED(args),
              Py_ssize_t Py_UNUSED(nargs))
{
    return snapshot_close(self, NULL);
}

static PyObject *
snapshot_node(snapshot_object *self, PyObject *argument)
{
    Py_ssize_t i = PyNumber_AsSsize_t(argument, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred())
        return NULL;
    if (self->kept != NULL && i >= 0 && i < LG_NONE &&
        kept_has(self, (uint32_t)i))
        return node_new(object_state(self), self, (uint32_t)i);
    lg_graph *graph = snapshot_graph(self);
    if (graph == NULL)
        return NULL;
    uint32_t count = lg_graph_columns(graph)->node_count;
    if (i < 0 || (uint64_t)i >= count)
        return PyErr_Format(PyExc_IndexError,
                            "There is no node %zd: the snapshot has %lu.", i,
                            (unsigned long)count);
    return node_new(object_state(self), self, (uint32_t)i);
}

static PyObject *
snapshot_find(snapshot_object *self, PyObject *object)
{
    uint32_t node;
    if (!target_find(self, object, &node))
        return NULL;
    if (node == LG_NONE)
        Py_RETURN_NONE;
    return node_new(object_state(self), self, node);
}

static PyObject *
snapshot_select(snapshot_object *self, PyObject *selector)
{
    lg_nodes nodes = {0};
    if (!target_select(self, selector, &nodes))
        return NULL;
    PyObject *result = sequence_of_nodes(object_state(self), self, &nodes);
    lg_nodes_free(&nodes);
    return result;
}

PyObject *
snapshot_uncollected(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call(object_state(self), "leakgraph.expect", "uncollected",
                       self);
}

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

static PyMethodDef snapshot_methods[] = {
    {"save", FASTCALL(snapshot_save), KEYWORDS, snapshot_save_doc},
    {"close", (PyCFunction)snapshot_close, METH_NOARGS,
     "close($self, /)\n"
     "--\n\n"
     "Free its memory now; later use raises ClosedError.\n\n"
     "Raises BufferError while a memoryview of column() is in use."},
    {"__enter__", snapshot_enter, METH_NOARGS, "__enter__($self, /)\n--\n\n"},
    {"__exit__", FASTCALL(snapshot_exit), METH_FASTCALL,
     "__exit__($self, /, *args)\n--\n\nClose the snapshot."},
    {"node", (PyCFunction)snapshot_node, METH_O,
     "node($self, index, /)\n--\n\nThe node with that number."},
    {"find", (PyCFunction)snapshot_find, METH_O,
     "find($self, obj, /)\n"
     "--\n\n"
     "The node of a live object, or None.\n\n"
     "Also None if the object at its address had another type when the "
     "snapshot was\n"
     "taken. Raises an error on a snapshot of another process."},
    {"select", (PyCFunction)snapshot_select, METH_O,
     "select($self, selector, /)\n--\n\nThe nodes that a selector names: "
     "'type:torch.Tensor', 'name:train.losses[0]', '#17', '0x7f..'."},
    {"show_refs", FASTCALL(snapshot_show_refs), KEYWORDS,
     snapshot_show_refs_doc},
    {"show_backrefs", FASTCALL(snapshot_show_backrefs), KEYWORDS,
     snapshot_show_backrefs_doc},
    {"show_path", FASTCALL(snapshot_show_path), KEYWORDS,
     snapshot_show_path_doc},
    {"show_dominators", FASTCALL(snapshot_show_dominators), KEYWORDS,
     snapshot_show_dominators_doc},
    {"analyze", FASTCALL(snapshot_analyze), KEYWORDS,
     "analyze($self, /, *, progress=None)\n"
     "--\n\n"
     "Analyse now who retains what, and return .dominators.\n\n"
     "The snapshot keeps the analysis. Other methods make it when they need "
     "it. Ctrl-C\n"
     "stops it; other threads run on. PartialError on a snapshot of a part of "
     "the heap."},
    {"retained", snapshot_retained, METH_O,
     "retained($self, target, /)\n"
     "--\n\n"
     "Bytes that only these objects together keep alive: a Size.\n\n"
     "target is a selector, a Node, a list or Nodes of them, or a live object. "
     "The\n"
     "size is that of the set, each byte counted once, not the sum of its "
     "members."},
    {"cycles", FASTCALL(snapshot_cycles), KEYWORDS, snapshot_cycles_doc},
    {"top", FASTCALL(snapshot_top), KEYWORDS, snapshot_top_doc},
    {"tensors", FASTCALL(snapshot_tensors), KEYWORDS, snapshot_tensors_doc},
    {"diff", FASTCALL(snapshot_diff), KEYWORDS, snapshot_diff_doc},
    {"report", FASTCALL(snapshot_report), KEYWORDS, snapshot_report_doc},
    {"summary", FASTCALL(snapshot_summary), KEYWORDS, snapshot_summary_doc},
    {"figures", FASTCALL(snapshot_figures), KEYWORDS, snapshot_figures_doc},
    {"why", FASTCALL(snapshot_why), KEYWORDS, snapshot_why_doc},
    {"waste", FASTCALL(snapshot_waste), KEYWORDS, snapshot_waste_doc},
    {"what_if", FASTCALL(snapshot_what_if), KEYWORDS, snapshot_what_if_doc},
    {"memory", snapshot_memory, METH_NOARGS,
     "memory($self, /)\n--\n\n"
     "Where the bytes are: the host's, and each device's to the byte."},
    {"findings", FASTCALL(snapshot_findings), KEYWORDS, snapshot_findings_doc},
    {"merged_paths", FASTCALL(snapshot_merged_paths), KEYWORDS,
     snapshot_merged_paths_doc},
    {"collectable", snapshot_collectable, METH_NOARGS,
     "collectable($self, /)\n--\n\nThe objects that CPython's collector would "
     "free now: Nodes."},
    {"uncollected", snapshot_uncollected, METH_NOARGS,
     "uncollected($self, /)\n--\n\nThe objects of expect_collectable() that "
     "are still alive: a list of\nUncollected(label, node, why)."},
    {"types", FASTCALL(snapshot_types), KEYWORDS,
     "types($self, /, *, by='bytes', limit=None, mine=False, module=None)\n"
     "--\n\nA table of types with count and bytes, biggest by 'bytes', 'count' "
     "or 'name'.\n\n" SCOPE_TEXT("objects that ")},
    {"info", snapshot_info, METH_NOARGS,
     "info($self, /)\n--\n\nFacts about the snapshot: time, pid, python, "
     "capture.method ..."},
    {"threads", FASTCALL(snapshot_threads), KEYWORDS, snapshot_threads_doc},
    {"column", snapshot_column, METH_O,
     "column($self, name, /)\n"
     "--\n\n"
     "A read-only memoryview of one column, without a copy.\n\n"
     "Names: address, type, size (4294967295: ask Node.size), refcount,\n"
     "found, node_flags, first_edge, edge_target, edge_payload, edge_kind.\n"
     "While the memoryview is in use, the snapshot cannot be closed."},
    {"export", FASTCALL(snapshot_export), KEYWORDS, snapshot_export_doc},
    {"to_networkx", snapshot_to_networkx, METH_NOARGS,
     "to_networkx($self, /)\n--\n\nA networkx.MultiDiGraph of all objects and "
     "references.\n\nNodes have title, type, size and device; edges have "
     "label, "
     "kind and weak."},
    {"to_igraph", snapshot_to_igraph, METH_NOARGS,
     "to_igraph($self, /)\n--\n\nA directed igraph.Graph of all objects and "
     "references.\n\nIts attributes are those of to_networkx()."},
    {"sql", (PyCFunction)(void (*)(void))snapshot_sql,
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
    {"_retained_arrow", snapshot_retained_arrow, METH_NOARGS,
     "_retained_arrow($self, /)\n--\n\nWhat each node retains, for Arrow: a "
     "capsule."},
    {"to_parquet", snapshot_to_parquet, METH_O,
     "to_parquet($self, folder, /)\n--\n\nWrite nodes.parquet, edges.parquet "
     "and "
     "types.parquet, and return their paths.\n\nNeeds pyarrow."},
    {"_repr_html_", snapshot_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static Py_ssize_t
snapshot_length(snapshot_object *self)
{
    lg_graph *graph = snapshot_graph(self);
    return graph ? (Py_ssize_t)lg_graph_columns(graph)->node_count : -1;
}

static PyObject *
snapshot_repr(snapshot_object *self)
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
    return text_object(&text);
}

static PyMemberDef snapshot_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(snapshot_object, weakrefs),
     READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot snapshot_slots[] = {
    SLOT(Py_tp_dealloc, snapshot_dealloc),
    SLOT(Py_tp_repr, snapshot_repr),
    SLOT(Py_sq_length, snapshot_length),
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

PyType_Spec snapshot_spec = {
    .name = "leakgraph.Snapshot",
    .basicsize = sizeof(snapshot_object),
    .flags = FINAL_TYPE,
    .slots = snapshot_slots,
};
