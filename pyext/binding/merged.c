#include "merged.h"
#include "analysis.h"
#include "args.h"
#include "convert.h"
#include "errors.h"
#include "listing.h"
#include "python.h"
#include "target.h"

/* ---------------------------------------------------------------- made --- */

static lg_status
write_reports(const lg_analysis *analysis, const lg_nodes *nodes, size_t limit,
              const lg_monitor *monitor, listing_texts *out, lg_error *error)
{
    lg_status status =
        lg_report_paths(analysis, nodes->items, nodes->count, limit, monitor,
                        LG_FORMAT_TEXT, &out->text, error);
    if (status == LG_OK)
        status = lg_report_paths(analysis, nodes->items, nodes->count, limit,
                                 monitor, LG_FORMAT_JSON, &out->json, error);
    return status;
}

/* Frees the texts. */
static PyObject *
merged_new(snapshot_object *snapshot, listing_texts *texts)
{
    PyObject *json = PyUnicode_FromStringAndSize(
        texts->json.data, (Py_ssize_t)texts->json.length);
    PyObject *facts =
        json ? python_call("leakgraph.rows", "merged_facts", json) : NULL;
    Py_XDECREF(json);
    if (facts == NULL) {
        lg_text_free(&texts->text);
        lg_text_free(&texts->json);
        return NULL;
    }
    PyObject *self = listing_new(snapshot, TYPE_MERGED, "merged_rows", texts);
    if (self == NULL)
        Py_DECREF(facts);
    else
        ((listing_object *)self)->facts = facts;
    return self;
}

PyObject *
merged_of(snapshot_object *snapshot, const lg_nodes *nodes, size_t limit,
          const lg_monitor *monitor)
{
    const lg_analysis *analysis = analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return NULL;
    listing_texts texts = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = write_reports(analysis, nodes, limit, monitor, &texts, &error);
    Py_END_ALLOW_THREADS
    snapshot_release(snapshot);
    if (status == LG_OK)
        return merged_new(snapshot, &texts);
    lg_text_free(&texts.text);
    lg_text_free(&texts.json);
    return error_raise(object_state(snapshot), status, &error);
}

const char snapshot_merged_paths_doc[] =
    "merged_paths($self, /, target, *, limit=20, progress=None)\n--\n\n"
    "How the roots reach many objects: their shortest paths, merged.\n\n"
    "target    a selector, a Node, a list or Nodes of them, or a live object\n"
    "limit     lines, the biggest first; None for all\n"
    "progress  as in snapshot()\n\n"
    "Paths are one where types and labels agree; elements of a list and values "
    "of a\ndict count as one. PartialError on a snapshot of a part of the "
    "heap.";

PyObject *
snapshot_merged_paths(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    static const char *const names[] = {"target", "limit", "progress", NULL};
    static const arg_list list = {"merged_paths", names, 1, 1};
    PyObject *values[3] = {NULL};
    snapshot_object *snapshot = (snapshot_object *)self;
    uint64_t limit = MERGED_LINES;
    progress watch;
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_limit("limit", values[1], SIZE_MAX, &limit) ||
        !progress_start(&watch, values[2]))
        return NULL;
    if (values[1] == Py_None)
        limit = 0;
    lg_nodes nodes = {0};
    PyObject *merged = NULL;
    if (target_resolve_set(snapshot, values[0], &nodes))
        merged = merged_of(snapshot, &nodes, (size_t)limit, &watch.monitor);
    lg_nodes_free(&nodes);
    if (!progress_end(&watch, merged ? LG_OK : LG_ECANCELLED))
        Py_CLEAR(merged);
    return merged;
}

/* ------------------------------------------------------------ protocol --- */

static PyObject *
get_fact(listing_object *self, void *index)
{
    PyObject *fact = PyTuple_GET_ITEM(self->facts, (intptr_t)index);
    Py_INCREF(fact);
    return fact;
}

static PyObject *
merged_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return python_call("leakgraph.notebook", "merged_html", self);
}

static PyMemberDef merged_members[] = {
    {"rows", T_OBJECT, offsetof(listing_object, rows), READONLY,
     "A tuple of MergedRow(depth, label, name, node, count, objects, retained, "
     "device),\neach below the last one before it whose depth is less by "
     "one."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef merged_getset[] = {
    {"objects", (getter)get_fact, NULL, "How many objects were asked about.",
     (void *)0},
    {"unreachable", (getter)get_fact, NULL,
     "How many of them no root reaches: garbage.", (void *)1},
    {"retained", (getter)get_fact, NULL,
     "Bytes(host, device) that only they together keep alive.", (void *)2},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef merged_methods[] = {
    {"_repr_html_", merged_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot merged_slots[] = {
    LISTING_SLOTS,
    {Py_tp_members, merged_members},
    {Py_tp_getset, merged_getset},
    {Py_tp_methods, merged_methods},
    {Py_tp_doc, "A sequence of MergedRow, a tree from the roots down; str() "
                "draws it."},
    {0, NULL},
};

PyType_Spec merged_spec = {
    .name = "leakgraph.MergedPaths",
    .basicsize = sizeof(listing_object),
    .flags = FINAL_TYPE,
    .slots = merged_slots,
};
