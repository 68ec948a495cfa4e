/** snapshot() and save_snapshot(): arguments, the capture, what it says. */
#include "binding/capture/binding_capture.h"
#include "binding/support/binding_support.h"
#include "binding/capture/snapshot_file.h"
#include "binding/objects/binding_objects.h"
#include "capture/run/capture_run.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct lg__forked_save {
    const char *path; /* for messages, and where the file is */
    lg__capture_options options;
    const lg_monitor *monitor;
    int compress;     /* level of zstd; 0: none */
    unsigned timeout; /* seconds that the child may take without progress */
    bool hold;        /* keep the GIL while this process waits */
    lg__fork_result result;
    double pause; /* out: seconds for which the GIL was held */
} lg__forked_save;

typedef struct capture_request {
    lg__capture_options options;
    lg_monitor watch;
    PyObject *roots; /* fast sequence that options.roots points into */
    lg__progress progress;
} capture_request;

/* What tracemalloc uses itself. The capture cannot ask, because the answer is
   an int object. Looking the function up as an attribute would leave its name
   in the cache that types have for their attributes. */
static uint64_t
traced_bytes(void)
{
    PyObject *module =
        PyDict_GetItemString(PyImport_GetModuleDict(), "_tracemalloc");
    if (module == NULL || !PyModule_CheckExact(module))
        return 0;
    PyObject *function = PyDict_GetItemString(PyModule_GetDict(module),
                                              "get_tracemalloc_memory");
    if (function == NULL || !PyCFunction_CheckExact(function))
        return 0;
    PyObject *bytes = PyObject_CallNoArgs(function);
    unsigned long long traced =
        bytes != NULL ? PyLong_AsUnsignedLongLong(bytes) : 0;
    Py_XDECREF(bytes);
    if (PyErr_Occurred() == NULL)
        return traced;
    PyErr_Clear();
    return 0;
}

static bool
request_roots(capture_request *self, lg__core_state *state)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(self->roots);
    if (count == 0) {
        Py_CLEAR(self->roots);
        PyErr_SetString(state->errors[LG__ERROR_ARGUMENT],
                        "roots is empty; leave it out for the whole heap.");
        return false;
    }
    self->options.roots = PySequence_Fast_ITEMS(self->roots);
    self->options.root_count = (size_t)count;
    return true;
}

/* Refuses native memory of a part of the heap: nobody knows what holds it. A
   forked child may not ask tracemalloc, whose lock another thread may have
   held. */
static bool
request_check(const capture_request *self, lg__core_state *state)
{
    const char *message = NULL;
    if (self->options.native && self->roots != NULL)
        message = "native=True needs the whole heap; leave roots out.";
    else if (self->options.native && self->options.allocations)
        message = "native=True and allocations=True need two snapshots: the "
                  "first is taken in a forked child, the second is not.";
    else if (self->options.allocations && !lg__tracemalloc_runs())
        message = "allocations=True needs tracemalloc: start it before the "
                  "objects are made, for example with python -X tracemalloc=8.";
    if (message != NULL)
        PyErr_SetString(state->errors[LG__ERROR_ARGUMENT], message);
    return message == NULL;
}

/* Reads `values`, which are previews, keys, contents, native, allocations,
   roots, max_depth, max_bytes and progress. */
static bool
request_parse(capture_request *self, lg__core_state *state,
              PyObject *const *values)
{
    bool previews = false, keys = true, contents = false, native = false;
    bool allocations = false;
    uint64_t depth = 0, bytes = 0;
    *self = (capture_request){0};
    if (!lg__arg_flag(values[0], &previews) ||
        !lg__arg_flag(values[1], &keys) ||
        !lg__arg_flag(values[2], &contents) ||
        !lg__arg_flag(values[3], &native) ||
        !lg__arg_flag(values[4], &allocations) ||
        !lg__arg_limit("max_depth", values[6], UINT32_MAX, &depth) ||
        !lg__arg_bytes("max_bytes", values[7], 1, &bytes) ||
        !lg__progress_begin(&self->progress, values[8]) ||
        !lg__arg_objects("roots", values[5], &self->roots))
        return false;
    self->options = (lg__capture_options){
        .previews = previews,
        .no_keys = !keys,
        .contents = contents,
        .native = native,
        .allocations = allocations,
        .max_depth = (uint32_t)depth,
        .max_bytes = bytes,
        .traced = traced_bytes(),
        .watch = &self->watch,
    };
    self->watch = lg__progress_walking(&self->progress);
    if (!request_check(self, state)) {
        Py_CLEAR(self->roots);
        return false;
    }
    return self->roots == NULL || request_roots(self, state);
}

