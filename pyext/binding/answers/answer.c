/**
 * Answers to questions, as their descriptions in libgraph have them.
 *
 * A function of C has no data of its own, so each question has two functions by
 * its number, which hand that number on. What Python shows of a question (its
 * signature, its docstrings, the fields of a row, the facts of a result) is
 * made once, when the module is, and stays: types and methods point into it.
 */
#include "binding/answers/answer.h"
#include "binding/answers/asked_types.h"
#include "binding/capture/binding_capture.h"
#include "binding/objects/binding_objects.h"

#include <leakgraph/question.h>
#include <leakgraph/internal/wording.h>
#include <string.h>

/* No answer has more fields or facts. */
enum { MOST_FIELDS = 32, MOST_ATTRIBUTES = 4 };
/* In columns: docstrings, and the names of options in them. */
enum { DOC_WIDTH = 80, DOC_INDENT = 10 };

/* The arguments of a question behind its options. */
enum { PROGRESS = LG_MOST_OPTIONS, CONTENTS, MOST_ARGUMENTS };

static const lg__answer_extras no_extras;

typedef struct face {
    const lg_question *question;
    const lg__answer_extras *extras;
    char result_name[64];
    char row_name[64];
    size_t options;
    const char *names[MOST_ARGUMENTS + 1]; /* as lg__arg_list has them */
    lg_text function_doc;
    lg_text method_doc;
    lg_text result_doc;
    lg_text row_doc;
    PyMethodDef function;
    PyMethodDef method;
    PyStructSequence_Field fields[MOST_FIELDS + 2];
    lg__result_field columns[MOST_FIELDS + 2];
    int items; /* fields of the tuple */
    lg__result_shape shape;
    PyGetSetDef facts[MOST_FIELDS + MOST_ATTRIBUTES + 2];
    const lg_field *listed_facts[MOST_FIELDS + 1];
} face;

static face faces[LG__ANSWERS];

/* ------------------------------------------------------------ a question */

typedef struct request {
    const face *of;
    lg_given given[LG_MOST_OPTIONS];
    lg__asked_types asked;
    PyObject *path;   /* bytes; of a baseline */
    PyObject *target; /* borrowed; or NULL */
    lg_given *object; /* what gets it */
    lg_nodes nodes;   /* the objects that it stands for, if it may be several */
    bool contents;
    lg__progress progress;
} request;

static void
request_clear(request *self)
{
    lg__asked_types_clear(&self->asked);
    lg_nodes_free(&self->nodes);
    Py_XDECREF(self->path);
}

static bool
refuse(lg__core_state *state, const lg_error *error)
{
    lg__error_raise(state, error->status, error);
    return false;
}

/* Reads a word that stands for a value. */
static bool
read_word(lg__core_state *state, const lg_option *option, PyObject *value,
          lg_given *out)
{
    lg_error error;
    const char *word;
    if (!lg__arg_text(option->name, value, &word))
        return false;
    return word == NULL ||
           lg_option_read(option, option->name, word, out, &error) == LG_OK ||
           refuse(state, &error);
}

/* Reads a word, or several in a sequence. */
static bool
read_words(lg__core_state *state, const lg_option *option, PyObject *value,
           lg_given *out)
{
    if (value == Py_None || PyUnicode_Check(value))
        return read_word(state, option, value, out);
    PyObject *words = PySequence_Fast(value, "");
    if (words == NULL) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or a sequence of them",
                     option->name);
        return false;
    }
    bool fine = true;
    for (Py_ssize_t i = 0; fine && i < PySequence_Fast_GET_SIZE(words); i++) {
        lg_given one = {0};
        fine =
            read_word(state, option, PySequence_Fast_GET_ITEM(words, i), &one);
        out->given |= one.given;
        out->number |= one.number;
    }
    Py_DECREF(words);
    return fine;
}

static bool
read_path(request *self, PyObject *value, lg_given *out)
{
    if (value == Py_None)
        return true;
    self->path = lg__pathname_bytes(value);
    if (self->path != NULL)
        *out = (lg_given){.given = true, .text = PyBytes_AS_STRING(self->path)};
    return self->path != NULL;
}

