/** Why: what keeps an object alive. */
#include "binding/objects/binding_objects.h"
#include "binding/answers/binding_answers.h"
#include "binding/support/binding_support.h"
#include "binding/answers/answer.h"
#include "binding/capture/binding_capture.h"
#include "binding/pictures/binding_pictures.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/why.h>

/* Why an object is alive: the answer, and its attributes. */
typedef struct why_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    lg__node_object *node; /* of several nodes, the biggest */
    lg_nodes nodes;        /* all of them */
    lg_why why;            /* the answer: computed once, for the node */
    PyObject *note;        /* str, maybe empty: where it was allocated */
    PyObject *merged;      /* MergedPaths to all nodes: made on first use */
    PyObject *text;
    PyObject *drawing; /* made on first use */
    PyObject *made;    /* a dict of the attributes, if no snapshot is kept */
} why_object;

/* Asks tracemalloc about the object of a node, where nobody has yet. */
static bool
take_traced_allocation(why_object *self, const lg_graph *graph)
{
    if (self->note == Py_None)
        Py_SETREF(self->note, lg__allocation_note_of(graph, self->why.node));
    return self->note != NULL;
}

/* If tracemalloc says nothing, takes what an allocator of buffers recorded. */
static bool
take_recorded_allocation(why_object *self)
{
    lg_text text = {0};
    if (PyUnicode_GetLength(self->note) > 0)
        return true;
    lg_report_allocation(&self->why, &text);
    Py_SETREF(self->note, lg__text_object(&text));
    return self->note != NULL;
}

static bool
find_allocation(why_object *self, const lg_graph *graph)
{
    return take_traced_allocation(self, graph) &&
           take_recorded_allocation(self);
}

static PyObject *
path_of(why_object *self, const lg_path *path)
{
    return lg__path_new(lg__object_state(self), self->snapshot, path);
}

static PyObject *
get_paths(why_object *self, void *Py_UNUSED(closure))
{
    const lg_cuts *cuts = &self->why.cuts;
    PyObject *tuple = PyTuple_New((Py_ssize_t)cuts->count);
    for (size_t i = 0; tuple != NULL && i < cuts->count; i++) {
        PyObject *path = path_of(self, &cuts->items[i].path);
        if (path == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, path);
    }
    return tuple;
}

static PyObject *
get_cuts(why_object *self, void *Py_UNUSED(closure))
{
    const lg_cuts *cuts = &self->why.cuts;
    PyObject *tuple = PyTuple_New((Py_ssize_t)cuts->count);
    for (size_t i = 0; tuple != NULL && i < cuts->count; i++) {
        const lg_cut *cut = &cuts->items[i];
        PyObject *hop =
            lg__hop_object(lg__object_state(self), self->snapshot,
                           &cut->path.hops[cut->hop], "cut with the others");
        if (hop == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, hop);
    }
    return tuple;
}

static PyObject *
get_cut_count(why_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->why.cuts.total);
}

static PyObject *
get_kept(why_object *self, void *Py_UNUSED(closure))
{
    if (!self->why.cuts.is_kept)
        Py_RETURN_NONE;
    return path_of(self, &self->why.cuts.kept);
}

static PyObject *
get_frees(why_object *self, void *Py_UNUSED(closure))
{
    const lg_why *why = &self->why;
    PyObject *tuple = PyTuple_New((Py_ssize_t)why->frees_count);
    Py_ssize_t filled = 0;
    for (size_t i = 0; tuple != NULL && i < why->path.count; i++) {
        if (!why->frees[i])
            continue;
        PyObject *hop =
            lg__hop_object(lg__object_state(self), self->snapshot,
                           &why->path.hops[i], "cutting it frees it");
        if (hop == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, filled++, hop);
    }
    return tuple;
}

static lg_status
see(const lg_analysis *Py_UNUSED(analysis), const void *why, lg_view **out,
    lg_error *error)
{
    return lg_view_why(why, NULL, NULL, out, error);
}

static PyObject *
get_drawing(why_object *self, void *Py_UNUSED(closure))
{
    if (self->made != NULL)
        return lg__attribute_get((PyObject *)self, "drawing");
    if (self->drawing == NULL)
        self->drawing = lg__picture_of(self->snapshot, see, &self->why);
    Py_XINCREF(self->drawing);
    return self->drawing;
}

/* A prompt shows the report. */
static PyObject *
why_repr(why_object *self)
{
    Py_ssize_t end = PyUnicode_GET_LENGTH(self->text);
    while (end > 0 && PyUnicode_READ_CHAR(self->text, end - 1) == '\n')
        end--;
    return PyUnicode_Substring(self->text, 0, end);
}

static PyObject *
why_str(why_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

static PyObject *
why_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    return lg__picture_ask(get_drawing((why_object *)self, NULL), "save", args,
                           nargs, kwnames);
}

