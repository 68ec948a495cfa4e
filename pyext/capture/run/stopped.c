/**
 * The walk in a free-threaded build, where other threads run until the
 * collector stops them. PyUnstable_GC_VisitObjects stops them, calls back for
 * each tracked object, and lets them run again. So the callback does everything
 * that reads the heap, and completes it at each call, because it does not know
 * which object is the last.
 *
 * The callback allocates no Python memory and takes no lock: its thread holds
 * the interpreter's list of threads and is visiting the interpreter's own
 * heaps.
 */
#include "capture/adapters/capture_adapters.h"
#include "capture/run/steps.h"

/** How far the walk has recorded texts and held references. */
typedef struct stopped {
    lg__heap_walk *walk;
    PyObject *token;
    bool begun;
    uint64_t edges;
    uint32_t nodes;
    uint32_t held;
} stopped;

/** Records keys and names, also of older nodes: a new edge can show that one is
 *  a key. */
static void
record_edge(lg__heap_walk *walk, uint64_t edge)
{
    const lg_builder *builder = walk->builder;
    switch (lg_builder_kind(builder, edge) & LG_EDGE_KIND_MASK) {
    case LG_EDGE_VALUE:
        lg__text_record(walk, lg_builder_key(builder, edge));
        break;
    case LG_EDGE_KEY:
        lg__text_record(walk, lg_builder_target(builder, edge));
        break;
    case LG_EDGE_DICT:
        lg__text_record_names(walk, lg_builder_target(builder, edge));
        break;
    default:
        break;
    }
}

static void
record_texts(stopped *self)
{
    const lg_builder *builder = self->walk->builder;
    for (; self->edges < builder->edge_count; self->edges++)
        record_edge(self->walk, self->edges);
    for (; self->nodes < builder->node_count; self->nodes++) {
        lg__text_record(self->walk, self->nodes);
        lg__contents_add(self->walk, self->nodes);
    }
}

/** Walks all objects that are known by now. */
static void
drain(stopped *self)
{
    lg__heap_walk *walk = self->walk;
    lg__walk_run(walk);
    if (lg__passes_have_news(walk))
        lg__passes_run(walk);
    record_texts(self);
    lg__sizes_hold(walk);
    lg__passes_hold(walk);
}

/** Returns whether to go on with the next object. */
static int
visit(PyObject *object, void *context)
{
    stopped *self = context;
    lg__heap_walk *walk = self->walk;
    if (!self->begun) {
        self->begun = true;
        lg__walk_roots(walk);
        drain(self);
    }
    if (walk->partial || walk->builder->status != LG_OK)
        return 0;
    if (object == self->token)
        return 1;
    lg__walk_node(walk, object);
    if (walk->walked < walk->builder->node_count)
        drain(self);
    return 1;
}

void
lg__stopped_walk(lg__heap_walk *walk)
{
    /* Make one tracked object, so that the callback runs even if all others are
       frozen. */
    stopped self = {.walk = walk, .token = PyList_New(0)};
    if (self.token == NULL) {
        PyErr_Clear();
        walk->builder->status = LG_ENOMEM;
        return;
    }
    lg__visit_stopped(visit, &self);
    Py_DECREF(self.token);
}