static bool
read_share(lg__core_state *state, const lg_option *option, PyObject *value,
           lg_given *out)
{
    if (value == Py_None || PyUnicode_Check(value))
        return read_word(state, option, value, out);
    *out = (lg_given){.given = true, .share = PyFloat_AsDouble(value)};
    return out->share != -1 || !PyErr_Occurred();
}

static bool
read_value(request *self, lg__core_state *state, const lg_option *option,
           PyObject *value, lg_given *out)
{
    bool flag = false;
    bool fine;
    size_t rows = 0;
    if (value == NULL)
        return true;
    switch (option->type) {
    case LG_OPTION_LIMIT:
        fine = lg__arg_rows(value, &rows);
        *out = (lg_given){.given = fine, .number = rows};
        return fine;
    case LG_OPTION_BYTES:
        return lg__arg_bytes(option->name, value, 0, &out->number) &&
               (out->given = value != Py_None, true);
    case LG_OPTION_FLAG:
    case LG_OPTION_MINE:
    case LG_OPTION_UPDATE:
        fine = lg__arg_flag(value, &flag);
        *out = (lg_given){.given = fine, .number = flag};
        return fine;
    case LG_OPTION_SHARE:
        return read_share(state, option, value, out);
    case LG_OPTION_OBJECT:
        self->target = value != Py_None ? value : NULL;
        self->object = out;
        return true;
    case LG_OPTION_OBJECTS:
        self->target = value;
        self->object = out;
        return true;
    case LG_OPTION_TYPE:
        return lg__asked_types_parse(&self->asked, option->name, value, out);
    case LG_OPTION_BASELINE:
        return read_path(self, value, out);
    case LG_OPTION_SET:
        return read_words(state, option, value, out);
    default:
        return read_word(state, option, value, out);
    }
}

static bool
request_parse(request *self, lg__core_state *state, const face *of,
              PyObject *const *values)
{
    *self = (request){.of = of, .contents = true};
    bool fine = true;
    for (size_t i = 0; fine && i < of->options; i++)
        fine = read_value(self, state, &of->question->options[i], values[i],
                          &self->given[i]);
    fine = fine && lg__arg_flag(values[of->options + 1], &self->contents) &&
           lg__progress_begin(&self->progress, values[of->options]);
    if (!fine)
        request_clear(self);
    return fine;
}

static PyObject *
request_finish(request *self, PyObject *answer)
{
    request_clear(self);
    return lg__progress_end(&self->progress, answer);
}

/* The analysis that the question needs. *out is NULL if it does without one.
 * False with an exception. */
static bool
find_analysis(request *self, lg__snapshot_object *snapshot,
              const lg_graph *graph, const lg_analysis **out)
{
    unsigned needs = lg_question_needs(self->of->question, self->given);
    bool without = needs == 0 ||
                   (!(needs & LG_NEEDS_ANALYSIS) && lg_graph_is_partial(graph));
    *out = without ? NULL
                   : lg__analysis_acquire(snapshot, &self->progress.monitor);
    if (*out != NULL)
        lg__snapshot_release(snapshot);
    PyObject *unsupported =
        lg__object_state(snapshot)->errors[LG__ERROR_UNSUPPORTED];
    if (!without && *out == NULL && !(needs & LG_NEEDS_ANALYSIS) &&
        PyErr_ExceptionMatches(unsupported)) {
        PyErr_Clear();
        return true;
    }
    return without || *out != NULL;
}

/* Finds the objects that the question is about. False with an exception. */
static bool
find_objects(request *self, lg__snapshot_object *snapshot)
{
    lg_nodes nodes = {0};
    if (self->target == NULL)
        return true;
    if (lg_option_is_required(self->of->question->options)) {
        *self->object = (lg_given){.given = true, .nodes = &self->nodes};
        return lg__target_resolve_set(snapshot, self->target, &self->nodes);
    }
    if (!lg__target_resolve(snapshot, self->target, &nodes))
        return false;
    *self->object = (lg_given){.given = true, .number = nodes.items[0]};
    lg_nodes_free(&nodes);
    return true;
}