/* The longest time without progress of a child that makes a snapshot. */
enum { CHILD_SECONDS = 60 };

/* Opens a file without a name in the folder of the snapshot. */
static lg_status
open_spill(const lg__forked_save *self, lg__held *out, lg_error *error)
{
    lg_draft *draft = NULL;
    *out = (lg__held){-1, 0};
    if (!self->options.spill)
        return LG_OK;
    lg_status status = lg_draft_new(self->path, &draft, error);
    if (status != LG_OK)
        return status;
    *out = lg__held_take(fcntl(lg_draft_descriptor(draft), F_DUPFD_CLOEXEC, 0));
    if (out->number < 0)
        status = lg_error_set(error, LG_EIO, "cannot open one more file: %s",
                              strerror(errno));
    lg_draft_free(draft);
    return status;
}

/* Waits for the child. With `hold` it shows no progress, because Python code
   would release the GIL. */
static lg_status
await_child(lg__forked_save *self, lg__fork *fork, lg_error *error)
{
    PyThreadState *thread = self->hold ? NULL : PyEval_SaveThread();
    double start = lg__clock();
    lg_status status =
        lg__fork_wait(fork, self->path, self->hold ? NULL : self->monitor,
                      &self->result, error);
    if (thread != NULL)
        PyEval_RestoreThread(thread);
    else
        self->pause += lg__clock() - start;
    return status;
}

/* Lets a child capture into an open file. */
static lg_status
try_capture(lg__forked_save *self, lg__held file, bool last, lg_error *error)
{
    lg__fork fork;
    lg__held spill;
    lg__fork_plan plan = {.options = &self->options,
                          .file = file,
                          .compress = self->compress,
                          .seconds = self->timeout,
                          .may_be_torn = last,
                          .advice = self->options.native
                                        ? ""
                                        : "; take the snapshot without "
                                          "fork=True"};
    lg_status status = open_spill(self, &spill, error);
    plan.spill = spill;
    if (status == LG_OK)
        status = lg__fork_begin(&plan, &fork, error);
    lg__held_close(&spill);
    if (status != LG_OK)
        return status;
    self->pause += fork.pause;
    return await_child(self, &fork, error);
}

/* Forks again if other threads were in the middle of an allocation. */
static lg_status
capture_into(lg__forked_save *self, int file, lg_error *error)
{
    enum { TRIES = 5 };
    const lg__held held = lg__held_take(file);
    lg_status status = try_capture(self, held, false, error);
    for (int i = 1; self->result.torn && i < TRIES; i++)
        status = try_capture(self, held, i + 1 == TRIES, error);
    return status;
}

static void
raise(lg__core_state *state, const lg__forked_save *self, lg_status status,
      const lg_error *error)
{
    if (status == LG_ECHILD)
        lg__error_raise_child(state, error, self->result.signal);
    else if (status != LG_OK)
        lg__error_raise(state, status, error);
}

/** False with an exception. With options.spill the child keeps its memory in a
 *  nameless file beside the path. */
static bool
forked_record(lg__core_state *state, lg__forked_save *self)
{
    lg_draft *draft = NULL;
    lg_error error;
    lg_status status = lg_draft_new(self->path, &draft, &error);
    if (status == LG_OK)
        status = capture_into(self, lg_draft_descriptor(draft), &error);
    if (status == LG_OK)
        status = lg_draft_commit(draft, &error);
    lg_draft_free(draft);
    raise(state, self, status, &error);
    return status == LG_OK;
}

