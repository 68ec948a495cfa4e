/**
 * Thread-local data. An object of threading.local keeps a dict for each thread,
 * which lives until either of the two dies. The capture gives each dict to its
 * thread, so that a thread is charged with what it has stored.
 */
#include "capture/cpython/compat_locals.h"
#include "capture/walk/heap_walk.h"

#include <stdlib.h>
#include <string.h>

static void
append(lg__heap_walk *walk, lg__scratch *scratch, uint32_t *count,
       uint32_t node)
{
    if (node != LG_NONE &&
        lg__walk_scratch(walk, scratch, (*count + 1) * sizeof(uint32_t)))
        ((uint32_t *)scratch->data)[(*count)++] = node;
}

/** Adds the open thread's edge to one of its dicts. The thread owns no
 *  reference to it. */
static void
give(lg__heap_walk *walk, PyObject *dict)
{
    if (dict == NULL || !PyDict_CheckExact(dict))
        return;
    append(walk, &walk->locals_given, &walk->given_count,
           lg__walk_node(walk, dict));
    lg__walk_edge(walk, dict, LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED,
                  lg__walk_intern(walk, "threading.local"));
}

/** The value of exactly this key in a dict. */
static PyObject *
value_under(PyObject *dict, const PyObject *wanted)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (dict != NULL && PyDict_CheckExact(dict) &&
           PyDict_Next(dict, &position, &key, &value))
        if (key == wanted)
            return value;
    return NULL;
}

/** The local behind one of a thread's weak references, whose callback has a
 *  weak reference to the local, and the thread's key. */
static PyObject *
local_behind(const PyWeakReference *reference)
{
    PyObject *callback = reference->wr_callback;
    if (callback == NULL || !PyCFunction_Check(callback))
        return NULL;
    PyObject *pair = ((PyCFunctionObject *)callback)->m_self;
    if (pair == NULL || !PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) < 1)
        return NULL;
    PyObject *local = PyTuple_GET_ITEM(pair, 0);
    return PyWeakref_CheckRefExact(local)
               ? ((PyWeakReference *)local)->wr_object
               : NULL;
}

/** From 3.13 on (Modules/_threadmodule.c). */
static void
give_by_key(lg__heap_walk *walk, lg__local_words words)
{
    PyObject *sentinel = words.sentinel;
    if (sentinel == NULL || Py_TYPE(sentinel)->tp_weaklistoffset <= 0)
        return;
    const PyWeakReference *reference =
        *(PyWeakReference **)((char *)sentinel +
                              Py_TYPE(sentinel)->tp_weaklistoffset);
    for (; reference != NULL; reference = reference->wr_next) {
        PyObject *local = local_behind(reference);
        const lg__type_info *info =
            local != NULL && local != Py_None
                ? lg__walk_type_info(walk, Py_TYPE(local))
                : NULL;
        if (info != NULL && info->shape == LG__SHAPE_LOCAL)
            give(walk, value_under(lg__named_word(walk, local, info, "dummies"),
                                   words.key));
    }
}

/** Modules/_threadmodule.c up to 3.12; the dict is borrowed. */
typedef struct dummy_layout {
    PyObject_HEAD
    PyObject *dict;
    PyObject *weakrefs;
} dummy_layout;

/** Up to 3.12 the thread's own dict has an object for each local, which leads
 *  to the dict and whose end clears it. */
static void
give_from_dict(lg__heap_walk *walk, const PyThreadState *thread)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (thread->dict != NULL && PyDict_CheckExact(thread->dict) &&
           PyDict_Next(thread->dict, &position, &key, &value))
        if (strcmp(Py_TYPE(value)->tp_name, "_thread._localdummy") == 0 &&
            Py_TYPE(value)->tp_basicsize == sizeof(dummy_layout))
            give(walk, ((dummy_layout *)value)->dict);
}

void
lg__locals_of_thread(lg__heap_walk *walk, const PyThreadState *thread)
{
    lg__local_words words = lg__thread_local_words(thread);
    if (words.by_key)
        give_by_key(walk, words);
    else
        give_from_dict(walk, thread);
}

void
lg__locals_note(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    PyObject *dicts = lg__named_word(walk, object, info, "dummies");
    if (dicts != NULL)
        append(walk, &walk->locals, &walk->local_count,
               lg__walk_node(walk, dicts));
}

static int
compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/** Sorts nodes that are in order, except for the few that the walk has met
 *  before. */
static void
sort(uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        uint32_t node = nodes[i], j = i;
        for (; j > 0 && nodes[j - 1] > node; j--)
            nodes[j] = nodes[j - 1];
        nodes[j] = node;
    }
}

/** Makes the references of one local's dicts weak, if threads have them. */
static void
leave_to_threads(lg__heap_walk *walk, uint32_t dicts)
{
    lg_builder *builder = walk->builder;
    uint64_t edge, end;
    lg_builder_edges(builder, dicts, &edge, &end);
    for (; edge < end; edge++)
        if ((builder->edge_kind[edge] & LG_EDGE_KIND_MASK) == LG_EDGE_VALUE &&
            bsearch(&builder->edge_target[edge], walk->locals_given.data,
                    walk->given_count, sizeof(uint32_t), compare)) {
            builder->edge_kind[edge] |= LG_EDGE_WEAK;
            lg_builder_add_found(builder, builder->edge_target[edge], 1);
        }
}

void
lg__locals_finish(lg__heap_walk *walk)
{
    const uint32_t *dicts = walk->locals.data;
    if (walk->given_count == 0)
        return;
    sort(walk->locals_given.data, walk->given_count);
    for (uint32_t i = 0; i < walk->local_count; i++)
        leave_to_threads(walk, dicts[i]);
}
