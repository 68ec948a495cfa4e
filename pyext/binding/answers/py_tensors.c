#include "binding/answers/py_findings.h"
#include "binding/answers/py_tensors.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/capture/binding_capture.h"
#include <leakgraph/report.h>

#define DEFAULT_LIMIT 20

typedef struct tensors_request {
    PyObject *device; /* borrowed; NULL: all */
    lg_tensor_group group;
    size_t limit; /* 0: all */
    lg__scope_request asked;
    lg__progress progress;
} tensors_request;

static bool
parse_group(lg__core_state *state, PyObject *value, lg_tensor_group *out)
{
    static const char *const names[] = {"kind", "device", "dtype", "shape"};
    if (value == NULL || value == Py_None)
        return true;
    for (unsigned i = 0; PyUnicode_Check(value) && i < 4; i++)
        if (PyUnicode_CompareWithASCIIString(value, names[i]) == 0) {
            *out = (lg_tensor_group)(LG_TENSORS_BY_KIND + i);
            return true;
        }
    PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                 "group must be None, 'kind', 'device', 'dtype' or 'shape', "
                 "not %R.",
                 value);
    return false;
}

/* `values` in the order device, limit, group, mine, module,
 * progress. */
static bool
request_parse(tensors_request *self, lg__core_state *state,
              PyObject *const *values)
{
    *self = (tensors_request){.group = LG_TENSORS_EACH, .limit = DEFAULT_LIMIT};
    if (values[0] != NULL && values[0] != Py_None)
        self->device = values[0];
    if (!lg__arg_rows(values[1], &self->limit) ||
        !parse_group(state, values[2], &self->group) ||
        !lg__arg_scope(values[3], values[4], &self->asked))
        return false;
    return lg__progress_begin(&self->progress, values[5]);
}

static const lg__result_field row_fields[] = {
    {"node", LG__FIELD_VALUE},    {"tensor", LG__FIELD_VALUE},
    {"device", LG__FIELD_VALUE},  {"dtype", LG__FIELD_VALUE},
    {"shape", LG__FIELD_VALUE},   {"kind", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},   {"used", LG__FIELD_VALUE},
    {"tensors", LG__FIELD_VALUE}, {"autograd", LG__FIELD_VALUE},
    {"held_by", LG__FIELD_VALUE}, {"allocation", LG__FIELD_VALUE},
    {"block", LG__FIELD_VALUE},   {NULL, LG__FIELD_VALUE},
};

#define GROUP_FIELDS(name)                                                     \
    {                                                                          \
        {name, LG__FIELD_VALUE}, {"storages", LG__FIELD_VALUE},                \
            {"bytes", LG__FIELD_VALUE}, {NULL, LG__FIELD_VALUE},               \
    }

static const lg__result_field kind_fields[] = GROUP_FIELDS("kind");
static const lg__result_field device_fields[] = GROUP_FIELDS("device");
static const lg__result_field dtype_fields[] = GROUP_FIELDS("dtype");
static const lg__result_field shape_fields[] = GROUP_FIELDS("shape");

static const lg__result_shape shapes[] = {
    [LG_TENSORS_EACH] = {LG__TYPE_TENSORS, LG__TYPE_TENSOR_ROW, row_fields, 0},
    [LG_TENSORS_BY_KIND] = {LG__TYPE_TENSOR_GROUPS, LG__TYPE_TENSOR_GROUP,
                            kind_fields, 0},
    [LG_TENSORS_BY_DEVICE] = {LG__TYPE_TENSOR_GROUPS, LG__TYPE_TENSOR_GROUP,
                              device_fields, 0},
    [LG_TENSORS_BY_DTYPE] = {LG__TYPE_TENSOR_GROUPS, LG__TYPE_TENSOR_GROUP,
                             dtype_fields, 0},
    [LG_TENSORS_BY_SHAPE] = {LG__TYPE_TENSOR_GROUPS, LG__TYPE_TENSOR_GROUP,
                             shape_fields, 0},
};

/* The number of storages and their bytes, before the limit. */
static PyObject *
facts_of(lg__snapshot_object *snapshot, const lg_table *table)
{
    lg_cell storages = {0};
    lg_cell bytes = {0};
    PyObject *facts = PyTuple_New(2);
    if (facts == NULL)
        return NULL;
    lg__result_fact(table, "storages", &storages);
    PyObject *size = lg__result_fact(table, "bytes", &bytes)
                         ? lg__size_new(snapshot, bytes.size)
                         : NULL;
    PyObject *count = PyLong_FromUnsignedLongLong(storages.count);
    PyTuple_SET_ITEM(facts, 0, count);
    PyTuple_SET_ITEM(facts, 1, size);
    if (count == NULL || size == NULL)
        Py_CLEAR(facts);
    return facts;
}

/* Takes over the table. */
static PyObject *
tensors_new(lg__snapshot_object *snapshot, lg_tensor_group group,
            lg_table *table)
{
    PyObject *self = lg__result_with_facts(snapshot, &shapes[group], table,
                                           facts_of(snapshot, table));
    return group == LG_TENSORS_EACH ? lg__findings_attach(snapshot, self)
                                    : self;
}

