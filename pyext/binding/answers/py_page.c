#include "binding/answers/compared.h"
#include "binding/answers/py_report.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/page.h>

#include <stdlib.h>
#include <string.h>

const char lg__snapshot_report_doc[] =
    "report($self, /, path, *, earlier=(), steps=None, title=None, "
    "samples=None,\n"
    "       settled=False, progress=None)\n"
    "--\n\n"
    "Write one web page with all answers to a file and return its path.\n\n"
    "The page needs no network: open it in a browser, and share it. {pid}, "
    "{rank} and\n"
    "{n} in path stand for the same as in save().\n\n"
    "earlier   earlier snapshots of the program, or paths of saved snapshots "
    "or\n"
    "          summaries: the page then shows what grows. Those with times "
    "are sorted,\n"
    "          and the page is of the newest\n"
    "steps     a number for each of these and for this one, as in diff()\n"
    "title     the page's title; the program that ran if it is not given\n"
    "samples   a file of samples, as watch() and attach write it: the page "
    "then "
    "shows\n"
    "          memory over time\n"
    "settled   list also what grew and stopped\n"
    "progress  as in snapshot()";

enum { PATH, EARLIER, STEPS, TITLE, SAMPLES, SETTLED, PROGRESS, ARGUMENTS };

typedef struct page_request {
    lg__snapshot_object *snapshot;
    PyObject *path;  /* bytes */
    PyObject *given; /* a list: the earlier snapshots, then this one */
    const char *title;
    PyObject *samples_path; /* bytes; NULL: none */
    lg_samples samples;
    bool settled;
    lg__compared compared;
    lg_growth_order order;
    double *steps;
    lg__progress progress;
} page_request;

/* Lists the earlier snapshots, then this one. */
static PyObject *
all_given(PyObject *snapshot, PyObject *earlier)
{
    PyObject *items;
    PyObject *all = PyList_New(0);
    if (all == NULL || !lg__arg_objects("earlier", earlier, &items)) {
        Py_XDECREF(all);
        return NULL;
    }
    Py_ssize_t count = items != NULL ? PySequence_Fast_GET_SIZE(items) : 0;
    int failed = 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++)
        failed = PyList_Append(all, PySequence_Fast_GET_ITEM(items, i));
    Py_XDECREF(items);
    if (failed || PyList_Append(all, snapshot) != 0)
        Py_CLEAR(all);
    return all;
}

static lg__snapshot_object *
newest_of(const page_request *self)
{
    const lg__compared *compared = &self->compared;
    return (lg__snapshot_object *)compared->snapshots[compared->count - 1];
}

/* The last part of the newest snapshot's path; NULL if it has none. A name that
   is not UTF-8 is no title. */
static const char *
find_name(const page_request *self)
{
    PyObject *path = newest_of(self)->path;
    const char *text =
        path != NULL && PyUnicode_Check(path) ? PyUnicode_AsUTF8(path) : NULL;
    const char *slash = text != NULL ? strrchr(text, '/') : NULL;
    PyErr_Clear();
    return slash != NULL ? slash + 1 : text;
}

/* Reads the file of samples, if there is one. */
static bool
request_samples(page_request *self, PyObject *given)
{
    lg_error error;
    if (given == NULL || given == Py_None)
        return true;
    if (!PyUnicode_FSConverter(given, &self->samples_path))
        return false;
    lg_status status = lg_samples_load(PyBytes_AS_STRING(self->samples_path),
                                       &self->samples, &error);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(self->snapshot), status, &error);
    return status == LG_OK;
}

static bool
request_parse(page_request *self, PyObject *const *values)
{
    self->given = all_given((PyObject *)self->snapshot, values[EARLIER]);
    return self->given != NULL &&
           lg__compared_begin(&self->compared, PyList_GET_SIZE(self->given)) &&
           lg__compared_steps(&self->compared, lg__object_state(self->snapshot),
                              values[STEPS], &self->steps) &&
           lg__arg_text("title", values[TITLE], &self->title) &&
           request_samples(self, values[SAMPLES]) &&
           lg__arg_flag(values[SETTLED], &self->settled) &&
           (self->path = lg__pathname_filled(values[PATH])) != NULL &&
           lg__progress_begin(&self->progress, values[PROGRESS]);
}

