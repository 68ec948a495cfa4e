#include "binding/answers/py_report.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/wording.h>
#include <string.h>

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
    PyObject *page = lg__progress_end(
        &progress, lg__snapshot_page(snapshot, &progress.monitor));
    PyObject *html =
        page ? lg__python_call(lg__object_state(self), "leakgraph.notebook",
                               "page_html", page)
             : NULL;
    Py_XDECREF(page);
    return html;
}