/* Opens a file in memory, which has a name below /proc alone. */
static lg_status
open_memory(int *out, lg_error *error)
{
    if (access("/proc/self/fd", X_OK) != 0)
        return lg_error_set(error, LG_EUNSUPPORTED,
                            "native memory is found through /proc, which is "
                            "not here: mount it, or leave native=True out");
    *out = memfd_create("leakgraph", MFD_CLOEXEC);
    return *out >= 0
               ? LG_OK
               : lg_error_set(error, LG_EIO, "cannot open one more file: %s",
                              strerror(errno));
}

/** The same without a file: loads the graph. NULL with an exception. */
static lg_graph *
forked_capture(lg__core_state *state, lg__forked_save *self)
{
    char path[32];
    lg_graph *graph = NULL;
    lg_error error;
    int file = -1;
    lg_status status = open_memory(&file, &error);
    self->path = "a snapshot in memory";
    if (status == LG_OK)
        status = capture_into(self, file, &error);
    if (status == LG_OK) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        Py_BEGIN_ALLOW_THREADS
        status = lg_graph_load(path, 0, self->monitor, &graph, &error);
        Py_END_ALLOW_THREADS
    }
    if (file >= 0)
        close(file);
    raise(state, self, status, &error);
    return graph;
}

/* A forked child lists native memory, because nothing changes there. */
static lg_graph *
capture_by(lg__core_state *state, const lg__capture_options *options,
           const lg_monitor *monitor)
{
    if (options->native) {
        lg__forked_save forked = {
            .options = *options, .monitor = monitor, .timeout = CHILD_SECONDS};
        return forked_capture(state, &forked);
    }
    lg_graph *graph = NULL;
    lg_error error;
    lg_status status = lg__capture(options, &graph, &error);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return graph;
}

/* Takes a snapshot for one answer. */
static lg__snapshot_object *
snapshot_by(lg__core_state *state, lg__capture_options *options,
            const lg_monitor *monitor)
{
    lg_monitor watch = lg__progress_walking(monitor->context);
    options->watch = &watch;
    lg_graph *graph = capture_by(state, options, monitor);
    if (graph == NULL)
        return NULL;
    lg__snapshot_object *snapshot =
        (lg__snapshot_object *)lg__snapshot_new(state, graph);
    if (snapshot != NULL)
        snapshot->notes_shown = true;
    return snapshot;
}

lg__snapshot_object *
lg__snapshot_now(lg__core_state *state, PyObject *held,
                 const lg_monitor *monitor)
{
    lg__capture_options options = {.held = &held, .held_count = held ? 1 : 0};
    return snapshot_by(state, &options, monitor);
}

lg__snapshot_object *
lg__snapshot_with(lg__core_state *state, PyObject *held, bool contents,
                  unsigned needs, const lg_monitor *monitor)
{
    lg__capture_options options = {
        .held = &held,
        .held_count = held != NULL,
        .contents = contents,
        .native = (needs & LG_NEEDS_NATIVE) != 0,
        .allocations = (needs & LG_NEEDS_LINES) && lg__tracemalloc_runs(),
    };
    return snapshot_by(state, &options, monitor);
}

