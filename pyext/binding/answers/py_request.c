/**
 * What a question is asked: the arguments from Python as the values of its
 * options, the objects and references that they stand for, and the table that
 * answers.
 */
#include "binding/answers/py_request.h"

#include <leakgraph/graph.h>

#include <stdlib.h>
#include <string.h>

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

/* Reads the value of the argument. `*out`, which stays where it is, is complete
 * now, or once the predicate has been asked. False with an exception. */
static bool
types_parse(lg__asked_types *self, const char *name, PyObject *value,
            lg_given *out)
{
    if (value == Py_None || PyUnicode_Check(value)) {
        if (!lg__arg_text(name, value, &out->text))
            return false;
        out->given = out->text != NULL;
        return true;
    }
    if (PyType_Check(value)) {
        self->type_name = name_of_type(value);
        if (self->type_name != NULL)
            out->text = lg__arg_utf8("the name of the type", self->type_name);
        out->given = out->text != NULL;
        return out->given;
    }
    if (PyCallable_Check(value)) {
        self->predicate = value;
        self->given = out;
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s must be 'tensor', 'figure', a type, its name or a "
                 "callable, not %.100s",
                 name, Py_TYPE(value)->tp_name);
    return false;
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

/* Asks a predicate about each name of a type once, under the GIL. False with an
 * exception. */
static bool
types_ask(lg__asked_types *self, const lg_graph *graph)
{
    if (self->predicate == NULL)
        return true;
    uint32_t count = lg_graph_type_count(graph);
    PyObject *answers = PyDict_New();
    self->types = answers ? calloc((size_t)count + 1, 1) : NULL;
    bool done = self->types != NULL;
    if (answers != NULL && !done)
        PyErr_NoMemory();
    for (uint32_t type = 0; done && type < count; type++) {
        PyObject *name = lg__string_object(lg_graph_type(graph, type).name);
        int truth = name ? ask_name(self->predicate, answers, name) : -1;
        Py_XDECREF(name);
        done = truth >= 0;
        self->types[type] = truth > 0;
    }
    Py_XDECREF(answers);
    *self->given = (lg_given){.given = true, .types = self->types};
    return done;
}

static void
types_clear(lg__asked_types *self)
{
    free(self->types);
    Py_XDECREF(self->type_name);
}

static bool
add_edges(lg_edges *all, const lg_edges *more)
{
    if (lg_edges_add(all, more, NULL) == LG_OK)
        return true;
    PyErr_NoMemory();
    return false;
}

static bool
add_edge(lg_edges *all, lg_edge edge)
{
    const lg_edges one = {&edge, 1};
    return add_edges(all, &one);
}

static lg_status
find_references(const lg_graph *graph, const char *text,
                const lg_monitor *monitor, void *edges, lg_error *error)
{
    return lg_graph_references(graph, text, monitor, edges, error);
}

static bool
add_text(lg__snapshot_object *snapshot, PyObject *text, lg_edges *out)
{
    return lg__target_look_up(snapshot, "the reference", text, find_references,
                              out);
}

static bool
is_of(lg__snapshot_object *snapshot, const void *own)
{
    if (own == snapshot)
        return true;
    PyErr_SetString(lg__object_state(snapshot)->errors[LG__ERROR_ARGUMENT],
                    "The reference belongs to another snapshot.");
    return false;
}

/* All references with that label from one node to the other. */
static bool
add_labelled(lg_graph *graph, const lg_hops *hops, uint32_t target,
             const char *label, lg_edges *out)
{
    lg_text text = {0};
    bool going = true;
    for (size_t i = 0; going && i < hops->count; i++) {
        const lg_hop *hop = &hops->items[i];
        lg_text_free(&text);
        lg_hop_label(graph, hop, &text);
        if (hop->target == target && !hop->weak && text.data != NULL &&
            strcmp(text.data, label) == 0)
            going = add_edge(out, hop->edges[hop->edge_count - 1]);
    }
    lg_text_free(&text);
    return going;
}

/* Takes a Hop, or another row that begins like one. */
static bool
add_hop(lg__snapshot_object *snapshot, PyObject *hop, lg_edges *out)
{
    const char *label = PyUnicode_AsUTF8(PyTuple_GET_ITEM(hop, 0));
    const lg__node_object *source =
        (const lg__node_object *)PyTuple_GET_ITEM(hop, 1);
    const lg__node_object *target =
        (const lg__node_object *)PyTuple_GET_ITEM(hop, 2);
    lg_graph *graph = lg__snapshot_graph(snapshot);
    lg_hops hops = {0};
    lg_error error;
    if (label == NULL || graph == NULL || !is_of(snapshot, source->snapshot))
        return false;
    lg_status status = lg_node_hops_out(graph, source->index, &hops, &error);
    if (status != LG_OK) {
        lg__error_raise(lg__object_state(snapshot), status, &error);
        return false;
    }
    bool added = add_labelled(graph, &hops, target->index, label, out);
    lg_hops_free(&hops);
    return added;
}

static bool
add_reference(lg__snapshot_object *snapshot, PyObject *one, lg_edges *out)
{
    lg__core_state *state = lg__object_state(snapshot);
    PyTypeObject *type = Py_TYPE(one);
    if (PyUnicode_Check(one))
        return add_text(snapshot, one, out);
    if (type == state->types[LG__TYPE_EDGE])
        return is_of(snapshot, ((lg__edge_object *)one)->snapshot) &&
               add_edge(out, ((lg__edge_object *)one)->index);
    if (type == state->types[LG__TYPE_HOP] ||
        type == state->types[LG__TYPE_CYCLE_CUT])
        return add_hop(snapshot, one, out);
    PyErr_Format(PyExc_TypeError,
                 "cut takes texts such as '__main__.losses[*]', Edge and Hop, "
                 "not %.100s",
                 type->tp_name);
    return false;
}

static bool
is_one(lg__core_state *state, PyObject *cut)
{
    PyTypeObject *type = Py_TYPE(cut);
    return PyUnicode_Check(cut) || type == state->types[LG__TYPE_EDGE] ||
           type == state->types[LG__TYPE_HOP] ||
           type == state->types[LG__TYPE_CYCLE_CUT];
}

/* Adds what `cut` stands for: texts, an Edge, a Hop, or several of these. False
 * with an exception. */
static bool
cuts_collect(lg__snapshot_object *snapshot, PyObject *cut, lg_edges *out)
{
    PyObject *all = NULL;
    if (is_one(lg__object_state(snapshot), cut))
        return add_reference(snapshot, cut, out);
    if (!lg__arg_objects("cut", cut, &all))
        return false;
    bool going = true;
    for (Py_ssize_t i = 0; all && going && i < PySequence_Fast_GET_SIZE(all);
         i++)
        going = add_reference(snapshot, PySequence_Fast_GET_ITEM(all, i), out);
    Py_XDECREF(all);
    return going;
}

static void
request_clear(lg__request *self)
{
    types_clear(&self->asked);
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
read_path(lg__request *self, PyObject *value, lg_given *out)
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
read_value(lg__request *self, lg__core_state *state, const lg_option *option,
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
        return types_parse(&self->asked, option->name, value, out);
    case LG_OPTION_BASELINE:
        return read_path(self, value, out);
    case LG_OPTION_SET:
        return read_words(state, option, value, out);
    default:
        return read_word(state, option, value, out);
    }
}

bool
lg__request_parse(lg__request *self, lg__core_state *state,
                  const lg_question *question, size_t options,
                  PyObject *const *values)
{
    *self = (lg__request){.question = question, .contents = true};
    bool fine = true;
    for (size_t i = 0; fine && i < options; i++)
        fine = read_value(self, state, &question->options[i], values[i],
                          &self->given[i]);
    fine = fine && lg__arg_flag(values[options + 1], &self->contents) &&
           lg__progress_begin(&self->progress, values[options]);
    if (!fine)
        request_clear(self);
    return fine;
}

PyObject *
lg__request_finish(lg__request *self, PyObject *answer)
{
    request_clear(self);
    return lg__progress_end(&self->progress, answer);
}

/* The analysis that the question needs. *out is NULL if it does without one.
 * False with an exception. */
static bool
find_analysis(lg__request *self, lg__snapshot_object *snapshot,
              const lg_graph *graph, const lg_analysis **out)
{
    unsigned needs = lg_question_needs(self->question, self->given);
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
find_objects(lg__request *self, lg__snapshot_object *snapshot)
{
    lg_nodes nodes = {0};
    if (self->target == NULL)
        return true;
    if (self->question->options->type == LG_OPTION_CUTS) {
        *self->object = (lg_given){.given = true, .edges = &self->edges};
        return cuts_collect(snapshot, self->target, &self->edges);
    }
    if (lg_option_is_required(self->question->options)) {
        *self->object = (lg_given){.given = true, .nodes = &self->nodes};
        return lg__target_resolve_set(snapshot, self->target, &self->nodes);
    }
    if (!lg__target_resolve(snapshot, self->target, &nodes))
        return false;
    *self->object = (lg_given){.given = true, .number = nodes.items[0]};
    lg_nodes_free(&nodes);
    return true;
}

lg_table *
lg__request_ask(lg__request *self, lg__snapshot_object *snapshot,
                const lg_graph *graph)
{
    lg_table *table = NULL;
    lg_error error;
    lg_ask ask = {.graph = graph,
                  .given = self->given,
                  .monitor = &self->progress.monitor};
    lg_status status = lg_question_check(self->question, &ask, &error);
    if (status == LG_OK &&
        (!types_ask(&self->asked, graph) || !find_objects(self, snapshot)))
        return NULL;
    if (status == LG_OK && !find_analysis(self, snapshot, graph, &ask.analysis))
        return NULL;
    if (status == LG_OK) {
        Py_BEGIN_ALLOW_THREADS
        status = lg_question_ask(self->question, &ask, &table, &error);
        Py_END_ALLOW_THREADS
    }
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return table;
}
