#include "binding/answers/py_growth.h"
#include "binding/answers/compared.h"
#include "binding/answers/py_baseline.h"
#include "binding/objects/binding_objects.h"
#include "binding/pictures/binding_pictures.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/table.h>

#include <stdlib.h>

static const lg__result_field tally_fields[] = {
    {"name", LG__FIELD_VALUE},   {"detail", LG__FIELD_TEXT},
    {"held_by", LG__FIELD_TEXT}, {"counts", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},  {"gained", LG__FIELD_VALUE},
    {"is_new", LG__FIELD_VALUE}, {"is_growing", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_field type_fields[] = {
    {"name", LG__FIELD_VALUE},  {"counts", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE}, {"gained", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_field account_fields[] = {
    {"name", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},
    {"gained", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape type_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_TYPE, type_fields, 0};
static const lg__result_shape account_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_ACCOUNT, account_fields, 0};

static const lg__result_shape tally_shape = {
    LG__TYPE_GROWTH, LG__TYPE_GROWTH_TALLY, tally_fields, 0};

enum {
    TYPES,
    ACCOUNTS,
    UNEXPLAINED,
    UNEXPLAINED_MALLOC,
    UNEXPLAINED_SMALL,
    IS_GROWING,
    NEEDS_NATIVE,
    SNAPSHOTS,
    SETTLED,
    KNOWN,
    ELSEWHERE,
    GAINED,
    EXPLAINED,
    FINDINGS,
    CYCLES,
    TENSORS,
    FIGURES,
    THREADS,
    DRAWING,
    FACTS
};

static PyObject *
count_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    lg__result_fact(table, name, &cell);
    return PyLong_FromUnsignedLongLong(cell.count);
}

static PyObject *
number_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    if (lg__result_fact(table, name, &cell))
        return PyLong_FromLongLong(cell.number);
    Py_RETURN_NONE;
}

static PyObject *
bool_of(const lg_table *table, const char *name)
{
    lg_cell cell = {0};
    lg__result_fact(table, name, &cell);
    return PyBool_FromLong(cell.count != 0);
}

// Returns the facts of the table as a tuple, with the drawing; NULL with an
// exception.
static PyObject *
growth_facts_new(lg__snapshot_object *snapshot, const lg_table *table,
                 PyObject *drawing)
{
    PyObject *facts = PyTuple_New(FACTS);
    Py_INCREF(drawing);
    if (facts == NULL) {
        Py_DECREF(drawing);
        return NULL;
    }
    PyObject *values[FACTS] = {
        [TYPES] = lg__result_fact_rows(snapshot, table, "types", &type_shape),
        [ACCOUNTS] =
            lg__result_fact_rows(snapshot, table, "accounts", &account_shape),
        [UNEXPLAINED] = number_of(table, "unexplained"),
        [UNEXPLAINED_MALLOC] = number_of(table, "unexplained_malloc"),
        [UNEXPLAINED_SMALL] = number_of(table, "unexplained_small"),
        [IS_GROWING] = bool_of(table, "is_growing"),
        [NEEDS_NATIVE] = bool_of(table, "needs_native"),
        [SNAPSHOTS] = count_of(table, "snapshots"),
        [SETTLED] = count_of(table, "settled"),
        [KNOWN] = count_of(table, "known"),
        [ELSEWHERE] = count_of(table, "elsewhere"),
        [GAINED] = number_of(table, "gained"),
        [EXPLAINED] = number_of(table, "explained"),
        [FINDINGS] =
            lg__result_fact_rows(snapshot, table, "findings", &tally_shape),
        [CYCLES] =
            lg__result_fact_rows(snapshot, table, "cycles", &tally_shape),
        [TENSORS] =
            lg__result_fact_rows(snapshot, table, "tensors", &tally_shape),
        [FIGURES] =
            lg__result_fact_rows(snapshot, table, "figures", &tally_shape),
        [THREADS] =
            lg__result_fact_rows(snapshot, table, "threads", &tally_shape),
        [DRAWING] = drawing,
    };
    bool made = true;
    for (int i = 0; i < FACTS; i++) {
        made &= values[i] != NULL;
        PyTuple_SET_ITEM(facts, i, values[i]);
    }
    if (!made)
        Py_CLEAR(facts);
    return facts;
}

#define FACT(name, at, doc)                                                    \
    {                                                                          \
        name, (getter)lg__result_get_fact, NULL, doc, (void *)at               \
    }

static PyGetSetDef growth_getset[] = {
    FACT("types", TYPES,
         "A tuple of GrowthType: the types with more bytes at the end."),
    FACT("accounts", ACCOUNTS,
         "A tuple of GrowthAccount: 'objects', 'rss', 'malloc', 'arenas', as "
         "far as they are known."),
    FACT("unexplained", UNEXPLAINED,
         "Bytes by which memory in use grew more than objects did, in malloc "
         "and in pymalloc; None: unknown."),
    FACT("unexplained_malloc", UNEXPLAINED_MALLOC,
         "The part of unexplained in malloc: native memory."),
    FACT("unexplained_small", UNEXPLAINED_SMALL,
         "The part of unexplained in pymalloc: ints, floats and texts that are "
         "not objects of a snapshot."),
    FACT("is_growing", IS_GROWING, "Whether a row still grows."),
    FACT("needs_native", NEEDS_NATIVE,
         "Whether memory of C code grows whose holder snapshots with "
         "native=True would name."),
    FACT("snapshots", SNAPSHOTS, "How many were compared."),
    FACT("settled", SETTLED,
         "How many rows were left out, because they grew and stopped."),
    FACT("known", KNOWN, "How many the baseline knows, which are left out."),
    FACT("elsewhere", ELSEWHERE,
         "How many rows the chosen modules do not hold, which are left out."),
    FACT("gained", GAINED,
         "Bytes that all objects together gained, on the host and all "
         "devices."),
    FACT("explained", EXPLAINED, "How many of these bytes the rows explain."),
    FACT("findings", FINDINGS,
         "A tuple of GrowthTally: findings of the newest snapshot, similar "
         "ones together."),
    FACT("cycles", CYCLES,
         "A tuple of GrowthTally: cycles that no root reaches, by their hops "
         "around."),
    FACT("tensors", TENSORS,
         "A tuple of GrowthTally: storages of torch, by kind."),
    FACT("figures", FIGURES, "A tuple of GrowthTally: figures of matplotlib."),
    FACT("drawing", DRAWING,
         "The paths from the roots to what grows, each with its series: a "
         "Drawing."),
    FACT("threads", THREADS,
         "A tuple of GrowthTally: threads, by name without numbers."),
    {NULL, NULL, NULL, NULL, NULL},
};

/* How many rows the text shows; Python sees all. */
#define SHOWN_ROWS 20

typedef struct growth_request {
    lg__compared given;
    lg_growth_order order;
    double *steps; /* or NULL */
    lg_growth_unit unit;
    uint64_t min_bytes;
    bool settled;
    bool other_programs;
    lg__scope_request asked;
    lg__baseline_request known;
    lg__progress progress;
} growth_request;

enum { DIFF_OPTION_COUNT = 10 };

static const char *const diff_names[] = {
    "steps",    "unit",           "min_bytes", "settled",
    "mine",     "module",         "baseline",  "update_baseline",
    "progress", "other_programs", NULL};
static const lg__arg_list diff_list = {"diff", diff_names, 0, 0};

static const lg__result_field row_fields[] = {
    {"held_by", LG__FIELD_TEXT},        {"type", LG__FIELD_TEXT},
    {"verdict", LG__FIELD_VALUE},       {"counts", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE},         {"gained", LG__FIELD_VALUE},
    {"per_interval", LG__FIELD_VALUE},  {"per_step", LG__FIELD_VALUE},
    {"place", LG__FIELD_VALUE},         {"node", LG__FIELD_VALUE},
    {"other_holders", LG__FIELD_VALUE}, {"finding", LG__FIELD_VALUE},
    {"reason", LG__FIELD_VALUE},        {"text", LG__FIELD_TEXT},
    {"fix", LG__FIELD_VALUE},           {"minor", LG__FIELD_VALUE},
    {"degree", LG__FIELD_VALUE},        {"limit", LG__FIELD_VALUE},
    {"filled", LG__FIELD_VALUE},        {"at_limit", LG__FIELD_VALUE},
    {"holders", LG__FIELD_HOLDERS},     {"freed", LG__FIELD_VALUE},
    {"lead", LG__FIELD_VALUE},          {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_GROWTH, LG__TYPE_GROWTH_ROW,
                                       row_fields, SHOWN_ROWS};
/* Takes over the table. */
static PyObject *
growth_new(lg__snapshot_object *snapshot, lg_table *table, PyObject *drawing)
{
    return lg__result_with_facts(snapshot, &shape, table,
                                 growth_facts_new(snapshot, table, drawing));
}

static bool
parse_unit(lg__core_state *state, PyObject *value, lg_growth_unit *out)
{
    static const char *const names[] = {"step", "call", "second"};
    if (value == NULL)
        return true;
    for (unsigned i = 0; PyUnicode_Check(value) && i < 3; i++)
        if (PyUnicode_CompareWithASCIIString(value, names[i]) == 0) {
            *out = (lg_growth_unit)(LG_PER_STEP + i);
            return true;
        }
    PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                 "unit must be 'step', 'call' or 'second', not %R.", value);
    return false;
}

static bool
request_parse(growth_request *self, lg__core_state *state, Py_ssize_t count,
              PyObject *const *values)
{
    *self = (growth_request){0};
    return lg__compared_begin(&self->given, count) &&
           lg__compared_steps(&self->given, state, values[0], &self->steps) &&
           parse_unit(state, values[1], &self->unit) &&
           lg__arg_bytes("min_bytes", values[2], 0, &self->min_bytes) &&
           lg__arg_flag(values[3], &self->settled) &&
           lg__arg_scope(values[4], values[5], &self->asked) &&
           lg__baseline_parse(&self->known, state, values[6], values[7]) &&
           lg__progress_begin(&self->progress, values[8]) &&
           lg__arg_flag(values[9], &self->other_programs);
}

static lg_status
find_scope(const growth_request *self, const lg_analysis *newest,
           lg_scope **out, lg_error *error)
{
    if (newest != NULL)
        return lg__scope_find(&self->asked, lg_analysis_graph(newest),
                              &self->progress.monitor, out, error);
    if (!self->asked.mine && self->asked.module == NULL)
        return LG_OK;
    return lg_error_set(error, LG_EINVAL,
                        "mine and module need a snapshot as the newest, and "
                        "that is a summary");
}

static lg_status
find_rows(const growth_request *self, const lg_analysis *newest, lg_growth *out,
          lg_error *error)
{
    lg_scope *scope = NULL;
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.steps = self->steps;
    options.unit = self->unit;
    options.min_bytes = self->min_bytes;
    options.settled = self->settled;
    lg_status status = find_scope(self, newest, &scope, error);
    options.scope = scope;
    options.note = self->order.said.data;
    if (status == LG_OK)
        status = lg_growth_find(
            (const lg_summary *const *)self->given.summaries, self->order.count,
            newest, &options, &self->progress.monitor, out, error);
    lg_scope_free(scope);
    return status;
}

static lg_status
find_growth(const growth_request *self, const lg_analysis *newest,
            lg_table **out, lg_view **view, lg_error *error)
{
    lg_growth growth;
    lg_status status = find_rows(self, newest, &growth, error);
    if (status != LG_OK)
        return status;
    const lg_graph *graph = newest ? lg_analysis_graph(newest) : NULL;
    status = lg__baseline_take_growth(&self->known, &growth, error);
    if (status == LG_OK)
        status = lg_view_growth(&growth, view, error);
    if (status == LG_OK)
        status = lg_tabulate_growth(&growth, graph, 0, out, error);
    lg_growth_free(&growth);
    return status;
}

/* Takes over the table and the view. The newest may be a summary. */
static PyObject *
answer(lg__core_state *state, PyObject *newest, lg_table *table, lg_view *view)
{
    PyObject *gone = NULL;
    PyObject *drawing = lg__drawing_new(state, view, &(lg__drawing_style){0});
    if (newest == NULL && drawing != NULL)
        newest = gone = lg__compared_gone(state, table);
    bool whole = newest != NULL && drawing != NULL;
    PyObject *growth =
        whole ? growth_new((lg__snapshot_object *)newest, table, drawing)
              : NULL;
    if (!whole)
        lg_table_free(table);
    Py_XDECREF(drawing);
    Py_XDECREF(gone);
    return growth;
}

static PyObject *
request_run(growth_request *self, lg__core_state *state, PyObject *const *args)
{
    Py_ssize_t last = self->given.count - 1;
    const lg_analysis *newest;
    if (!lg__compared_enough(&self->given, state, "diff") ||
        !lg__compared_open(&self->given, state, args, &self->progress.monitor,
                           &newest))
        return NULL;
    if (!lg__compared_line_up(&self->given, state, args,
                              &self->progress.monitor, self->steps,
                              self->other_programs, &newest, &self->order)) {
        if (newest != NULL)
            lg__snapshot_release(
                (lg__snapshot_object *)self->given.snapshots[last]);
        return NULL;
    }
    lg_table *table = NULL;
    lg_view *view = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = find_growth(self, newest, &table, &view, &error);
    Py_END_ALLOW_THREADS
    if (newest != NULL)
        lg__snapshot_release(
            (lg__snapshot_object *)self->given.snapshots[last]);
    if (status == LG_OK && lg__baseline_write(&self->known, state))
        return answer(state, self->given.snapshots[last], table, view);
    lg_view_free(view);
    lg_table_free(table);
    return status != LG_OK ? lg__error_raise(state, status, &error) : NULL;
}

static PyObject *
diff(lg__core_state *state, PyObject *const *args, Py_ssize_t count,
     PyObject *const *values)
{
    growth_request request;
    PyObject *growth = NULL;
    if (request_parse(&request, state, count, values)) {
        growth = request_run(&request, state, args);
        growth = lg__progress_end(&request.progress, growth);
    }
    lg__compared_end(&request.given);
    lg_growth_order_free(&request.order);
    lg_baseline_free(request.known.baseline);
    free(request.steps);
    return growth;
}

#define DIFF_OPTIONS                                                           \
    "Snapshots are Snapshot objects, or paths\n"                               \
    "of saved snapshots or summaries, the oldest first. Three or more can "    \
    "tell a leak\n"                                                            \
    "from memory that is allocated once.\n\n"                                  \
    "steps      a number for each snapshot, such as its training step: rows "  \
    "then have\n"                                                              \
    "           a rate per step\n"                                             \
    "unit       what a step is: 'step', 'call' or 'second'; without steps, "   \
    "'second'\n"                                                               \
    "           takes the times of the snapshots\n"                            \
    "min_bytes  leave out rows that gained less: a number, or '64 KiB'\n"      \
    "settled    include what grew and stopped\n"                               \
    "mine       only rows that the program's own modules hold\n"               \
    "module     only rows that matching modules hold: 'train.*'\n"             \
    "baseline   leave out places that this file knows\n"                       \
    "update_baseline\n"                                                        \
    "           add the others to that file, which may be missing\n"           \
    "progress   as in snapshot()\n"                                            \
    "other_programs\n"                                                         \
    "           compare snapshots of different programs, too"

const char lg__core_diff_doc[] =
    "diff($module, before, after, /, *more, steps=None, unit='step',\n"
    "     min_bytes=0, settled=False, mine=False, module=None, baseline=None,\n"
    "     update_baseline=False, progress=None, other_programs=False)\n--\n\n"
    "What grows from snapshot to snapshot, and who holds it.\n\n"
    "A sequence of GrowthRow, the most bytes gained first. " DIFF_OPTIONS;

PyObject *
lg__core_diff(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    PyObject *values[DIFF_OPTION_COUNT] = {NULL};
    if (!lg__args_take(&diff_list, args + nargs, 0, kwnames, values))
        return NULL;
    return diff(lg__module_state(module), args, nargs, values);
}

const char lg__snapshot_diff_doc[] =
    "diff($self, other, /, *more, steps=None, unit='step', min_bytes=0,\n"
    "     settled=False, mine=False, module=None, baseline=None,\n"
    "     update_baseline=False, progress=None, other_programs=False)\n--\n\n"
    "What grows from this snapshot to later ones, and who holds it.\n\n"
    "As leakgraph.diff(self, other, ...). " DIFF_OPTIONS;

PyObject *
lg__snapshot_diff(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    PyObject *values[DIFF_OPTION_COUNT] = {NULL};
    size_t count = (size_t)nargs + 1;
    if (!lg__args_take(&diff_list, args + nargs, 0, kwnames, values))
        return NULL;
    PyObject **all = malloc(count * sizeof *all);
    if (all == NULL)
        return PyErr_NoMemory();
    all[0] = self;
    for (size_t i = 1; i < count; i++)
        all[i] = args[i - 1];
    PyObject *growth =
        diff(lg__object_state(self), all, (Py_ssize_t)count, values);
    free(all);
    return growth;
}

static PyType_Slot growth_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, growth_getset},
    {Py_tp_doc, "A sequence of GrowthRow, the most bytes gained first; str() "
                "is the report."},
    {0, NULL},
};

PyType_Spec lg__growth_spec = {
    .name = "leakgraph.Growth",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = growth_slots,
};
