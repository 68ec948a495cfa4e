/**
 * Answers to questions, as their descriptions in libgraph have them.
 *
 * A function of C has no data of its own, so each question has two functions by
 * its number, which hand that number on. What Python shows of a question (its
 * signature, its docstrings, the fields of a row, the facts of a result) is
 * made once, when the module is, and stays: types and methods point into it.
 */
#include "binding/answers/answer.h"
#include "binding/answers/py_request.h"
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

const lg__answer_extras lg__what_if_extras = {
    .question = "what_if",
    .nodes = "The objects that would die: Nodes.",
};

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

/* In columns: docstrings, and the names of options in them. */
enum { DOC_WIDTH = 80, DOC_INDENT = 10 };

/* Whether its argument may be given without its name. */
static bool
stands_alone(const lg_option *first)
{
    return first->type == LG_OPTION_LIMIT || first->type == LG_OPTION_WORDS ||
           first->type == LG_OPTION_OBJECT || lg_option_is_required(first);
}

/* Whether it is an option, and not one of the command alone, which come last.
 */
static bool
is_argument(const lg_option *option)
{
    return option->name != NULL && option->type != LG_OPTION_CHECK;
}

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

/* Writes the docstring, which begins with the signature, of the function or the
 * method. */
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

/* The facts in the order of the description, then those of the extras: the
 * snapshot, the nodes; then `more`, which it takes over. */
static PyObject *
facts_of(const face *of, lg__snapshot_object *snapshot, const lg_table *table,
         PyObject *more)
{
    PyObject *facts = PyList_New(0);
    bool fine = facts != NULL;
    for (size_t i = 0; fine && of->listed_facts[i] != NULL; i++)
        fine =
            lg__list_take(facts, fact_of(snapshot, table, of->listed_facts[i]));
    if (fine && of->extras->snapshot != NULL)
        fine = PyList_Append(facts, (PyObject *)snapshot) == 0;
    if (fine && of->extras->nodes != NULL)
        fine = lg__list_take(facts, nodes_of(snapshot, table));
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
about(const face *of, const lg__request *self, PyObject **out)
{
    const lg_nodes *nodes = self->given[0].nodes;
    *out = NULL;
    if (of->extras->snapshot == NULL || nodes == NULL)
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
run(const face *of, lg__request *self, lg__snapshot_object *snapshot)
{
    PyObject *nodes;
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    lg_table *table = lg__request_ask(self, snapshot, graph);
    lg__snapshot_release(snapshot);
    if (table == NULL)
        return NULL;
    if (about(of, self, &nodes))
        return result_of(of, snapshot, table, nodes);
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
    const face *of = find_face(question);
    lg__request asked = {.question = of->question};
    if (monitor != NULL)
        asked.progress.monitor = *monitor;
    asked.given[0] = (lg_given){.given = true, .nodes = nodes};
    return run(of, &asked, snapshot);
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
    const face *of = &faces[index];
    lg__request asked;
    if (!take(of, false, args, nargs, kwnames, values) ||
        !lg__request_parse(&asked, lg__object_state(self), of->question,
                           of->options, values))
        return NULL;
    return lg__request_finish(&asked,
                              run(of, &asked, (lg__snapshot_object *)self));
}

static PyObject *
ask_now(size_t index, PyObject *module, PyObject *const *args, Py_ssize_t nargs,
        PyObject *kwnames)
{
    PyObject *values[MOST_ARGUMENTS] = {NULL};
    lg__core_state *state = lg__module_state(module);
    const face *of = &faces[index];
    lg__request asked;
    if (!take(of, true, args, nargs, kwnames, values) ||
        !lg__request_parse(&asked, state, of->question, of->options, values))
        return NULL;
    bool contents = (of->question->needs & LG_NEEDS_CONTENTS) && asked.contents;
    lg__snapshot_object *snapshot =
        lg__snapshot_with(state, asked.target, contents, of->question->needs,
                          &asked.progress.monitor);
    PyObject *answer = snapshot ? run(of, &asked, snapshot) : NULL;
    if (answer != NULL && of->extras->keep != NULL &&
        !of->extras->keep(((lg__result_object *)answer)->rows))
        Py_CLEAR(answer);
    return lg__request_finish(&asked, lg__kept_answer(snapshot, answer));
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
    describe_row(to, index);
    list_facts(to);
    list_attributes(to);
    add_doc(question, true, &to->function_doc);
    add_doc(question, false, &to->method_doc);
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
