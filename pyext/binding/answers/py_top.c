#include "binding/answers/py_top.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/device.h"
#include "binding/support/errors.h"
#include "binding/objects/kept.h"
#include "binding/objects/result.h"
#include "binding/objects/size.h"
#include "binding/capture/recorder.h"

#include <leakgraph/report.h>
#include <string.h>

typedef struct top_request {
    lg_top_options options;
    PyObject *by; /* borrowed, or NULL */
    progress progress;
} top_request;

enum {
    ARG_LIMIT,
    ARG_BY,
    ARG_GROUP,
    ARG_LIBRARIES,
    ARG_MINE,
    ARG_MODULE,
    ARG_PROGRESS,
    ARG_COUNT,
};

static const char *const top_names[] = {
    "limit", "by", "group", "libraries", "mine", "module", "progress", NULL};

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
    const char *group;
    *self = (top_request){.options = LG_TOP_OPTIONS_INIT, .by = values[ARG_BY]};
    self->options.limit = 20;
    if (!arg_rows(values[ARG_LIMIT], &self->options.limit) ||
        !by_check(state, self->by) ||
        !arg_text("group", values[ARG_GROUP], &group) ||
        !group_named(state, group, &self->options.group) ||
        !arg_flag(values[ARG_LIBRARIES], &self->options.libraries) ||
        !arg_flag(values[ARG_MINE], &self->options.mine) ||
        !arg_text("module", values[ARG_MODULE], &self->options.module))
        return false;
    return progress_start(&self->progress, values[ARG_PROGRESS]);
}

static const result_field object_fields[] = {
    {"node", FIELD_TITLE},  {"node", FIELD_VALUE},     {"count", FIELD_VALUE},
    {"size", FIELD_VALUE},  {"retained", FIELD_VALUE}, {"held_by", FIELD_TEXT},
    {"spent", FIELD_VALUE}, {NULL, FIELD_VALUE},
};

#define GROUP_FIELDS(name)                                                     \
    {name, FIELD_TEXT}, {"node", FIELD_VALUE}, {"count", FIELD_VALUE},         \
        {"size", FIELD_VALUE}, {"retained", FIELD_VALUE},                      \
        {"held_by", FIELD_TEXT}, {"spent", FIELD_VALUE},                       \
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

enum { FACT_LIBRARIES, FACT_MORE, FACT_SPENT };

static PyObject *
size_of_fact(snapshot_object *snapshot, const lg_table *table, const char *name)
{
    lg_cell cell;
    if (result_fact(table, name, &cell))
        return size_new(snapshot, cell.size);
    Py_RETURN_NONE;
}

static PyObject *
count_of_fact(const lg_table *table, const char *name)
{
    lg_cell cell;
    if (result_fact(table, name, &cell))
        return PyLong_FromUnsignedLongLong(cell.count);
    Py_RETURN_NONE;
}

static PyObject *
top_new(snapshot_object *snapshot, const result_shape *shape, lg_table *table)
{
    PyObject *facts = Py_BuildValue(
        "(NNN)", size_of_fact(snapshot, table, "libraries"),
        size_of_fact(snapshot, table, "more"), count_of_fact(table, "spent"));
    return result_with_facts(snapshot, shape, table, facts);
}

static PyObject *
request_run(top_request *self, snapshot_object *snapshot)
{
    lg_graph *graph = snapshot_graph(snapshot);
    const lg_analysis *analysis = NULL;
    if (graph != NULL &&
        by_find(object_state(snapshot), graph, self->by, &self->options.device))
        analysis = analysis_acquire(snapshot, &self->progress.monitor);
    if (analysis == NULL)
        return NULL;
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_tabulate_top(analysis, &self->options, &self->progress.monitor,
                             &table, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status == LG_OK)
        return top_new(snapshot, &shapes[self->options.group], table);
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
    "    libraries=False, mine=False, module=None, progress=None)\n--\n\n"

#define TOP_OPTIONS                                                            \
    "\n\n"                                                                     \
    "limit     at most this many rows, the biggest first; None or 'all' for "  \
    "all\n"                                                                    \
    "by        the size to sort by: 'retained' on the host and all devices\n"  \
    "          together, 'host', or a device: 'cuda:0'\n"                      \
    "group     'object': the objects that retain the most, each byte counted " \
    "once,\n"                                                                  \
    "          and small objects of one place together; 'type', 'module': "    \
    "all\n"                                                                    \
    "          objects of a type, or of the types of a module, with what "     \
    "only they\n"                                                              \
    "          together keep alive\n"                                          \
    "libraries include what libraries keep for themselves\n"                   \
    "mine      only what the program's own modules hold\n"                     \
    "module    only what matching modules hold: 'train.*'\n"                   \
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
    PyObject *values[ARG_COUNT] = {NULL};
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
    PyObject *values[ARG_COUNT] = {NULL};
    top_request request;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, object_state(self), values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (snapshot_object *)self));
}

static PyGetSetDef top_getset[] = {
    {"libraries", (getter)result_get_fact, NULL,
     "What libraries keep for themselves, unless it has rows: a Size; None "
     "for\n"
     "types and modules.",
     (void *)FACT_LIBRARIES},
    {"more", (getter)result_get_fact, NULL,
     "Everything else that is in no row: a Size. The rows, `libraries` and "
     "`more`\n"
     "are the whole heap. None for types and modules.",
     (void *)FACT_MORE},
    {"spent", (getter)result_get_fact, NULL,
     "What allocators spend on the whole heap, in bytes of the host.",
     (void *)FACT_SPENT},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot top_slots[] = {
    RESULT_SLOTS,
    {Py_tp_getset, top_getset},
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
