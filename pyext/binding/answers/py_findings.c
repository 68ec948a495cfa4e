#include "binding/answers/py_findings.h"
#include "binding/answers/py_baseline.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/report.h>

static const lg__result_field fields[] = {
    {"pattern", LG__FIELD_VALUE}, {"cause", LG__FIELD_VALUE},
    {"fix", LG__FIELD_VALUE},     {"holder", LG__FIELD_VALUE},
    {"held_by", LG__FIELD_VALUE}, {"example", LG__FIELD_VALUE},
    {"count", LG__FIELD_VALUE},   {"retained", LG__FIELD_VALUE},
    {"alike", LG__FIELD_VALUE},   {"holders", LG__FIELD_HOLDERS},
    {"freed", LG__FIELD_VALUE},   {"evidence", LG__FIELD_TEXT},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_FINDINGS, LG__TYPE_FINDING,
                                       fields, 0};

PyObject *
lg__findings_rows(lg__snapshot_object *snapshot, const lg_table *table,
                  const char *fact)
{
    return lg__result_fact_rows(snapshot, table, fact, &shape);
}

typedef struct findings_request {
    lg__scope_request scope;
    lg__baseline_request known;
    lg__progress progress;
} findings_request;

static const char *const findings_names[] = {
    "mine", "module", "baseline", "update_baseline", "progress", NULL};
static const lg__arg_list findings_list = {"findings", findings_names, 0, 0};

static bool
request_parse(findings_request *self, lg__core_state *state,
              PyObject *const *values)
{
    *self = (findings_request){0};
    bool fine = lg__arg_scope(values[0], values[1], &self->scope) &&
                lg__baseline_parse(&self->known, state, values[2], values[3]) &&
                lg__progress_begin(&self->progress, values[4]);
    if (!fine)
        lg_baseline_free(self->known.baseline);
    return fine;
}

static PyObject *
request_finish(findings_request *self, PyObject *found)
{
    lg_baseline_free(self->known.baseline);
    return lg__progress_end(&self->progress, found);
}

static lg_status
leave_out(const findings_request *self, const lg_analysis *analysis,
          lg_findings *findings, lg_error *error)
{
    lg_baseline *baseline = self->known.baseline;
    lg_status status = LG_OK;
    if (self->known.update)
        status = lg_findings_note(lg_analysis_graph(analysis), findings,
                                  baseline, error);
    return status == LG_OK && baseline != NULL
               ? lg_findings_leave_out(findings, baseline, error)
               : status;
}

static lg_status
tabulate(const void *request, const lg_analysis *analysis, lg_table **out,
         lg_error *error)
{
    const findings_request *self = request;
    const lg_monitor *monitor = &self->progress.monitor;
    lg_scope *scope = NULL;
    lg_findings findings = {0};
    lg_status status = lg__scope_find(&self->scope, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    if (status == LG_OK)
        status =
            lg_analysis_findings(analysis, scope, monitor, &findings, error);
    if (status == LG_OK)
        status = leave_out(self, analysis, &findings, error);
    if (status == LG_OK)
        status = lg_tabulate_findings(analysis, &findings, out, error);
    lg_findings_free(&findings);
    lg_scope_free(scope);
    return status;
}

static PyObject *
facts_of(const lg_table *table)
{
    lg_cell known;
    lg__result_fact(table, "known", &known);
    return Py_BuildValue("(K)", (unsigned long long)known.count);
}

static PyObject *
request_run(const findings_request *self, lg__snapshot_object *snapshot)
{
    lg_table *table =
        lg__analysis_table(snapshot, &self->progress.monitor, tabulate, self);
    if (table == NULL)
        return NULL;
    if (lg__baseline_write(&self->known, lg__object_state(snapshot)))
        return lg__result_with_facts(snapshot, &shape, table, facts_of(table));
    lg_table_free(table);
    return NULL;
}

#define FINDINGS_SIGNATURE                                                     \
    "*, mine=False, module=None, baseline=None,\n"                             \
    "         update_baseline=False, progress=None)\n--\n\n"

#define FINDINGS_MORE                                                          \
    "\n\nA sequence of Finding, the biggest first: the mistake, who holds "    \
    "the\n"                                                                    \
    "memory, the cause in one sentence and the fix in one line.\n"             \
    "Holders that share what they keep are one Finding: its "                  \
    "holders.\n\n" LG__SCOPE_TEXT(                                             \
        "those whose holder, or what it keeps, ") "baseline  leave out "       \
                                                  "findings that this file "   \
                                                  "knows\n"                    \
                                                  "update_baseline\n"          \
                                                  "          add the others "  \
                                                  "to that file, which may "   \
                                                  "be missing\n"               \
                                                  "progress  as in snapshot()"

const char lg__core_findings_doc[] =
    "findings($module, /, " FINDINGS_SIGNATURE
    "Known mistakes that keep memory alive in this process." FINDINGS_MORE;

PyObject *
lg__core_findings(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    PyObject *values[5] = {NULL};
    findings_request request;
    if (!lg__args_take(&findings_list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__module_state(module), values))
        return NULL;
    lg__snapshot_object *snapshot = lg__snapshot_now(
        lg__module_state(module), NULL, &request.progress.monitor);
    PyObject *found = snapshot ? request_run(&request, snapshot) : NULL;
    return request_finish(&request, lg__kept_answer(snapshot, found));
}

const char lg__snapshot_findings_doc[] =
    "findings($self, /, " FINDINGS_SIGNATURE
    "Known mistakes that keep memory alive." FINDINGS_MORE
    "\n\nPartialError on a snapshot of a part of the heap.";

PyObject *
lg__snapshot_findings(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    PyObject *values[5] = {NULL};
    findings_request request;
    if (!lg__args_take(&findings_list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__object_state(self), values))
        return NULL;
    PyObject *found = request_run(&request, (lg__snapshot_object *)self);
    return request_finish(&request, found);
}

static PyGetSetDef findings_getset[] = {
    {"known", (getter)lg__result_get_fact, NULL,
     "How many the baseline knows, which are left out.", (void *)0},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot findings_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, findings_getset},
    {Py_tp_doc, "A sequence of Finding, biggest first; str() is the report."},
    {0, NULL},
};

PyType_Spec lg__findings_spec = {
    .name = "leakgraph.Findings",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = findings_slots,
};