static lg_table *
request_ask(request *self, lg__snapshot_object *snapshot, const lg_graph *graph)
{
    lg_table *table = NULL;
    lg_error error;
    lg_ask ask = {.graph = graph,
                  .given = self->given,
                  .monitor = &self->progress.monitor};
    lg_status status = lg_question_check(self->of->question, &ask, &error);
    if (status == LG_OK && (!lg__asked_types_ask(&self->asked, graph) ||
                            !find_objects(self, snapshot)))
        return NULL;
    if (status == LG_OK && !find_analysis(self, snapshot, graph, &ask.analysis))
        return NULL;
    if (status == LG_OK) {
        Py_BEGIN_ALLOW_THREADS
        status = lg_question_ask(self->of->question, &ask, &table, &error);
        Py_END_ALLOW_THREADS
    }
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return table;
}

/* The shape of an answer with this type of rows. */
static const lg__result_shape *
shape_of_rows(const char *row)
{
    size_t index = 0;
    while (strcmp(faces[index].question->row, row) != 0)
        index++;
    return &faces[index].shape;
}

static PyObject *
fact_of(lg__snapshot_object *snapshot, const lg_table *table,
        const lg_field *fact)
{
    return fact->row != NULL
               ? lg__result_fact_rows(snapshot, table, fact->name,
                                      shape_of_rows(fact->row))
               : lg__result_fact_object(snapshot, table, fact->name);
}

/* The facts in the order of the description, then the snapshot if the result
 * knows it, and the nodes that it is about. Takes nothing over. */
static PyObject *
facts_of(const request *self, lg__snapshot_object *snapshot,
         const lg_table *table)
{
    const face *of = self->of;
    const lg_nodes *about = self->given[0].nodes;
    bool knows = of->extras->snapshot != NULL;
    bool more = knows && about != NULL;
    Py_ssize_t count = 0;
    while (of->listed_facts[count] != NULL)
        count++;
    PyObject *facts = PyTuple_New(count + knows + more);
    if (facts != NULL && knows) {
        Py_INCREF((PyObject *)snapshot);
        PyTuple_SET_ITEM(facts, count, (PyObject *)snapshot);
    }
    if (facts != NULL && more) {
        PyObject *nodes = PyBytes_FromStringAndSize(
            (const char *)about->items,
            (Py_ssize_t)(about->count * sizeof *about->items));
        if (nodes == NULL)
            Py_CLEAR(facts);
        else
            PyTuple_SET_ITEM(facts, count + 1, nodes);
    }
    for (Py_ssize_t i = 0; facts != NULL && i < count; i++) {
        PyObject *fact = fact_of(snapshot, table, of->listed_facts[i]);
        if (fact == NULL)
            Py_CLEAR(facts);
        else
            PyTuple_SET_ITEM(facts, i, fact);
    }
    return facts;
}

static PyObject *
request_run(request *self, lg__snapshot_object *snapshot)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_table *table = request_ask(self, snapshot, graph);
    lg__snapshot_release(snapshot);
    if (table == NULL)
        return NULL;
    return lg__result_with_facts(snapshot, &self->of->shape, table,
                                 facts_of(self, snapshot, table));
}

PyObject *
lg__answer_about(lg__snapshot_object *snapshot, const char *question,
                 const lg_nodes *nodes, const lg_monitor *monitor)
{
    size_t index = 0;
    while (strcmp(faces[index].question->name, question) != 0)
        index++;
    request asked = {.of = &faces[index]};
    if (monitor != NULL)
        asked.progress.monitor = *monitor;
    asked.given[0] = (lg_given){.given = true, .nodes = nodes};
    return request_run(&asked, snapshot);
}

