#include "binding/capture/snapshot_file.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/analysis.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_LEVEL 1
#define MAX_LEVEL 19

bool
lg__snapshot_level(lg__core_state *state, PyObject *value, int *level)
{
    *level = DEFAULT_LEVEL;
    if (value == NULL || value == Py_True)
        return true;
    long number = PyLong_AsLong(value);
    if (number == -1 && PyErr_Occurred())
        return false;
    if (number < 0 || number > MAX_LEVEL) {
        PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                     "compress must be between 0 (none) and %d.", MAX_LEVEL);
        return false;
    }
    *level = (int)number;
    return true;
}

bool
lg__snapshot_write(lg__core_state *state, const lg_graph *graph,
                   const char *path, const lg_save_options *options,
                   const lg_monitor *monitor)
{
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_graph_save(graph, path, options, monitor, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

/* Removes ".", ".." and empty parts from an absolute path, in place, like
   os.path.normpath(). */
static void
normalise(char *path)
{
    char *end = path;
    for (const char *part = path; *part != '\0';) {
        part += strspn(part, "/");
        size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.') {
            while (end > path && *--end != '/')
                continue;
        } else if (length > 0 && !(length == 1 && part[0] == '.')) {
            *end++ = '/';
            memmove(end, part, length);
            end += length;
        }
        part += length;
    }
    if (end == path)
        *end++ = '/';
    *end = '\0';
}

/* Does what os.path.abspath() does, which fails while the interpreter ends. */
static PyObject *
absolute_path(const char *path)
{
    char folder[PATH_MAX];
    bool relative = path[0] != '/';
    if (relative && getcwd(folder, sizeof folder) == NULL)
        return PyErr_SetFromErrno(PyExc_OSError);
    PyObject *whole = PyBytes_FromFormat("%s/%s", relative ? folder : "", path);
    if (whole == NULL)
        return NULL;
    normalise(PyBytes_AS_STRING(whole));
    PyObject *text = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(whole));
    Py_DECREF(whole);
    return text;
}

static lg__file_mark
mark_of(const char *path)
{
    struct stat file;
    if (stat(path, &file) < 0)
        return (lg__file_mark){0};
    return (lg__file_mark){
        .device = file.st_dev,
        .inode = file.st_ino,
        .changed =
            (int64_t)file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec,
    };
}

/* Remembers the absolute path of the file, for other processes. */
static bool
keep_path(lg__snapshot_object *self, PyObject *path)
{
    PyObject *whole = absolute_path(PyBytes_AS_STRING(path));
    if (whole == NULL)
        return false;
    PyObject *before = self->path;
    self->path = whole;
    self->file = mark_of(PyBytes_AS_STRING(path));
    Py_XDECREF(before);
    return true;
}

const char lg__snapshot_save_doc[] =
    "save($self, /, path, *, compress=1, analysis=False, progress=None)\n"
    "--\n\n"
    "Save to a .lgs file and return its path.\n\n"
    "In path, {pid} stands for the process id, {rank} for the process's number "
    "in\n"
    "its job, and {n} for the first free number. compress is a zstd level from "
    "1 to\n"
    "19, or 0 for none: the command can then map the file without reading it.\n"
    "analysis=True analyses the snapshot if necessary, and saves the analysis, "
    "too.\n"
    "An interrupted save leaves an older file whole.";

/* Writes the snapshot; false with an exception. */
static bool
save_to(lg__snapshot_object *snapshot, const char *path, int level,
        bool analysed, const lg_monitor *monitor)
{
    lg_save_options options = {.size = sizeof options, .compress = level};
    const lg_graph *graph = analysed ? NULL : lg__snapshot_acquire(snapshot);
    if (analysed) {
        options.analysis = lg__analysis_acquire(snapshot, monitor);
        if (options.analysis != NULL)
            graph = lg_analysis_graph(options.analysis);
    }
    if (graph == NULL)
        return false;
    bool saved = lg__snapshot_write(lg__object_state(snapshot), graph, path,
                                    &options, monitor);
    lg__snapshot_release(snapshot);
    return saved;
}

PyObject *
lg__snapshot_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    static const char *const names[] = {"path", "compress", "analysis",
                                        "progress", NULL};
    static const lg__arg_list list = {"save", names, 1, 1};
    PyObject *values[4] = {NULL};
    lg__core_state *state = lg__object_state(self);
    lg__progress watch;
    int level;
    bool analysed = false;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__snapshot_level(state, values[1], &level) ||
        !lg__arg_flag(values[2], &analysed) ||
        !lg__progress_begin(&watch, values[3]))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    if (path == NULL)
        return NULL;
    PyObject *result = NULL;
    bool saved = save_to((lg__snapshot_object *)self, PyBytes_AS_STRING(path),
                         level, analysed, &watch.monitor);
    if (lg__progress_finish(&watch, saved ? LG_OK : LG_ECANCELLED) &&
        keep_path((lg__snapshot_object *)self, path))
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return result;
}

const char lg__core_load_doc[] =
    "load($module, /, path, *, progress=None)\n"
    "--\n\n"
    "Open a saved snapshot.\n\n"
    "Raises FileError if the file cannot be read, is "
    "damaged, or is not a snapshot.";

PyObject *
lg__core_load(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    static const char *const names[] = {"path", "progress", NULL};
    static const lg__arg_list list = {"load", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__core_state *state = lg__module_state(module);
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    PyObject *path = lg__pathname_bytes(values[0]);
    if (path == NULL)
        return NULL;
    lg_graph *graph = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_graph_load(PyBytes_AS_STRING(path), 0, &watch.monitor, &graph,
                           &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    PyObject *snapshot = NULL;
    if (lg__progress_finish(&watch, status))
        snapshot = lg__snapshot_new(state, graph);
    else
        lg_graph_free(graph);
    if (snapshot != NULL && !keep_path((lg__snapshot_object *)snapshot, path))
        Py_CLEAR(snapshot);
    Py_DECREF(path);
    return snapshot;
}
