#include "binding/answers/py_dominators.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/pictures/binding_pictures.h"

#include <leakgraph/report.h>
#include <stdlib.h>

#define MIN_SHARE 0.01

static const lg__result_field dominator_fields[] = {
    {NULL, LG__FIELD_DEPTH},        {"label", LG__FIELD_TEXT},
    {"node", LG__FIELD_TITLE},      {"node", LG__FIELD_VALUE},
    {"dominator", LG__FIELD_VALUE}, {"retained", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape dominators_shape = {
    LG__TYPE_DOMINATORS, LG__TYPE_DOMINATOR_ROW, dominator_fields, 0};

enum { FACT_SNAPSHOT, FACT_REACHABLE, FACT_GARBAGE, FACT_COUNT };

static PyObject *
fact_size(lg__snapshot_object *snapshot, const lg_table *table,
          const char *name)
{
    lg_cell cell;
    lg__result_fact(table, name, &cell);
    return lg__size_new(snapshot, cell.size);
}

static PyObject *
facts_new(lg__snapshot_object *snapshot, const lg_table *table)
{
    return Py_BuildValue("(ONN)", (PyObject *)snapshot,
                         fact_size(snapshot, table, "reachable"),
                         fact_size(snapshot, table, "garbage"));
}

static PyObject *
dominators_new(lg__snapshot_object *snapshot, lg_table *table)
{
    return lg__result_with_facts(snapshot, &dominators_shape, table,
                                 facts_new(snapshot, table));
}

static lg_status
tabulate(const lg_analysis *analysis, const lg__scope_request *asked,
         const lg_monitor *monitor, lg_table **out, lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(asked, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    const lg_dominator_options options = {
        .size = sizeof options, .min_share = MIN_SHARE, .scope = scope};
    if (status == LG_OK)
        status = lg_tabulate_dominators(analysis, &options, out, error);
    lg_scope_free(scope);
    return status;
}

/* Takes an acquired snapshot, and releases it. */
static PyObject *
dominators_of(lg__snapshot_object *self, const lg_analysis *analysis,
              const lg__scope_request *asked, const lg_monitor *monitor)
{
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = tabulate(analysis, asked, monitor, &table, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(self);
    return status == LG_OK
               ? dominators_new(self, table)
               : lg__error_raise(lg__object_state(self), status, &error);
}

/* snapshot.dominators(module="train.*") is snapshot.analyze(...). */
static PyObject *
dominators_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *snapshot =
        lg__result_get_fact((lg__result_object *)self, (void *)FACT_SNAPSHOT);
    PyObject *analyze =
        snapshot ? lg__attribute_get(snapshot, "analyze") : NULL;
    PyObject *rows = analyze ? PyObject_Call(analyze, args, kwargs) : NULL;
    Py_XDECREF(analyze);
    Py_XDECREF(snapshot);
    return rows;
}

PyObject *
lg__snapshot_dominators(lg__snapshot_object *self, void *Py_UNUSED(closure))
{
    const lg__scope_request everything = {0};
    const lg_analysis *analysis = lg__analysis_get(self);
    if (analysis == NULL || lg__snapshot_acquire(self) == NULL)
        return NULL;
    return dominators_of(self, analysis, &everything, NULL);
}

const char lg__snapshot_analyze_doc[] =
    "analyze($self, /, *, mine=False, module=None, progress=None)\n"
    "--\n\n"
    "Analyse now who retains what, and return .dominators.\n\n" LG__SCOPE_TEXT(
        "rows that ") "progress  as in snapshot()\n\n"
                      "Rows that lead there stay. The snapshot keeps the "
                      "analysis. Other methods "
                      "make it\n"
                      "when they need it. Ctrl-C stops it; other threads run "
                      "on. PartialError on "
                      "a\n"
                      "snapshot of a part of the heap.";

PyObject *
lg__snapshot_analyze(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"mine", "module", "progress", NULL};
    static const lg__arg_list list = {"analyze", names, 0, 0};
    PyObject *values[3] = {NULL};
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg__scope_request asked;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_scope(values[0], values[1], &asked) ||
        !lg__progress_begin(&watch, values[2]))
        return NULL;
    const lg_analysis *analysis =
        lg__analysis_acquire(snapshot, &watch.monitor);
    PyObject *found =
        analysis ? dominators_of(snapshot, analysis, &asked, &watch.monitor)
                 : NULL;
    return lg__progress_end(&watch, found);
}

static lg__snapshot_object *
snapshot_of(const lg__result_object *self)
{
    return (lg__snapshot_object *)PyTuple_GET_ITEM(self->facts, FACT_SNAPSHOT);
}

static PyObject *
get_components(lg__result_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(snapshot_of(self));
    return analysis
               ? PyLong_FromUnsignedLong(lg_analysis_component_count(analysis))
               : NULL;
}

static PyObject *
get_tops(lg__result_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = lg__analysis_get(snapshot_of(self));
    return analysis ? lg__nodes_dominated(snapshot_of(self), analysis, NULL)
                    : NULL;
}

static PyGetSetDef dominators_getset[] = {
    {"reachable", (getter)lg__result_get_fact, NULL,
     "Bytes of everything that the roots reach: a Size.",
     (void *)FACT_REACHABLE},
    {"garbage", (getter)lg__result_get_fact, NULL,
     "Bytes of what no root reaches: a Size.", (void *)FACT_GARBAGE},
    {"components", (getter)get_components, NULL,
     "How many strongly connected components have a cycle.", NULL},
    {"tops", (getter)get_tops, NULL,
     "All nodes that only the roots dominate, the biggest first: Nodes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot dominators_slots[] = {
    LG__RESULT_SLOTS,
    LG__SLOT(Py_tp_call, dominators_call),
    {Py_tp_getset, dominators_getset},
    {Py_tp_doc,
     "The dominator tree: a sequence of DominatorRow. The parent of "
     "a row is the\n"
     "nearest row before it with a depth smaller by one.\n\n"
     "It has the nodes that retain 1 % or more; a call with mine=True or "
     "module='train.*'\n"
     "returns only what these modules hold. Node.dominated has "
     "what each dominates."},
    {0, NULL},
};

PyType_Spec lg__dominators_spec = {
    .name = "leakgraph.Dominators",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = dominators_slots,
};

/* Adds up what the targets retain: bytes[device], which the caller frees. NULL
   with an exception. */
static uint64_t *
weigh_set(lg__snapshot_object *snapshot, PyObject *target,
          const lg_graph *graph)
{
    lg__progress watch;
    lg_nodes nodes = {0};
    uint64_t *bytes =
        malloc(((size_t)lg_graph_device_count(graph) + 1) * sizeof *bytes);
    if (bytes == NULL)
        PyErr_NoMemory();
    if (bytes == NULL || !lg__progress_begin(&watch, NULL) ||
        !lg__target_resolve_set(snapshot, target, &nodes)) {
        free(bytes);
        return NULL;
    }
    lg_error error;
    lg_status status = LG_ECANCELLED;
    const lg_analysis *analysis =
        lg__analysis_acquire(snapshot, &watch.monitor);
    if (analysis != NULL) {
        Py_BEGIN_ALLOW_THREADS
        status = lg_nodes_retained_each(analysis, nodes.items, nodes.count,
                                        &watch.monitor, bytes, &error);
        Py_END_ALLOW_THREADS
        lg__snapshot_release(snapshot);
        if (status != LG_OK)
            lg__error_raise(lg__object_state(snapshot), status, &error);
    }
    lg_nodes_free(&nodes);
    if (lg__progress_finish(&watch, status))
        return bytes;
    free(bytes);
    return NULL;
}

PyObject *
lg__snapshot_retained(PyObject *self, PyObject *target)
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg_graph *graph = lg__snapshot_graph(snapshot);
    uint64_t *bytes = graph ? weigh_set(snapshot, target, graph) : NULL;
    PyObject *size = bytes ? lg__size_new(snapshot, bytes) : NULL;
    free(bytes);
    return size;
}

typedef struct picture_request {
    lg__progress progress;
    lg__drawing_style style;
    PyObject *path; /* bytes, or NULL */
    char suffix[16];
    double min_share;
    uint64_t max_nodes;
    lg__scope_request asked;
} picture_request;

static bool
request_parse(picture_request *self, lg__core_state *state,
              PyObject *const *values)
{
    *self =
        (picture_request){.style = {.legend = true}, .min_share = MIN_SHARE};
    if (values[1] != NULL) {
        self->min_share = PyFloat_AsDouble(values[1]);
        if (self->min_share == -1 && PyErr_Occurred())
            return false;
    }
    return lg__arg_limit("max_nodes", values[2], UINT32_MAX,
                         &self->max_nodes) &&
           lg__arg_text("format", values[3], &self->style.format) &&
           lg__arg_text("title", values[4], &self->style.title) &&
           lg__arg_flag(values[5], &self->style.legend) &&
           lg__arg_scope(values[6], values[7], &self->asked) &&
           lg__progress_begin(&self->progress, values[8]) &&
           lg__drawing_file(state, values[0], &self->style, self->suffix,
                            &self->path);
}

static lg_status
view(const picture_request *self, const lg_analysis *analysis, lg_view **out,
     lg_error *error)
{
    lg_scope *scope = NULL;
    const lg_monitor *monitor = &self->progress.monitor;
    lg_status status = lg__scope_find(&self->asked, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    const lg_dominator_options tree = {
        .size = sizeof tree, .min_share = self->min_share, .scope = scope};
    const lg_view_options options = {.size = sizeof options,
                                     .max_nodes = (uint32_t)self->max_nodes};
    if (status == LG_OK)
        status =
            lg_view_dominators(analysis, &tree, &options, monitor, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
request_draw(picture_request *self, lg__snapshot_object *snapshot)
{
    lg__core_state *state = lg__object_state(snapshot);
    const lg_analysis *analysis =
        lg__analysis_acquire(snapshot, &self->progress.monitor);
    if (analysis == NULL)
        return NULL;
    lg_view *drawn = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = view(self, analysis, &drawn, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        return lg__error_raise(state, status, &error);
    PyObject *drawing = lg__drawing_new(state, drawn, &self->style);
    if (drawing != NULL && self->path != NULL &&
        !lg__drawing_write(drawing, PyBytes_AS_STRING(self->path),
                           self->style.format, NULL, &self->progress.monitor))
        Py_CLEAR(drawing);
    return drawing;
}

const char lg__snapshot_show_dominators_doc[] =
    "show_dominators($self, /, path=None, *, min_share=0.01, max_nodes=60,\n"
    "                format=None, title=None, legend=True, mine=False,\n"
    "                module=None, progress=None)\n"
    "--\n\n"
    "Draw the dominator tree: which objects you free with which.\n\n"
    "Leaves out objects that retain less than min_share of the whole. With\n"
    "mine=True or module='train.*', draws only what the program's own modules, "
    "or\n"
    "matching modules, hold, and what leads there. The other options are those "
    "of\n"
    "show_refs().";

PyObject *
lg__snapshot_show_dominators(PyObject *self, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const names[] = {
        "path",   "min_share", "max_nodes", "format",   "title",
        "legend", "mine",      "module",    "progress", NULL};
    static const lg__arg_list list = {"show_dominators", names, 1, 0};
    PyObject *values[9] = {NULL};
    picture_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__object_state(self), values))
        return NULL;
    PyObject *drawing = request_draw(&request, (lg__snapshot_object *)self);
    drawing = lg__progress_end(&request.progress, drawing);
    Py_XDECREF(request.path);
    return drawing;
}