/* Whether the argument of an option may be given without its name. */
static bool
stands_alone(const lg_option *first)
{
    return first->type == LG_OPTION_LIMIT || first->type == LG_OPTION_WORDS ||
           first->type == LG_OPTION_OBJECT || first->type == LG_OPTION_OBJECTS;
}

static bool
take(const face *of, bool function, PyObject *const *args, Py_ssize_t nargs,
     PyObject *kwnames, PyObject **values)
{
    const char *names[MOST_ARGUMENTS + 1];
    const lg_option *options = of->question->options;
    const lg__arg_list list = {of->question->name, names,
                               stands_alone(&options[0]),
                               lg_option_is_required(&options[0])};
    memcpy(names, of->names, sizeof names);
    if (!function)
        names[of->options + 1] = NULL;
    return lg__args_take(&list, args, nargs, kwnames, values);
}

static PyObject *
ask_snapshot(size_t index, PyObject *self, PyObject *const *args,
             Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[MOST_ARGUMENTS] = {NULL};
    request asked;
    if (!take(&faces[index], false, args, nargs, kwnames, values) ||
        !request_parse(&asked, lg__object_state(self), &faces[index], values))
        return NULL;
    return request_finish(&asked,
                          request_run(&asked, (lg__snapshot_object *)self));
}

static PyObject *
ask_now(size_t index, PyObject *module, PyObject *const *args, Py_ssize_t nargs,
        PyObject *kwnames)
{
    PyObject *values[MOST_ARGUMENTS] = {NULL};
    lg__core_state *state = lg__module_state(module);
    const face *of = &faces[index];
    request asked;
    if (!take(of, true, args, nargs, kwnames, values) ||
        !request_parse(&asked, state, of, values))
        return NULL;
    bool contents = (of->question->needs & LG_NEEDS_CONTENTS) && asked.contents;
    lg__snapshot_object *snapshot =
        lg__snapshot_with(state, asked.target, contents, of->question->needs,
                          &asked.progress.monitor);
    PyObject *answer = snapshot ? request_run(&asked, snapshot) : NULL;
    if (answer != NULL && of->extras->keep != NULL &&
        !of->extras->keep(((lg__result_object *)answer)->rows))
        Py_CLEAR(answer);
    return request_finish(&asked, lg__kept_answer(snapshot, answer));
}

#define FACE(index)                                                            \
    static PyObject *function_##index(PyObject *module, PyObject *const *args, \
                                      Py_ssize_t nargs, PyObject *kwnames)     \
    {                                                                          \
        return ask_now(index, module, args, nargs, kwnames);                   \
    }                                                                          \
    static PyObject *method_##index(PyObject *self, PyObject *const *args,     \
                                    Py_ssize_t nargs, PyObject *kwnames)       \
    {                                                                          \
        return ask_snapshot(index, self, args, nargs, kwnames);                \
    }

FACE(0)
FACE(1)
FACE(2)
FACE(3)
FACE(4)
FACE(5)
FACE(6)
FACE(7)
FACE(8)
FACE(9)
FACE(10)
FACE(11)
FACE(12)

