/** How many objects the collector tracks, without a walk of the heap. */
#include "capture/walk/capture_walk.h"

#include "capture/run/capture.h"

typedef struct counting {
    size_t count;
    size_t limit;
} counting;

static int
count_one(PyObject *Py_UNUSED(object), void *context)
{
    counting *at = context;
    return ++at->count <= at->limit;
}

/** Follows the forward links, which are intact during a collection, too. */
static void
count_list(const lg__gc_link *list, counting *at)
{
    const lg__gc_link *head = lg__gc_next(list);
    while (head != list && count_one(NULL, at))
        head = lg__gc_next(head);
}

bool
lg__capture_is_small(size_t limit)
{
    counting at = {0, limit};
    if (!lg__capture_internal())
        return false;
    if (LG__FREE_THREADED)
        lg__visit_stopped(count_one, &at);
    for (int i = 0; i < LG__GENERATIONS && at.count <= limit; i++)
        count_list(lg__gc_head(PyInterpreterState_Get(), i), &at);
    return at.count <= limit;
}
