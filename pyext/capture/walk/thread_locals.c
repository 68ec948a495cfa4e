/**
 * Thread-local data. An object of threading.local keeps a dict for each thread,
 * which lives until either of the two dies. The capture gives each dict to its
 * thread, so that a thread is charged with what it has stored. A dict that
 * leads back to its object stays with the object: the thread keeps neither of
 * them.
 */
#include "capture/cpython/capture_cpython.h"
#include "capture/walk/thread_locals.h"
#include "capture/walk/names.h"

#include <stdlib.h>
#include <string.h>

/** Nodes to look at below a dict. */
#define LOOKED_AT 4096u
/** How the name of a thread's reference to one of its dicts begins. */
#define OPENS_LOCAL "threading.local"

/** A dict that a thread has, and the edge from the thread. */
typedef struct given {
    uint64_t edge;
    uint32_t dict;
} given;

/** A threading.local, and its dict of the dicts by thread. */
typedef struct kept {
    const PyObject *object;
    uint32_t local;
    uint32_t dicts;
    uint32_t name; /**< interned: `threading.local app.cache` for what the
                        module app has as `cache`, or `threading.local` */
} kept;

/** Adds the open thread's edge to one of its dicts. The thread owns no
 *  reference to it. */
static void
give(lg__heap_walk *walk, PyObject *dict)
{
    if (dict == NULL || !PyDict_CheckExact(dict))
        return;
    uint32_t node = lg__walk_node(walk, dict);
    uint64_t edge = walk->builder->edge_count;
    if (node != LG_NONE &&
        lg__walk_scratch(walk, &walk->locals_given,
                         (walk->given_count + 1) * sizeof(given)))
        ((given *)walk->locals_given.data)[walk->given_count++] =
            (given){edge, node};
    lg__walk_edge(walk, dict, LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED,
                  lg__walk_intern_literal(walk, OPENS_LOCAL));
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
    PyObject *dict = lg__thread_dict(thread);
    while (dict != NULL && PyDict_CheckExact(dict) &&
           PyDict_Next(dict, &position, &key, &value))
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
    if (dicts != NULL &&
        lg__walk_scratch(walk, &walk->locals,
                         (walk->local_count + 1) * sizeof(kept)))
        ((kept *)walk->locals.data)[walk->local_count++] = (kept){
            object, lg__walk_node(walk, object), lg__walk_node(walk, dicts),
            lg__walk_intern_literal(walk, OPENS_LOCAL)};
}

/** Names a local after a variable of a module, unless it has the name of
 *  another one. */
static void
name_local(lg__heap_walk *walk, kept *local, PyObject *module,
           PyObject *variable)
{
    lg__name name;
    name.length = 0;
    if (local->name != lg__walk_intern_literal(walk, OPENS_LOCAL))
        return;
    lg__name_add(&name, OPENS_LOCAL " ");
    lg__name_add_str(&name, module, LG__NAME_LIMIT / 4);
    lg__name_add(&name, ".");
    lg__name_add_str(&name, variable, LG__NAME_LIMIT / 4);
    lg__name_add_bytes(&name, "", 1);
    local->name = lg__walk_intern(walk, name.data);
}

/** The locals by their objects, so that each variable is looked up once. */
typedef struct by_object {
    kept *locals;
    uint32_t *place; /**< [1 << bits] 1 + which local; 0, as in at least half:
                          none */
    unsigned bits;
} by_object;

/** The place of an object's local, or the empty one where the search ends. */
static uint32_t *
place_of(const by_object *index, const PyObject *object)
{
    uint64_t at =
        (uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15) >> (64 - index->bits);
    while (index->place[at] != 0 &&
           index->locals[index->place[at] - 1].object != object)
        at = (at + 1) & ((UINT64_C(1) << index->bits) - 1);
    return &index->place[at];
}

