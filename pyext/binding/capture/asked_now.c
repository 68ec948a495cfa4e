/**
 * Functions of the module that answer what methods of Snapshot answer: each
 * takes a snapshot, asks it, and keeps of it what the answer shows. One finds
 * the live objects that refer to other live objects without a snapshot: what
 * gc.get_referrers() finds, for many targets in one pass over the heap.
 */
#include "binding/capture/binding_capture.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <stdbool.h>
#include <stdlib.h>

static lg__snapshot_object *
take(lg__core_state *state, PyObject *held)
{
    lg__progress progress;
    if (!lg__progress_begin(&progress, NULL))
        return NULL;
    return (lg__snapshot_object *)lg__progress_end(
        &progress,
        (PyObject *)lg__snapshot_now(state, held, &progress.monitor));
}

/* The first argument, with a name or without, may be an object of the program.
 */
static PyObject *
ask(PyObject *module, const char *name, PyObject *const *args, Py_ssize_t nargs,
    PyObject *kwnames)
{
    bool some = nargs > 0 || (kwnames && PyTuple_GET_SIZE(kwnames) > 0);
    lg__snapshot_object *snapshot =
        take(lg__module_state(module), some ? args[0] : NULL);
    PyObject *method =
        snapshot ? lg__attribute_get((PyObject *)snapshot, name) : NULL;
    PyObject *answer =
        method ? PyObject_Vectorcall(method, args, (size_t)nargs, kwnames)
               : NULL;
    Py_XDECREF(method);
    return lg__kept_answer(snapshot, answer);
}

#define ASKED(function, name)                                                  \
    PyObject *lg__core_##function(PyObject *module, PyObject *const *args,     \
                                  Py_ssize_t nargs, PyObject *kwnames)         \
    {                                                                          \
        return ask(module, name, args, nargs, kwnames);                        \
    }

ASKED(export, "export")
ASKED(info, "info")
ASKED(report, "report")
ASKED(retained, "retained")

#define TAKES "Takes a snapshot. Otherwise as Snapshot."

const char lg__core_export_doc[] =
    "export($module, /, path, *, format=None, progress=None)\n--\n\n"
    "Write a snapshot for another tool, and return the path.\n\n" TAKES
    "export().";
const char lg__core_info_doc[] =
    "info($module, /)\n--\n\nFacts about a snapshot that is taken now: Info.";
const char lg__core_report_doc[] =
    "report($module, /, path, *, earlier=(), steps=None, title=None, "
    "samples=None,\n       settled=False, progress=None)\n--\n\n"
    "Write one web page with all answers, and return its path.\n\n" TAKES
    "report().";
const char lg__core_retained_doc[] =
    "retained($module, /, target, *, progress=None)\n--\n\n"
    "Bytes that only these objects together keep alive: a Size.\n\n" TAKES
    "retained().";

typedef struct slot {
    const PyObject *target; /* NULL: free */
    Py_ssize_t index;       /* among the targets */
    Py_ssize_t last;        /* the last object that was found to refer to it */
} slot;

/* A reference that was found: the target's and the referrer's index. */
typedef struct reference {
    Py_ssize_t target, source;
} reference;

typedef struct search {
    PyObject *objects;
    slot *slots; /* as many as a power of two, at most half of them taken */
    size_t mask;
    Py_ssize_t source; /* the object that is visited */
    reference *found;
    size_t count, room;
    bool failed;
} search;

/* The slot of an address, or the free slot where it belongs. */
static slot *
slot_of(const search *in, const PyObject *address)
{
    uint64_t hash = (uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash >> 32) & in->mask;
    while (in->slots[at].target != NULL && in->slots[at].target != address)
        at = (at + 1) & in->mask;
    return &in->slots[at];
}

static bool
open_search(search *in, PyObject *objects, PyObject *targets)
{
    size_t slots = 16;
    Py_ssize_t count = PyList_GET_SIZE(targets);
    while (slots < 2 * (size_t)count)
        slots *= 2;
    *in = (search){.objects = objects, .mask = slots - 1};
    in->slots = calloc(slots, sizeof *in->slots);
    for (Py_ssize_t i = 0; in->slots != NULL && i < count; i++) {
        const PyObject *target = PyList_GET_ITEM(targets, i);
        *slot_of(in, target) = (slot){target, i, -1};
    }
    return in->slots != NULL;
}

static int
visit(PyObject *object, void *context)
{
    search *in = context;
    slot *hit = slot_of(in, object);
    if (hit->target == NULL || hit->last == in->source)
        return 0;
    hit->last = in->source;
    if (in->count == in->room) {
        size_t room = 2 * in->room + 64;
        reference *more = realloc(in->found, room * sizeof *more);
        in->failed |= more == NULL;
        if (more == NULL)
            return 1;
        in->found = more;
        in->room = room;
    }
    in->found[in->count++] = (reference){hit->index, in->source};
    return 0;
}

/* Returns 0, so that a collector that calls it ends its visit. */
static int
visit_all(PyObject *Py_UNUSED(first), void *context)
{
    search *in = context;
    Py_ssize_t count = PyList_GET_SIZE(in->objects);
    for (in->source = 0; in->source < count && !in->failed; in->source++) {
        PyObject *object = PyList_GET_ITEM(in->objects, in->source);
        traverseproc traverse = Py_TYPE(object)->tp_traverse;
        if (traverse != NULL && PyObject_IS_GC(object))
            traverse(object, visit, in);
    }
    return 0;
}

/* Makes a list of referrers for each target. */
static PyObject *
lists_of(const search *in, PyObject *targets)
{
    Py_ssize_t count = PyList_GET_SIZE(targets);
    PyObject *lists = PyList_New(count);
    for (Py_ssize_t i = 0; lists != NULL && i < count; i++) {
        PyObject *list = PyList_New(0);
        if (list == NULL)
            Py_CLEAR(lists);
        else
            PyList_SET_ITEM(lists, i, list);
    }
    for (size_t i = 0; lists != NULL && i < in->count; i++) {
        PyObject *list = PyList_GET_ITEM(lists, in->found[i].target);
        PyObject *source = PyList_GET_ITEM(in->objects, in->found[i].source);
        if (PyList_Append(list, source) < 0)
            Py_CLEAR(lists);
    }
    return lists;
}

const char lg__core_referrers_doc[] =
    "_referrers($module, objects, targets, /)\n--\n\n"
    "For each of a list of different targets a list of those of `objects` that "
    "refer\nto it, each once and in their order.\n\n"
    "Visits each object once. Both lists must stay as they are.";

PyObject *
lg__core_referrers(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *objects;
    PyObject *targets;
    if (!PyArg_ParseTuple(args, "O!O!:_referrers", &PyList_Type, &objects,
                          &PyList_Type, &targets))
        return NULL;
    search in;
    if (!open_search(&in, objects, targets))
        return PyErr_NoMemory();
#ifdef Py_GIL_DISABLED
    /* The collector stops the other threads before it calls back. */
    PyUnstable_GC_VisitObjects(visit_all, &in);
#else
    visit_all(NULL, &in);
#endif
    PyObject *lists = in.failed ? PyErr_NoMemory() : lists_of(&in, targets);
    free(in.slots);
    free(in.found);
    return lists;
}
