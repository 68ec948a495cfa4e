#include "binding/answers/py_merged_paths.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/pictures/binding_pictures.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/answer_views.h>

static const lg__result_field merged_fields[] = {
    {"depth", LG__FIELD_VALUE},    {"label", LG__FIELD_TEXT},
    {"name", LG__FIELD_TEXT},      {"node", LG__FIELD_VALUE},
    {"count", LG__FIELD_VALUE},    {"objects", LG__FIELD_VALUE},
    {"retained", LG__FIELD_VALUE}, {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape merged_shape = {
    LG__TYPE_MERGED, LG__TYPE_MERGED_ROW, merged_fields, 0};

/* The facts that a picture needs come after those that Python sees. */
enum {
    FACT_OBJECTS,
    FACT_UNREACHABLE,
    FACT_RETAINED,
    FACT_SNAPSHOT,
    FACT_NODES
};

static PyObject *
facts_new(lg__snapshot_object *snapshot, const lg_nodes *nodes,
          const lg_table *table)
{
    lg_cell objects, unreachable, retained;
    lg__result_fact(table, "objects", &objects);
    lg__result_fact(table, "unreachable", &unreachable);
    lg__result_fact(table, "retained", &retained);
    return Py_BuildValue(
        "(KKNON)", (unsigned long long)objects.count,
        (unsigned long long)unreachable.count,
        lg__size_new(snapshot, retained.size), (PyObject *)snapshot,
        PyBytes_FromStringAndSize(
            (const char *)nodes->items,
            (Py_ssize_t)(nodes->count * sizeof *nodes->items)));
}

static PyObject *
merged_new(lg__snapshot_object *snapshot, const lg_nodes *nodes,
           lg_table *table)
{
    return lg__result_with_facts(snapshot, &merged_shape, table,
                                 facts_new(snapshot, nodes, table));
}

typedef struct merged_request {
    const lg_nodes *nodes;
    size_t limit;
    const lg_monitor *monitor;
} merged_request;

static lg_status
tabulate(const void *request, const lg_analysis *analysis, lg_table **out,
         lg_error *error)
{
    const merged_request *self = request;
    lg_merged_paths paths;
    const lg_merged_options options = {.size = sizeof options,
                                       .limit = self->limit};
    lg_status status = lg_analysis_merged_paths(analysis, self->nodes->items,
                                                self->nodes->count, &options,
                                                self->monitor, &paths, error);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_paths(lg_analysis_graph(analysis), &paths, out, error);
    lg_merged_paths_free(&paths);
    return status;
}

PyObject *
lg__merged_of(lg__snapshot_object *snapshot, const lg_nodes *nodes,
              size_t limit, const lg_monitor *monitor)
{
    const merged_request request = {nodes, limit, monitor};
    lg_table *table = lg__analysis_table(snapshot, monitor, tabulate, &request);
    return table ? merged_new(snapshot, nodes, table) : NULL;
}

const char lg__snapshot_merged_paths_doc[] =
    "merged_paths($self, /, target, *, limit=20, progress=None)\n"
    "--\n\n"
    "How the roots reach many objects: their shortest paths, merged.\n\n"
    "target    a selector, a Node, a list or Nodes of them, or a live object\n"
    "limit     at most this many rows, the biggest first; None or 'all' for "
    "all\n"
    "progress  as in snapshot()\n\n"
    "Merges paths where types and labels agree; elements of a list and values "
    "of a\n"
    "dict count as one. PartialError on a snapshot of a part of the heap.";

PyObject *
lg__snapshot_merged_paths(PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const names[] = {"target", "limit", "progress", NULL};
    static const lg__arg_list list = {"merged_paths", names, 1, 1};
    PyObject *values[3] = {NULL};
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    size_t limit = LG_WHY_PATHS;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_rows(values[1], &limit) ||
        !lg__progress_begin(&watch, values[2]))
        return NULL;
    lg_nodes nodes = {0};
    PyObject *merged = NULL;
    if (lg__target_resolve_set(snapshot, values[0], &nodes))
        merged = lg__merged_of(snapshot, &nodes, limit, &watch.monitor);
    lg_nodes_free(&nodes);
    return lg__progress_end(&watch, merged);
}

static PyObject *
merged_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "merged_html", self);
}

static lg_status
see(const lg_analysis *analysis, const void *of, lg_view **out, lg_error *err)
{
    const lg_nodes *nodes = of;
    return lg_view_paths(analysis, nodes->items, nodes->count, NULL, NULL, out,
                         err);
}

static PyObject *
get_drawing(lg__result_object *self, void *Py_UNUSED(closure))
{
    PyObject *snapshot = PyTuple_GET_ITEM(self->facts, FACT_SNAPSHOT);
    PyObject *items = PyTuple_GET_ITEM(self->facts, FACT_NODES);
    lg_nodes nodes = {
        .items = (uint32_t *)PyBytes_AS_STRING(items),
        .count = (size_t)PyBytes_GET_SIZE(items) / sizeof(uint32_t),
    };
    return lg__picture_of((lg__snapshot_object *)snapshot, see, &nodes);
}

static PyObject *
merged_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames)
{
    return lg__picture_ask(get_drawing((lg__result_object *)self, NULL), "save",
                           args, nargs, kwnames);
}

static PyObject *
merged_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__picture_ask(get_drawing((lg__result_object *)self, NULL),
                           "_repr_svg_", NULL, 0, NULL);
}

static PyGetSetDef merged_getset[] = {
    {"objects", (getter)lg__result_get_fact, NULL, "The number of objects.",
     (void *)FACT_OBJECTS},
    {"unreachable", (getter)lg__result_get_fact, NULL,
     "How many of them no root reaches.", (void *)FACT_UNREACHABLE},
    {"retained", (getter)lg__result_get_fact, NULL,
     "What only they together keep alive: a Size.", (void *)FACT_RETAINED},
    {"drawing", (getter)get_drawing, NULL,
     "A Drawing of the tree: at most 48 boxes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef merged_methods[] = {
    {"_repr_html_", merged_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {"_repr_svg_", merged_repr_svg, METH_NOARGS,
     "_repr_svg_($self, /)\n--\n\n"},
    {"save", (PyCFunction)(void (*)(void))merged_save,
     METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, format=None)\n--\n\nWrite the picture and return "
     "its path, as Drawing.save() does."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot merged_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, merged_getset},
    {Py_tp_methods, merged_methods},
    {Py_tp_doc, "A sequence of MergedRow, a tree from the roots down; str() "
                "draws it."},
    {0, NULL},
};

PyType_Spec lg__merged_spec = {
    .name = "leakgraph.MergedPaths",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = merged_slots,
};