const char lg__core_snapshot_doc[] =
    "snapshot($module, /, *, previews=False, keys=True, contents=False,\n"
    "         native=False, allocations=False, roots=None, max_depth=None,\n"
    "         max_bytes=None, progress=None)\n"
    "--\n\n"
    "Take a snapshot of this process's objects.\n\n"
    "previews  keep short texts of str, bytes, int and float values\n"
    "keys      keep the str keys of dicts; False leaves them out\n"
    "contents  find out which str, bytes and arrays are equal, for waste(); "
    "the\n"
    "          capture hashes them and then forgets the hashes\n"
    "native    list the memory that C code has from malloc, too, and who holds "
    "it; a\n"
    "          forked child does all the work\n"
    "allocations\n"
    "          keep the lines that allocated each object, for allocations() "
    "and "
    "why();\n"
    "          tracemalloc must trace\n"
    "roots     a sequence of objects: keep only what they reach (partial)\n"
    "max_depth follow at most this many references from roots\n"
    "max_bytes use at most this much memory for the capture, or raise "
    "LimitError\n"
    "progress  None: show a line on stderr if that is a terminal and the work "
    "takes\n"
    "          a while; True or False; or a callable that gets (phase, done), "
    "which\n"
    "          nothing calls while the capture visits objects\n\n"
    "Runs none of your code and changes no object. All threads wait meanwhile.";

PyObject *
lg__core_snapshot(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    static const char *const names[] = {
        "previews", "keys",      "contents",  "native",   "allocations",
        "roots",    "max_depth", "max_bytes", "progress", NULL};
    static const lg__arg_list list = {"snapshot", names, 0, 0};
    PyObject *values[9] = {NULL};
    lg__core_state *state = lg__module_state(module);
    capture_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values))
        return NULL;
    lg_graph *graph =
        capture_by(state, &request.options, &request.progress.monitor);
    Py_XDECREF(request.roots);
    if (!lg__progress_finish(&request.progress,
                             graph ? LG_OK : LG_ECANCELLED)) {
        lg_graph_free(graph);
        return NULL;
    }
    return lg__snapshot_new(state, graph);
}

/* The options that a save has beyond the capture's, and its results. */
typedef struct saving {
    PyObject *path; /* bytes */
    int compress;
    bool fork;
    bool spill;
    bool hold;
    unsigned timeout; /* seconds that the child may take without progress */
    double started;
    double pause;
    uint32_t nodes;
    uint64_t edges;
} saving;

