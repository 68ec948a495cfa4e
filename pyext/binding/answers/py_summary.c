#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/errors.h"
#include "binding/support/pathname.h"
#include "binding/support/progress.h"

#include <leakgraph/growth.h>

const char snapshot_summary_doc[] =
    "summary($self, /, path, *, progress=None)\n"
    "--\n\n"
    "Save what diff() needs of the snapshot to a small file and return its "
    "path.\n\n"
    "The file has places, types and accounts, but no objects. {pid}, {rank} "
    "and {n} in\n"
    "path stand for the same as in save().";

static bool
save_summary(snapshot_object *snapshot, const char *path,
             const lg_monitor *monitor)
{
    const lg_analysis *analysis = analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return false;
    lg_summary *summary = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_summary_new(analysis, monitor, &summary, &error);
    if (status == LG_OK)
        status = lg_summary_save(summary, path, &error);
    lg_summary_free(summary);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status != LG_OK)
        error_raise(object_state(snapshot), status, &error);
    return status == LG_OK;
}

PyObject *
snapshot_summary(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static const char *const names[] = {"path", "progress", NULL};
    static const arg_list list = {"summary", names, 1, 1};
    PyObject *values[2] = {NULL};
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !progress_start(&watch, values[1]))
        return NULL;
    PyObject *path = pathname_filled(values[0]);
    bool saved =
        path != NULL && save_summary((snapshot_object *)self,
                                     PyBytes_AS_STRING(path), &watch.monitor);
    PyObject *result = NULL;
    if (progress_end(&watch, saved ? LG_OK : LG_ECANCELLED) && saved)
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    Py_XDECREF(path);
    return result;
}
