/** Growth, the baselines of what is known to grow, and whether numbers rise. */
#include "binding/answers/binding_answers.h"
#include "binding/answers/answer.h"
#include "binding/answers/compared.h"
#include "binding/objects/binding_objects.h"
#include "binding/pictures/binding_pictures.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/line.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/table.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The arguments baseline and update_baseline of an answer. */
typedef struct baseline_request {
    PyObject *path;        /* borrowed; or NULL */
    lg_baseline *baseline; /* or NULL; the caller frees it */
    bool update;           /* add what the baseline does not know */
} baseline_request;

/** Reads the file that a path-like object names. NULL with an exception. */
static lg_baseline *
baseline_load(lg__core_state *state, PyObject *path, bool may_be_missing)
{
    lg_error error;
    lg_baseline *baseline = NULL;
    PyObject *name = lg__pathname_bytes(path);
    if (name == NULL)
        return NULL;
    lg_status status = lg_baseline_load(PyBytes_AS_STRING(name), may_be_missing,
                                        &baseline, &error);
    Py_DECREF(name);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return baseline;
}

/** Writes it. False with an exception. */
static bool
baseline_save(lg__core_state *state, const lg_baseline *baseline,
              PyObject *path)
{
    lg_error error;
    PyObject *name = lg__pathname_bytes(path);
    if (name == NULL)
        return false;
    lg_status status =
        lg_baseline_save(baseline, PyBytes_AS_STRING(name), &error);
    Py_DECREF(name);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

/** Reads the file now, so that a missing file fails before a snapshot is taken.
 *  False with an exception. */
static bool
baseline_parse(baseline_request *self, lg__core_state *state, PyObject *path,
               PyObject *update)
{
    *self = (baseline_request){0};
    if (!lg__arg_flag(update, &self->update))
        return false;
    if (path == NULL || path == Py_None) {
        if (self->update)
            PyErr_SetString(state->errors[LG__ERROR_ARGUMENT],
                            "update_baseline needs a file: give baseline, "
                            "too.");
        return !self->update;
    }
    self->path = path;
    self->baseline = baseline_load(state, path, self->update);
    return self->baseline != NULL;
}

/** Leaves out what the baseline knows. With `update`, adds the rest to the
 *  baseline. */
static lg_status
baseline_take_growth(const baseline_request *self, lg_growth *growth,
                     lg_error *error)
{
    lg_status status = LG_OK;
    if (self->update)
        status = lg_growth_note(growth, self->baseline, error);
    if (status == LG_OK && self->baseline != NULL)
        lg_growth_leave_out(growth, self->baseline);
    return status;
}

/** Writes the file if that was asked for. False with an exception. */
static bool
baseline_write(const baseline_request *self, lg__core_state *state)
{
    return !self->update || baseline_save(state, self->baseline, self->path);
}

static bool
read_key(const char *digits, uint64_t *key)
{
    char *end;
    *key = strtoull(digits, &end, 16);
    if (*digits != '\0' && *end == '\0')
        return true;
    PyErr_Format(PyExc_ValueError, "'%s' is no key of 16 hexadecimal digits.",
                 digits);
    return false;
}

static bool
add_growth(lg__core_state *state, lg_baseline *baseline, PyObject *entry)
{
    const char *digits;
    const char *note;
    uint64_t key;
    lg_error error;
    if (!PyArg_ParseTuple(entry, "ss", &digits, &note) ||
        !read_key(digits, &key))
        return false;
    lg_status status =
        lg_baseline_add(baseline, LG_BASELINE_GROWTH, key,
                        (lg_string){note, (uint32_t)strlen(note)}, &error);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

const char lg__core_baseline_doc[] =
    "_baseline($module, path, may_be_missing, /)\n--\n\n"
    "Read a baseline: the keys of growth that it knows.";

static PyObject *
growth_of(const lg_baseline *baseline)
{
    PyObject *keys = PyFrozenSet_New(NULL);
    for (size_t i = 0; keys != NULL && i < lg_baseline_count(baseline); i++) {
        char digits[17];
        lg_baseline_kind kind;
        uint64_t key = lg_baseline_key(baseline, i, &kind);
        if (kind != LG_BASELINE_GROWTH)
            continue;
        snprintf(digits, sizeof digits, "%016" PRIx64, key);
        PyObject *text = PyUnicode_FromString(digits);
        if (text == NULL || PySet_Add(keys, text) < 0)
            Py_CLEAR(keys);
        Py_XDECREF(text);
    }
    return keys;
}

PyObject *
lg__core_baseline(PyObject *module, PyObject *args)
{
    PyObject *path;
    int may_be_missing;
    if (!PyArg_ParseTuple(args, "Op:_baseline", &path, &may_be_missing))
        return NULL;
    lg_baseline *baseline =
        baseline_load(lg__module_state(module), path, may_be_missing != 0);
    PyObject *known = baseline ? growth_of(baseline) : NULL;
    lg_baseline_free(baseline);
    return known;
}

const char lg__core_extend_baseline_doc[] =
    "_extend_baseline($module, path, target, growth, /)\n--\n\n"
    "Read a baseline, which may be missing, add growth, and write it.\n\n"
    "growth is a list of keys and notes.";

PyObject *
lg__core_extend_baseline(PyObject *module, PyObject *args)
{
    lg__core_state *state = lg__module_state(module);
    PyObject *path;
    PyObject *target;
    PyObject *growth;
    if (!PyArg_ParseTuple(args, "OOO!:_extend_baseline", &path, &target,
                          &PyList_Type, &growth))
        return NULL;
    lg_baseline *baseline = baseline_load(state, path, true);
    bool done = baseline != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_GET_SIZE(growth); i++)
        done = add_growth(state, baseline, PyList_GET_ITEM(growth, i));
    done = done && baseline_save(state, baseline, target);
    lg_baseline_free(baseline);
    if (!done)
        return NULL;
    Py_RETURN_NONE;
}

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
    baseline_request known;
    lg__progress progress;
} growth_request;

