/**
 * Numbers every object that the collector tracks: from the generation lists or,
 * if the self-check did not recognise them, from gc.get_objects().
 */
#include "capture/walk/chain.h"
#include "capture/common/capture_common.h"

static uint32_t
number_tracked(lg__heap_walk *walk, lg__gc_link *head)
{
    uint32_t node = lg__walk_node(walk, head + 1);
    if (node != LG_NONE)
        walk->builder->node_flags[node] |= LG_NODE_TRACKED;
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
 *  cache misses, and two chains overlap. Returns how many it numbered. */
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
        walk->builder->node_flags[node] |= LG_NODE_FROZEN;
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
    lg__chain_begin(walk);
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
        if (next < builder->node_count || lg__chain_go_on(walk))
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
            walk->builder->node_flags[node] |= LG_NODE_TRACKED;
        /* Drops the list and its references, before anything counts these. */
    }
    status = LG_OK;
done:
    Py_XDECREF(all);
    Py_XDECREF(collector);
    return status;
}
