/**
 * Numbers every object that the collector tracks: from the generation lists or,
 * if the self-check did not recognise them, from gc.get_objects().
 */
#include "capture/walk/collector_lists.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/writing.h>

/** During a collection the collector keeps objects in other lists, and other
 *  interpreters have lists of their own. Those do not end where the lists of
 *  this interpreter end. */
static bool
may_be_followed(const lg__heap_walk *walk)
{
    return walk->images.count > 0 && !walk->tracked.forward &&
           PyInterpreterState_Next(PyInterpreterState_Head()) == NULL;
}

/** All heads of lists lie in the interpreter's state, near each other. */
static void
find_heads(lg__heap_walk *walk)
{
    uintptr_t first = UINTPTR_MAX;
    uintptr_t last = 0;
    for (int list = 0; list < LG__GENERATIONS; list++) {
        uintptr_t head = (uintptr_t)lg__gc_head(walk->interpreter, list);
        first = head < first ? head : first;
        last = head > last ? head : last;
    }
    walk->tracked.heads = first;
    walk->tracked.heads_size = last - first + 1;
}

/** Up to 3.10 running frames are objects, but the walk treats them as
 *  frames. */
static void
follow_frames(lg__heap_walk *walk)
{
    static const lg__type_info framed = {
        .head = LG__HEAD_ALWAYS,
        .head_is_sure = true,
    };
    if (!LG__FRAMES_ARE_OBJECTS)
        return;
    for (uint32_t node = 1 + walk->thread_count; node < walk->synthetic_count;
         node++) {
        PyObject *frame =
            (PyObject *)(uintptr_t)lg_builder_address(walk->builder, node);
        lg__chain_follow(walk, node, frame, &framed);
    }
}

/** Numbers the first object of each list, if lists may be followed. */
static void
chain_begin(lg__heap_walk *walk)
{
    walk->tracked.followed = may_be_followed(walk);
    find_heads(walk);
    for (int list = 0; walk->tracked.followed && list < LG__GENERATIONS;
         list++) {
        const lg__gc_link *head = lg__gc_head(walk->interpreter, list);
        if (lg__gc_next(head) != head)
            lg__walk_node(walk, lg__gc_next(head) + 1);
    }
    follow_frames(walk);
}

void
lg__chain_put_off(lg__heap_walk *walk, uint32_t node)
{
    lg__tracked *lists = &walk->tracked;
    size_t size = (lists->put_off_count + (size_t)1) * sizeof node;
    if (lg__walk_scratch(walk, &lists->put_off, size))
        ((uint32_t *)lists->put_off.data)[lists->put_off_count++] = node;
}

/** Returns whether the words before an object are a head: then the next object
 *  of the list refers back to it. Unmapped memory cannot be one. */
static bool
is_linked(const lg__gc_link *head)
{
    const lg__gc_link *next = lg__gc_next(head);
    lg__gc_link seen;
    return (uintptr_t)next % sizeof(void *) == 0 &&
           lg__peek(&seen, next, sizeof seen) && lg__gc_prev(&seen) == head;
}

/** Call it when nothing is left to walk. Continues with the next of an object
 *  that was put off, if its word proves to be the collector's. Returns false if
 *  no word leads to a new object. If the walk still follows the lists then, it
 *  has met all objects in them. */
static bool
chain_go_on(lg__heap_walk *walk)
{
    lg__tracked *lists = &walk->tracked;
    const uint32_t *nodes = lists->put_off.data;
    while (lists->put_off_count > 0) {
        uint32_t node = nodes[--lists->put_off_count];
        const lg__gc_link *head =
            (const lg__gc_link *)(uintptr_t)lg_builder_address(walk->builder,
                                                               node) -
            1;
        uint32_t known = walk->builder->node_count;
        const void *next = lg__gc_next(head) + 1;
        lists->followed = lg__address_map_find(&walk->address_map, next) != 0 ||
                          is_linked(head);
        if (!lists->followed)
            break;
        lg__walk_node(walk, next);
        lg_builder_mark(walk->builder, node, LG_NODE_TRACKED);
        if (walk->builder->node_count > known)
            return true;
    }
    return false;
}

/** Node 0 is no object: the walk passes over those that it stands for. */
static uint32_t
number_tracked(lg__heap_walk *walk, lg__gc_link *head)
{
    uint32_t node = lg__walk_node(walk, head + 1);
    if (node != LG_NONE && node != 0)
        lg_builder_mark(walk->builder, node, LG_NODE_TRACKED);
    return node;
}

/** Continues with the next list that is not empty; returns whether there is
 *  one. */