static PyObject *
why_repr_svg(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__picture_ask(get_drawing((why_object *)self, NULL), "_repr_svg_",
                           NULL, 0, NULL);
}

static PyObject *
why_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "leakgraph.notebook",
                           "why_html", self);
}

static PyObject *
why_iter(PyObject *self)
{
    return lg__python_call(lg__object_state(self), "leakgraph.frames",
                           "references", self);
}

/* Attributes that are made from the graph when they are asked for. */
static const char *const lazy_names[] = {
    "path",     "frees", "cuts", "cut_count", "kept", "paths",   "dominator",
    "retained", "spent", "hint", "merged",    "json", "drawing",
};

/* Makes all of them now, because the snapshot goes with the call. */
static bool
keep(why_object *self)
{
    PyObject *made = PyDict_New();
    bool done = made != NULL;
    for (size_t i = 0; done && i < sizeof lazy_names / sizeof *lazy_names;
         i++) {
        PyObject *value = lg__attribute_get((PyObject *)self, lazy_names[i]);
        done = value && PyDict_SetItemString(made, lazy_names[i], value) == 0;
        Py_XDECREF(value);
    }
    if (!done)
        Py_CLEAR(made);
    self->made = made;
    lg_why_clear(&self->why);
    self->why = (lg_why){0};
    return done;
}

static PyObject *
why_getattro(why_object *self, PyObject *name)
{
    PyObject *value =
        self->made ? PyDict_GetItemWithError(self->made, name) : NULL;
    if (value == NULL && !PyErr_Occurred())
        return PyObject_GenericGetAttr((PyObject *)self, name);
    Py_XINCREF(value);
    return value;
}

/* The paths to all nodes, or NULL with an exception; borrowed. */
static const lg_table *
merge_paths(why_object *self, const lg_monitor *monitor)
{
    if (self->merged == NULL) {
        PyObject *made =
            lg__answer_about(self->snapshot, "paths", &self->nodes, monitor);
        if (made == NULL)
            return NULL;
        /* Another thread may have made them meanwhile. */
        if (self->merged == NULL)
            self->merged = made;
        else
            Py_DECREF(made);
    }
    return ((lg__result_object *)self->merged)->table;
}

/* Formats the report on a finished answer. The text about one object shows no
 * merged paths. */
