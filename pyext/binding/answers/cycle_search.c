/**
 * cycles(): what it is asked for, and in which order.
 */
#include "binding/answers/cycle_search.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/answers/py_baseline.h"
#include "binding/answers/py_cycle.h"
#include "binding/answers/py_cycles.h"
#include "binding/capture/binding_capture.h"

#include <leakgraph/report.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT 20

typedef struct cycles_request {
    lg_cycle_options options;
    lg__scope_request asked;
    PyObject *predicate; /* borrowed; or NULL */
    PyObject *type_name; /* of the type that was asked for; or NULL */
    PyObject *by;        /* borrowed str; or NULL */
    uint8_t *wanted;     /* [type] what the predicate said */
    lg__baseline_request known;
    lg__progress progress;
} cycles_request;

enum {
    ARG_HOLDING,
    ARG_KIND,
    ARG_MIN_BYTES,
    ARG_LIMIT,
    ARG_BY,
    ARG_MINE,
    ARG_MODULE,
    ARG_BASELINE,
    ARG_UPDATE_BASELINE,
    ARG_PROGRESS,
    ARG_COUNT,
};

static const char *const cycles_names[] = {
    "holding", "kind",     "min_bytes",       "limit",    "by", "mine",
    "module",  "baseline", "update_baseline", "progress", NULL};

/* The name as snapshots have it: builtins without their module. Asks the type
 * itself, not a metaclass that may run code. */
static PyObject *
name_of_type(PyObject *type)
{
    PyObject *names[2] = {PyUnicode_FromString("__module__"),
                          PyUnicode_FromString("__qualname__")};
    PyObject *values[2] = {NULL};
    PyObject *name = NULL;
    for (int i = 0; i < 2 && names[i] != NULL; i++)
        values[i] = PyType_Type.tp_getattro(type, names[i]);
    if (values[0] != NULL && values[1] != NULL) {
        bool bare =
            PyUnicode_Check(values[0]) &&
            PyUnicode_CompareWithASCIIString(values[0], "builtins") == 0;
        name = bare ? PyObject_Str(values[1])
                    : PyUnicode_FromFormat("%S.%S", values[0], values[1]);
    }
    for (int i = 0; i < 2; i++) {
        Py_XDECREF(names[i]);
        Py_XDECREF(values[i]);
    }
    return name;
}

static bool
parse_holding(cycles_request *self, PyObject *value)
{
    if (value == NULL || value == Py_None || PyUnicode_Check(value))
        return lg__arg_text("holding", value, &self->options.holding);
    if (PyType_Check(value)) {
        self->type_name = name_of_type(value);
        if (self->type_name != NULL)
            self->options.holding =
                lg__arg_utf8("the name of the type", self->type_name);
        return self->options.holding != NULL;
    }
    if (PyCallable_Check(value)) {
        self->predicate = value;
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "holding must be 'tensor', 'figure', a type, its name or a "
                 "callable, not %.100s",
                 Py_TYPE(value)->tp_name);
    return false;
}

static bool
add_kind(lg__core_state *state, PyObject *name, unsigned *kinds)
{
    for (int kind = LG_CYCLE_COLLECTABLE;
         PyUnicode_Check(name) && kind <= LG_CYCLE_UNCOLLECTABLE; kind++)
        if (PyUnicode_CompareWithASCIIString(
                name, lg_cycle_kind_name((lg_cycle_kind)kind)) == 0) {
            *kinds |= 1u << kind;
            return true;
        }
    PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                 "kind must be 'collectable', 'held' or 'uncollectable', or "
                 "several of them, not %R.",
                 name);
    return false;
}

static bool
parse_kinds(lg__core_state *state, PyObject *value, unsigned *kinds)
{
    if (value == NULL || value == Py_None)
        return true;
    if (PyUnicode_Check(value))
        return add_kind(state, value, kinds);
    PyObject *names = PySequence_Fast(value, "kind must be a str or a sequence "
                                             "of them");
    bool done = names != NULL;
    for (Py_ssize_t i = 0; done && i < PySequence_Fast_GET_SIZE(names); i++)
        done = add_kind(state, PySequence_Fast_GET_ITEM(names, i), kinds);
    Py_XDECREF(names);
    return done;
}