enum { DIFF_OPTION_COUNT = 10 };

static const char *const diff_names[] = {
    "steps",    "unit",           "min_bytes", "settled",
    "mine",     "module",         "baseline",  "update_baseline",
    "progress", "other_programs", NULL};
static const lg__arg_list diff_list = {"diff", diff_names, 0, 0};

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
           baseline_parse(&self->known, state, values[6], values[7]) &&
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
    const lg_ask ask = {.graph = newest ? lg_analysis_graph(newest) : NULL};
    status = baseline_take_growth(&self->known, &growth, error);
    if (status == LG_OK)
        status = lg_view_growth(&growth, view, error);
    if (status == LG_OK)
        status = lg_question_tabulate(lg_question_find("growth"), &ask, &growth,
                                      out, error);
    lg_growth_free(&growth);
    return status;
}

/* Takes over the table and the view. The newest may be a summary. */
static PyObject *
answer(lg__core_state *state, PyObject *newest, lg_table *table, lg_view *view)
{
    PyObject *gone = NULL;
    PyObject *growth = NULL;
    PyObject *drawing = lg__drawing_new(state, view, &(lg__drawing_style){0});
    if (newest == NULL && drawing != NULL)
        newest = gone = lg__compared_gone(state, table);
    if (newest != NULL && drawing != NULL) {
        growth = lg__answer_of((lg__snapshot_object *)newest, "growth", table,
                               drawing);
    } else {
        lg_table_free(table);
        Py_XDECREF(drawing);
    }
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
    if (status == LG_OK && baseline_write(&self->known, state))
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

static PyObject *
get_drawing(lg__result_object *self, void *Py_UNUSED(closure))
{
    Py_ssize_t facts = PyTuple_GET_SIZE(self->facts);
    return lg__result_get_fact(self, (void *)(facts - 1));
}

static PyGetSetDef attributes[] = {
    {"drawing", (getter)get_drawing, NULL,
     "The paths from the roots to what grows, each with its series: a Drawing.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const lg__answer_extras lg__growth_extras = {
    .question = "growth",
    .shown = SHOWN_ROWS,
    .attributes = attributes,
};

const char lg__core_line_doc[] =
    "_line($module, x, y, /)\n--\n\n"
    "The robust line through points: its slope, its noise, whether it rises.\n"
    "\n"
    "Takes the bytes of two arrays of doubles of one length; x ascends.";

PyObject *
lg__core_line(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer x;
    Py_buffer y;
    PyObject *line = NULL;
    if (!PyArg_ParseTuple(args, "y*y*:_line", &x, &y))
        return NULL;
    if (x.len == y.len && (size_t)x.len % sizeof(double) == 0) {
        lg_line found =
            lg_line_of(x.buf, y.buf, (size_t)x.len / sizeof(double));
        line = Py_BuildValue("ddO", found.slope, found.noise,
                             found.rises ? Py_True : Py_False);
    } else {
        PyErr_SetString(PyExc_ValueError, "Both arrays need as many doubles.");
    }
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    return line;
}
