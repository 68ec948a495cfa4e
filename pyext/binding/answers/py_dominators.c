/** Dominators: analyze(), what the result has besides rows, and its picture. */
#include "binding/answers/binding_answers.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/pictures/binding_pictures.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>

#define MIN_SHARE 0.01

const char lg__snapshot_analyze_doc[] =
    "analyze($self, /, target=None, *, min_share=0.01, mine=False, "
    "module=None,\n        progress=None)\n"
    "--\n\n"
    "Analyse now who retains what, and return dominators().\n\n"
    "The snapshot keeps the analysis. Other methods make it when they need "
    "it.\n"
    "Ctrl-C stops it; other threads run on. PartialError on a snapshot of a "
    "part of\n"
    "the heap.";

PyObject *
lg__snapshot_analyze(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    PyObject *dominators = lg__attribute_get(self, "dominators");
    PyObject *found = dominators ? PyObject_Vectorcall(dominators, args,
                                                       (size_t)nargs, kwnames)
                                 : NULL;
    Py_XDECREF(dominators);
    return found;
}

static lg__snapshot_object *
snapshot_of(const lg__result_object *self)
{
    Py_ssize_t last = PyTuple_GET_SIZE(self->facts) - 1;
    return (lg__snapshot_object *)PyTuple_GET_ITEM(self->facts, last);
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
    {"components", (getter)get_components, NULL,
     "How many strongly connected components have a cycle.", NULL},
    {"tops", (getter)get_tops, NULL,
     "All nodes that only the roots dominate, the biggest first: Nodes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const lg__answer_extras lg__dominators_extras = {
    .question = "dominators",
    .snapshot = "The snapshot whose tree it is.",
    .attributes = dominators_getset,
};

/* The bytes that these nodes retain together, by device; free() them. NULL with
 * an exception. */
static uint64_t *
weigh_set(lg__snapshot_object *snapshot, const lg_nodes *nodes,
          const lg_monitor *monitor)
{
    lg_error error;
    lg_status status;
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    uint32_t devices = lg_graph_device_count(lg_analysis_graph(analysis));
    uint64_t *bytes = malloc(((size_t)devices + 1) * sizeof *bytes);
    Py_BEGIN_ALLOW_THREADS
    status = bytes
                 ? lg_nodes_retained_each(analysis, nodes->items, nodes->count,
                                          monitor, bytes, &error)
                 : lg_error_set(&error, LG_ENOMEM, "memory ran out");
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status == LG_OK)
        return bytes;
    lg__error_raise(lg__object_state(snapshot), status, &error);
    free(bytes);
    return NULL;
}

const char lg__snapshot_retained_doc[] =
    "retained($self, /, target, *, progress=None)\n"
    "--\n\n"
    "Bytes that only these objects together keep alive: a Size.\n\n"
    "target    a selector, a Node, a live object, or a list of them\n"
    "progress  as in snapshot()\n\n"
    "The size is that of the set, each byte counted once, not the sum of its "
    "members.";

PyObject *
lg__snapshot_retained(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    static const char *const names[] = {"target", "progress", NULL};
    static const lg__arg_list list = {"retained", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg_nodes nodes = {0};
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    uint64_t *bytes = lg__target_resolve_set(snapshot, values[0], &nodes)
                          ? weigh_set(snapshot, &nodes, &watch.monitor)
                          : NULL;
    PyObject *size = bytes ? lg__size_new(snapshot, bytes) : NULL;
    lg_nodes_free(&nodes);
    free(bytes);
    return lg__progress_end(&watch, size);
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