static PyObject *
write_report(why_object *self, lg_format format, const lg_monitor *monitor)
{
    bool merges = self->nodes.count > 1 || format == LG_FORMAT_JSON;
    const lg_table *paths = merges ? merge_paths(self, monitor) : NULL;
    const char *line = PyUnicode_AsUTF8(self->note);
    if (line == NULL || (merges && paths == NULL))
        return NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_report_why(&self->why, paths, line[0] ? line : NULL, format,
                           &text, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        return lg__text_object(&text);
    lg_text_free(&text);
    return lg__error_raise(lg__object_state(self), status, &error);
}

static bool
find_out(why_object *self, const lg_analysis *analysis,
         const lg_monitor *monitor)
{
    const lg_nodes *nodes = &self->nodes;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_node_why(analysis,
                         lg_nodes_biggest(analysis, nodes->items, nodes->count),
                         monitor, &self->why, &error);
    Py_END_ALLOW_THREADS
    /* Show the owner in place of its folded namespace. */
    if (status == LG_OK && nodes->count == 1)
        nodes->items[0] = self->why.node;
    if (status == LG_OK && find_allocation(self, lg_analysis_graph(analysis)))
        self->text = write_report(self, LG_FORMAT_TEXT, monitor);
    else if (status != LG_OK)
        lg__error_raise(lg__object_state(self), status, &error);
    return self->text != NULL;
}

/* Takes over `note`, which is None if nobody has asked tracemalloc. */
static PyObject *
why_new(lg__snapshot_object *snapshot, const lg_analysis *analysis,
        const lg_nodes *nodes, PyObject *note, const lg_monitor *monitor)
{
    lg__core_state *state = lg__object_state(snapshot);
    why_object *self = lg__object_new(state, LG__TYPE_WHY);
    if (self == NULL) {
        Py_DECREF(note);
        return NULL;
    }
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->note = note;
    if (lg__nodes_extend(&self->nodes, nodes->items, nodes->count) &&
        find_out(self, analysis, monitor))
        self->node =
            (lg__node_object *)lg__node_new(state, snapshot, self->why.node);
    if (self->node == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* Takes over `note`, which may be NULL with an exception. */
static PyObject *
explain(lg__snapshot_object *snapshot, const lg_nodes *nodes, PyObject *note,
        const lg_monitor *monitor)
{
    const lg_analysis *analysis =
        note ? lg__analysis_acquire(snapshot, monitor) : NULL;
    if (analysis == NULL) {
        Py_XDECREF(note);
        return NULL;
    }
    PyObject *why = why_new(snapshot, analysis, nodes, note, monitor);
    lg__snapshot_release(snapshot);
    return why;
}

static PyObject *
explain_live(lg__core_state *state, PyObject *object, const lg_monitor *monitor)
{
    PyObject *note = lg__allocation_note(object);
    if (note == NULL)
        return NULL;
    PyObject *why = NULL;
    lg_nodes nodes = {0};
    lg__snapshot_object *snapshot = lg__snapshot_now(state, object, monitor);
    if (snapshot != NULL &&
        lg__target_locate(state, snapshot->graph, &object, 1, &nodes)) {
        Py_INCREF(note);
        why = explain(snapshot, &nodes, note, monitor);
    }
    lg_nodes_free(&nodes);
    Py_DECREF(note);
    if (why != NULL && !keep((why_object *)why))
        Py_CLEAR(why);
    return lg__kept_answer(snapshot, why);
}

#define WHY_ENDING                                                             \
    "\n\n"                                                                     \
    "Has the path from a root, the immediate dominator, the bytes that you "   \
    "would free\n"                                                             \
    "with it, and every reference to cut. If tracemalloc traces, it also "     \
    "says where the\n"                                                         \
    "object was allocated."

const char lg__core_why_doc[] =
    "why($module, /, obj, *, progress=None)\n--\n\n"
    "What keeps an object alive.\n\nTakes a snapshot "
    "and analyses it." WHY_ENDING;

PyObject *
lg__core_why(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const char *const names[] = {"obj", "progress", NULL};
    static const lg__arg_list list = {"why", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__target_is_object(lg__module_state(module), "why", values[0]) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    PyObject *why =
        explain_live(lg__module_state(module), values[0], &watch.monitor);
    return lg__progress_end(&watch, why);
}

const char lg__snapshot_why_doc[] =
    "why($self, /, target, *, progress=None)\n"
    "--\n\n"
    "What keeps an object alive.\n\n"
    "target is a selector, a Node, a list or Nodes of them, or a live object. "
    "For several\n"
    "objects: their merged paths, then why the one that retains the most is "
    "alive.\n"
    "PartialError on a snapshot of a part of the heap." WHY_ENDING;

PyObject *
lg__snapshot_why(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                 PyObject *kwnames)
{
    static const char *const names[] = {"target", "progress", NULL};
    static const lg__arg_list list = {"why", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    PyObject *target = values[0], *why = NULL;
    lg_nodes nodes = {0};
    if (lg__target_resolve_set(snapshot, target, &nodes))
        why = explain(snapshot, &nodes,
                      lg__target_is_live(lg__object_state(self), target)
                          ? lg__allocation_note(target)
                          : Py_BuildValue(""),
                      &watch.monitor);
    lg_nodes_free(&nodes);
    return lg__progress_end(&watch, why);
}

static void
why_dealloc(why_object *self)
{
    Py_XDECREF(self->snapshot);
    Py_XDECREF(self->node);
    Py_XDECREF(self->drawing);
    Py_XDECREF(self->made);
    Py_XDECREF(self->merged);
    lg_nodes_free(&self->nodes);
    lg_why_clear(&self->why);
    Py_XDECREF(self->note);
    Py_XDECREF(self->text);
    lg__object_free(self);
}

static PyObject *
get_nodes(why_object *self, void *Py_UNUSED(closure))
{
    return lg__sequence_of_nodes(lg__object_state(self), self->snapshot,
                                 &self->nodes);
}

static PyObject *
get_merged(why_object *self, void *Py_UNUSED(closure))
{
    if (merge_paths(self, NULL) == NULL)
        return NULL;
    Py_INCREF(self->merged);
    return self->merged;
}

static PyObject *
get_path(why_object *self, void *Py_UNUSED(closure))
{
    if (self->why.garbage)
        Py_RETURN_NONE;
    return lg__path_new(lg__object_state(self), self->snapshot,
                        &self->why.path);
}

static PyObject *
get_dominator(why_object *self, void *Py_UNUSED(closure))
{
    if (self->why.dominator == LG_NONE)
        Py_RETURN_NONE;
    return lg__node_new(lg__object_state(self), self->snapshot,
                        self->why.dominator);
}

static PyObject *
get_retained(why_object *self, void *closure)
{
    return lg__node_retained(self->node, closure);
}

static PyObject *
get_spent(why_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->why.spent);
}

static PyObject *
get_hint(why_object *self, void *Py_UNUSED(closure))
{
    lg_text hint = {0};
    lg_why_hint_format(&self->why, &hint);
    return lg__text_object(&hint);
}

/* The snapshot may be closed by now. */
static PyObject *
get_json(why_object *self, void *Py_UNUSED(closure))
{
    if (lg__snapshot_acquire(self->snapshot) == NULL)
        return NULL;
    PyObject *json = write_report(self, LG_FORMAT_JSON, NULL);
    lg__snapshot_release(self->snapshot);
    return json;
}

static PyMemberDef why_members[] = {
    {"snapshot", T_OBJECT, offsetof(why_object, snapshot), READONLY,
     "Its snapshot."},
    {"node", T_OBJECT, offsetof(why_object, node), READONLY,
     "The Node in question, or the owner of a namespace or\n"
     "closure; of several nodes, the one that retains the most."},
    {"allocated", T_OBJECT, offsetof(why_object, note), READONLY,
     "Where it was allocated, if tracemalloc traced it; else ''. For a node or "
     "a selector:\nif an object of its type is still at its address, and the "
     "collector finds it."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef why_getset[] = {
    {"nodes", (getter)get_nodes, NULL, "All nodes in question: Nodes.", NULL},
    {"merged", (getter)get_merged, NULL,
     "How the roots reach all of them: MergedPaths.", NULL},
    {"path", (getter)get_path, NULL,
     "A shortest Path from a root, or None: no root reaches it.", NULL},
    {"frees", (getter)get_frees, NULL,
     "The hops of path of which any one, when cut, frees the object: a tuple "
     "of Hop.",
     NULL},
    {"cuts", (getter)get_cuts, NULL,
     "The smallest set of references that you must cut together to free the "
     "object: a\n"
     "tuple of Hop, at most 16. If one reference alone is enough (see frees), "
     "the set\n"
     "that frees the object and spares its dominator.",
     NULL},
    {"cut_count", (getter)get_cut_count, NULL,
     "How many references that set has; 0 if there is no such set.", NULL},
    {"hint", (getter)get_hint, NULL,
     "How to cut them: with which call, or with less effort, a sentence; or "
     "''.",
     NULL},
    {"kept", (getter)get_kept, NULL,
     "A Path that no program can cut, which makes cutting insufficient, or "
     "None.",
     NULL},
    {"paths", (getter)get_paths, NULL,
     "A path through each of cuts, from the dominator or from a root: a tuple "
     "of\n"
     "Path, shortest first.",
     NULL},
    {"dominator", (getter)get_dominator, NULL,
     "The Node that every path from a root goes through, or None.", NULL},
    {"retained", (getter)get_retained, NULL,
     "Bytes that you would free with it: a Size.", NULL},
    {"spent", (getter)get_spent, NULL,
     "Bytes of the host that allocators spend on what it retains.", NULL},
    {"json", (getter)get_json, NULL,
     "The same for programs: what `leakgraph why --json` prints.", NULL},
    {"drawing", (getter)get_drawing, NULL, "The same as a Drawing.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef why_methods[] = {
    {"to_dicts", lg__rows_to_dicts, METH_NOARGS,
     "to_dicts($self, /)\n"
     "--\n\n"
     "A dict for each reference of path and of paths.\n\n"
     "'path' is 0 for path, and 1 and up for each of paths. 'type', 'size' and "
     "'retained'\n"
     "are the target's. 'reason' says what cutting the reference does; it is "
     "'' if that\n"
     "frees nothing."},
    {"to_pandas", lg__rows_to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\nThe same as a pandas.DataFrame."},
    {"save", LG__FASTCALL(why_save), METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, *, format=None)\n--\n\nWrite the picture and return "
     "its path, as Drawing.save() does."},
    {"_repr_pretty_", lg__repr_pretty, METH_VARARGS,
     "_repr_pretty_($self, printer, cycle, /)\n--\n\n"},
    {"_repr_svg_", why_repr_svg, METH_NOARGS, "_repr_svg_($self, /)\n--\n\n"},
    {"_repr_html_", why_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot why_slots[] = {
    LG__SLOT(Py_tp_dealloc, why_dealloc),
    LG__SLOT(Py_tp_repr, why_repr),
    LG__SLOT(Py_tp_str, why_str),
    LG__SLOT(Py_tp_iter, why_iter),
    LG__SLOT(Py_tp_getattro, why_getattro),
    {Py_tp_members, why_members},
    {Py_tp_getset, why_getset},
    {Py_tp_methods, why_methods},
    {Py_tp_doc, "What keeps an object alive; str() is the report. Iterating "
                "yields each\nReference of path and of paths.\n\n"
                "The result of Snapshot.why() keeps its snapshot, the result "
                "of why() only what it\n"
                "shows."},
    {0, NULL},
};

PyType_Spec lg__why_spec = {
    .name = "leakgraph.Why",
    .basicsize = sizeof(why_object),
    .flags = LG__FINAL_TYPE,
    .slots = why_slots,
};
