#include "binding/answers/py_why.h"
#include "binding/objects/allocation.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include "binding/answers/py_merged_paths.h"
#include "binding/objects/py_node.h"
#include "binding/objects/kept.h"
#include "binding/objects/py_path.h"
#include "binding/capture/recorder.h"
#include "binding/objects/target.h"

#include <leakgraph/report.h>

/* Formats the report on a finished answer. */
static PyObject *
write_report(why_object *self, lg_format format, const lg_monitor *monitor)
{
    const char *line = PyUnicode_AsUTF8(self->note);
    if (line == NULL)
        return NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_report_why(&self->why, self->nodes.items, self->nodes.count,
                      line[0] ? line : NULL, monitor, format, &text, &error);
    Py_END_ALLOW_THREADS
    if (status == LG_OK)
        return text_object(&text);
    lg_text_free(&text);
    return error_raise(object_state(self), status, &error);
}

/* If tracemalloc says nothing, takes what an allocator of buffers recorded. */
static bool
take_recorded_allocation(why_object *self)
{
    lg_text text = {0};
    if (PyUnicode_GetLength(self->note) > 0)
        return true;
    lg_report_allocation(&self->why, &text);
    Py_SETREF(self->note, text_object(&text));
    return self->note != NULL;
}

static bool
find_out(why_object *self, const lg_analysis *analysis,
         const lg_monitor *monitor)
{
    const lg_nodes *nodes = &self->nodes;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_why_new(analysis,
                        lg_nodes_biggest(analysis, nodes->items, nodes->count),
                        monitor, &self->why, &error);
    Py_END_ALLOW_THREADS
    /* Show the owner in place of its folded namespace. */
    if (status == LG_OK && nodes->count == 1)
        nodes->items[0] = self->why.node;
    if (status == LG_OK && take_recorded_allocation(self))
        self->text = write_report(self, LG_FORMAT_TEXT, monitor);
    else if (status != LG_OK)
        error_raise(object_state(self), status, &error);
    return self->text != NULL;
}

