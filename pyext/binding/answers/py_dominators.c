#include "binding/answers/py_dominators.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/device.h"
#include "binding/pictures/drawing.h"
#include "binding/support/errors.h"
#include "binding/objects/py_node.h"
#include "binding/objects/target.h"
#include <stdlib.h>

#define MIN_SHARE 0.01

typedef struct dominators_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    PyObject *nodes; /* Nodes that nothing but the roots dominates */
} dominators_object;

static PyObject *
dominators_new(snapshot_object *snapshot, const lg_analysis *analysis)
{
    core_state *state = object_state(snapshot);
    dominators_object *self = object_new(state, TYPE_DOMINATORS);
    if (self == NULL)
        return NULL;
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->nodes = nodes_dominated(snapshot, analysis, LG_NONE);
    if (self->nodes == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void
dominators_dealloc(dominators_object *self)
{
    Py_XDECREF(self->snapshot);
    Py_XDECREF(self->nodes);
    object_free(self);
}

PyObject *
snapshot_dominators(snapshot_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self);
    return analysis ? dominators_new(self, analysis) : NULL;
}

PyObject *
snapshot_analyze(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static const char *const names[] = {"progress", NULL};
    static const arg_list list = {"analyze", names, 0, 0};
    PyObject *values[1] = {NULL};
    snapshot_object *snapshot = (snapshot_object *)self;
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !progress_start(&watch, values[0]))
        return NULL;
    const lg_analysis *analysis = analysis_acquire(snapshot, &watch.monitor);
    if (analysis != NULL)
        snapshot_release(snapshot);
    if (!progress_end(&watch, analysis ? LG_OK : LG_ECANCELLED))
        return NULL;
    return snapshot_dominators(snapshot, NULL);
}

/* ---------------------------------------------------------- attributes --- */

static PyObject *
get_reachable(dominators_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    return analysis ? bytes_object(object_state(self),
                                   lg_analysis_reachable_bytes(analysis))
                    : NULL;
}

static PyObject *
get_garbage(dominators_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    return analysis ? bytes_object(object_state(self),
                                   lg_analysis_garbage_bytes(analysis))
                    : NULL;
}

static PyObject *
get_components(dominators_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    return analysis
               ? PyLong_FromUnsignedLong(lg_analysis_component_count(analysis))
               : NULL;
}