static PyObject *
capture_info(lg__core_state *state, const saving *self)
{
    PyObject *result =
        PyStructSequence_New(state->types[LG__TYPE_CAPTURE_INFO]);
    if (result == NULL)
        return NULL;
    struct stat file = {0};
    stat(PyBytes_AS_STRING(self->path), &file);
    char method[160];
    lg__capture_describe(method, sizeof method);
    PyObject *fields[] = {
        PyLong_FromUnsignedLong(self->nodes),
        PyLong_FromUnsignedLongLong(self->edges),
        PyFloat_FromDouble(lg__clock() - self->started),
        PyLong_FromLongLong(file.st_size),
        PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(self->path)),
        PyUnicode_FromString(method),
        PyFloat_FromDouble(self->pause),
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        PyStructSequence_SetItem(result, (Py_ssize_t)i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

/* Captures and writes in this process; false with an exception. */
static bool
record_here(lg__core_state *state, capture_request *request, saving *self)
{
    request->options.pause = &self->pause;
    lg_graph *graph =
        capture_by(state, &request->options, &request->progress.monitor);
    if (graph == NULL)
        return false;
    lg_save_options options = {.size = sizeof options,
                               .compress = self->compress};
    const lg_columns *columns = lg_graph_columns(graph);
    self->nodes = columns->node_count;
    self->edges = columns->edge_count;
    bool written =
        lg__snapshot_write(state, graph, PyBytes_AS_STRING(self->path),
                           &options, &request->progress.monitor);
    Py_BEGIN_ALLOW_THREADS
    lg_graph_free(graph);
    Py_END_ALLOW_THREADS
    return written;
}

/* The same in a forked child. */
static bool
record_forked(lg__core_state *state, const capture_request *request,
              saving *self)
{
    lg__forked_save forked = {
        .path = PyBytes_AS_STRING(self->path),
        .options = request->options,
        .monitor = &request->progress.monitor,
        .compress = self->compress,
        .timeout = self->timeout,
        .hold = self->hold,
    };
    forked.options.spill = self->spill;
    bool done = forked_record(state, &forked);
    self->nodes = forked.result.nodes;
    self->edges = forked.result.edges;
    self->pause = forked.pause;
    return done;
}

static PyObject *
record(lg__core_state *state, capture_request *request, saving *self)
{
    self->started = lg__clock();
    bool done = self->fork ? record_forked(state, request, self)
                           : record_here(state, request, self);
    PyObject *info = done ? capture_info(state, self) : NULL;
    return lg__progress_end(&request->progress, info);
}

/* Refuses options that only a forked child has, or may not have. */
static bool
saving_check(lg__core_state *state, const saving *self,
             const lg__capture_options *options)
{
    const char *message = NULL;
    if (!self->fork && (self->spill || self->hold))
        message = "spill and hold need fork=True.";
    else if (self->fork && options->allocations)
        message = "allocations=True does not work in a forked child; leave "
                  "fork out.";
    if (message != NULL)
        PyErr_SetString(state->errors[LG__ERROR_ARGUMENT], message);
    return message == NULL;
}

/* Reads `values`, which are path, compress, fork, spill, hold and timeout.
   Native memory is listed in a child only. */
static bool
saving_parse(lg__core_state *state, saving *self, PyObject *const *values,
             const lg__capture_options *options)
{
    uint64_t timeout = 60;
    *self = (saving){.path = NULL};
    if (!lg__snapshot_level(state, values[1], &self->compress) ||
        !lg__arg_flag(values[2], &self->fork) ||
        !lg__arg_flag(values[3], &self->spill) ||
        !lg__arg_flag(values[4], &self->hold) ||
        !lg__arg_limit("timeout", values[5], 86400, &timeout))
        return false;
    self->timeout = (unsigned)timeout;
    self->fork = self->fork || options->native;
    if (!saving_check(state, self, options))
        return false;
    self->path = lg__pathname_filled(values[0]);
    return self->path != NULL;
}

const char lg__core_save_snapshot_doc[] =
    "save_snapshot($module, /, path, *, compress=1, fork=False, spill=False,\n"
    "              hold=False, timeout=60, previews=False, keys=True,\n"
    "              contents=False, native=False, allocations=False, "
    "roots=None,\n"
    "              max_depth=None, max_bytes=None, progress=None)\n"
    "--\n\n"
    "Take a snapshot straight to a file.\n\n"
    "path      {pid} stands for the process id, {rank} for its number in the "
    "job,\n"
    "          {n} for the first free number\n"
    "compress  a zstd level from 1 to 19, or 0 for none\n"
    "fork      let a forked child do the work: this process stops for the "
    "fork\n"
    "          only, other threads run while this one waits, and if the child\n"
    "          dies, this process goes on (ChildError).\n"
    "          Meanwhile, the system copies each page of memory that the "
    "process\n"
    "          writes to\n"
    "spill     with fork: keep what the child needs in an unnamed file beside "
    "path,\n"
    "          not in memory; this is slower, and needs twice the disk\n"
    "hold      with fork: stop until the child is done, so that memory in use "
    "does\n"
    "          not grow; shows no progress, and Ctrl-C waits\n"
    "timeout   with fork: give up after this many seconds without progress\n\n"
    "The other options are those of snapshot(). Returns CaptureInfo(nodes, "
    "edges,\n"
    "seconds, bytes, path, method, pause).";

PyObject *
lg__core_save_snapshot(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const names[] = {
        "path",      "compress",  "fork",        "spill",
        "hold",      "timeout",   "previews",    "keys",
        "contents",  "native",    "allocations", "roots",
        "max_depth", "max_bytes", "progress",    NULL};
    static const lg__arg_list list = {"save_snapshot", names, 1, 1};
    PyObject *values[15] = {NULL};
    lg__core_state *state = lg__module_state(module);
    capture_request request;
    saving self;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values + 6))
        return NULL;
    PyObject *info = saving_parse(state, &self, values, &request.options)
                         ? record(state, &request, &self)
                         : NULL;
    Py_XDECREF(self.path);
    Py_XDECREF(request.roots);
    return info;
}