/* The analysis, if rows are asked for and it can be made; a partial heap has
 * none. NULL with or without an exception. */
static const lg_analysis *
analysis_for(const tensors_request *self, lg__snapshot_object *snapshot,
             const lg_graph *graph)
{
    if (self->group != LG_TENSORS_EACH || lg_graph_is_partial(graph))
        return NULL;
    const lg_analysis *analysis =
        lg__analysis_acquire(snapshot, &self->progress.monitor);
    if (analysis != NULL)
        lg__snapshot_release(snapshot);
    return analysis;
}

static lg_status
tabulate(const tensors_request *self, const lg_graph *graph,
         const lg_analysis *analysis, uint32_t device, lg_table **out,
         lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(&self->asked, graph,
                                      &self->progress.monitor, &scope, error);
    const lg_tensor_options options = {.size = sizeof options,
                                       .device = device,
                                       .group = self->group,
                                       .limit = self->limit,
                                       .scope = scope};
    if (status == LG_OK)
        status = lg_tabulate_tensors(graph, analysis, &options, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
request_run(const tensors_request *self, lg__snapshot_object *snapshot)
{
    lg__core_state *state = lg__object_state(snapshot);
    uint32_t device = LG_NONE;
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    if (self->device != NULL &&
        !lg__device_named(state, graph, self->device, &device)) {
        lg__snapshot_release(snapshot);
        return NULL;
    }
    const lg_analysis *analysis = analysis_for(self, snapshot, graph);
    if (PyErr_Occurred()) {
        lg__snapshot_release(snapshot);
        return NULL;
    }
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = tabulate(self, graph, analysis, device, &table, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status == LG_OK)
        return tensors_new(snapshot, self->group, table);
    return lg__error_raise(state, status, &error);
}

static PyObject *
request_finish(tensors_request *self, PyObject *tensors)
{
    return lg__progress_end(&self->progress, tensors);
}

static const char *const tensors_names[] = {
    "device", "limit", "group", "mine", "module", "progress", NULL};
static const lg__arg_list tensors_list = {"tensors", tensors_names, 0, 0};

#define TENSORS_SIGNATURE                                                      \
    "*, device=None, limit=20, group=None, mine=False, module=None,\n"         \
    "        progress=None)\n--\n\n"

#define TENSORS_TEXT                                                           \
    "Each storage counts once, however many tensors use it. Rows include\n"    \
    "tensors that only the autograd graph keeps. Touches no tensor.\n\n"       \
    "device    only storages on this device: 'cuda:0', 'host'\n"               \
    "limit     at most this many rows, the biggest first; None or 'all' for "  \
    "all\n"                                                                    \
    "group     add up storages by 'kind', 'device', 'dtype' or 'shape'; "      \
    "None: do not\n" LG__SCOPE_TEXT(                                           \
        "those whose tensor ") "progress  as in snapshot()\n\n"                \
                               "kind is PyTorch's word for what a tensor is "  \
                               "for: 'parameter', 'buffer',"                   \
                               "\n'gradient', 'optimizer state', "             \
                               "'activation', 'temporary', 'other'."

const char lg__core_tensors_doc[] =
    "tensors($module, /, " TENSORS_SIGNATURE
    "The bytes of tensors in this process, and who holds them.\n\n"
    "Takes a snapshot. " TENSORS_TEXT;

PyObject *
lg__core_tensors(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    PyObject *values[6] = {NULL};
    lg__core_state *state = lg__module_state(module);
    tensors_request request;
    if (!lg__args_take(&tensors_list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values))
        return NULL;
    lg__snapshot_object *snapshot =
        lg__snapshot_now(state, NULL, &request.progress.monitor);
    PyObject *tensors = snapshot ? request_run(&request, snapshot) : NULL;
    return request_finish(&request, lg__kept_answer(snapshot, tensors));
}

const char lg__snapshot_tensors_doc[] =
    "tensors($self, /, " TENSORS_SIGNATURE
    "The bytes of tensors, and who holds them.\n\n" TENSORS_TEXT;

PyObject *
lg__snapshot_tensors(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    PyObject *values[6] = {NULL};
    tensors_request request;
    if (!lg__args_take(&tensors_list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__object_state(self), values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (lg__snapshot_object *)self));
}

static PyMemberDef tensors_members[] = {
    LG__RESULT_FINDINGS,
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef tensors_getset[] = {
    {"storages", (getter)lg__result_get_fact, NULL,
     "How many storages there are, before the limit.", (void *)0},
    {"bytes", (getter)lg__result_get_fact, NULL,
     "The Size of all of them, before the limit.", (void *)1},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot tensors_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_members, tensors_members},
    {Py_tp_getset, tensors_getset},
    {Py_tp_doc, "A sequence of TensorRow, biggest first; str() is the table as "
                "text."},
    {0, NULL},
};

static PyType_Slot groups_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, tensors_getset},
    {Py_tp_doc, "A sequence of TensorGroup, biggest first; str() is the table "
                "as text."},
    {0, NULL},
};

PyType_Spec lg__tensors_spec = {
    .name = "leakgraph.Tensors",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = tensors_slots,
};

PyType_Spec lg__tensor_groups_spec = {
    .name = "leakgraph.TensorGroups",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = groups_slots,
};
