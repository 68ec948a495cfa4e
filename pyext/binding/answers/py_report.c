/** Reports: the page of Snapshot.report(), and Info. */
#include "binding/answers/binding_answers.h"
#include "binding/answers/compared.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/question.h>

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

/** The page of Snapshot.report() as a str. */
static PyObject *
snapshot_page(lg__snapshot_object *snapshot, const lg_monitor *monitor)
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

typedef lg_status (*report_function)(const lg_graph *, lg_format, lg_text *,
                                     lg_error *);

/* The report as a plain str. */
static PyObject *
report_text(PyObject *self, report_function write)
{
    lg_graph *graph = lg__snapshot_acquire((lg__snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = write(graph, LG_FORMAT_TEXT, &text, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release((lg__snapshot_object *)self);
    if (status == LG_OK)
        return lg__text_object(&text);
    lg_text_free(&text);
    return lg__error_raise(lg__object_state(self), status, &error);
}

typedef struct info_object {
    PyDictObject dict;
    PyObject *text;
} info_object;

static bool
has_prefix(lg_string name, const char *prefix)
{
    size_t length = strlen(prefix);
    return name.length >= length && memcmp(name.data, prefix, length) == 0;
}

/* Reads a whole number; false if the text is none. */
static bool
read_number(lg_string text, unsigned long long *out)
{
    *out = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        *out = *out * 10 + (unsigned)(text.data[i] - '0');
    }
    return text.length > 0 && text.length < 20;
}

/* Memory is a Size, what counts something is an int, all else a str. */
static PyObject *
info_value(lg__core_state *state, lg_string name, lg_string content)
{
    unsigned long long number;
    bool is_memory = has_prefix(name, "memory.");
    bool is_count = has_prefix(name, "process.") || has_prefix(name, "pid");
    if (!(is_memory || is_count) || !read_number(content, &number))
        return lg__string_object(content);
    if (is_count)
        return PyLong_FromUnsignedLongLong(number);
    PyObject *bytes = Py_BuildValue("{sK}", "host", number);
    PyObject *size =
        bytes ? lg__size_from(state->types[LG__TYPE_SIZE], bytes) : NULL;
    Py_XDECREF(bytes);
    return size;
}

static int
info_fill(lg__core_state *state, PyObject *self, const lg_graph *graph)
{
    int failed = 0;
    for (uint32_t i = 0; !failed && i < lg_graph_info_count(graph); i++) {
        lg_string name, content;
        lg_graph_info(graph, i, &name, &content);
        PyObject *key = lg__string_object(name);
        PyObject *value = info_value(state, name, content);
        failed = key == NULL || value == NULL ||
                 PyDict_SetItem(self, key, value) < 0;
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return failed;
}

static PyObject *
info_new(lg__core_state *state, PyObject *text)
{
    PyObject *empty = PyTuple_New(0);
    if (empty == NULL)
        return NULL;
    PyTypeObject *type = state->types[LG__TYPE_INFO];
    PyObject *self = PyDict_Type.tp_new(type, empty, NULL);
    Py_DECREF(empty);
    if (self != NULL) {
        Py_INCREF(text);
        ((info_object *)self)->text = text;
    }
    return self;
}

PyObject *
lg__snapshot_info(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *text = report_text(self, lg_report_info);
    if (text == NULL)
        return NULL;
    PyObject *info = info_new(lg__object_state(self), text);
    Py_DECREF(text);
    lg_graph *graph = lg__snapshot_graph((lg__snapshot_object *)self);
    if (info != NULL &&
        (graph == NULL || info_fill(lg__object_state(self), info, graph) != 0))
        Py_CLEAR(info);
    return info;
}

static PyObject *
info_str(info_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

static int
info_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((info_object *)self)->text);
    return PyDict_Type.tp_traverse(self, visit, arg);
}

static int
info_clear(PyObject *self)
{
    return PyDict_Type.tp_clear(self);
}

static void
info_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(((info_object *)self)->text);
    PyDict_Type.tp_dealloc(self);
    Py_DECREF(type);
}

static PyType_Slot info_slots[] = {
    LG__SLOT(Py_tp_dealloc, info_dealloc),
    LG__SLOT(Py_tp_traverse, info_traverse),
    LG__SLOT(Py_tp_clear, info_clear),
    LG__SLOT(Py_tp_str, info_str),
    {Py_tp_doc, "A dict of what is known of a snapshot; str() is the report."},
    {0, NULL},
};

PyType_Spec lg__info_spec = {
    .name = "leakgraph.Info",
    .basicsize = sizeof(info_object),
    .flags = LG__FINAL_TYPE | Py_TPFLAGS_HAVE_GC,
    .slots = info_slots,
};

/* Adds the line above the table. */
static void
add_summary(const lg_graph *graph, lg_text *html)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_string pid = lg_graph_info_find(graph, "pid");
    lg_text_add(html, "<p><b>leakgraph.Snapshot</b> of pid ");
    lg_text_add_html(html, pid.data, pid.length);
    lg_text_add(html, ": ");
    lg_text_add_count(html, columns->node_count);
    lg_text_add(html, " objects, ");
    lg_text_add_count(html, columns->edge_count);
    lg_text_add(html, " references</p>");
}

/* The table of the biggest types. */
static lg_status
tabulate_types(const lg_graph *graph, lg_table **out, lg_error *error)
{
    enum { SUMMARY_ROWS = 10 };
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    const lg_question *types = lg_question_find("types");
    const lg_ask ask = {.graph = graph, .given = given};
    given[lg_question_option(types, "limit")] =
        (lg_given){.given = true, .number = SUMMARY_ROWS};
    return lg_question_ask(types, &ask, out, error);
}

static PyObject *
types_html(PyObject *self)
{
    lg_graph *graph = lg__snapshot_acquire((lg__snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_text html = {0};
    lg_table *types = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    add_summary(graph, &html);
    status = tabulate_types(graph, &types, &error);
    if (status == LG_OK)
        status = lg_page_cell(types, 0, &html, &error);
    Py_END_ALLOW_THREADS
    lg_table_free(types);
    lg__snapshot_release((lg__snapshot_object *)self);
    if (status == LG_OK)
        return lg__text_object(&html);
    lg_text_free(&html);
    return lg__error_raise(lg__object_state(self), status, &error);
}

/* A notebook shows the report, unless a cell would take long to show it: then
   the table of types. */
PyObject *
lg__snapshot_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    enum { MOST_OBJECTS = 2000000 };
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    const lg_graph *graph = lg__snapshot_graph(snapshot);
    lg__progress progress;
    if (graph == NULL)
        return NULL;
    if (lg_graph_is_partial(graph) ||
        lg_graph_columns(graph)->node_count > MOST_OBJECTS)
        return types_html(self);
    if (!lg__progress_begin(&progress, NULL))
        return NULL;
    PyObject *page =
        lg__progress_end(&progress, snapshot_page(snapshot, &progress.monitor));
    PyObject *said = page != NULL ? PyTuple_Pack(2, page, self) : NULL;
    PyObject *html =
        said != NULL ? lg__python_call(lg__object_state(self),
                                       "leakgraph.notebook", "page_html", said)
                     : NULL;
    Py_XDECREF(said);
    Py_XDECREF(page);
    return html;
}
