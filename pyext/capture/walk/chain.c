#include "capture/walk/chain.h"
#include "capture/common/capture_common.h"

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
        PyObject *frame = (PyObject *)(uintptr_t)walk->builder->address[node];
        lg__chain_follow(walk, node, frame, &framed);
    }
}

void
lg__chain_begin(lg__heap_walk *walk)
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

bool
lg__chain_go_on(lg__heap_walk *walk)
{
    lg__tracked *lists = &walk->tracked;
    const uint32_t *nodes = lists->put_off.data;
    while (lists->put_off_count > 0) {
        uint32_t node = nodes[--lists->put_off_count];
        const lg__gc_link *head =
            (const lg__gc_link *)(uintptr_t)walk->builder->address[node] - 1;
        uint32_t known = walk->builder->node_count;
        const void *next = lg__gc_next(head) + 1;
        lists->followed = lg__address_map_find(&walk->address_map, next) != 0 ||
                          is_linked(head);
        if (!lists->followed)
            break;
        lg__walk_node(walk, next);
        walk->builder->node_flags[node] |= LG_NODE_TRACKED;
        if (walk->builder->node_count > known)
            return true;
    }
    return false;
}