/** Returns false when memory ran out. */
static bool
index_locals(lg__heap_walk *walk, by_object *index)
{
    *index = (by_object){.locals = walk->locals.data, .bits = 1};
    while (UINT64_C(1) << index->bits < 2 * (uint64_t)walk->local_count)
        index->bits++;
    index->place = lg__walk_keep(walk, sizeof *index->place << index->bits);
    for (uint32_t i = 0; index->place != NULL && i < walk->local_count; i++)
        *place_of(index, index->locals[i].object) = i + 1;
    return index->place != NULL;
}

/** Names the locals that a module has in variables. */
static void
name_locals_of(lg__heap_walk *walk, const by_object *index, PyObject *name,
               PyObject *variables)
{
    Py_ssize_t at = 0;
    PyObject *variable, *value;
    while (PyDict_Next(variables, &at, &variable, &value)) {
        const uint32_t place = *place_of(index, value);
        if (place != 0 && PyUnicode_Check(variable))
            name_local(walk, &index->locals[place - 1], name, variable);
    }
}

/** Names the locals that modules have in variables. */
static void
name_locals(lg__heap_walk *walk)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *name, *module;
    by_object index;
    if (!index_locals(walk, &index))
        return;
    for (Py_ssize_t at = 0; PyDict_Next(modules, &at, &name, &module);) {
        PyObject *variables = PyUnicode_Check(name) && PyModule_Check(module)
                                  ? lg__module_dict(module)
                                  : NULL;
        if (variables != NULL)
            name_locals_of(walk, &index, name, variables);
    }
}

static int
compare(const void *a, const void *b)
{
    uint32_t x = ((const given *)a)->dict, y = ((const given *)b)->dict;
    return (x > y) - (x < y);
}

/** Sorts dicts that are in order, except for the few that the walk has met
 *  before. */
