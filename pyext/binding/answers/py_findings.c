#include "binding/answers/py_findings.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include "binding/objects/kept.h"
#include "binding/objects/result.h"
#include "binding/capture/recorder.h"

#include <leakgraph/report.h>

static const result_field fields[] = {
    {"pattern", FIELD_VALUE}, {"cause", FIELD_VALUE},
    {"fix", FIELD_VALUE},     {"holder", FIELD_VALUE},
    {"held_by", FIELD_VALUE}, {"example", FIELD_VALUE},
    {"count", FIELD_VALUE},   {"retained", FIELD_VALUE},
    {"alike", FIELD_VALUE},   {"holders", FIELD_HOLDERS},
    {NULL, FIELD_VALUE},
};

static const result_shape shape = {TYPE_FINDINGS, TYPE_FINDING, fields, 0};

PyObject *
findings_attach(snapshot_object *snapshot, PyObject *result)
{
    result_object *self = (result_object *)result;
    lg_cell cell = {0};
    if (self == NULL)
        return NULL;
    if (result_fact(self->table, "findings", &cell))
        self->findings = result_rows(snapshot, &shape, cell.table);
    else
        self->findings = PyTuple_New(0);
    if (self->findings == NULL)
        Py_CLEAR(result);
    return result;
}

static lg_status
find_mistakes(const lg_analysis *analysis, const scope_request *asked,
              const lg_monitor *monitor, lg_table **out, lg_error *error)
{
    lg_scope *scope = NULL;
    lg_findings findings = {0};
    lg_status status =
        scope_find(asked, lg_analysis_graph(analysis), monitor, &scope, error);
    if (status == LG_OK)
        status =
            lg_analysis_findings(analysis, scope, monitor, &findings, error);
    if (status == LG_OK)
        status = lg_tabulate_findings(analysis, &findings, out, error);
    lg_findings_free(&findings);
    lg_scope_free(scope);
    return status;
}

static PyObject *
findings_of(snapshot_object *snapshot, const scope_request *asked,
            const lg_monitor *monitor)
{
    const lg_analysis *analysis = analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = find_mistakes(analysis, asked, monitor, &table, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status == LG_OK)
        return result_new(snapshot, &shape, table);
    return error_raise(object_state(snapshot), status, &error);
}

static const char *const findings_names[] = {"mine", "module", "progress",
                                             NULL};
static const arg_list findings_list = {"findings", findings_names, 0, 0};

#define FINDINGS_SIGNATURE "*, mine=False, module=None, progress=None)\n--\n\n"

#define FINDINGS_MORE                                                          \
    "\n\nA sequence of Finding, the biggest first: the mistake, who holds "    \
    "the\n"                                                                    \
    "memory, the cause in one sentence and the fix in one line.\n"             \
    "Holders that share what they keep are one Finding: its "                  \
    "holders.\n\n" SCOPE_TEXT(                                                 \
        "those whose holder, or what it keeps, ") "progress  as in snapshot()"

const char core_findings_doc[] =
    "findings($module, /, " FINDINGS_SIGNATURE
    "Known mistakes that keep memory alive in this process." FINDINGS_MORE;

PyObject *
core_findings(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    PyObject *values[3] = {NULL};
    scope_request asked;
    progress watch;
    if (!args_take(&findings_list, args, nargs, kwnames, values) ||
        !arg_scope(values[0], values[1], &asked) ||
        !progress_start(&watch, values[2]))
        return NULL;
    snapshot_object *snapshot =
        snapshot_now(module_state(module), NULL, &watch.monitor);
    PyObject *found =
        snapshot ? findings_of(snapshot, &asked, &watch.monitor) : NULL;
    found = kept_answer(snapshot, found);
    if (!progress_end(&watch, found ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(found);
    return found;
}

const char snapshot_findings_doc[] =
    "findings($self, /, " FINDINGS_SIGNATURE
    "Known mistakes that keep memory alive." FINDINGS_MORE
    "\n\nPartialError on a snapshot of a part of the heap.";

PyObject *
snapshot_findings(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    PyObject *values[3] = {NULL};
    scope_request asked;
    progress watch;
    if (!args_take(&findings_list, args, nargs, kwnames, values) ||
        !arg_scope(values[0], values[1], &asked) ||
        !progress_start(&watch, values[2]))
        return NULL;
    PyObject *found =
        findings_of((snapshot_object *)self, &asked, &watch.monitor);
    if (!progress_end(&watch, found ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(found);
    return found;
}

static PyType_Slot findings_slots[] = {
    RESULT_SLOTS,
    {Py_tp_doc, "A sequence of Finding, biggest first; str() is the report."},
    {0, NULL},
};

PyType_Spec findings_spec = {
    .name = "leakgraph.Findings",
    .basicsize = sizeof(result_object),
    .flags = FINAL_TYPE,
    .slots = findings_slots,
};
