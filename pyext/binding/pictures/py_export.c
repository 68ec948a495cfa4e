/** export() of a Snapshot, and its conversions for other libraries. */
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/export.h>
#include <leakgraph/internal/export_formats.h>

/* An analysis counts as a use of the graph, too. */
static bool
export_to(lg__snapshot_object *snapshot, lg_export_format format,
          const char *path, const lg_monitor *monitor)
{
    const lg_graph *graph = NULL;
    const lg_analysis *analysis = NULL;
    if (lg_export_needs_analysis(format))
        analysis = lg__analysis_acquire(snapshot, monitor);
    else
        graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL && analysis == NULL)
        return false;
    if (analysis != NULL)
        graph = lg_analysis_graph(analysis);
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_export_file(graph, analysis, format, path, monitor, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return status == LG_OK;
}

const char lg__snapshot_export_doc[] =
    "export($self, /, path, *, format=None, progress=None)\n"
    "--\n\n"
    "Write the snapshot for another tool, and return the path.\n\n"
    "path      the suffix chooses the format; '{pid}' and '{n}' are filled in\n"
    "format    'heapsnapshot' (Chrome DevTools), 'graphml', 'gexf' (Gephi),\n"
    "          'folded' (flame graphs), 'speedscope' (.speedscope.json), "
    "'pprof'\n"
    "          (.pb); these three have the bytes of each place in the\n"
    "          dominator tree; 'allocations' (.allocations.folded) has lines\n"
    "          and holders\n"
    "progress  as in snapshot()";

PyObject *
lg__snapshot_export(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static const char *const names[] = {"path", "format", "progress", NULL};
    static const lg__arg_list list = {"export", names, 1, 1};
    PyObject *values[3] = {NULL};
    lg__core_state *state = lg__object_state(self);
    const char *name;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_text("format", values[1], &name))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    if (path == NULL)
        return NULL;
    lg_export_format format;
    lg_error error;
    PyObject *result = NULL;
    lg_status status =
        lg_export_format_find(name, PyBytes_AS_STRING(path), &format, &error);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    else if (lg__progress_begin(&watch, values[2])) {
        bool written = export_to((lg__snapshot_object *)self, format,
                                 PyBytes_AS_STRING(path), &watch.monitor);
        if (lg__progress_finish(&watch, written ? LG_OK : LG_ECANCELLED))
            result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    }
    Py_DECREF(path);
    return result;
}

/* What a module in Python calls to say how far it is: report(phase, done). It
   does nothing once the work is done. */
static PyObject *
report(PyObject *capsule, PyObject *at)
{
    const char *phase;
    double done;
    if (!PyArg_ParseTuple(at, "sd", &phase, &done))
        return NULL;
    lg__progress *watch = PyCapsule_GetContext(capsule);
    if (watch != NULL &&
        !watch->monitor.tick(watch->monitor.context, phase, done))
        return NULL;
    Py_RETURN_NONE;
}

/* Has a function of leakgraph.graphs make the graph of another library, or
   write files into a folder (NULL: none). */
static PyObject *
convert(PyObject *self, const char *function, PyObject *folder,
        PyObject *progress)
{
    static PyMethodDef method = {"report", report, METH_VARARGS, NULL};
    static char none;
    lg__progress watch;
    if (!lg__progress_begin(&watch, progress))
        return NULL;
    PyObject *capsule = PyCapsule_New(&none, NULL, NULL);
    PyObject *told = NULL, *request = NULL, *graph = NULL;
    if (capsule != NULL && PyCapsule_SetContext(capsule, &watch) == 0)
        told = PyCFunction_New(&method, capsule);
    if (told != NULL)
        request = PyTuple_Pack(folder != NULL ? 3 : 2, self, told, folder);
    if (request != NULL)
        graph = lg__python_call(lg__object_state(self), "leakgraph.graphs",
                                function, request);
    if (capsule != NULL)
        PyCapsule_SetContext(capsule, NULL);
    Py_XDECREF(request);
    Py_XDECREF(told);
    Py_XDECREF(capsule);
    return lg__progress_end(&watch, graph);
}

static PyObject *
convert_as_asked(PyObject *self, const char *function, PyObject *const *args,
                 Py_ssize_t nargs, PyObject *kwnames)
{
    static const char *const names[] = {"progress", NULL};
    const lg__arg_list list = {function, names, 0, 0};
    PyObject *values[1] = {NULL};
    return lg__args_take(&list, args, nargs, kwnames, values)
               ? convert(self, function, NULL, values[0])
               : NULL;
}

PyObject *
lg__snapshot_to_networkx(PyObject *self, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames)
{
    return convert_as_asked(self, "to_networkx", args, nargs, kwnames);
}

PyObject *
lg__snapshot_to_igraph(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    return convert_as_asked(self, "to_igraph", args, nargs, kwnames);
}

PyObject *
lg__snapshot_sql(PyObject *self, PyObject *args, PyObject *kwargs)
{
    PyObject *query;
    if (!PyArg_ParseTuple(args, "U:sql", &query))
        return NULL;
    PyObject *tables = kwargs ? PyDict_Copy(kwargs) : PyDict_New();
    PyObject *request = tables ? PyTuple_Pack(3, self, query, tables) : NULL;
    PyObject *rows =
        request ? lg__python_call(lg__object_state(self), "leakgraph.queries",
                                  "query", request)
                : NULL;
    Py_XDECREF(request);
    Py_XDECREF(tables);
    return rows;
}

PyObject *
lg__snapshot_to_parquet(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames)
{
    static const char *const names[] = {"folder", "progress", NULL};
    static const lg__arg_list list = {"to_parquet", names, 1, 1};
    PyObject *values[2] = {NULL};
    if (!lg__args_take(&list, args, nargs, kwnames, values))
        return NULL;
    PyObject *path = PyOS_FSPath(values[0]);
    PyObject *written =
        path ? convert(self, "to_parquet", path, values[1]) : NULL;
    Py_XDECREF(path);
    return written;
}
