#include "chain.h"
#include "peek.h"

/** Collections keep objects in lists of their own for a while, and other
 *  interpreters in theirs: neither ends where those of this one do. */
static bool
may_be_followed(const lg_walk *walk)
{
    return walk->images.count > 0 && !walk->tracked.forward &&
           PyInterpreterState_Next(PyInterpreterState_Head()) == NULL;
}

/** All heads lie in the interpreter's state, near each other. */
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

/** Up to 3.10 the frames that run are objects, which are not walked as such. */
static void
follow_frames(lg_walk *walk)
{
    static const lg_type_info framed = {.head = LG_HEAD_ALWAYS};
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

bool
lg_chain_is_linked(const lg_walk *walk, const PyGC_Head *head,
                   const PyGC_Head *next)
{
    PyGC_Head seen;
    if (lg_shadow_find(&walk->shadow, next + 1) != 0)
        return true;
    if ((uintptr_t)next % sizeof(void *) != 0)
        return false;
    if (lg_shadow_knows(&walk->shadow, next))
        return lg_gc_prev(next) == head;
    return lg_peek(&seen, next, sizeof seen) && lg_gc_prev(&seen) == head;
}
