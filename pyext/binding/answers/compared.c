#include "binding/answers/compared.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

bool
lg__compared_begin(lg__compared *self, Py_ssize_t count)
{
    *self = (lg__compared){.count = count};
    self->snapshots = calloc((size_t)count + 1, sizeof *self->snapshots);
    self->summaries = calloc((size_t)count + 1, sizeof *self->summaries);
    if (self->snapshots != NULL && self->summaries != NULL)
        return true;
    PyErr_NoMemory();
    return false;
}

void
lg__compared_end(lg__compared *self)
{
    for (Py_ssize_t i = 0; i < self->count; i++) {
        if (self->snapshots != NULL)
            Py_XDECREF(self->snapshots[i]);
        if (self->summaries != NULL)
            lg_summary_free(self->summaries[i]);
    }
    free(self->snapshots);
    free(self->summaries);
}

static PyObject *
path_of(PyObject *given)
{
    PyObject *path = lg__pathname_bytes(given);
    if (path == NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "a comparison takes snapshots and paths of their files, "
                     "not %.100s; of a list, pass the items: *snapshots",
                     Py_TYPE(given)->tp_name);
    return path;
}

/* Reads a file if it is a summary. False with an exception. */
static bool
load_summary(lg__core_state *state, PyObject *given, lg_summary **out)
{
    PyObject *path = path_of(given);
    if (path == NULL)
        return false;
    const char *name = PyBytes_AS_STRING(path);
    lg_error error;
    lg_status status = LG_OK;
    Py_BEGIN_ALLOW_THREADS
    if (lg_summary_is_file(name))
        status = lg_summary_load(name, out, &error);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

/* Keeps a Snapshot as it is. Reads a path: a summary, or what load() makes of
   it. */
static bool
open_given(lg__compared *self, lg__core_state *state, PyObject *given,
           Py_ssize_t at)
{
    if (Py_TYPE(given) == state->types[LG__TYPE_SNAPSHOT]) {
        Py_INCREF(given);
        self->snapshots[at] = given;
        return true;
    }
    if (!load_summary(state, given, &self->summaries[at]))
        return false;
    if (self->summaries[at] == NULL)
        self->snapshots[at] =
            lg__python_call(state, "leakgraph", "load", given);
    return self->summaries[at] != NULL || self->snapshots[at] != NULL;
}

/* Makes the summary of an analysis that is acquired; NULL with an exception. */
static lg_summary *
summary_of(const lg__compared *self, lg__core_state *state, bool newest,
           const lg_analysis *analysis, const lg_monitor *monitor)
{
    lg_summary *made = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = self->words ? lg_summary_new(analysis, monitor, &made, &error)
                         : lg_summary_new_compared(analysis, newest, monitor,
                                                   &made, &error);
    if (status == LG_OK && self->rows)
        status = lg_summary_count_rows(made, analysis, monitor, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        return made;
    lg_summary_free(made);
    lg__error_raise(state, status, &error);
    return NULL;
}

/* Summarises a snapshot, and keeps its analysis acquired in *analysis, which is
   NULL for a file that is a summary. */
static bool
summarise(lg__compared *self, Py_ssize_t at, const lg_monitor *monitor,
          const lg_analysis **analysis)
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self->snapshots[at];
    *analysis = NULL;
    if (self->summaries[at] != NULL)
        return true;
    *analysis = lg__analysis_acquire(snapshot, monitor);
    if (*analysis == NULL)
        return false;
    self->summaries[at] = summary_of(self, lg__object_state(snapshot),
                                     at + 1 == self->count, *analysis, monitor);
    if (self->summaries[at] != NULL)
        return true;
    lg__snapshot_release(snapshot);
    return false;
}

/* Opens and summarises all but the last, and closes what it has loaded for
   that. */
static bool
summarise_older(lg__compared *self, lg__core_state *state,
                PyObject *const *args, const lg_monitor *monitor)
{
    for (Py_ssize_t i = 0; i + 1 < self->count; i++) {
        const lg_analysis *analysis;
        if (!open_given(self, state, args[i], i) ||
            !summarise(self, i, monitor, &analysis))
            return false;
        if (analysis != NULL)
            lg__snapshot_release((lg__snapshot_object *)self->snapshots[i]);
        Py_CLEAR(self->snapshots[i]);
    }
    return true;
}

bool
lg__compared_enough(const lg__compared *self, lg__core_state *state,
                    const char *function)
{
    if (self->count < 2)
        PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                     "%s() compares two snapshots or more, and got %zd.",
                     function, self->count);
    return self->count >= 2;
}

bool
lg__compared_open(lg__compared *self, lg__core_state *state,
                  PyObject *const *args, const lg_monitor *monitor,
                  const lg_analysis **newest)
{
    Py_ssize_t last = self->count - 1;
    return summarise_older(self, state, args, monitor) &&
           open_given(self, state, args[last], last) &&
           summarise(self, last, monitor, newest);
}

