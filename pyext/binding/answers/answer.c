/**
 * Answers to questions, as their descriptions in libgraph have them.
 *
 * A function of C has no data of its own, so each question has two functions by
 * its number, which hand that number on. What Python shows of a question (its
 * signature, its docstrings, the fields of a row, the facts of a result) is
 * made once, when the module is, and stays: types and methods point into it.
 */
#include "binding/answers/answer.h"
#include "binding/answers/answer_doc.h"
#include "binding/answers/asked_types.h"
#include "binding/answers/py_cuts.h"
#include "binding/capture/binding_capture.h"
#include "binding/objects/binding_objects.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/question.h>

#include <string.h>

/* No answer has more fields or facts. */
enum { MOST_FIELDS = 32, MOST_ATTRIBUTES = 4 };

/* The arguments of a question behind its options. */
enum { PROGRESS = LG_MOST_OPTIONS, CONTENTS, MOST_ARGUMENTS };

static const lg__answer_extras no_extras;

/* A type of rows: those of a question, or of a list in them or in its facts. */
typedef struct row_type {
    const char *row; /* as the description calls it */
    char name[64];
    lg_text doc;
    PyStructSequence_Field fields[MOST_FIELDS + 2];
    lg__result_field columns[MOST_FIELDS + 2];
    int items; /* fields of the tuple */
    lg__result_shape shape;
} row_type;

typedef struct face {
    const lg_question *question;
    const lg__answer_extras *extras;
    char result_name[64];
    size_t options;
    const char *names[MOST_ARGUMENTS + 1]; /* as lg__arg_list has them */
    lg_text function_doc;
    lg_text method_doc;
    lg_text result_doc;
    PyMethodDef function;
    PyMethodDef method;
    row_type row;
    PyGetSetDef facts[MOST_FIELDS + MOST_ATTRIBUTES + 2];
    const lg_field *listed_facts[MOST_FIELDS + 1];
} face;

static face faces[LG__ANSWERS];
static row_type inner_rows[LG__INNER_ROWS];
static size_t inner_count;

/* ------------------------------------------------------------ a question */

typedef struct request {
    const face *of;
    lg_given given[LG_MOST_OPTIONS];
    lg__asked_types asked;
    PyObject *path;   /* bytes; of a baseline */
    PyObject *target; /* borrowed; or NULL */
    lg_given *object; /* what gets it */
    lg_nodes nodes;   /* the objects that it stands for, if it may be several */
    lg_edges edges;   /* the references, if it may be some */
    bool contents;
    lg__progress progress;
} request;

