#include "binding/answers/py_what_if.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/report.h>
#include <stdlib.h>
#include <string.h>

/* How many surviving objects are worth telling. */
enum { SURVIVORS = 5 };

/* How many rows the text shows. */
enum { ROWS_SHOWN = 20 };

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

static bool
collect(lg__snapshot_object *snapshot, PyObject *cut, lg_edges *out)
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

static const lg__result_field fields[] = {
    {"type", LG__FIELD_TEXT},
    {"count", LG__FIELD_VALUE},
    {"size", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_field survivor_fields[] = {
    {"node", LG__FIELD_VALUE},     {"is_target", LG__FIELD_VALUE},
    {"retained", LG__FIELD_VALUE}, {"held_by", LG__FIELD_TEXT},
    {"cut", LG__FIELD_VALUE},      {"cut_count", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape shape = {LG__TYPE_WHAT_IF, LG__TYPE_DYING, fields,
                                       ROWS_SHOWN};
static const lg__result_shape survivor_shape = {
    LG__TYPE_WHAT_IF, LG__TYPE_SURVIVOR, survivor_fields, 0};

enum {
    FACT_REFERENCES,
    FACT_NODES,
    FACT_SIZE,
    FACT_WAITING,
    FACT_WAITING_SIZE,
    FACT_KEPT,
    FACT_LISTED,
    FACT_LISTED_SIZE
};

static PyObject *
facts_new(lg__snapshot_object *snapshot, const lg_what_if *answer,
          const lg_table *table)
{
    lg_cell size, waiting_size, kept, listed_size;
    lg__result_fact(table, "size", &size);
    lg__result_fact(table, "waiting_size", &waiting_size);
    lg__result_fact(table, "kept", &kept);
    lg__result_fact(table, "listed_size", &listed_size);
    return Py_BuildValue("(nNNKNNKN)", (Py_ssize_t)answer->references,
                         lg__sequence_of_nodes(lg__object_state(snapshot),
                                               snapshot, &answer->nodes),
                         lg__size_new(snapshot, size.size),
                         (unsigned long long)answer->waiting,
                         lg__size_new(snapshot, waiting_size.size),
                         lg__result_rows(snapshot, &survivor_shape, kept.table),
                         (unsigned long long)answer->listed,
                         lg__size_new(snapshot, listed_size.size));
}

static PyObject *
what_if_new(lg__snapshot_object *snapshot, const lg_what_if *answer,
            lg_table *table)
{
    return lg__result_with_facts(snapshot, &shape, table,
                                 facts_new(snapshot, answer, table));
}

static lg_status
find(const lg_analysis *analysis, const lg__scope_request *asked,
     const lg_edges *edges, const lg_monitor *monitor, lg_what_if *out,
     lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(asked, lg_analysis_graph(analysis),
                                      monitor, &scope, error);
    const lg_what_if_options options = {
        .size = sizeof options, .limit = SURVIVORS, .scope = scope};
    if (status == LG_OK)
        status = lg_analysis_what_if(analysis, edges->items, edges->count,
                                     &options, monitor, out, error);
    lg_scope_free(scope);
    return status;
}

static PyObject *
ask(lg__snapshot_object *snapshot, const lg__scope_request *asked,
    const lg_edges *edges, const lg_monitor *monitor)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    lg_what_if answer = {0};
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = find(analysis, asked, edges, monitor, &answer, &error);
    if (status == LG_OK)
        status = lg_tabulate_what_if(lg_analysis_graph(analysis), &answer, 0,
                                     &table, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    PyObject *result =
        status == LG_OK
            ? what_if_new(snapshot, &answer, table)
            : lg__error_raise(lg__object_state(snapshot), status, &error);
    lg_what_if_free(&answer);
    return result;
}

const char lg__snapshot_what_if_doc[] =
    "what_if($self, /, cut, *, mine=False, module=None, progress=None)\n"
    "--\n\n"
    "What would die if you cut these references, exactly.\n\n"
    "cut       texts, Edge and Hop, or one of them: "
    "'__main__.trainer.losses',\n"
    "          '__main__.losses[*].graph' ([*] is every item, .* every\n"
    "          attribute), '#17.x', '#17->#42', '*->type:torch.Tensor'\n"
    "mine      list only what the program's own modules hold now\n"
    "module    list only what matching modules hold now: 'train.*'\n"
    "progress  as in snapshot()\n\n"
    "An item of a dict goes with its key. PartialError on a snapshot of a part "
    "of the\n"
    "heap.";

PyObject *
lg__snapshot_what_if(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"cut", "mine", "module", "progress",
                                        NULL};
    static const lg__arg_list list = {"what_if", names, 1, 1};
    PyObject *values[4] = {NULL};
    lg__scope_request asked;
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_scope(values[1], values[2], &asked) ||
        !lg__progress_begin(&watch, values[3]))
        return NULL;
    lg_edges edges = {0};
    PyObject *answer = NULL;
    if (collect(snapshot, values[0], &edges))
        answer = ask(snapshot, &asked, &edges, &watch.monitor);
    lg_edges_free(&edges);
    return lg__progress_end(&watch, answer);
}

static PyGetSetDef what_if_getset[] = {
    {"references", (getter)lg__result_get_fact, NULL,
     "How many references are cut; the keys of items go with them.",
     (void *)FACT_REFERENCES},
    {"nodes", (getter)lg__result_get_fact, NULL,
     "The objects that would die: Nodes.", (void *)FACT_NODES},
    {"size", (getter)lg__result_get_fact, NULL, "Their bytes: a Size.",
     (void *)FACT_SIZE},
    {"waiting", (getter)lg__result_get_fact, NULL,
     "How many of them wait for the collector, because they are in cycles or\n"
     "below.",
     (void *)FACT_WAITING},
    {"waiting_size", (getter)lg__result_get_fact, NULL,
     "The bytes of those: a Size.", (void *)FACT_WAITING_SIZE},
    {"kept", (getter)lg__result_get_fact, NULL,
     "What would live on, who holds it, and what to cut next: a tuple of\n"
     "Survivor, the targets of the references first, then the biggest.",
     (void *)FACT_KEPT},
    {"listed", (getter)lg__result_get_fact, NULL,
     "How many of the nodes the chosen modules hold: without a choice, all.",
     (void *)FACT_LISTED},
    {"listed_size", (getter)lg__result_get_fact, NULL,
     "The bytes of those: a Size.", (void *)FACT_LISTED_SIZE},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot what_if_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_getset, what_if_getset},
    {Py_tp_doc, "A sequence of Dying, biggest first; str() is the report."},
    {0, NULL},
};

PyType_Spec lg__what_if_spec = {
    .name = "leakgraph.WhatIf",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = what_if_slots,
};