static PyObject *
dominators_str(dominators_object *self)
{
    const lg_analysis *analysis = analysis_get(self->snapshot);
    if (analysis == NULL || snapshot_acquire(self->snapshot) == NULL)
        return NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_report_dominators(analysis, LG_NONE, MIN_SHARE, LG_FORMAT_TEXT,
                                  &text, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(self->snapshot);
    if (status == LG_OK)
        return text_object(&text);
    lg_text_free(&text);
    return error_raise(object_state(self), status, &error);
}

static Py_ssize_t
dominators_length(dominators_object *self)
{
    return PyObject_Size(self->nodes);
}

static PyObject *
dominators_subscript(dominators_object *self, PyObject *key)
{
    return PyObject_GetItem(self->nodes, key);
}

static PyObject *
dominators_iter(dominators_object *self)
{
    return PyObject_GetIter(self->nodes);
}

static PyGetSetDef dominators_getset[] = {
    {"reachable", (getter)get_reachable, NULL,
     "Bytes(host, device) of all that the roots reach.", NULL},
    {"garbage", (getter)get_garbage, NULL,
     "Bytes(host, device) of what no root reaches.", NULL},
    {"components", (getter)get_components, NULL,
     "How many strongly connected components have a cycle.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot dominators_slots[] = {
    SLOT(Py_tp_dealloc, dominators_dealloc),
    SLOT(Py_tp_repr, dominators_str),
    SLOT(Py_tp_iter, dominators_iter),
    SLOT(Py_mp_length, dominators_length),
    SLOT(Py_mp_subscript, dominators_subscript),
    {Py_tp_getset, dominators_getset},
    {Py_tp_doc, "The nodes that nothing but the roots dominates, biggest "
                "first.\n\nFrom each, Node.dominated leads on. str() is the "
                "tree as text."},
    {0, NULL},
};

PyType_Spec dominators_spec = {
    .name = "leakgraph.Dominators",
    .basicsize = sizeof(dominators_object),
    .flags = FINAL_TYPE,
    .slots = dominators_slots,
};

/* ------------------------------------------------------------- a set's --- */

/* What the targets retain, into bytes[device]; free it. NULL with an exception.
 */
static uint64_t *
weigh_set(snapshot_object *snapshot, PyObject *target, const lg_graph *graph)
{
    progress watch;
    lg_nodes nodes = {0};
    uint64_t *bytes =
        malloc(((size_t)lg_graph_device_count(graph) + 1) * sizeof *bytes);
    if (bytes == NULL)
        PyErr_NoMemory();
    if (bytes == NULL || !progress_start(&watch, NULL) ||
        !target_resolve_set(snapshot, target, &nodes)) {
        free(bytes);
        return NULL;
    }
    lg_error error;
    lg_status status = LG_ECANCELLED;
    const lg_analysis *analysis = analysis_acquire(snapshot, &watch.monitor);
    if (analysis != NULL) {
        Py_BEGIN_ALLOW_THREADS
        status = lg_nodes_retained_each(analysis, nodes.items, nodes.count,
                                        &watch.monitor, bytes, &error);
        Py_END_ALLOW_THREADS
        snapshot_release(snapshot);
        if (status != LG_OK)
            error_raise(object_state(snapshot), status, &error);
    }
    lg_nodes_free(&nodes);
    if (progress_end(&watch, status))
        return bytes;
    free(bytes);
    return NULL;
}

PyObject *
snapshot_retained(PyObject *self, PyObject *target)
{
    snapshot_object *snapshot = (snapshot_object *)self;
    lg_graph *graph = snapshot_graph(snapshot);
    uint32_t devices = graph ? lg_graph_device_count(graph) : 0;
    uint64_t *bytes = graph ? weigh_set(snapshot, target, graph) : NULL;
    if (bytes == NULL)
        return NULL;
    lg_bytes sum = {bytes[0], 0};
    for (uint32_t device = 1; device <= devices; device++)
        sum.device += bytes[device];
    free(bytes);
    return bytes_object(object_state(self), sum);
}

PyObject *
snapshot_retained_on(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"target", "device", NULL};
    static const arg_list list = {"retained_on", names, 2, 2};
    PyObject *values[2] = {NULL};
    snapshot_object *snapshot = (snapshot_object *)self;
    lg_graph *graph = snapshot_graph(snapshot);
    uint32_t device;
    if (graph == NULL || !args_take(&list, args, nargs, kwnames, values) ||
        !device_named(object_state(self), graph, values[1], &device))
        return NULL;
    uint64_t *bytes = weigh_set(snapshot, values[0], graph);
    PyObject *result =
        bytes ? PyLong_FromUnsignedLongLong(bytes[device]) : NULL;
    free(bytes);
    return result;
}

/* ------------------------------------------------------------- picture --- */

typedef struct picture_request {
    progress progress;
    drawing_style style;
    PyObject *path; /* bytes, or NULL */
    char suffix[16];
    double min_share;
    uint64_t max_nodes;
} picture_request;

static bool
request_parse(picture_request *self, core_state *state, PyObject *const *values)
{
    *self =
        (picture_request){.style = {.legend = true}, .min_share = MIN_SHARE};
    if (values[1] != NULL) {
        self->min_share = PyFloat_AsDouble(values[1]);
        if (self->min_share == -1 && PyErr_Occurred())
            return false;
    }
    return arg_limit("max_nodes", values[2], UINT32_MAX, &self->max_nodes) &&
           arg_text("format", values[3], &self->style.format) &&
           arg_text("title", values[4], &self->style.title) &&
           arg_flag(values[5], &self->style.legend) &&
           progress_start(&self->progress, values[6]) &&
           drawing_file(state, values[0], &self->style, self->suffix,
                        &self->path);
}

static PyObject *
request_draw(picture_request *self, snapshot_object *snapshot)
{
    core_state *state = object_state(snapshot);
    const lg_analysis *analysis =
        analysis_acquire(snapshot, &self->progress.monitor);
    if (analysis == NULL)
        return NULL;
    lg_view *view = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_view_dominators(analysis, LG_NONE, self->min_share,
                                (uint32_t)self->max_nodes,
                                &self->progress.monitor, &view, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status != LG_OK)
        return error_raise(state, status, &error);
    PyObject *drawing = drawing_new(state, view, &self->style);
    if (drawing != NULL && self->path != NULL &&
        !drawing_write(drawing, PyBytes_AS_STRING(self->path),
                       self->style.format, &self->progress.monitor))
        Py_CLEAR(drawing);
    return drawing;
}

const char snapshot_show_dominators_doc[] =
    "show_dominators($self, /, filename=None, *, min_share=0.01, "
    "max_nodes=60,\n"
    "                format=None, title=None, legend=True, progress=None)\n"
    "--\n\nDraw the dominator tree: what would be freed with what.\n\n"
    "What retains less than min_share of the whole is folded away. The other "
    "options\nare those of show_refs().";

PyObject *
snapshot_show_dominators(PyObject *self, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const names[] = {"filename", "min_share", "max_nodes",
                                        "format",   "title",     "legend",
                                        "progress", NULL};
    static const arg_list list = {"show_dominators", names, 1, 0};
    PyObject *values[7] = {NULL};
    picture_request request;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, object_state(self), values))
        return NULL;
    PyObject *drawing = request_draw(&request, (snapshot_object *)self);
    if (!progress_end(&request.progress, drawing ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(drawing);
    Py_XDECREF(request.path);
    return drawing;
}