static void
request_clear(request *self)
{
    lg__asked_types_clear(&self->asked);
    lg_nodes_free(&self->nodes);
    lg_edges_free(&self->edges);
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
    case LG_OPTION_CUTS:
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
    if (self->of->question->options->type == LG_OPTION_CUTS) {
        *self->object = (lg_given){.given = true, .edges = &self->edges};
        return lg__cuts_collect(snapshot, self->target, &self->edges);
    }
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

/* The shape of rows of that type; NULL: nothing describes them yet. */
static const lg__result_shape *
shape_of_rows(const char *row)
{
    for (size_t i = 0; lg_question_at(i) != NULL; i++)
        if (lg_question_at(i)->row && strcmp(lg_question_at(i)->row, row) == 0)
            return &faces[i].row.shape;
    for (size_t i = 0; i < inner_count; i++)
        if (strcmp(inner_rows[i].row, row) == 0)
            return &inner_rows[i].shape;
    return NULL;
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

/* The nodes that a fact of that name lists. */
static PyObject *
nodes_of(lg__snapshot_object *snapshot, const lg_table *table)
{
    lg_cell cell = {0};
    lg_nodes nodes = {0};
    lg__result_fact(table, "nodes", &cell);
    if (!lg_nodes_reserve(&nodes, cell.count))
        return PyErr_NoMemory();
    for (uint64_t i = 0; i < cell.count; i++)
        nodes.items[nodes.count++] = (lg_node)cell.numbers[i];
    PyObject *result =
        lg__sequence_of_nodes(lg__object_state(snapshot), snapshot, &nodes);
    lg_nodes_free(&nodes);
    return result;
}

/* Appends to the list of facts, and takes the value over; false if it is NULL
 * or memory ran out. */
static bool
add_fact(PyObject *facts, PyObject *value)
{
    bool added = value != NULL && PyList_Append(facts, value) == 0;
    Py_XDECREF(value);
    return added;
}

/* The facts in the order of the description, then those of the extras: the
 * snapshot, the nodes; then `more`, which it takes over. */
static PyObject *
facts_of(const face *of, lg__snapshot_object *snapshot, const lg_table *table,
         PyObject *more)
{
    PyObject *facts = PyList_New(0);
    bool fine = facts != NULL;
    for (size_t i = 0; fine && of->listed_facts[i] != NULL; i++)
        fine = add_fact(facts, fact_of(snapshot, table, of->listed_facts[i]));
    if (fine && of->extras->snapshot != NULL)
        fine = PyList_Append(facts, (PyObject *)snapshot) == 0;
    if (fine && of->extras->nodes != NULL)
        fine = add_fact(facts, nodes_of(snapshot, table));
    if (fine && more != NULL)
        fine = PyList_Append(facts, more) == 0;
    PyObject *tuple = fine ? PyList_AsTuple(facts) : NULL;
    Py_XDECREF(facts);
    Py_XDECREF(more);
    return tuple;
}

/* The nodes that an answer is about, for its attributes; *out is NULL if it has
 * no such attributes. False with an exception. */
static bool
about(const request *self, PyObject **out)
{
    const lg_nodes *nodes = self->given[0].nodes;
    *out = NULL;
    if (self->of->extras->snapshot == NULL || nodes == NULL)
        return true;
    *out = PyBytes_FromStringAndSize(
        (const char *)nodes->items,
        (Py_ssize_t)(nodes->count * sizeof *nodes->items));
    return *out != NULL;
}

/* Takes the table and the last fact over. */
static PyObject *
result_of(const face *of, lg__snapshot_object *snapshot, lg_table *table,
          PyObject *more)
{
    return lg__result_with_facts(snapshot, &of->row.shape, table,
                                 facts_of(of, snapshot, table, more));
}

static PyObject *
request_run(request *self, lg__snapshot_object *snapshot)
{
    PyObject *nodes;
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_table *table = request_ask(self, snapshot, graph);
    lg__snapshot_release(snapshot);
    if (table == NULL)
        return NULL;
    if (about(self, &nodes))
        return result_of(self->of, snapshot, table, nodes);
    lg_table_free(table);
    return NULL;
}

/* The face of a question that has one. */
static const face *
find_face(const char *question)
{
    size_t index = 0;
    while (faces[index].question == NULL ||
           strcmp(faces[index].question->name, question) != 0)
        index++;
    return &faces[index];
}

PyObject *
lg__answer_about(lg__snapshot_object *snapshot, const char *question,
                 const lg_nodes *nodes, const lg_monitor *monitor)
{
    request asked = {.of = find_face(question)};
    if (monitor != NULL)
        asked.progress.monitor = *monitor;
    asked.given[0] = (lg_given){.given = true, .nodes = nodes};
    return request_run(&asked, snapshot);
}

PyObject *
lg__answer_of(lg__snapshot_object *snapshot, const char *question,
              lg_table *table, PyObject *more)
{
    return result_of(find_face(question), snapshot, table, more);
}

static bool
take(const face *of, bool function, PyObject *const *args, Py_ssize_t nargs,
     PyObject *kwnames, PyObject **values)
{
    const char *names[MOST_ARGUMENTS + 1];
    const lg_option *options = of->question->options;
    const lg__arg_list list = {of->question->name, names,
                               lg__option_stands_alone(&options[0]),
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
FACE(13)
FACE(14)
FACE(15)
FACE(16)
FACE(17)

#define FACE_NAMES(index)                                                      \
    {                                                                          \
        LG__FASTCALL(function_##index), LG__FASTCALL(method_##index)           \
    }

static const struct {
    PyCFunction function;
    PyCFunction method;
} calls[LG__ANSWERS] = {
    FACE_NAMES(0),  FACE_NAMES(1),  FACE_NAMES(2),  FACE_NAMES(3),
    FACE_NAMES(4),  FACE_NAMES(5),  FACE_NAMES(6),  FACE_NAMES(7),
    FACE_NAMES(8),  FACE_NAMES(9),  FACE_NAMES(10), FACE_NAMES(11),
    FACE_NAMES(12), FACE_NAMES(13), FACE_NAMES(14), FACE_NAMES(15),
    FACE_NAMES(16), FACE_NAMES(17),
};

/* ----------------------------------------------------------------- types */

static bool
is_for_programs(const lg_field *field)
{
    return field->name != NULL && !field->richer &&
           (field->look.in == 0 || (field->look.in & LG_IN_PROGRAMS) != 0);
}

/* Where the field comes from. */
static lg__result_field
source_of(const lg_field *field)
{
    bool text = field->type == LG_COLUMN_TEXT || field->type == LG_COLUMN_PATH;
    return (lg__result_field){field->name, text && !field->optional,
                              field->row ? shape_of_rows(field->row) : NULL};
}

/* Types that other parts of the module make rows of, too. */
static lg__core_type
inner_type(const char *row, size_t index)
{
    return strcmp(row, "Hop") == 0 ? LG__TYPE_HOP
           : strcmp(row, "CycleCut") == 0
               ? LG__TYPE_CYCLE_CUT
               : LG__TYPE_INNER_ROW + (lg__core_type)index;
}

static void
describe_rows(row_type *to, const char *row, const lg_field *field)
{
    to->row = row;
    PyOS_snprintf(to->name, sizeof to->name, "leakgraph.%s", row);
    for (; field->name != NULL || field->heading != NULL; field++) {
        if (!is_for_programs(field))
            continue;
        to->fields[to->items] =
            (PyStructSequence_Field){field->name, field->help};
        to->columns[to->items++] = source_of(field);
    }
    to->shape.fields = to->columns;
}

/* Describes the types of rows within these fields, `of` a row or result. False
 * if there are too many. */
static bool
describe_inner(const char *of, const lg_field *field)
{
    for (; field->name != NULL || field->heading != NULL; field++) {
        if (field->inner != NULL &&
            !describe_inner(field->row ? field->row : of, field->inner))
            return false;
        if (field->row == NULL || shape_of_rows(field->row) != NULL)
            continue;
        if (inner_count == LG__INNER_ROWS)
            return false;
        row_type *to = &inner_rows[inner_count];
        to->shape.row = to->shape.type = inner_type(field->row, inner_count++);
        lg_text_addf(&to->doc, "A row of %s.%s.", of, field->name);
        describe_rows(to, field->row, field->inner);
    }
    return true;
}

static void
describe_row(face *to, size_t index)
{
    const lg_question *question = to->question;
    row_type *row = &to->row;
    describe_rows(row, question->row, question->fields);
    lg_text_addf(&row->doc, "A row of %s().", question->name);
    row->shape.type = LG__TYPE_ANSWER + (lg__core_type)index;
    row->shape.row = LG__TYPE_ANSWER_ROW + (lg__core_type)index;
    row->shape.shown = to->extras->shown;
    if (to->extras->hidden == NULL)
        return;
    row->fields[row->items] =
        (PyStructSequence_Field){to->extras->hidden, NULL};
    row->columns[row->items].column = "";
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
    if (to->extras->snapshot != NULL) {
        to->facts[count] =
            (PyGetSetDef){"snapshot", (getter)lg__result_get_fact, NULL,
                          to->extras->snapshot, (void *)(uintptr_t)count};
        count++;
    }
    if (to->extras->nodes != NULL)
        to->facts[count] =
            (PyGetSetDef){"nodes", (getter)lg__result_get_fact, NULL,
                          to->extras->nodes, (void *)(uintptr_t)count};
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
    while (lg__option_is_argument(&to->question->options[to->options])) {
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
    describe_row(to, index);
    list_facts(to);
    list_attributes(to);
    lg__answer_doc_add(question, true, &to->function_doc);
    lg__answer_doc_add(question, false, &to->method_doc);
    lg_text_addf(&to->result_doc,
                 "A sequence of %s, %s; str() is the table as text.",
                 question->row, question->order);
    PyOS_snprintf(to->result_name, sizeof to->result_name, "leakgraph.%s",
                  question->result);
    to->function =
        (PyMethodDef){question->name, calls[index].function,
                      METH_FASTCALL | METH_KEYWORDS, to->function_doc.data};
    to->method =
        (PyMethodDef){question->name, calls[index].method,
                      METH_FASTCALL | METH_KEYWORDS, to->method_doc.data};
}

static int
add_row_type(PyObject *module, row_type *of)
{
    PyStructSequence_Desc desc = {of->name, of->doc.data, of->fields,
                                  of->items};
    if (!of->doc.failed)
        return lg__row_type_new(module, of->shape.row, &desc);
    PyErr_NoMemory();
    return -1;
}

static int
finish_row_type(PyObject *module, const face *of)
{
    return of->extras->finish != NULL
               ? of->extras->finish(
                     lg__module_state(module)->types[of->row.shape.row])
               : 0;
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
    state->types[of->row.shape.type] = (PyTypeObject *)made;
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
add_answer(PyObject *module, face *of)
{
    if (of->function_doc.failed || of->method_doc.failed ||
        of->result_doc.failed) {
        PyErr_NoMemory();
        return -1;
    }
    if (add_row_type(module, &of->row) < 0 || finish_row_type(module, of) < 0 ||
        add_result_type(module, of) < 0)
        return -1;
    if (of->question->needs & LG_NEEDS_SEVERAL)
        return 0;
    return add_method(module, of) < 0 ? -1 : add_function(module, of);
}

/* Describes all questions, once. False with an exception. */
static bool
describe_all(const lg__answer_extras *const *extras)
{
    const lg_question *question;
    if (faces[0].question != NULL)
        return true;
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++) {
        if (!describe_inner(question->row, question->fields) ||
            !describe_inner(question->result, question->facts) ||
            (i >= LG__ANSWERS && question->result != NULL)) {
            PyErr_SetString(PyExc_SystemError,
                            "there are more questions than functions");
            return false;
        }
    }
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++) {
        if (question->result == NULL)
            continue;
        faces[i].question = question;
        faces[i].extras = find_extras(extras, question);
        describe(&faces[i], i);
    }
    return true;
}

int
lg__answers_add(PyObject *module, const lg__answer_extras *const *extras)
{
    if (!describe_all(extras))
        return -1;
    for (size_t i = 0; i < inner_count; i++)
        if (add_row_type(module, &inner_rows[i]) < 0)
            return -1;
    for (size_t i = 0; i < LG__ANSWERS; i++)
        if (faces[i].question != NULL && add_answer(module, &faces[i]) < 0)
            return -1;
    return 0;
}

PyObject *
lg__answer_rows(lg__snapshot_object *snapshot, const lg_question *question,
                const lg_table *table)
{
    size_t index = 0;
    while (lg_question_at(index) != question)
        index++;
    return lg__result_rows(snapshot, &faces[index].row.shape, table);
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
