#include "binding/answers/py_figures.h"
#include "binding/answers/py_findings.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/capture/binding_capture.h"
#include <leakgraph/report.h>

/* How many rows the text shows; Python sees all. */
#define SHOWN_ROWS 20

static const char *const figures_names[] = {"mine", "module", "progress", NULL};

static const lg__result_field fields[] = {
    {"node", LG__FIELD_VALUE},    {"number", LG__FIELD_VALUE},
    {"width", LG__FIELD_VALUE},   {"height", LG__FIELD_VALUE},
    {"axes", LG__FIELD_VALUE},    {"artists", LG__FIELD_VALUE},
    {"canvas", LG__FIELD_VALUE},  {"retained", LG__FIELD_VALUE},
    {"closed", LG__FIELD_VALUE},  {"reachable", LG__FIELD_VALUE},
    {"held_by", LG__FIELD_VALUE}, {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_FIGURES, LG__TYPE_FIGURE_ROW,
                                       fields, SHOWN_ROWS};

typedef struct figures_request {
    lg__scope_request asked;
    lg__progress progress;
} figures_request;

static lg_status
tabulate(const void *request, const lg_analysis *analysis, lg_table **out,
         lg_error *error)
{
    const figures_request *self = request;
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(&self->asked, lg_analysis_graph(analysis),
                                      &self->progress.monitor, &scope, error);
    if (status == LG_OK)
        status = lg_tabulate_figures(analysis, scope, 0, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
figures_of(lg__snapshot_object *snapshot, const figures_request *request)
{
    lg_table *table = lg__analysis_table(snapshot, &request->progress.monitor,
                                         tabulate, request);
    return table ? lg__findings_attach(snapshot,
                                       lg__result_new(snapshot, &shape, table))
                 : NULL;
}

/* Answers about a snapshot, or about one that it takes now (NULL). */
static PyObject *
ask(lg__core_state *state, lg__snapshot_object *snapshot, PyObject *const *args,
    Py_ssize_t nargs, PyObject *kwnames)
{
    static const lg__arg_list list = {"figures", figures_names, 0, 0};
    PyObject *values[3] = {NULL}, *figures = NULL;
    figures_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_scope(values[0], values[1], &request.asked) ||
        !lg__progress_begin(&request.progress, values[2]))
        return NULL;
    if (snapshot != NULL) {
        figures = figures_of(snapshot, &request);
    } else {
        snapshot = lg__snapshot_now(state, NULL, &request.progress.monitor);
        figures = snapshot ? figures_of(snapshot, &request) : NULL;
        figures = lg__kept_answer(snapshot, figures);
    }
    return lg__progress_end(&request.progress, figures);
}

#define FIGURES_TEXT                                                           \
    "A sequence of FigureRow. Each byte counts for one figure "                \
    "only.\n\n" LG__SCOPE_TEXT("those that ") "progress  as in snapshot()"

const char lg__core_figures_doc[] =
    "figures($module, /, *, mine=False, module=None, progress=None)\n--\n\n"
    "The figures of matplotlib in this process, the biggest first.\n\n"
    "Takes a snapshot and analyses it. " FIGURES_TEXT;

PyObject *
lg__core_figures(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    return ask(lg__module_state(module), NULL, args, nargs, kwnames);
}

const char lg__snapshot_figures_doc[] =
    "figures($self, /, *, mine=False, module=None, progress=None)\n--\n\n"
    "The figures of matplotlib, the biggest first.\n\n"
    "PartialError on a snapshot of a part of the heap. " FIGURES_TEXT;

PyObject *
lg__snapshot_figures(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    return ask(lg__object_state(self), (lg__snapshot_object *)self, args, nargs,
               kwnames);
}

static PyMemberDef figures_members[] = {
    LG__RESULT_FINDINGS,
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot figures_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_members, figures_members},
    {Py_tp_doc, "A sequence of FigureRow, biggest first; str() is the table as "
                "text."},
    {0, NULL},
};

PyType_Spec lg__figures_spec = {
    .name = "leakgraph.Figures",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = figures_slots,
};