static bool
parse_least(PyObject *value, int64_t *least)
{
    uint64_t bytes = UINT64_MAX;
    if (!lg__arg_bytes("min_bytes", value, 0, &bytes))
        return false;
    if (value != NULL && value != Py_None)
        *least = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    return true;
}

static bool
request_parse(cycles_request *self, lg__core_state *state,
              PyObject *const *values)
{
    *self = (cycles_request){.options = LG_CYCLE_OPTIONS_INIT};
    self->options.limit = DEFAULT_LIMIT;
    bool fine =
        parse_holding(self, values[ARG_HOLDING]) &&
        parse_kinds(state, values[ARG_KIND], &self->options.kinds) &&
        parse_least(values[ARG_MIN_BYTES], &self->options.min_bytes) &&
        lg__arg_rows(values[ARG_LIMIT], &self->options.limit) &&
        lg__by_check(state, values[ARG_BY]) &&
        lg__arg_scope(values[ARG_MINE], values[ARG_MODULE], &self->asked) &&
        lg__baseline_parse(&self->known, state, values[ARG_BASELINE],
                           values[ARG_UPDATE_BASELINE]) &&
        lg__progress_begin(&self->progress, values[ARG_PROGRESS]);
    self->by = values[ARG_BY];
    self->options.baseline = self->known.baseline;
    if (!fine) {
        Py_CLEAR(self->type_name);
        lg_baseline_free(self->known.baseline);
    }
    return fine;
}

static bool
holds_type(void *context, uint32_t type)
{
    return ((const uint8_t *)context)[type] != 0;
}

/* What the predicate says of the name when it is asked at the first type of
 * that name: 1, 0, or -1 with an exception. */
static int
ask_name(PyObject *predicate, PyObject *answers, PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(answers, name);
    if (known != NULL)
        return known == Py_True;
    if (PyErr_Occurred())
        return -1;
    PyObject *answer = PyObject_CallFunctionObjArgs(predicate, name, NULL);
    int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (truth < 0)
        return -1;
    return PyDict_SetItem(answers, name, truth ? Py_True : Py_False) < 0
               ? -1
               : truth;
}

/* Asks about each type name once, here, under the GIL: the analysis only looks
 * the answers up. */
static bool
ask_predicate(cycles_request *self, const lg_graph *graph)
{
    uint32_t count = lg_graph_type_count(graph);
    PyObject *answers = PyDict_New();
    self->wanted = answers ? calloc((size_t)count + 1, 1) : NULL;
    bool done = self->wanted != NULL;
    if (answers != NULL && !done)
        PyErr_NoMemory();
    for (uint32_t type = 0; done && type < count; type++) {
        PyObject *name = lg__string_object(lg_graph_type(graph, type).name);
        int truth = name ? ask_name(self->predicate, answers, name) : -1;
        Py_XDECREF(name);
        done = truth >= 0;
        self->wanted[type] = truth > 0;
    }
    Py_XDECREF(answers);
    self->options.holding_type = holds_type;
    self->options.context = self->wanted;
    return done;
}

static lg_status
note(const cycles_request *self, const lg_analysis *analysis, lg_error *error)
{
    lg_cycles found;
    lg_cycle_options options = self->options;
    options.limit = 0;
    lg_status status = lg_analysis_cycles(
        analysis, &options, &self->progress.monitor, &found, error);
    if (status != LG_OK)
        return status;
    status = lg_cycles_note(lg_analysis_graph(analysis), &found,
                            self->known.baseline, error);
    lg_cycles_free(&found);
    return status;
}

static lg_status
tabulate(const cycles_request *self, const lg_analysis *analysis,
         lg_table **out, lg_error *error)
{
    lg_cycles found;
    lg_status status = lg_analysis_cycles(
        analysis, &self->options, &self->progress.monitor, &found, error);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_cycles(analysis, &found, out, error);
    lg_cycles_free(&found);
    return status;
}

static PyObject *
find_cycles(cycles_request *self, lg__snapshot_object *snapshot,
            const lg_analysis *analysis)
{
    lg_table *table = NULL;
    lg_error error;
    lg_scope *scope = NULL;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg__scope_find(&self->asked, lg_analysis_graph(analysis),
                            &self->progress.monitor, &scope, &error);
    self->options.scope = scope;
    if (status == LG_OK && self->known.update)
        status = note(self, analysis, &error);
    if (status == LG_OK)
        status = tabulate(self, analysis, &table, &error);
    lg_scope_free(scope);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(snapshot), status, &error);
    if (!lg__baseline_write(&self->known, lg__object_state(snapshot))) {
        lg_table_free(table);
        return NULL;
    }
    return lg__cycles_new(snapshot, table);
}

