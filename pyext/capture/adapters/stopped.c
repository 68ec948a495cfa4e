/**
 * The walk in a free-threaded build, where other threads run until the
 * collector stops them. PyUnstable_GC_VisitObjects does, and tells of one
 * tracked object after the other; when it returns they run again. So all that
 * reads the heap happens inside its callback, and is complete after each call:
 * nobody says which object is the last.
 *
 * No Python memory is allocated meanwhile, and no lock taken: the interpreter's
 * own heaps are being gone through, by a thread that holds its list of threads.
 */
#include "capture/adapters/adapter_pass.h"

/** How far the texts and the holding have come. */
typedef struct stopped {
    lg_walk *walk;
    PyObject *token;
    bool begun;
    uint64_t edges;
    uint32_t nodes;
    uint32_t held;
} stopped;

/** Keys and names: by an edge that was just found, a node met long ago may have
 *  become one. */
static void
tell_edge(lg_walk *walk, uint64_t edge)
{
    const lg_builder *builder = walk->builder;
    switch (builder->edge_kind[edge] & LG_EDGE_KIND_MASK) {
    case LG_EDGE_VALUE:
        lg_text_tell(walk, builder->edge_payload[edge]);
        break;
    case LG_EDGE_KEY:
        lg_text_tell(walk, builder->edge_target[edge]);
        break;
    case LG_EDGE_DICT:
        lg_text_tell_names(walk, builder->edge_target[edge]);
        break;
    default:
        break;
    }
}

static void
tell_texts(stopped *self)
{
    const lg_builder *builder = self->walk->builder;
    for (; self->edges < builder->edge_count; self->edges++)
        tell_edge(self->walk, self->edges);
    for (; self->nodes < builder->node_count; self->nodes++)
        lg_text_tell(self->walk, self->nodes);
}

/** The walk of all that is known so far, to the end. */
static void
drain(stopped *self)
{
    lg_walk *walk = self->walk;
    lg_walk_run(walk);
    if (lg_passes_have_news(walk))
        lg_passes_run(walk);
    tell_texts(self);
    lg_sizes_hold(walk);
    lg_passes_hold(walk);
}

/** Returns whether more objects are wanted. */
static int
visit(PyObject *object, void *context)
{
    stopped *self = context;
    lg_walk *walk = self->walk;
    if (!self->begun) {
        self->begun = true;
        lg_capture_roots(walk);
        drain(self);
    }
    if (walk->partial || walk->builder->status != LG_OK)
        return 0;
    if (object == self->token)
        return 1;
    lg_walk_node(walk, object);
    if (walk->walked < walk->builder->node_count)
        drain(self);
    return 1;
}

void
lg_stopped_walk(lg_walk *walk)
{
    /* Something must be told of, even when all else is frozen. */
    stopped self = {.walk = walk, .token = PyList_New(0)};
    if (self.token == NULL) {
        PyErr_Clear();
        walk->builder->status = LG_ENOMEM;
        return;
    }
    lg_visit_stopped(visit, &self);
    Py_DECREF(self.token);
}
