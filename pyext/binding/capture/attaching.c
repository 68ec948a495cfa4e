/** attach(): a snapshot of another process. */
#include "binding/capture/binding_capture.h"
#include "attach/attach.h"
#include "binding/support/binding_support.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/writing.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char lg__core_attach_version_doc[] =
    "_attach_version($module, pid, filtered, /)\n--\n\n"
    "The minor version of the Python 3 that the process runs.";

PyObject *
lg__core_attach_version(PyObject *module, PyObject *args)
{
    int process, filtered;
    unsigned minor = 0;
    lg_error error;
    if (!PyArg_ParseTuple(args, "ip", &process, &filtered))
        return NULL;
    lg_status status =
        lg__attach_version(process, filtered != 0, &minor, &error);
    if (status != LG_OK)
        return lg__error_raise(lg__module_state(module), status, &error);
    return PyLong_FromUnsignedLong(minor);
}

/* The arguments of _attach(). */
typedef struct attaching {
    lg__attach_request request;
    const char *library;
    const char *method;
    PyObject *path; /* bytes */
    lg__progress progress;
    lg__attach_result result;
} attaching;

static lg_status
read_method(const char *word, lg__attach_method *out, lg_error *error)
{
    static const char *const words[] = {
        [LG__ATTACH_BY_EITHER] = "auto",
        [LG__ATTACH_BY_SCRIPT] = "remote-exec",
        [LG__ATTACH_BY_PTRACE] = "ptrace",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) {
            *out = (lg__attach_method)i;
            return LG_OK;
        }
    return lg_error_set(error, LG_EINVAL,
                        "method is auto, remote-exec or ptrace, not %s", word);
}

static bool
attaching_parse(attaching *self, PyObject *const *values)
{
    uint64_t process = 0, timeout = 30;
    bool keys = true;
    lg__orders *orders = &self->request.orders;
    *self = (attaching){.method = "auto", .request.orders.seconds = 60};
    if (!lg__arg_limit("pid", values[0], INT32_MAX, &process) ||
        !lg__arg_text("library", values[1], &self->library) ||
        !lg__arg_flag(values[3], &orders->previews) ||
        !lg__arg_flag(values[4], &keys) ||
        !lg__arg_flag(values[5], &orders->contents) ||
        !lg__arg_flag(values[6], &orders->native) ||
        !lg__arg_flag(values[7], &self->request.filtered) ||
        !lg__arg_limit("timeout", values[8], 86400, &timeout) ||
        !lg__arg_text("method", values[9], &self->method) ||
        !lg__progress_begin(&self->progress, values[10]))
        return false;
    orders->no_keys = !keys;
    self->request.process = (int)process;
    self->request.timeout = (unsigned)timeout;
    self->request.monitor = &self->progress.monitor;
    self->path = lg__pathname_filled(values[2]);
    return self->path != NULL;
}

/* Attaches, and moves the file into place. */
static lg_status
attaching_run(attaching *self, int library, lg_error *error)
{
    lg_draft *draft = NULL;
    lg_status status = lg_draft_new(self->request.path, &draft, error);
    if (status != LG_OK)
        return status;
    self->request.file = lg_draft_descriptor(draft);
    status = lg__attach(&self->request, library, &self->result, error);
    if (status == LG_OK)
        status = lg_draft_commit(draft, error);
    lg_draft_free(draft);
    return status;
}

static lg_status
attaching_open(attaching *self, lg_error *error)
{
    lg_status status = read_method(self->method, &self->request.method, error);
    if (status != LG_OK)
        return status;
    int library = open(self->library, O_RDONLY | O_CLOEXEC);
    if (library < 0)
        return lg_error_set(error, LG_EIO, "cannot open %s: %s", self->library,
                            strerror(errno));
    status = attaching_run(self, library, error);
    close(library);
    return status;
}

const char lg__core_attach_doc[] =
    "_attach($module, /, pid, library, path, previews, keys, contents, "
    "native,\n"
    "        filtered, timeout, method, progress)\n--\n\n"
    "Take a snapshot of another process. `library` is the extension module for "
    "its\n"
    "Python. Returns (path, nodes, edges, pause, by_script).";

PyObject *
lg__core_attach(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static const char *const names[] = {
        "pid",    "library",  "path",    "previews", "keys",     "contents",
        "native", "filtered", "timeout", "method",   "progress", NULL};
    static const lg__arg_list list = {"_attach", names, 11, 11};
    PyObject *values[11] = {NULL};
    attaching self;
    lg_error error;
    lg_status status;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !attaching_parse(&self, values))
        return NULL;
    self.request.path = PyBytes_AS_STRING(self.path);
    Py_BEGIN_ALLOW_THREADS
    status = attaching_open(&self, &error);
    Py_END_ALLOW_THREADS
    PyObject *made = NULL;
    if (status == LG_ECHILD)
        lg__error_raise_child(lg__module_state(module), &error,
                              self.result.graph.signal);
    else if (status != LG_OK)
        lg__error_raise(lg__module_state(module), status, &error);
    else
        made = Py_BuildValue(
            "NIKdN", PyUnicode_DecodeFSDefault(self.request.path),
            (unsigned)self.result.graph.nodes,
            (unsigned long long)self.result.graph.edges, self.result.pause,
            PyBool_FromLong(self.result.by_script));
    Py_DECREF(self.path);
    if (!lg__progress_finish(&self.progress, status))
        Py_CLEAR(made);
    return made;
}