/* Takes over `note`. */
static PyObject *
why_new(snapshot_object *snapshot, const lg_analysis *analysis,
        const lg_nodes *nodes, PyObject *note, const lg_monitor *monitor)
{
    core_state *state = object_state(snapshot);
    why_object *self = object_new(state, TYPE_WHY);
    if (self == NULL) {
        Py_DECREF(note);
        return NULL;
    }
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->note = note;
    if (nodes_extend(&self->nodes, nodes->items, nodes->count) &&
        find_out(self, analysis, monitor))
        self->node = (node_object *)node_new(state, snapshot, self->why.node);
    if (self->node == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* Takes over `note`, which may be NULL with an exception. */
static PyObject *
explain(snapshot_object *snapshot, const lg_nodes *nodes, PyObject *note,
        const lg_monitor *monitor)
{
    const lg_analysis *analysis =
        note ? analysis_acquire(snapshot, monitor) : NULL;
    if (analysis == NULL) {
        Py_XDECREF(note);
        return NULL;
    }
    PyObject *why = why_new(snapshot, analysis, nodes, note, monitor);
    snapshot_release(snapshot);
    return why;
}

static PyObject *
explain_live(core_state *state, PyObject *object, const lg_monitor *monitor)
{
    PyObject *note = allocation_note(object);
    if (note == NULL)
        return NULL;
    PyObject *why = NULL;
    lg_nodes nodes = {0};
    snapshot_object *snapshot = snapshot_now(state, object, monitor);
    if (snapshot != NULL &&
        target_locate(state, snapshot->graph, &object, 1, &nodes)) {
        Py_INCREF(note);
        why = explain(snapshot, &nodes, note, monitor);
    }
    lg_nodes_free(&nodes);
    Py_DECREF(note);
    if (why != NULL && !why_keep((why_object *)why))
        Py_CLEAR(why);
    return kept_answer(snapshot, why);
}

#define WHY_ENDING                                                             \
    "\n\n"                                                                     \
    "Has the path from a root, the immediate dominator, the bytes that you "   \
    "would free\n"                                                             \
    "with it, and every reference to cut. If tracemalloc traces, it also "     \
    "says where the\n"                                                         \
    "object was allocated."

const char core_why_doc[] = "why($module, /, obj, *, progress=None)\n--\n\n"
                            "What keeps an object alive.\n\nTakes a snapshot "
                            "and analyses it." WHY_ENDING;

PyObject *
core_why(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
         PyObject *kwnames)
{
    static const char *const names[] = {"obj", "progress", NULL};
    static const arg_list list = {"why", names, 1, 1};
    PyObject *values[2] = {NULL};
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !target_is_object(module_state(module), "why", values[0]) ||
        !progress_start(&watch, values[1]))
        return NULL;
    PyObject *why =
        explain_live(module_state(module), values[0], &watch.monitor);
    if (!progress_end(&watch, why ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(why);
    return why;
}

const char snapshot_why_doc[] =
    "why($self, /, target, *, progress=None)\n"
    "--\n\n"
    "What keeps an object alive.\n\n"
    "target is a selector, a Node, a list or Nodes of them, or a live object. "
    "For several\n"
    "objects: their merged paths, then why the one that retains the most is "
    "alive.\n"
    "PartialError on a snapshot of a part of the heap." WHY_ENDING;

PyObject *
snapshot_why(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const char *const names[] = {"target", "progress", NULL};
    static const arg_list list = {"why", names, 1, 1};
    PyObject *values[2] = {NULL};
    snapshot_object *snapshot = (snapshot_object *)self;
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !progress_start(&watch, values[1]))
        return NULL;
    PyObject *target = values[0], *why = NULL;
    lg_nodes nodes = {0};
    if (target_resolve_set(snapshot, target, &nodes))
        why = explain(snapshot, &nodes,
                      target_is_live(object_state(self), target)
                          ? allocation_note(target)
                          : PyUnicode_FromString(""),
                      &watch.monitor);
    lg_nodes_free(&nodes);
    if (!progress_end(&watch, why ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(why);
    return why;
}

static void
why_dealloc(why_object *self)
{
    Py_XDECREF(self->snapshot);
    Py_XDECREF(self->node);
    Py_XDECREF(self->drawing);
    Py_XDECREF(self->made);
    lg_nodes_free(&self->nodes);
    lg_why_free(&self->why);
    Py_XDECREF(self->note);
    Py_XDECREF(self->text);
    object_free(self);
}

static PyObject *
get_nodes(why_object *self, void *Py_UNUSED(closure))
{
    return sequence_of_nodes(object_state(self), self->snapshot, &self->nodes);
}

static PyObject *
get_merged(why_object *self, void *Py_UNUSED(closure))
{
    return merged_of(self->snapshot, &self->nodes, MERGED_LINES, NULL);
}

static PyObject *
get_path(why_object *self, void *Py_UNUSED(closure))
{
    if (self->why.garbage)
        Py_RETURN_NONE;
    return path_new(object_state(self), self->snapshot, &self->why.path, true);
}

static PyObject *
get_dominator(why_object *self, void *Py_UNUSED(closure))
{
    if (self->why.dominator == LG_NONE)
        Py_RETURN_NONE;
    return node_new(object_state(self), self->snapshot, self->why.dominator);
}

static PyObject *
get_retained(why_object *self, void *closure)
{
    return node_retained(self->node, closure);
}

static PyObject *
get_spent(why_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->why.spent);
}

static PyObject *
get_hint(why_object *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(self->why.hint ? self->why.hint : "");
}

/* The snapshot may be closed by now. */
static PyObject *
get_json(why_object *self, void *Py_UNUSED(closure))
{
    if (snapshot_acquire(self->snapshot) == NULL)
        return NULL;
    PyObject *json = write_report(self, LG_FORMAT_JSON, NULL);
    snapshot_release(self->snapshot);
    return json;
}

static PyMemberDef why_members[] = {
    {"snapshot", T_OBJECT, offsetof(why_object, snapshot), READONLY,
     "Its snapshot."},
    {"node", T_OBJECT, offsetof(why_object, node), READONLY,
     "The Node in question, or the owner of a namespace or\n"
     "closure; of several nodes, the one that retains the most."},
    {"allocated", T_OBJECT, offsetof(why_object, note), READONLY,
     "Where it was allocated, if tracemalloc traced it; else ''."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef why_getset[] = {
    {"nodes", (getter)get_nodes, NULL, "All nodes in question: Nodes.", NULL},
    {"merged", (getter)get_merged, NULL,
     "How the roots reach all of them: MergedPaths.", NULL},
    {"path", (getter)get_path, NULL,
     "A shortest Path from a root, or None: no root reaches it.", NULL},
    {"frees", (getter)why_frees, NULL,
     "The hops of path of which any one, when cut, frees the object: a tuple "
     "of Hop.",
     NULL},
    {"cuts", (getter)why_cuts, NULL,
     "The smallest set of references that you must cut together to free the "
     "object: a\n"
     "tuple of Hop, at most 16. If one reference alone is enough (see frees), "
     "the set\n"
     "that frees the object and spares its dominator.",
     NULL},
    {"cut_count", (getter)why_cut_count, NULL,
     "How many references that set has; 0 if there is no such set.", NULL},
    {"hint", (getter)get_hint, NULL,
     "How to cut them with less effort, a sentence; or ''.", NULL},
    {"kept", (getter)why_kept, NULL,
     "A Path that no program can cut, which makes cutting insufficient, or "
     "None.",
     NULL},
    {"paths", (getter)why_paths, NULL,
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
    {"drawing", (getter)why_drawing, NULL, "The same as a Drawing.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef why_methods[] = {
    {"to_dicts", why_to_dicts, METH_NOARGS,
     "to_dicts($self, /)\n"
     "--\n\n"
     "A dict for each reference of path and of paths.\n\n"
     "'path' is 0 for path, and 1 and up for each of paths. 'type', 'size' and "
     "'retained'\n"
     "are the target's. 'reason' says what cutting the reference does; it is "
     "'' if that\n"
     "frees nothing."},
    {"to_pandas", why_to_pandas, METH_NOARGS,
     "to_pandas($self, /)\n--\n\nThe same as a pandas.DataFrame."},
    {"save", FASTCALL(why_save), METH_FASTCALL | METH_KEYWORDS,
     "save($self, /, path, format=None)\n--\n\nWrite the picture and return "
     "its path, as Drawing.save() does."},
    {"_repr_svg_", why_repr_svg, METH_NOARGS, "_repr_svg_($self, /)\n--\n\n"},
    {"_repr_html_", why_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot why_slots[] = {
    SLOT(Py_tp_dealloc, why_dealloc),
    SLOT(Py_tp_repr, why_repr),
    SLOT(Py_tp_str, why_str),
    SLOT(Py_tp_getattro, why_getattro),
    {Py_tp_members, why_members},
    {Py_tp_getset, why_getset},
    {Py_tp_methods, why_methods},
    {Py_tp_doc, "What keeps an object alive; str() is the report.\n\n"
                "The result of Snapshot.why() keeps its snapshot, the result "
                "of why() only what it\n"
                "shows."},
    {0, NULL},
};

PyType_Spec why_spec = {
    .name = "leakgraph.Why",
    .basicsize = sizeof(why_object),
    .flags = FINAL_TYPE,
    .slots = why_slots,
};