/* Puts several snapshots into their order. The page is of the newest, which is
   acquired; NULL with an exception. */
static const lg_analysis *
line_up(page_request *self)
{
    lg__core_state *state = lg__object_state(self->snapshot);
    PyObject **given = PySequence_Fast_ITEMS(self->given);
    const lg_analysis *newest = NULL;
    self->compared.rows = true;
    if (!lg__compared_open(&self->compared, state, given,
                           &self->progress.monitor, &newest))
        return NULL;
    bool lined_up = lg__compared_line_up(&self->compared, state, given,
                                         &self->progress.monitor, self->steps,
                                         false, &newest, &self->order);
    if (!lined_up && newest != NULL) {
        lg__snapshot_release(newest_of(self));
        return NULL;
    }
    if (lined_up && newest == NULL)
        PyErr_SetString(state->errors[LG__ERROR_ARGUMENT],
                        "The newest of several must be a snapshot, not a "
                        "summary.");
    return newest;
}

/* The analysis of the newest snapshot, acquired, and summaries if there are
   several. NULL with an exception. */
static const lg_analysis *
open_all(page_request *self)
{
    if (self->compared.count > 1)
        return line_up(self);
    Py_INCREF(self->snapshot);
    self->compared.snapshots[0] = (PyObject *)self->snapshot;
    return lg__analysis_acquire(self->snapshot, &self->progress.monitor);
}

PyObject *
lg__snapshot_page(lg__snapshot_object *snapshot, const lg_monitor *monitor)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    lg_text html = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_page_html(analysis, NULL, monitor, &html, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status == LG_OK)
        return lg__text_object(&html);
    lg_text_free(&html);
    return lg__error_raise(lg__object_state(snapshot), status, &error);
}

static bool
request_run(page_request *self)
{
    const lg_analysis *analysis = open_all(self);
    if (analysis == NULL)
        return false;
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.title = self->title;
    options.name = find_name(self);
    options.samples = self->samples_path != NULL ? &self->samples : NULL;
    if (self->compared.count > 1) {
        options.summaries = (const lg_summary *const *)self->compared.summaries;
        options.summary_count = self->order.count;
        options.steps = self->steps;
        options.note = self->order.said.data;
        options.settled = self->settled;
    }
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_page_save(analysis, &options, PyBytes_AS_STRING(self->path),
                          &self->progress.monitor, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(newest_of(self));
    if (status != LG_OK)
        lg__error_raise(lg__object_state(self->snapshot), status, &error);
    return status == LG_OK;
}

PyObject *
lg__snapshot_report(PyObject *snapshot, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    static const char *const names[] = {"path",     "earlier", "steps",
                                        "title",    "samples", "settled",
                                        "progress", NULL};
    static const lg__arg_list list = {"report", names, 1, 1};
    PyObject *values[ARGUMENTS] = {NULL};
    page_request self = {.snapshot = (lg__snapshot_object *)snapshot};
    PyObject *result = NULL;
    if (!lg__args_take(&list, args, nargs, kwnames, values))
        return NULL;
    if (request_parse(&self, values)) {
        bool saved = request_run(&self);
        if (lg__progress_finish(&self.progress,
                                saved ? LG_OK : LG_ECANCELLED) &&
            saved)
            result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(self.path));
    }
    lg__compared_end(&self.compared);
    lg_growth_order_free(&self.order);
    free(self.steps);
    lg_samples_free(&self.samples);
    Py_XDECREF(self.samples_path);
    Py_XDECREF(self.given);
    Py_XDECREF(self.path);
    return result;
}