#define FACE_NAMES(index)                                                      \
    {                                                                          \
        LG__FASTCALL(function_##index), LG__FASTCALL(method_##index)           \
    }

static const struct {
    PyCFunction function;
    PyCFunction method;
} calls[LG__ANSWERS] = {
    FACE_NAMES(0),  FACE_NAMES(1), FACE_NAMES(2),  FACE_NAMES(3),
    FACE_NAMES(4),  FACE_NAMES(5), FACE_NAMES(6),  FACE_NAMES(7),
    FACE_NAMES(8),  FACE_NAMES(9), FACE_NAMES(10), FACE_NAMES(11),
    FACE_NAMES(12),
};

/* ------------------------------------------------------------ docstrings */

static void
add_preset(const lg_option *option, lg_text *out)
{
    const char *word =
        option->type == LG_OPTION_CHOICE ? option->words[0] : option->preset;
    lg_text_addf(out, "%s%s", option->name,
                 lg_option_is_required(option) ? "" : "=");
    if (lg_option_is_required(option))
        return;
    if (lg_option_is_flag(option))
        lg_text_add(out, "False");
    else if (word == NULL || strcmp(word, "all") == 0)
        lg_text_add(out, "None");
    else if (option->type == LG_OPTION_LIMIT || option->type == LG_OPTION_SHARE)
        lg_text_add(out, word);
    else
        lg_text_addf(out, "'%s'", word);
}

/* Whether it is an option, and not one of the command alone, which come last.
 */
static bool
is_argument(const lg_option *option)
{
    return option->name != NULL && option->type != LG_OPTION_CHECK;
}

/* Writes `waste($self, /, limit=20, *, libraries=False, progress=None)`. */
static void
add_signature(const lg_question *question, bool function, lg_text *out)
{
    const lg_option *option = question->options;
    lg_text_addf(out, "%s($%s, /", question->name,
                 function ? "module" : "self");
    if (stands_alone(option)) {
        lg_text_add(out, ", ");
        add_preset(option++, out);
    }
    lg_text_add(out, ", *");
    for (; is_argument(option); option++) {
        lg_text_add(out, ", ");
        add_preset(option, out);
    }
    lg_text_add(out, ", progress=None");
    if (function && (question->needs & LG_NEEDS_CONTENTS))
        lg_text_add(out, ", contents=True");
    lg_text_add(out, ")\n--\n\n");
}

static void
add_choices(const char *const *words, lg_text *out)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        lg_text_addf(out, "%s`%s`", i > 0 ? ", " : ": ", words[i]);
}

static void
add_option(const char *name, const char *help, const char *const *words,
           lg_text *out)
{
    lg_text line = {0};
    lg_text_add(&line, help);
    add_choices(words, &line);
    lg_text_addf(out, "\n%-*s", DOC_INDENT - 1, name);
    lg_text_add(out, strlen(name) < DOC_INDENT ? " " : "  ");
    lg_text_add_wrapped(out, line.data ? line.data : "", DOC_INDENT, DOC_INDENT,
                        DOC_WIDTH, '\'');
    out->failed |= line.failed;
    lg_text_free(&line);
}

static void
add_doc(const lg_question *question, bool function, lg_text *out)
{
    char first = question->help[0];
    add_signature(question, function, out);
    lg_text_addf(out, "%c%s.\n\n", first >= 'a' ? first - 'a' + 'A' : first,
                 question->help + 1);
    lg_text about = {0};
    lg_text_addf(&about, "%s%s", function ? "Takes a snapshot. " : "",
                 question->about);
    if (!function && (question->needs & LG_NEEDS_ANALYSIS))
        lg_text_add(&about, " PartialError on a snapshot of a part of the "
                            "heap.");
    lg_text_add_wrapped(out, about.data ? about.data : "", 0, 0, DOC_WIDTH,
                        '\'');
    lg_text_free(&about);
    lg_text_add(out, "\n");
    for (const lg_option *option = question->options; is_argument(option);
         option++)
        add_option(option->name, option->help, option->words, out);
    add_option("progress", "as in snapshot()", NULL, out);
    if (function && (question->needs & LG_NEEDS_CONTENTS))
        add_option("contents", "find equal str, bytes and arrays, too", NULL,
                   out);
}

/* ----------------------------------------------------------------- types */

static bool
is_for_programs(const lg_field *field)
{
    return field->name != NULL && !field->richer &&
           (field->look.in == 0 || (field->look.in & LG_IN_PROGRAMS) != 0);
}

/* Where the field comes from: a list of rows has its own type. */
static lg__result_field
source_of(const lg_field *field)
{
    static const lg__result_field lists[] = {
        {"TopPart", LG__FIELD_PARTS},
        {"FindingHolder", LG__FIELD_HOLDERS},
        {"Hop", LG__FIELD_HOPS},
        {"CycleCut", LG__FIELD_CUTS},
    };
    bool text = field->type == LG_COLUMN_TEXT || field->type == LG_COLUMN_PATH;
    lg__result_field source = {field->name, text && !field->optional
                                                ? LG__FIELD_TEXT
                                                : LG__FIELD_VALUE};
    for (size_t i = 0; field->row && i < sizeof lists / sizeof *lists; i++)
        if (strcmp(lists[i].column, field->row) == 0)
            source.what = lists[i].what;
    return source;
}

