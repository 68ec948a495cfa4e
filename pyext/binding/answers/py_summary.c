#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/growth.h>

const char lg__snapshot_summary_doc[] =
    "summary($self, /, path, *, progress=None)\n"
    "--\n\n"
    "Save what diff() needs of the snapshot to a small file and return its "
    "path.\n\n"
    "The file has places, types and accounts, but no objects. {pid}, {rank} "
    "and {n} in\n"
    "path stand for the same as in save().";

static bool
save_summary(lg__snapshot_object *snapshot, const char *path,
             const lg_monitor *monitor)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, monitor);
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
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return status == LG_OK;
}

PyObject *
lg__snapshot_summary(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"path", "progress", NULL};
    static const lg__arg_list list = {"summary", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    bool saved =
        path != NULL && save_summary((lg__snapshot_object *)self,
                                     PyBytes_AS_STRING(path), &watch.monitor);
    PyObject *result = NULL;
    if (lg__progress_finish(&watch, saved ? LG_OK : LG_ECANCELLED) && saved)
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    Py_XDECREF(path);
    return result;
}
