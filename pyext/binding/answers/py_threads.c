#include "binding/answers/py_threads.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/page.h>
#include <leakgraph/report.h>

static PyObject *
label_object(const lg_graph *graph, const lg_thread_row *row)
{
    lg_text label = {0};
    lg_thread_label(graph, row, &label);
    return lg__text_object(&label);
}

/* Returns None for what only an analysis knows. */
static PyObject *
none(void)
{
    Py_RETURN_NONE;
}

static PyObject *
row_object(lg__snapshot_object *snapshot, const lg_graph *graph,
           const lg_threads *threads, const lg_thread_row *row)
{
    static const char *const kinds[] = {
        [LG_THREAD_STACK] = "thread",
        [LG_THREAD_FRAME] = "frame",
        [LG_THREAD_SUSPENDED] = "suspended",
        [LG_THREAD_LOCAL] = "local",
    };
    lg__core_state *state = lg__object_state(snapshot);
    bool local = row->kind == LG_THREAD_LOCAL;
    PyObject *values[] = {
        PyLong_FromUnsignedLong(row->depth),
        PyUnicode_FromString(kinds[row->kind]),
        label_object(graph, row),
        lg__node_new(state, snapshot, row->node),
        lg__size_new(snapshot, row->size),
        threads->analysed ? lg__size_new(snapshot, row->retained) : none(),
        threads->analysed && local ? PyBool_FromLong(row->held_elsewhere)
                                   : none(),
    };
    PyObject *tuple = PyStructSequence_New(state->types[LG__TYPE_THREAD_ROW]);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (tuple == NULL || values[i] == NULL) {
            Py_XDECREF(values[i]);
            Py_CLEAR(tuple);
        } else {
            PyStructSequence_SetItem(tuple, (Py_ssize_t)i, values[i]);
        }
    }
    return tuple;
}

static PyObject *
rows_tuple(lg__snapshot_object *snapshot, const lg_graph *graph,
           const lg_threads *threads)
{
    PyObject *rows = PyTuple_New((Py_ssize_t)threads->count);
    for (size_t i = 0; rows != NULL && i < threads->count; i++) {
        PyObject *row = row_object(snapshot, graph, threads, &threads->rows[i]);
        if (row == NULL)
            Py_CLEAR(rows);
        else
            PyTuple_SET_ITEM(rows, (Py_ssize_t)i, row);
    }
    return rows;
}

/* NULL without an exception if the snapshot can have no analysis. */
static const lg_analysis *
analysis_if_any(lg__snapshot_object *self, const lg_monitor *monitor)
{
    lg_graph *graph = lg__snapshot_graph(self);
    if (graph == NULL || lg_graph_is_partial(graph))
        return NULL;
    PyObject *unsupported =
        lg__object_state(self)->errors[LG__ERROR_UNSUPPORTED];
    const lg_analysis *analysis = lg__analysis_acquire(self, monitor);
    if (analysis == NULL && PyErr_ExceptionMatches(unsupported))
        PyErr_Clear();
    return analysis;
}

static lg_status
format_html(const lg_graph *graph, const lg_threads *threads, lg_text *out,
            lg_error *error)
{
    lg_table *table;
    lg_status status =
        lg_tabulate_threads(graph, threads, LG__HTML_ROWS, &table, error);
    if (status != LG_OK)
        return status;
    status = lg_page_cell(table, 0, out, error);
    lg_table_free(table);
    return status;
}

static lg_status
make(const lg_graph *graph, const lg_analysis *analysis,
     const lg__scope_request *asked, lg_threads *threads,
     lg__result_texts *texts, lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(asked, graph, NULL, &scope, error);
    if (status == LG_OK)
        status = lg_graph_threads(graph, analysis, scope, threads, error);
    lg_scope_free(scope);
    if (status == LG_OK)
        status = lg_format_threads(graph, threads, LG_FORMAT_TEXT, &texts->text,
                                   error);
    if (status == LG_OK)
        status = lg_format_threads(graph, threads, LG_FORMAT_JSON, &texts->json,
                                   error);
    if (status == LG_OK)
        status = format_html(graph, threads, &texts->html, error);
    return status;
}

/* The fields of row_object(), as letters for Arrow. */
static const char row_letters[] = "luuNSSb";

static PyObject *
threads_new(lg__snapshot_object *self, const lg_analysis *analysis,
            const lg__scope_request *asked)
{
    lg_graph *graph = lg__snapshot_acquire(self);
    if (graph == NULL)
        return NULL;
    lg__core_state *state = lg__object_state(self);
    lg_threads threads = {0};
    lg__result_texts texts = {0};
    PyObject *result = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = make(graph, analysis, asked, &threads, &texts, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        result = lg__result_of_texts(
            state, LG__TYPE_THREADS, LG__TYPE_THREAD_ROW,
            rows_tuple(self, graph, &threads), row_letters, &texts);
    else
        lg__error_raise(state, status, &error);
    if (status != LG_OK)
        lg__result_texts_free(&texts);
    lg_threads_free(&threads);
    lg__snapshot_release(self);
    return result;
}

const char lg__snapshot_threads_doc[] =
    "threads($self, /, *, mine=False, module=None, progress=None)\n--\n\n"
    "What each thread was doing, and the suspended generators, coroutines and\n"
    "tasks, with their local variables and what these retain: Threads.\n\n"
    "A snapshot of a part of the heap shows the objects' own sizes.\n\n"
    "mine      only functions of the program's own modules\n"
    "module    only functions of modules with such a name: 'train.*'\n"
    "progress  as in snapshot()";

PyObject *
lg__snapshot_threads(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"mine", "module", "progress", NULL};
    static const lg__arg_list list = {"threads", names, 0, 0};
    PyObject *values[3] = {NULL};
    lg__scope_request asked;
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_scope(values[0], values[1], &asked) ||
        !lg__progress_begin(&watch, values[2]))
        return NULL;
    const lg_analysis *analysis = analysis_if_any(snapshot, &watch.monitor);
    PyObject *threads =
        PyErr_Occurred() ? NULL : threads_new(snapshot, analysis, &asked);
    if (analysis != NULL)
        lg__snapshot_release(snapshot);
    return lg__progress_end(&watch, threads);
}

static PyType_Slot threads_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_doc,
     "A sequence of ThreadRow: threads with their frames, innermost first, "
     "then\n"
     "suspended frames. Its variables follow each frame. str() is the report."},
    {0, NULL},
};

PyType_Spec lg__threads_spec = {
    .name = "leakgraph.Threads",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = threads_slots,
};
