#include "binding/answers/py_figures.h"
#include "binding/answers/py_findings.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/errors.h"
#include "binding/objects/kept.h"
#include "binding/objects/result.h"
#include "binding/capture/recorder.h"
#include <leakgraph/report.h>

/* How many rows the text shows; Python sees all. */
#define SHOWN_ROWS 20

static const char *const figures_names[] = {"mine", "module", "progress", NULL};

static const result_field fields[] = {
    {"node", FIELD_VALUE},    {"number", FIELD_VALUE},
    {"width", FIELD_VALUE},   {"height", FIELD_VALUE},
    {"axes", FIELD_VALUE},    {"artists", FIELD_VALUE},
    {"canvas", FIELD_VALUE},  {"retained", FIELD_VALUE},
    {"closed", FIELD_VALUE},  {"reachable", FIELD_VALUE},
    {"held_by", FIELD_VALUE}, {NULL, FIELD_VALUE},
};

static const result_shape shape = {TYPE_FIGURES, TYPE_FIGURE_ROW, fields,
                                   SHOWN_ROWS};

static lg_status
find(const lg_analysis *analysis, const scope_request *asked,
     const lg_monitor *monitor, lg_table **out, lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status =
        scope_find(asked, lg_analysis_graph(analysis), monitor, &scope, error);
    if (status == LG_OK)
        status = lg_tabulate_figures(analysis, scope, 0, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
figures_of(snapshot_object *snapshot, const scope_request *asked,
           progress *watch)
{
    const lg_analysis *analysis = analysis_acquire(snapshot, &watch->monitor);
    if (analysis == NULL)
        return NULL;
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = find(analysis, asked, &watch->monitor, &table, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status == LG_OK)
        return findings_attach(snapshot, result_new(snapshot, &shape, table));
    return error_raise(object_state(snapshot), status, &error);
}

static PyObject *
finish(progress *watch, PyObject *figures)
{
    if (!progress_end(watch, figures ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(figures);
    return figures;
}

#define FIGURES_TEXT                                                           \
    "Each is a FigureRow: its node, pyplot's number, width and height in\n"    \
    "pixels, axes, artists, canvas (bytes of pixels; 0: never drawn),\n"       \
    "retained (bytes that you would free with it, canvas included), closed\n"  \
    "(pyplot does not have it), reachable (a root reaches it), and held_by:\n" \
    "pairs of a kind ('pyplot', 'animation', 'callback', 'variable', "         \
    "'native')\n"                                                              \
    "and where that is. Each byte counts for one figure only.\n\n" SCOPE_TEXT( \
        "those that ") "progress  as in snapshot()"

const char core_figures_doc[] =
    "figures($module, /, *, mine=False, module=None, progress=None)\n--\n\n"
    "The figures of matplotlib in this process, the biggest first.\n\n"
    "Takes a snapshot and analyses it. " FIGURES_TEXT;

PyObject *
core_figures(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const arg_list list = {"figures", figures_names, 0, 0};
    PyObject *values[3] = {NULL};
    scope_request asked;
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_scope(values[0], values[1], &asked) ||
        !progress_start(&watch, values[2]))
        return NULL;
    snapshot_object *snapshot =
        snapshot_now(module_state(module), NULL, &watch.monitor);
    PyObject *figures = snapshot ? figures_of(snapshot, &asked, &watch) : NULL;
    return finish(&watch, kept_answer(snapshot, figures));
}

const char snapshot_figures_doc[] =
    "figures($self, /, *, mine=False, module=None, progress=None)\n--\n\n"
    "The figures of matplotlib, the biggest first.\n\n"
    "PartialError on a snapshot of a part of the heap. " FIGURES_TEXT;

PyObject *
snapshot_figures(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static const arg_list list = {"figures", figures_names, 0, 0};
    PyObject *values[3] = {NULL};
    scope_request asked;
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_scope(values[0], values[1], &asked) ||
        !progress_start(&watch, values[2]))
        return NULL;
    return finish(&watch, figures_of((snapshot_object *)self, &asked, &watch));
}

static PyMemberDef figures_members[] = {
    RESULT_FINDINGS,
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot figures_slots[] = {
    RESULT_SLOTS,
    {Py_tp_members, figures_members},
    {Py_tp_doc, "A sequence of FigureRow, biggest first; str() is the table as "
                "text."},
    {0, NULL},
};

PyType_Spec figures_spec = {
    .name = "leakgraph.Figures",
    .basicsize = sizeof(result_object),
    .flags = FINAL_TYPE,
    .slots = figures_slots,
};
