#include "binding/answers/py_top.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/report.h>
#include <string.h>

typedef struct top_request {
    lg_top_options options;
    lg__scope_request asked;
    PyObject *by; /* borrowed, or NULL */
    lg__progress progress;
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
group_named(lg__core_state *state, const char *name, lg_group *group)
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
        PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                     "group must be 'object', 'type' or 'module', not '%s'.",
                     name);
    return name == NULL;
}

static bool
request_parse(top_request *self, lg__core_state *state, PyObject *const *values)
{
    const char *group;
    *self = (top_request){.options = LG_TOP_OPTIONS_INIT, .by = values[ARG_BY]};
    self->options.limit = 20;
    if (!lg__arg_rows(values[ARG_LIMIT], &self->options.limit) ||
        !lg__by_check(state, self->by) ||
        !lg__arg_text("group", values[ARG_GROUP], &group) ||
        !group_named(state, group, &self->options.group) ||
        !lg__arg_flag(values[ARG_LIBRARIES], &self->options.libraries) ||
        !lg__arg_scope(values[ARG_MINE], values[ARG_MODULE], &self->asked))
        return false;
    return lg__progress_begin(&self->progress, values[ARG_PROGRESS]);
}

static const lg__result_field object_fields[] = {
    {"node", LG__FIELD_TITLE},     {"node", LG__FIELD_VALUE},
    {"count", LG__FIELD_VALUE},    {"size", LG__FIELD_VALUE},
    {"retained", LG__FIELD_VALUE}, {"held_by", LG__FIELD_TEXT},
    {"spent", LG__FIELD_VALUE},    {NULL, LG__FIELD_VALUE},
};

#define GROUP_FIELDS(name)                                                     \
    {name, LG__FIELD_TEXT}, {"node", LG__FIELD_VALUE},                         \
        {"count", LG__FIELD_VALUE}, {"size", LG__FIELD_VALUE},                 \
        {"retained", LG__FIELD_VALUE}, {"held_by", LG__FIELD_TEXT},            \
        {"spent", LG__FIELD_VALUE},                                            \
    {                                                                          \
        NULL, LG__FIELD_VALUE                                                  \
    }

static const lg__result_field type_fields[] = {GROUP_FIELDS("type")};
static const lg__result_field module_fields[] = {GROUP_FIELDS("module")};

static const lg__result_shape shapes[] = {
    [LG_GROUP_OBJECT] = {LG__TYPE_TOP, LG__TYPE_TOP_ROW, object_fields, 0},
    [LG_GROUP_TYPE] = {LG__TYPE_TOP, LG__TYPE_TOP_ROW, type_fields, 0},
    [LG_GROUP_MODULE] = {LG__TYPE_TOP, LG__TYPE_TOP_ROW, module_fields, 0},
};

enum { FACT_LIBRARIES, FACT_MORE, FACT_SPENT };

static PyObject *
size_of_fact(lg__snapshot_object *snapshot, const lg_table *table,
             const char *name)
{
    lg_cell cell;
    if (lg__result_fact(table, name, &cell))
        return lg__size_new(snapshot, cell.size);
    Py_RETURN_NONE;
}

static PyObject *
count_of_fact(const lg_table *table, const char *name)
{
    lg_cell cell;
    if (lg__result_fact(table, name, &cell))
        return PyLong_FromUnsignedLongLong(cell.count);
    Py_RETURN_NONE;
}

static PyObject *
top_new(lg__snapshot_object *snapshot, const lg__result_shape *shape,
        lg_table *table)
{
    PyObject *facts = Py_BuildValue(
        "(NNN)", size_of_fact(snapshot, table, "libraries"),
        size_of_fact(snapshot, table, "more"), count_of_fact(table, "spent"));
    return lg__result_with_facts(snapshot, shape, table, facts);
}

static lg_status
tabulate(const void *request, const lg_analysis *analysis, lg_table **out,
         lg_error *error)
{
    const top_request *self = request;
    lg_scope *scope = NULL;
    lg_top_options options = self->options;
    const lg_monitor *monitor = &self->progress.monitor;
    lg_status status = lg__scope_find(&self->asked, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    options.scope = scope;
    if (status == LG_OK)
        status = lg_tabulate_top(analysis, &options, monitor, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
request_run(top_request *self, lg__snapshot_object *snapshot)
{
    lg_graph *graph = lg__snapshot_graph(snapshot);
    lg_table *table = NULL;
    if (graph != NULL && lg__by_device(lg__object_state(snapshot), graph,
                                       self->by, &self->options.device))
        table = lg__analysis_table(snapshot, &self->progress.monitor, tabulate,
                                   self);
    return table ? top_new(snapshot, &shapes[self->options.group], table)
                 : NULL;
}

static PyObject *
request_finish(top_request *self, PyObject *top)
{
    return lg__progress_end(&self->progress, top);
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

const char lg__core_top_doc[] =
    "top($module, /, " TOP_SIGNATURE
    "What retains the most bytes in this process.\n\nTakes a snapshot and "
    "analyses it." TOP_OPTIONS;

PyObject *
lg__core_top(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const lg__arg_list list = {"top", top_names, 1, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    lg__core_state *state = lg__module_state(module);
    top_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values))
        return NULL;
    lg__snapshot_object *snapshot =
        lg__snapshot_now(state, NULL, &request.progress.monitor);
    PyObject *top = snapshot ? request_run(&request, snapshot) : NULL;
    return request_finish(&request, lg__kept_answer(snapshot, top));
}

const char lg__snapshot_top_doc[] =
    "top($self, /, " TOP_SIGNATURE
    "What retains the most bytes.\n\nPartialError "
    "on a snapshot of a part of the heap." TOP_OPTIONS;

PyObject *
lg__snapshot_top(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static const lg__arg_list list = {"top", top_names, 1, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    top_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__object_state(self), values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (lg__snapshot_object *)self));
}

static PyGetSetDef top_getset[] = {
    {"libraries", (getter)lg__result_get_fact, NULL,
     "What libraries keep for themselves, unless it has rows: a Size; None "
     "for\n"
     "types and modules.",
     (void *)FACT_LIBRARIES},
    {"more", (getter)lg__result_get_fact, NULL,
     "Everything else that is in no row: a Size. The rows, `libraries` and "
     "`more`\n"
     "are the whole heap. None for types and modules.",
     (void *)FACT_MORE},
    {"spent", (getter)lg__result_get_fact, NULL,
     "What allocators spend on the whole heap, in bytes of the host.",
     (void *)FACT_SPENT},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot top_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, top_getset},
    {Py_tp_doc, "A sequence of TopRow, biggest first; str() is the table as "
                "text."},
    {0, NULL},
};

PyType_Spec lg__top_spec = {
    .name = "leakgraph.Top",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = top_slots,
};