static PyObject *
request_run(cycles_request *self, lg__snapshot_object *snapshot)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    PyObject *cycles = NULL;
    if (lg__by_device(lg__object_state(snapshot), graph, self->by,
                      &self->options.device) &&
        (self->predicate == NULL || ask_predicate(self, graph))) {
        const lg_analysis *analysis =
            lg__analysis_acquire(snapshot, &self->progress.monitor);
        if (analysis != NULL) {
            cycles = find_cycles(self, snapshot, analysis);
            lg__snapshot_release(snapshot);
        }
    }
    lg__snapshot_release(snapshot);
    return cycles;
}

static PyObject *
request_finish(cycles_request *self, PyObject *cycles)
{
    free(self->wanted);
    lg_baseline_free(self->known.baseline);
    Py_XDECREF(self->type_name);
    return lg__progress_end(&self->progress, cycles);
}

#define CYCLES_SIGNATURE                                                       \
    "holding=None, kind=None, min_bytes=None,\n"                               \
    "       limit=20, by=None, mine=False, module=None, baseline=None,\n"      \
    "       update_baseline=False, progress=None)\n--\n\n"

#define CYCLES_OPTIONS                                                         \
    "holding   find only cycles that retain one: 'tensor', 'figure', a type "  \
    "or its\n"                                                                 \
    "          name (with subclasses), or a callable that gets each type "     \
    "name\n"                                                                   \
    "kind      'collectable' (the collector would free it now), 'held' (a "    \
    "root\n"                                                                   \
    "          reaches it), 'uncollectable' (neither), or several of them\n"   \
    "min_bytes find only cycles that retain at least this much, host and "     \
    "devices\n"                                                                \
    "          together; None: all collectable and uncollectable ones, and "   \
    "held ones\n"                                                              \
    "          that retain 1 MiB, a tensor or a figure\n"                      \
    "limit     at most this many cycles; None or 'all' for all\n"              \
    "by        the size to sort by: 'retained' (or None) on the host and "     \
    "all\n"                                                                    \
    "          devices together, 'host', or a device: 'cuda:0'\n"              \
    "mine      only cycles that the program's own modules hold; of garbage, "  \
    "only\n"                                                                   \
    "          cycles with an object of a class of these modules\n"            \
    "module    the same for matching modules: 'train.*'\n"                     \
    "baseline  leave out cycles that this file knows\n"                        \
    "update_baseline\n"                                                        \
    "          add the other leaks to that file, which may be missing\n"       \
    "progress  as in snapshot()"

const char lg__core_cycles_doc[] =
    "cycles($module, /, *, " CYCLES_SIGNATURE
    "Find the reference cycles of this process, and what they retain.\n\n"
    "Takes a snapshot and analyses it. Does not run the collector, and "
    "revives\n"
    "no object.\n\n" CYCLES_OPTIONS;

PyObject *
lg__core_cycles(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    static const lg__arg_list list = {"cycles", cycles_names, 0, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    lg__core_state *state = lg__module_state(module);
    cycles_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, state, values))
        return NULL;
    lg__snapshot_object *snapshot =
        lg__snapshot_now(state, NULL, &request.progress.monitor);
    PyObject *cycles = snapshot ? request_run(&request, snapshot) : NULL;
    if (cycles != NULL && !lg__cycles_keep(((lg__result_object *)cycles)->rows))
        Py_CLEAR(cycles);
    return request_finish(&request, lg__kept_answer(snapshot, cycles));
}

const char lg__snapshot_cycles_doc[] =
    "cycles($self, /, *, " CYCLES_SIGNATURE
    "Find the reference cycles, and what they retain.\n\n"
    "PartialError on a snapshot of a part of the heap.\n\n" CYCLES_OPTIONS;

PyObject *
lg__snapshot_cycles(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static const lg__arg_list list = {"cycles", cycles_names, 0, 0};
    PyObject *values[ARG_COUNT] = {NULL};
    cycles_request request;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !request_parse(&request, lg__object_state(self), values))
        return NULL;
    return request_finish(&request,
                          request_run(&request, (lg__snapshot_object *)self));
}
