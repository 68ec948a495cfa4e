#include "capture/walk/chain.h"
#include "capture/cpython/peek.h"

/** During a collection the collector keeps objects in other lists, and other
 *  interpreters have lists of their own. Those do not end where the lists of
 *  this interpreter end. */
static bool
may_be_followed(const lg_walk *walk)
{
    return walk->images.count > 0 && !walk->tracked.forward &&
           PyInterpreterState_Next(PyInterpreterState_Head()) == NULL;
}

/** All heads of lists lie in the interpreter's state, near each other. */
static void
find_heads(lg_walk *walk)
{
    uintptr_t first = UINTPTR_MAX;
    uintptr_t last = 0;
    for (int list = 0; list < LG_GENERATIONS; list++) {
        uintptr_t head = (uintptr_t)lg_gc_head(walk->interpreter, list);
        first = head < first ? head : first;
        last = head > last ? head : last;
    }
    walk->tracked.heads = first;
    walk->tracked.heads_size = last - first + 1;
}

/** Up to 3.10 running frames are objects, but the walk treats them as
 *  frames. */
static void
follow_frames(lg_walk *walk)
{
    static const lg_type_info framed = {
        .head = LG_HEAD_ALWAYS,
        .head_is_sure = true,
    };
    if (!LG_FRAMES_ARE_OBJECTS)
        return;
    for (uint32_t node = 1 + walk->thread_count; node < walk->synthetic_count;
         node++) {
        PyObject *frame = (PyObject *)(uintptr_t)walk->builder->address[node];
        lg_chain_follow(walk, node, frame, &framed);
    }
}

void
lg_chain_begin(lg_walk *walk)
{
    walk->tracked.followed = may_be_followed(walk);
    find_heads(walk);
    for (int list = 0; walk->tracked.followed && list < LG_GENERATIONS;
         list++) {
        const PyGC_Head *head = lg_gc_head(walk->interpreter, list);
        if (lg_gc_next(head) != head)
            lg_walk_node(walk, lg_gc_next(head) + 1);
    }
    follow_frames(walk);
}

void
lg_chain_put_off(lg_walk *walk, uint32_t node)
{
    lg_tracked *lists = &walk->tracked;
    size_t size = (lists->put_off_count + (size_t)1) * sizeof node;
    if (lg_walk_scratch(walk, &lists->put_off, size))
        ((uint32_t *)lists->put_off.data)[lists->put_off_count++] = node;
}

/** Returns whether the words before an object are a head: then the next object
 *  of the list refers back to it. Unmapped memory cannot be one. */
static bool
is_linked(const PyGC_Head *head)
{
    const PyGC_Head *next = lg_gc_next(head);
    PyGC_Head seen;
    return (uintptr_t)next % sizeof(void *) == 0 &&
           lg_peek(&seen, next, sizeof seen) && lg_gc_prev(&seen) == head;
}

bool
lg_chain_go_on(lg_walk *walk)
{
    lg_tracked *lists = &walk->tracked;
    const uint32_t *nodes = lists->put_off.data;
    while (lists->put_off_count > 0) {
        uint32_t node = nodes[--lists->put_off_count];
        const PyGC_Head *head =
            (const PyGC_Head *)(uintptr_t)walk->builder->address[node] - 1;
        uint32_t known = walk->builder->node_count;
        const void *next = lg_gc_next(head) + 1;
        lists->followed = lg_address_map_find(&walk->address_map, next) != 0 ||
                          is_linked(head);
        if (!lists->followed)
            break;
        lg_walk_node(walk, next);
        walk->builder->node_flags[node] |= LG_NODE_TRACKED;
        if (walk->builder->node_count > known)
            return true;
    }
    return false;
}