static bool
next_list(lg__heap_walk *walk)
{
    lg__tracked *at = &walk->tracked;
    while (at->next_list < LG__PERMANENT) {
        lg__gc_link *head = lg__gc_head(walk->interpreter, at->next_list++);
        at->front = lg__gc_next(head);
        at->back = at->forward ? head : lg__gc_prev(head);
        if (at->front != head)
            return true;
    }
    at->done = true;
    return false;
}

/** Numbers from both ends at once: a list in random memory order is a chain of
 *  cache misses, and two chains overlap. Returns how many it numbered. The ends
 *  meet at one object, or pass each other between two, so each object is
 *  numbered once. */
static uint32_t
number_both_ends(lg__heap_walk *walk, uint32_t most)
{
    lg__tracked *at = &walk->tracked;
    lg__gc_link *front = at->front;
    lg__gc_link *back = at->back;
    uint32_t count = 0;
    while (front != NULL && count < most) {
        lg__gc_link *next = lg__gc_next(front);
        lg__prefetch(next);
        number_tracked(walk, front);
        count++;
        if (front == back) {
            front = NULL;
            break;
        }
        number_tracked(walk, back);
        count++;
        front = next == back ? NULL : next;
        if (front != NULL)
            back = lg__gc_prev(back);
    }
    at->front = front;
    at->back = back;
    return count;
}

/** While a collection runs (a finaliser may ask for a snapshot), backward links
 *  may hold the collector's own counts. `back` is then the list's head. */
static uint32_t
number_forward(lg__heap_walk *walk, uint32_t most)
{
    lg__tracked *at = &walk->tracked;
    uint32_t count = 0;
    while (at->front != NULL && count < most) {
        number_tracked(walk, at->front);
        count++;
        at->front = lg__gc_next(at->front);
        if (at->front == at->back)
            at->front = NULL;
    }
    return count;
}

/** Numbers the objects that the collector ignores since gc.freeze(). */
static void
number_frozen(lg__heap_walk *walk)
{
    const lg__gc_link *list = lg__gc_head(walk->interpreter, LG__PERMANENT);
    for (lg__gc_link *head = lg__gc_next(list); head != list;
         head = lg__gc_next(head)) {
        uint32_t node = number_tracked(walk, head);
        if (node == LG_NONE)
            return;
        lg_builder_mark(walk->builder, node, LG_NODE_FROZEN);
    }
}

void
lg__enumerate_begin(lg__heap_walk *walk)
{
    walk->tracked = (lg__tracked){
        .forward = lg__gc_collecting(walk->interpreter),
    };
    if (LG__FREE_THREADED)
        return;
    number_frozen(walk);
    chain_begin(walk);
}

/** Numbers about this many more. */
static void
number_some(lg__heap_walk *walk, uint32_t most)
{
    lg__tracked *at = &walk->tracked;
    while (!at->done && most > 0) {
        if (at->front == NULL && !next_list(walk))
            return;
        uint32_t count = at->forward ? number_forward(walk, most)
                                     : number_both_ends(walk, most);
        most -= count < most ? count : most;
    }
}

/** How many tracked objects are numbered at a time. */
enum { BATCH = 256 };

void
lg__enumerate_ahead(lg__heap_walk *walk, uint32_t next, uint32_t beyond)
{
    const lg_builder *builder = walk->builder;
    lg__tracked *at = &walk->tracked;
    if (at->done || next + beyond < builder->node_count)
        return;
    /* While each object leads to the next, a pass over the lists would find
       nothing. */
    if (at->followed) {
        if (next < builder->node_count || chain_go_on(walk))
            return;
        at->done = at->followed;
    }
    /* Try again: a batch may contain only known objects. */
    while (!at->done) {
        number_some(walk, BATCH);
        if (next < builder->node_count)
            return;
    }
}

lg_status
lg__enumerate_public(lg__heap_walk *walk, lg_error *err)
{
    lg_status status = LG_ENOMEM;
    PyObject *collector = PyImport_ImportModule("gc");
    PyObject *all = collector != NULL
                        ? lg__method_call(collector, "get_objects", NULL)
                        : NULL;
    if (all == NULL || !PyList_CheckExact(all)) {
        PyErr_Clear();
        status = lg_error_set(err, LG_EUNSUPPORTED,
                              "gc.get_objects() failed, and this interpreter's "
                              "own object lists are not recognised");
        goto done;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(all); i++) {
        PyObject *object = PyList_GET_ITEM(all, i);
        uint32_t node = lg__walk_node(walk, object);
        if (node != LG_NONE)
            lg_builder_mark(walk->builder, node, LG_NODE_TRACKED);
        /* Drops the list and its references, before anything counts these. */
    }
    status = LG_OK;
done:
    Py_XDECREF(all);
    Py_XDECREF(collector);
    return status;
}