/* Opens the newest again if another one was opened last. */
static bool
reopen_newest(lg__compared *self, lg__core_state *state, PyObject *const *args,
              size_t index, const lg_monitor *monitor,
              const lg_analysis **newest)
{
    Py_ssize_t last = self->count - 1;
    PyObject *given = args[index];
    lg_summary *saved = NULL;
    if (*newest != NULL)
        lg__snapshot_release((lg__snapshot_object *)self->snapshots[last]);
    *newest = NULL;
    Py_CLEAR(self->snapshots[last]);
    if (Py_TYPE(given) == state->types[LG__TYPE_SNAPSHOT]) {
        Py_INCREF(given);
        self->snapshots[last] = given;
    } else if (!load_summary(state, given, &saved)) {
        return false;
    } else if (saved == NULL) {
        self->snapshots[last] =
            lg__python_call(state, "leakgraph", "load", given);
    }
    bool is_summary = saved != NULL;
    lg_summary_free(saved);
    if (self->snapshots[last] != NULL)
        *newest = lg__analysis_acquire(
            (lg__snapshot_object *)self->snapshots[last], monitor);
    return is_summary || *newest != NULL;
}

/* Makes the summary of the newest anew, after another one was opened last: that
   of an older one has no words, and cannot get them. */
static bool
renew_newest(lg__compared *self, lg__core_state *state, size_t at,
             const lg_monitor *monitor, const lg_analysis *newest)
{
    if (newest == NULL)
        return true;
    lg_summary_free(self->summaries[at]);
    self->summaries[at] = summary_of(self, state, true, newest, monitor);
    return self->summaries[at] != NULL;
}

/* Puts summaries and steps into their order. */
static bool
reorder(lg__compared *self, const lg_growth_order *order, double *steps)
{
    size_t count = (size_t)self->count;
    lg_summary **summaries = calloc(count + 1, sizeof *summaries);
    double *sorted = calloc(count + 1, sizeof *sorted);
    if (summaries == NULL || sorted == NULL) {
        free(summaries);
        free(sorted);
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < order->count; i++) {
        summaries[i] = self->summaries[order->index[i]];
        self->summaries[order->index[i]] = NULL;
        if (steps != NULL)
            sorted[i] = steps[order->index[i]];
    }
    for (size_t i = 0; i < count; i++) {
        lg_summary_free(self->summaries[i]);
        self->summaries[i] = summaries[i];
    }
    if (steps != NULL)
        memcpy(steps, sorted, count * sizeof *steps);
    free(summaries);
    free(sorted);
    return true;
}

/* Warns of what is sorted. Returns false if the program has warnings raise. */
static bool
warn(const lg_text *said)
{
    lg_text message = {0};
    lg_text_addf(&message, "leakgraph: %.*s", (int)said->length - 1,
                 said->data);
    bool fine = message.data == NULL ||
                PyErr_WarnEx(PyExc_RuntimeWarning, message.data, 1) == 0;
    lg_text_free(&message);
    return fine;
}

bool
lg__compared_line_up(lg__compared *self, lg__core_state *state,
                     PyObject *const *args, const lg_monitor *monitor,
                     double *steps, bool other_programs,
                     const lg_analysis **newest, lg_growth_order *order)
{
    Py_ssize_t last = self->count - 1;
    lg_error error;
    lg_status status = lg_growth_order_find(
        (const lg_summary *const *)self->summaries, (size_t)self->count,
        other_programs, order, &error);
    if (status != LG_OK) {
        lg__error_raise(state, status, &error);
        return false;
    }
    size_t index = order->index[order->count - 1];
    if (order->sorted && !warn(&order->said))
        return false;
    return reorder(self, order, steps) &&
           (index == (size_t)last ||
            (reopen_newest(self, state, args, index, monitor, newest) &&
             renew_newest(self, state, order->count - 1, monitor, *newest)));
}

bool
lg__compared_steps(const lg__compared *self, lg__core_state *state,
                   PyObject *given, double **out)
{
    PyObject *items;
    if (!lg__arg_objects("steps", given, &items))
        return false;
    if (items == NULL)
        return true;
    Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    bool read = count == self->count;
    if (!read)
        PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                     "There are %zd steps for %zd snapshots: give one for "
                     "each.",
                     count, self->count);
    *out = read ? malloc((size_t)count * sizeof **out) : NULL;
    if (read && *out == NULL) {
        PyErr_NoMemory();
        read = false;
    }
    for (Py_ssize_t i = 0; i < count && read; i++) {
        (*out)[i] = PyFloat_AsDouble(PySequence_Fast_GET_ITEM(items, i));
        read = !PyErr_Occurred();
    }
    Py_DECREF(items);
    return read;
}

static lg_string
device_name(const void *table, uint32_t device)
{
    return lg_table_device_name(table, device);
}

PyObject *
lg__compared_gone(lg__core_state *state, const lg_table *table)
{
    return lg__snapshot_gone(
        state,
        lg__string_tuple(lg_table_device_count(table) + 1, device_name, table));
}
