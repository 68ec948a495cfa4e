#include "recorder.h"
#include "args.h"
#include "convert.h"
#include "errors.h"
#include "file.h"
#include "pathname.h"
#include "progress.h"
#include "snapshot.h"
#include "../capture/capture.h"
#include <sys/stat.h>
#include <time.h>

typedef struct capture_request {
    lg_capture_options options;
    lg_monitor watch;
    PyObject *roots; /* fast sequence that options.roots points into */
    progress progress;
} capture_request;

static bool
request_roots(capture_request *self)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(self->roots);
    if (count == 0) {
        Py_CLEAR(self->roots);
        PyErr_SetString(PyExc_ValueError,
                        "roots is empty; leave it out for the whole heap");
        return false;
    }
    self->options.roots = PySequence_Fast_ITEMS(self->roots);
    self->options.root_count = (size_t)count;
    return true;
}

/* `values` in the order previews, keys, roots, max_depth, max_bytes,
 * progress. */
static bool
request_parse(capture_request *self, PyObject *const *values)
{
    bool previews = false, keys = true;
    uint64_t depth = 0, bytes = 0;
    *self = (capture_request){0};
    if (!arg_flag(values[0], &previews) || !arg_flag(values[1], &keys) ||
        !arg_limit("max_depth", values[3], UINT32_MAX, &depth) ||
        !arg_limit("max_bytes", values[4], UINT64_MAX, &bytes) ||
        !progress_start(&self->progress, values[5]) ||
        !arg_objects("roots", values[2], &self->roots))
        return false;
    self->options = (lg_capture_options){
        .previews = previews,
        .no_keys = !keys,
        .max_depth = (uint32_t)depth,
        .max_bytes = bytes,
        .watch = &self->watch,
    };
    self->watch = progress_walking(&self->progress);
    return self->roots == NULL || request_roots(self);
}

static lg_graph *
request_capture(capture_request *self, core_state *state)
{
    lg_graph *graph = NULL;
    lg_error error;
    lg_status status = lg_capture(&self->options, &graph, &error);
    if (status != LG_OK)
        error_raise(state, status, &error);
    return graph;
}

snapshot_object *
snapshot_now(core_state *state, PyObject *held, const lg_monitor *monitor)
{
    lg_monitor watch = progress_walking(monitor->context);
    lg_capture_options options = {
        .held = &held, .held_count = held ? 1 : 0, .watch = &watch};
    lg_graph *graph = NULL;
    lg_error error;
    lg_status status = lg_capture(&options, &graph, &error);
    if (status == LG_OK)
        return (snapshot_object *)snapshot_new(state, graph);
    error_raise(state, status, &error);
    return NULL;
}

const char core_snapshot_doc[] =
    "snapshot($module, /, *, previews=False, keys=True, roots=None,\n"
    "         max_depth=None, max_bytes=None, progress=None)\n--\n\n"
    "Take a snapshot of this process's objects.\n\n"
    "previews  keep short texts of str, bytes, int and float values\n"
    "keys      keep the str keys of dicts; False leaves them out\n"
    "roots     a sequence of objects: only what they reach (partial)\n"
    "max_depth references to follow from roots\n"
    "max_bytes memory that the capture may use; LimitError beyond\n"
    "progress  None: a line on stderr if that is a terminal and the work "
    "lasts;\n"
    "          True or False; or a callable given (phase, done), which is "
    "never\n"
    "          called while objects are looked at\n\n"
    "Runs no Python code of yours and changes no object. Every thread waits\n"
    "meanwhile.";

PyObject *
core_snapshot(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static const char *const names[] = {"previews",  "keys",      "roots",
                                        "max_depth", "max_bytes", "progress",
                                        NULL};
    static const arg_list list = {"snapshot", names, 0, 0};
    PyObject *values[6] = {NULL};
    core_state *state = module_state(module);
    capture_request request;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, values))
        return NULL;
    lg_graph *graph = request_capture(&request, state);
    Py_XDECREF(request.roots);
    if (!progress_end(&request.progress, graph ? LG_OK : LG_ECANCELLED)) {
        lg_graph_free(graph);
        return NULL;
    }
    return snapshot_new(state, graph);
}

/* ------------------------------------------------------- save_snapshot --- */

static PyObject *
capture_info(core_state *state, const lg_graph *graph, double seconds,
             PyObject *path)
{
    PyObject *result = PyStructSequence_New(state->types[TYPE_CAPTURE_INFO]);
    if (result == NULL)
        return NULL;
    struct stat file = {0};
    stat(PyBytes_AS_STRING(path), &file);
    const lg_columns *columns = lg_graph_columns(graph);
    PyObject *fields[] = {
        PyLong_FromUnsignedLong(columns->node_count),
        PyLong_FromUnsignedLongLong(columns->edge_count),
        PyFloat_FromDouble(seconds),
        PyLong_FromLongLong(file.st_size),
        PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path)),
        string_object(lg_graph_info_find(graph, "capture.method")),
    };
    for (Py_ssize_t i = 0; i < 6; i++)
        PyStructSequence_SetItem(result, i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

static double
seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) +
           (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

/* Captures and writes; the result is CaptureInfo. */
static PyObject *
record(core_state *state, capture_request *request, PyObject *path,
       int compress)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    lg_graph *graph = request_capture(request, state);
    PyObject *info = NULL;
    lg_save_options options = {.compress = compress};
    if (graph != NULL && file_write(state, graph, PyBytes_AS_STRING(path),
                                    &options, &request->progress.monitor))
        info = capture_info(state, graph, seconds_since(&start), path);
    if (!progress_end(&request->progress, info ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(info);
    Py_BEGIN_ALLOW_THREADS
    lg_graph_free(graph);
    Py_END_ALLOW_THREADS
    return info;
}

const char core_save_snapshot_doc[] =
    "save_snapshot($module, /, path, *, compress=3, previews=False, "
    "keys=True,\n"
    "              roots=None, max_depth=None, max_bytes=None, "
    "progress=None)\n--\n\n"
    "Take a snapshot straight to a file; the options are those of snapshot()."
    "\n\nIn path, {pid} stands for the process id and {n} for the first number "
    "that is\nfree. compress is a zstd level from 1 to 19, or 0 for none.\n"
    "Returns CaptureInfo(nodes, edges, seconds, bytes, path, method).";

PyObject *
core_save_snapshot(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static const char *const names[] = {"path",      "compress", "previews",
                                        "keys",      "roots",    "max_depth",
                                        "max_bytes", "progress", NULL};
    static const arg_list list = {"save_snapshot", names, 1, 1};
    PyObject *values[8] = {NULL};
    core_state *state = module_state(module);
    capture_request request;
    int compress;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !file_level(state, values[1], &compress) ||
        !request_parse(&request, values + 2))
        return NULL;
    PyObject *path = pathname_filled(values[0]);
    PyObject *info = path ? record(state, &request, path, compress) : NULL;
    Py_XDECREF(path);
    Py_XDECREF(request.roots);
    return info;
}
