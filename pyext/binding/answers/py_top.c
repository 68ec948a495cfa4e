#include "binding/answers/py_top.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/device.h"
#include "binding/support/errors.h"
#include "binding/objects/kept.h"
#include "binding/objects/result.h"
#include "binding/capture/recorder.h"

#include <leakgraph/report.h>
#include <string.h>

typedef struct top_request {
    lg_group group;
    PyObject *by; /* borrowed, or NULL */
    uint32_t rank;
    size_t limit;
    progress progress;
} top_request;

static const char *const top_names[] = {"limit", "by", "group", "progress",
                                        NULL};

static bool
group_named(core_state *state, const char *name, lg_group *group)
{
    static const char *const names[] = {
        [LG_GROUP_OBJECT] = "object",
        [LG_GROUP_TYPE] = "type",
        [LG_GROUP_MODULE] = "module",
    };
    for (int i = 0; name != NULL && i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *group = (lg_group)i;
            return true;
        }
    if (name != NULL)
        PyErr_Format(state->errors[ERROR_ARGUMENT],
                     "group must be 'object', 'type' or 'module', not '%s'.",
                     name);
    return name == NULL;
}

static bool
request_parse(top_request *self, core_state *state, PyObject *const *values)
{
    uint64_t limit = 20;
    const char *group;
    *self = (top_request){.by = values[1]};
    if (!arg_limit("limit", values[0], SIZE_MAX, &limit) ||
        !by_check(state, values[1]) || !arg_text("group", values[2], &group) ||
        !group_named(state, group, &self->group))
        return false;
    self->limit = values[0] == Py_None ? 0 : (size_t)limit;
    return progress_start(&self->progress, values[3]);
}

static const result_field object_fields[] = {
    {"node", FIELD_TITLE}, {"node", FIELD_VALUE},     {NULL, FIELD_ONE},
    {"size", FIELD_VALUE}, {"retained", FIELD_VALUE}, {"held_by", FIELD_TEXT},
    {NULL, FIELD_VALUE},
};

#define GROUP_FIELDS(name)                                                     \
    {name, FIELD_TEXT}, {"node", FIELD_VALUE}, {"count", FIELD_VALUE},         \
        {"size", FIELD_VALUE}, {"retained", FIELD_VALUE},                      \
        {"held_by", FIELD_TEXT},                                               \
    {                                                                          \
        NULL, FIELD_VALUE                                                      \
    }

static const result_field type_fields[] = {GROUP_FIELDS("type")};
static const result_field module_fields[] = {GROUP_FIELDS("module")};

static const result_shape shapes[] = {
    [LG_GROUP_OBJECT] = {TYPE_TOP, TYPE_TOP_ROW, object_fields, 0},
    [LG_GROUP_TYPE] = {TYPE_TOP, TYPE_TOP_ROW, type_fields, 0},
    [LG_GROUP_MODULE] = {TYPE_TOP, TYPE_TOP_ROW, module_fields, 0},
};

static PyObject *
request_run(top_request *self, snapshot_object *snapshot)
{
    lg_graph *graph = snapshot_graph(snapshot);
    const lg_analysis *analysis = NULL;
    if (graph != NULL &&
        by_find(object_state(snapshot), graph, self->by, &self->rank))
        analysis = analysis_acquire(snapshot, &self->progress.monitor);
    if (analysis == NULL)
        return NULL;
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_tabulate_top(analysis, self->group, self->rank, self->limit,
                             &self->progress.monitor, &table, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status == LG_OK)
        return result_new(snapshot, &shapes[self->group], table);
    return error_raise(object_state(snapshot), status, &error);
}

static PyObject *
request_finish(top_request *self, PyObject *top)
{
    if (!progress_end(&self->progress, top ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(top);
    return top;
}

#define TOP_SIGNATURE                                                          \
    "limit=20, *, by='retained', group='object',\n"                            \
    "    progress=None)\n--\n\n"

#define TOP_OPTIONS                                                            \
    "\n\nlimit     rows, the biggest first; None for all\n"                    \
    "by        the size to rank by: 'retained' on the host and all "           \
    "devices\n"                                                                \
    "          together, 'host', or a device: 'cuda:0'\n"                      \
    "group     'object': the objects that gather the most, none below\n"       \
    "          another; 'type', 'module': all objects of a type, or of the\n"  \
    "          types of a module, with what only they together keep alive\n"   \
    "progress  as in snapshot()"

const char core_top_doc[] =
    "top($module, /, " TOP_SIGNATURE
    "What retains the most bytes in this process.\n\nTakes a snapshot and "
    "analyses it." TOP_OPTIONS;

PyObject *
core_top(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    static const arg_list list = {"top", top_names, 1, 0};
    PyObject *values[4] = {NULL};
    core_state *state = module_state(module);
    top_request request;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values))
        return NULL;
    snapshot_object *snapshot =
        snapshot_now(state, NULL, &request.progress.monitor);
    PyObject *top = snapshot ? request_run(&request, snapshot) : NULL;
    return request_finish(&request, kept_answer(snapshot, top));
}

const char snapshot_top_doc[] =
    "top($self, /, " TOP_SIGNATURE
    "What retains the most bytes.\n\nPartialError "
    "on a snapshot of a part of the heap." TOP_OPTIONS;

PyObject *
snapshot_top(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const arg_list list = {"top", top_names, 1, 0};
    PyObject *values[4] = {NULL};
    top_request request;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, object_state(self), values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (snapshot_object *)self));
}

static PyType_Slot top_slots[] = {
    RESULT_SLOTS,
    {Py_tp_doc, "A sequence of TopRow, biggest first; str() is the table as "
                "text."},
    {0, NULL},
};

PyType_Spec top_spec = {
    .name = "leakgraph.Top",
    .basicsize = sizeof(result_object),
    .flags = FINAL_TYPE,
    .slots = top_slots,
};
