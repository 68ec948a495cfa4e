#include "binding/answers/py_waste.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/report.h>

typedef struct waste_request {
    lg_waste_options options;
    lg__scope_request asked;
    bool contents;
    lg__progress progress;
} waste_request;

/* The arguments of the method; the function has `contents` after them. */
enum {
    ARG_LIMIT,
    ARG_LIBRARIES,
    ARG_MINE,
    ARG_MODULE,
    ARG_PROGRESS,
    ARG_CONTENTS,
    ARG_COUNT,
};

static bool
request_parse(waste_request *self, PyObject *const *values)
{
    *self = (waste_request){.options = LG_WASTE_OPTIONS_INIT, .contents = true};
    self->options.limit = 20;
    if (!lg__arg_rows(values[ARG_LIMIT], &self->options.limit) ||
        !lg__arg_flag(values[ARG_LIBRARIES], &self->options.libraries) ||
        !lg__arg_scope(values[ARG_MINE], values[ARG_MODULE], &self->asked) ||
        !lg__arg_flag(values[ARG_CONTENTS], &self->contents))
        return false;
    return lg__progress_begin(&self->progress, values[ARG_PROGRESS]);
}

static const lg__result_field fields[] = {
    {"kind", LG__FIELD_TEXT},   {"type", LG__FIELD_TEXT},
    {"count", LG__FIELD_VALUE}, {"waste", LG__FIELD_VALUE},
    {"size", LG__FIELD_VALUE},  {"at_most", LG__FIELD_VALUE},
    {"used", LG__FIELD_VALUE},  {"of", LG__FIELD_VALUE},
    {"node", LG__FIELD_VALUE},  {"held_by", LG__FIELD_TEXT},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_WASTE, LG__TYPE_WASTE_ROW,
                                       fields, 0};

enum { FACT_COMPARED, FACT_TOTAL, FACT_LIBRARIES };

static PyObject *
waste_new(lg__snapshot_object *snapshot, lg_table *table)
{
    lg_cell compared, total, libraries;
    lg__result_fact(table, "compared", &compared);
    lg__result_fact(table, "total", &total);
    lg__result_fact(table, "libraries", &libraries);
    PyObject *facts =
        Py_BuildValue("(NNN)", PyBool_FromLong(compared.count != 0),
                      lg__size_new(snapshot, total.size),
                      lg__size_new(snapshot, libraries.size));
    return lg__result_with_facts(snapshot, &shape, table, facts);
}

static lg_status
tabulate(const void *request, const lg_analysis *analysis, lg_table **out,
         lg_error *error)
{
    const waste_request *self = request;
    lg_waste waste;
    lg_scope *scope = NULL;
    lg_waste_options options = self->options;
    const lg_monitor *monitor = &self->progress.monitor;
    lg_status status = lg__scope_find(&self->asked, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    options.scope = scope;
    if (status == LG_OK)
        status = lg_analysis_waste(analysis, &options, monitor, &waste, error);
    if (status == LG_OK) {
        status = lg_tabulate_waste(analysis, &waste, out, error);
        lg_waste_free(&waste);
    }
    lg_scope_free(scope);
    return status;
}

static PyObject *
request_run(waste_request *self, lg__snapshot_object *snapshot)
{
    lg_table *table =
        lg__analysis_table(snapshot, &self->progress.monitor, tabulate, self);
    return table ? waste_new(snapshot, table) : NULL;
}

static PyObject *
request_finish(waste_request *self, PyObject *waste)
{
    return lg__progress_end(&self->progress, waste);
}

#define WASTE_OPTIONS                                                          \
    "\n\n"                                                                     \
    "limit     at most this many rows, the most waste first; None or 'all' "   \
    "for all\n"                                                                \
    "libraries include what libraries and code keep for themselves\n"          \
    "mine      only what the program's own modules hold\n"                     \
    "module    only what matching modules hold: 'train.*'\n"                   \
    "progress  as in snapshot()"

const char lg__core_waste_doc[] =
    "waste($module, /, limit=20, *, libraries=False, mine=False, module=None,\n"
    "      progress=None, contents=True)\n--\n\n"
    "What memory this process could do without.\n\n"
    "Takes a snapshot and analyses it." WASTE_OPTIONS
    "\ncontents  find equal str, bytes and arrays, too";

PyObject *
lg__core_waste(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    static const char *const names[] = {
        "limit", "libraries", "mine", "module", "progress", "contents", NULL};
    static const lg__arg_list list = {"waste", names, 1, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    waste_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, values))
        return NULL;
    lg__snapshot_object *snapshot = lg__snapshot_of_contents(
        lg__module_state(module), request.contents, &request.progress.monitor);
    PyObject *waste = snapshot ? request_run(&request, snapshot) : NULL;
    return request_finish(&request, lg__kept_answer(snapshot, waste));
}

const char lg__snapshot_waste_doc[] =
    "waste($self, /, limit=20, *, libraries=False, mine=False, module=None,\n"
    "      progress=None)\n"
    "--\n\n"
    "What memory the process could do without.\n\n"
    "Finds equal str, bytes and arrays only in a snapshot(contents=True). "
    "PartialError\n"
    "on a snapshot of a part of the heap." WASTE_OPTIONS;

PyObject *
lg__snapshot_waste(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static const char *const names[] = {"limit",  "libraries", "mine",
                                        "module", "progress",  NULL};
    static const lg__arg_list list = {"waste", names, 1, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    waste_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (lg__snapshot_object *)self));
}

static PyGetSetDef waste_getset[] = {
    {"compared", (getter)lg__result_get_fact, NULL,
     "Whether the capture compared contents.", (void *)FACT_COMPARED},
    {"total", (getter)lg__result_get_fact, NULL,
     "All that you could save, without what libraries keep: a Size.",
     (void *)FACT_TOTAL},
    {"libraries", (getter)lg__result_get_fact, NULL,
     "What you could save of what libraries and code keep for themselves, "
     "unless\n"
     "it has rows: a Size.",
     (void *)FACT_LIBRARIES},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot waste_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, waste_getset},
    {Py_tp_doc, "A sequence of WasteRow, the most waste first; str() is the "
                "table as text."},
    {0, NULL},
};

PyType_Spec lg__waste_spec = {
    .name = "leakgraph.Waste",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = waste_slots,
};