static void
list_fields(face *to)
{
    int count = 0;
    const lg_field *field = to->question->fields;
    for (; field->name != NULL || field->heading != NULL; field++) {
        if (!is_for_programs(field))
            continue;
        to->fields[count] = (PyStructSequence_Field){field->name, field->help};
        to->columns[count++] = source_of(field);
    }
    to->items = count;
    if (to->extras->hidden == NULL)
        return;
    to->fields[count] = (PyStructSequence_Field){to->extras->hidden, NULL};
    to->columns[count].column = "";
}

static void
list_facts(face *to)
{
    size_t count = 0;
    const lg_field *fact = to->question->facts;
    for (; fact->name != NULL; fact++) {
        if (!is_for_programs(fact))
            continue;
        to->listed_facts[count] = fact;
        to->facts[count] =
            (PyGetSetDef){fact->name, (getter)lg__result_get_fact, NULL,
                          fact->help, (void *)(uintptr_t)count};
        count++;
    }
    if (to->extras->snapshot != NULL)
        to->facts[count] =
            (PyGetSetDef){"snapshot", (getter)lg__result_get_fact, NULL,
                          to->extras->snapshot, (void *)(uintptr_t)count};
}

/* Appends the attributes that no fact has. */
static void
list_attributes(face *to)
{
    size_t count = 0;
    const PyGetSetDef *one = to->extras->attributes;
    while (to->facts[count].name != NULL)
        count++;
    for (; one != NULL && one->name != NULL; one++)
        to->facts[count++] = *one;
}

static void
list_names(face *to)
{
    while (is_argument(&to->question->options[to->options])) {
        to->names[to->options] = to->question->options[to->options].name;
        to->options++;
    }
    to->names[to->options] = "progress";
    if (to->question->needs & LG_NEEDS_CONTENTS)
        to->names[to->options + 1] = "contents";
}

static void
describe(face *to, size_t index)
{
    const lg_question *question = to->question;
    list_names(to);
    list_fields(to);
    list_facts(to);
    list_attributes(to);
    add_doc(question, true, &to->function_doc);
    add_doc(question, false, &to->method_doc);
    lg_text_addf(&to->row_doc, "A row of %s().", question->name);
    lg_text_addf(&to->result_doc,
                 "A sequence of %s, %s; str() is the table as text.",
                 question->row, question->order);
    PyOS_snprintf(to->result_name, sizeof to->result_name, "leakgraph.%s",
                  question->result);
    PyOS_snprintf(to->row_name, sizeof to->row_name, "leakgraph.%s",
                  question->row);
    to->function =
        (PyMethodDef){question->name, calls[index].function,
                      METH_FASTCALL | METH_KEYWORDS, to->function_doc.data};
    to->method =
        (PyMethodDef){question->name, calls[index].method,
                      METH_FASTCALL | METH_KEYWORDS, to->method_doc.data};
    to->shape = (lg__result_shape){LG__TYPE_ANSWER + (lg__core_type)index,
                                   LG__TYPE_ANSWER_ROW + (lg__core_type)index,
                                   to->columns, 0};
}

static int
add_row_type(PyObject *module, face *of)
{
    PyStructSequence_Desc desc = {of->row_name, of->row_doc.data, of->fields,
                                  of->items};
    int made = lg__row_type_new(module, of->shape.row, &desc);
    if (made < 0 || of->extras->finish == NULL)
        return made;
    return of->extras->finish(lg__module_state(module)->types[of->shape.row]);
}

