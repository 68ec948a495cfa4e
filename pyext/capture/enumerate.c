/**
 * Every object that the collector tracks, by one of two methods: the generation
 * lists themselves, or gc.get_objects() where the self-check did not recognise
 * them.
 */
#include "walk.h"

static void
number_tracked(lg_walk *walk, PyGC_Head *head, uint16_t flags)
{
    uint32_t node = lg_walk_node(walk, head + 1);
    if (node != LG_NONE)
        walk->builder->node_flags[node] |= flags;
}

/** While a collection runs (a finaliser may ask for a snapshot), backward links
 *  may hold the collector's own counts. */
static void
enumerate_forward(lg_walk *walk, PyGC_Head *head, uint16_t flags)
{
    for (PyGC_Head *at = lg_gc_next(head); at != head; at = lg_gc_next(at))
        number_tracked(walk, at, flags);
}

/** From both ends at once: a list in random memory order is a chain of cache
 *  misses, and two chains overlap. */
static void
enumerate_list(lg_walk *walk, PyGC_Head *head, uint16_t flags)
{
    PyGC_Head *front = lg_gc_next(head);
    PyGC_Head *back = lg_gc_prev(head);
    if (front == head)
        return;
    for (;;) {
        number_tracked(walk, front, flags);
        if (front == back)
            return;
        number_tracked(walk, back, flags);
        front = lg_gc_next(front);
        if (front == back)
            return;
        back = lg_gc_prev(back);
    }
}

void
lg_enumerate(lg_walk *walk)
{
    bool collecting = lg_gc_collecting(walk->interpreter);
    for (int i = 0; i < LG_GENERATIONS; i++) {
        PyGC_Head *head = lg_gc_head(walk->interpreter, i);
        uint16_t flags = LG_NODE_TRACKED;
        if (i == LG_PERMANENT)
            flags |= LG_NODE_FROZEN;
        if (collecting)
            enumerate_forward(walk, head, flags);
        else
            enumerate_list(walk, head, flags);
    }
}

lg_status
lg_enumerate_public(lg_walk *walk, lg_error *err)
{
    lg_status status = LG_ENOMEM;
    PyObject *collector = PyImport_ImportModule("gc");
    PyObject *all = collector != NULL
                        ? PyObject_CallMethod(collector, "get_objects", NULL)
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
        uint32_t node = lg_walk_node(walk, object);
        if (node != LG_NONE)
            walk->builder->node_flags[node] |= LG_NODE_TRACKED;
        /* The list goes away with its references before anything is counted. */
    }
    status = LG_OK;
done:
    Py_XDECREF(all);
    Py_XDECREF(collector);
    return status;
}