static void
sort(given *items, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        given item = items[i];
        uint32_t j = i;
        for (; j > 0 && items[j - 1].dict > item.dict; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/** Nodes that all searches together look at before each of them gets few. */
#define IN_ALL (1u << 21)
#define FEW 64u
/** Nodes that searches for one local remember: those of earlier searches, and
 *  of one more. */
#define REMEMBERED (3 * LOOKED_AT)

/** A node that a search has met. */
typedef struct met {
    uint32_t node;
    uint32_t from; /**< the entry that led here; REMEMBERED: none */
    uint32_t slot; /**< in the table */
    bool leads;    /**< it leads to the local; an older one without does not */
} met;

/** What searches for one local know. Threads often share what they store, so
 *  each search begins with what the earlier ones have found out. */
typedef struct search {
    lg_builder *builder;
    met *queue;      /**< [REMEMBERED] */
    uint32_t *table; /**< [2 * REMEMBERED] 1 + the entry of a node */
    uint32_t count;
    uint32_t most; /**< entries when the search must end */
    uint32_t left; /**< of IN_ALL */
} search;

static void
forget(search *to)
{
    memset(to->table, 0, 2 * REMEMBERED * sizeof *to->table);
    to->count = 0;
}

/** Adds a node unless it is known. Returns whether it is known to lead to the
 *  local. */
static bool
meet(search *to, uint32_t node, uint32_t from)
{
    uint32_t at = node * 2654435769u % (2 * REMEMBERED);
    while (to->table[at] != 0 && to->queue[to->table[at] - 1].node != node)
        at = (at + 1) % (2 * REMEMBERED);
    if (to->table[at] != 0)
        return to->queue[to->table[at] - 1].leads;
    if (to->count == to->most)
        return false;
    to->queue[to->count++] = (met){node, from, at, false};
    to->table[at] = to->count;
    return false;
}

/** Whether a search follows the edge. Classes and globals lead to everything,
 *  but what they have does not depend on a thread. */
static bool
is_followed(unsigned kind)
{
    unsigned plain = kind & LG_EDGE_KIND_MASK;
    return !(kind & LG_EDGE_WEAK) && plain != LG_EDGE_TYPE &&
           plain != LG_EDGE_GLOBALS;
}

/** Whether an entry leads to the target by one edge, or to a node that is known
 *  to. Meets what it refers to. */
static bool
leads_on(search *to, uint32_t entry, uint32_t target)
{
    const lg_builder *builder = to->builder;
    uint64_t edge, end;
    lg_builder_edges(builder, to->queue[entry].node, &edge, &end);
    for (; edge < end; edge++)
        if (is_followed(lg_builder_kind(builder, edge)) &&
            (lg_builder_target(builder, edge) == target ||
             meet(to, lg_builder_target(builder, edge), entry)))
            return true;
    return false;
}

/** Forgets the entries from `first` on. The last that was added goes first, so
 *  that the table stays searchable. */
static void
forget_from(search *to, uint32_t first)
{
    for (uint32_t at = to->count; at-- > first;)
        to->table[to->queue[at].slot] = 0;
    to->count = first;
}

/** Keeps the way of a search that found the local, and forgets its other nodes,
 *  which it may not have looked at. */
static void
keep_way(search *to, uint32_t first, uint32_t found)
{
    uint32_t end = to->count;
    for (uint32_t at = found; at != REMEMBERED; at = to->queue[at].from)
        to->queue[at].leads = true;
    forget_from(to, first);
    for (uint32_t at = first; at < end; at++)
        if (to->queue[at].leads) {
            uint32_t entry = to->count;
            meet(to, to->queue[at].node, REMEMBERED);
            to->queue[entry].leads = true;
        }
}

/** Whether a node leads to another, as far as a short search shows. A search
 *  that ends early has found nothing out that another could use. */
static bool
leads_to(search *to, uint32_t node, uint32_t target)
{
    if (to->count > REMEMBERED - LOOKED_AT)
        forget(to);
    uint32_t first = to->count;
    to->most = first + (to->left > 0 ? LOOKED_AT : FEW);
    bool leads = meet(to, node, REMEMBERED);
    uint32_t at = first;
    for (; at < to->count && !leads; at++)
        leads = leads_on(to, at, target);
    uint32_t looked = at - first;
    to->left -= looked < to->left ? looked : to->left;
    if (leads && looked > 0)
        keep_way(to, first, at - 1);
    else if (to->count == to->most)
        forget_from(to, first);
    return leads;
}

/** Leaves one dict of a local to its thread: makes the reference of the local
 *  weak, and names that of the thread after the local. If the dict leads back
 * to the local, it makes that of the thread weak instead. */
static void
leave_to_thread(search *to, const kept *local, uint64_t edge, const given *dict)
{
    lg_builder *builder = to->builder;
    if (leads_to(to, dict->dict, local->local)) {
        lg_builder_weaken(builder, dict->edge);
        return;
    }
    lg_builder_weaken(builder, edge);
    lg_builder_rename(builder, dict->edge, LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED,
                      local->name);
    lg_builder_add_found(builder, dict->dict, 1);
}

static void
leave_to_threads(lg__heap_walk *walk, search *to, const kept *local)
{
    uint64_t edge, end;
    lg_builder_edges(to->builder, local->dicts, &edge, &end);
    for (; edge < end; edge++) {
        given wanted = {0, lg_builder_target(to->builder, edge)};
        const given *dict = NULL;
        if ((lg_builder_kind(to->builder, edge) & LG_EDGE_KIND_MASK) ==
            LG_EDGE_VALUE)
            dict = bsearch(&wanted, walk->locals_given.data, walk->given_count,
                           sizeof wanted, compare);
        if (dict != NULL)
            leave_to_thread(to, local, edge, dict);
    }
}

void
lg__locals_finish(lg__heap_walk *walk)
{
    const kept *locals = walk->locals.data;
    search to = {.builder = walk->builder, .left = IN_ALL};
    if (walk->given_count == 0 || walk->local_count == 0)
        return;
    to.queue = lg__walk_keep(walk, REMEMBERED * sizeof *to.queue);
    to.table = lg__walk_keep(walk, 2 * REMEMBERED * sizeof *to.table);
    if (to.queue == NULL || to.table == NULL)
        return;
    sort(walk->locals_given.data, walk->given_count);
    name_locals(walk);
    for (uint32_t i = 0; i < walk->local_count; i++) {
        forget(&to);
        leave_to_threads(walk, &to, &locals[i]);
    }
}