static int
add_result_type(PyObject *module, face *of)
{
    PyType_Slot slots[] = {
        LG__RESULT_SLOTS,
        {Py_tp_getset, of->facts},
        {Py_tp_doc, of->result_doc.data},
        {of->extras->methods ? Py_tp_methods : 0, of->extras->methods},
        {0, NULL},
    };
    PyType_Spec spec = {.name = of->result_name,
                        .basicsize = sizeof(lg__result_object),
                        .flags = LG__FINAL_TYPE,
                        .slots = slots};
    lg__core_state *state = lg__module_state(module);
    PyObject *bases = PyTuple_Pack(1, state->types[LG__TYPE_RESULT]);
    PyObject *made =
        bases ? PyType_FromModuleAndSpec(module, &spec, bases) : NULL;
    Py_XDECREF(bases);
    if (made == NULL)
        return -1;
    state->types[of->shape.type] = (PyTypeObject *)made;
    ((PyTypeObject *)made)->tp_new = NULL;
    return PyModule_AddType(module, (PyTypeObject *)made);
}

/* Puts a method into Snapshot, whose type lets nobody else change it. */
static int
add_method(PyObject *module, face *of)
{
    PyTypeObject *snapshot = lg__module_state(module)->types[LG__TYPE_SNAPSHOT];
    PyObject *method = PyDescr_NewMethod(snapshot, &of->method);
    int added = method ? PyDict_SetItemString(snapshot->tp_dict,
                                              of->method.ml_name, method)
                       : -1;
    if (added == 0 && of->extras->alias != NULL)
        added =
            PyDict_SetItemString(snapshot->tp_dict, of->extras->alias, method);
    Py_XDECREF(method);
    PyType_Modified(snapshot);
    return added;
}

static int
add_function(PyObject *module, face *of)
{
    PyObject *name = PyModule_GetNameObject(module);
    PyObject *function =
        name ? PyCFunction_NewEx(&of->function, module, name) : NULL;
    Py_XDECREF(name);
    if (function == NULL)
        return -1;
    int added = PyModule_AddObject(module, of->function.ml_name, function);
    if (added < 0)
        Py_DECREF(function);
    return added;
}

static const lg__answer_extras *
find_extras(const lg__answer_extras *const *all, const lg_question *question)
{
    while (*all != NULL && strcmp((*all)->question, question->name) != 0)
        all++;
    return *all != NULL ? *all : &no_extras;
}

static int
add_answer(PyObject *module, size_t index,
           const lg__answer_extras *const *extras)
{
    face *of = &faces[index];
    bool described = of->question != NULL;
    of->question = lg_question_at(index);
    of->extras = find_extras(extras, of->question);
    if (!described)
        describe(of, index);
    if (of->function_doc.failed || of->method_doc.failed ||
        of->result_doc.failed || of->row_doc.failed) {
        PyErr_NoMemory();
        return -1;
    }
    if (add_row_type(module, of) < 0 || add_result_type(module, of) < 0 ||
        add_method(module, of) < 0)
        return -1;
    return add_function(module, of);
}

int
lg__answers_add(PyObject *module, const lg__answer_extras *const *extras)
{
    for (size_t i = 0; lg_question_at(i) != NULL; i++) {
        if (lg_question_at(i)->result == NULL)
            continue;
        if (i >= LG__ANSWERS) {
            PyErr_SetString(PyExc_SystemError,
                            "there are more questions than functions");
            return -1;
        }
        if (add_answer(module, i, extras) < 0)
            return -1;
    }
    return 0;
}

PyObject *
lg__answer_rows(lg__snapshot_object *snapshot, const lg_question *question,
                const lg_table *table)
{
    size_t index = 0;
    while (lg_question_at(index) != question)
        index++;
    return lg__result_rows(snapshot, &faces[index].shape, table);
}

const char lg__core_questions_doc[] =
    "_questions($module, /)\n--\n\n"
    "The descriptions of all questions, as JSON.";

PyObject *
lg__core_questions(PyObject *module, PyObject *Py_UNUSED(unused))
{
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_questions_json(&text, &error);
    if (status == LG_OK)
        return lg__text_object(&text);
    return lg__error_raise(lg__module_state(module), status, &error);
}
