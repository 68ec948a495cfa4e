#include "binding/answers/py_cycle.h"
#include "binding/objects/py_analysis.h"
#include "binding/support/convert.h"
#include "binding/support/device.h"
#include "binding/support/errors.h"
#include "binding/objects/handle.h"
#include "binding/objects/py_path.h"
#include "binding/pictures/picture.h"
#include "binding/objects/type_table_object.h"
#include <stdlib.h>

typedef struct cycle_object {
    PyObject_HEAD
    cycles_object *cycles;
    size_t index;
} cycle_object;

PyObject *
cycle_new(cycles_object *cycles, size_t index)
{
    cycle_object *self = object_new(object_state(cycles), TYPE_CYCLE);
    if (self == NULL)
        return NULL;
    Py_INCREF(cycles);
    self->cycles = cycles;
    self->index = index;
    return (PyObject *)self;
}

static void
cycle_dealloc(cycle_object *self)
{
    Py_XDECREF(self->cycles);
    object_free(self);
}

static const lg_cycle *
cycle_found(const cycle_object *self)
{
    return &self->cycles->found.items[self->index];
}

static snapshot_object *
cycle_snapshot(const cycle_object *self)
{
    return self->cycles->snapshot;
}

/* Its members; false with ClosedError. */
static bool
cycle_component(const cycle_object *self, lg_component *component)
{
    const lg_analysis *analysis = analysis_get(cycle_snapshot(self));
    if (analysis != NULL)
        *component =
            lg_analysis_component(analysis, cycle_found(self)->component);
    return analysis != NULL;
}

/* ------------------------------------------------------------- members --- */

static PyObject *
get_nodes(cycle_object *self, void *Py_UNUSED(closure))
{
    lg_component component;
    if (!cycle_component(self, &component))
        return NULL;
    lg_nodes nodes = {malloc(((size_t)component.count + 1) * sizeof(uint32_t)),
                      component.count};
    if (nodes.items == NULL)
        return PyErr_NoMemory();
    for (uint32_t i = 0; i < component.count; i++)
        nodes.items[i] = component.nodes[i];
    PyObject *result =
        sequence_of_nodes(object_state(self), cycle_snapshot(self), &nodes);
    lg_nodes_free(&nodes);
    return result;
}

/* The strong edges from a member to a member; counts only when `edges` is
 * NULL. */
static size_t
inner_edges(const lg_analysis *analysis, uint32_t index, uint64_t *edges)
{
    lg_component component = lg_analysis_component(analysis, index);
    const lg_columns *columns = lg_graph_columns(lg_analysis_graph(analysis));
    size_t count = 0;
    for (uint32_t i = 0; i < component.count; i++) {
        uint64_t end = columns->first_edge[component.nodes[i] + 1];
        for (uint64_t e = columns->first_edge[component.nodes[i]]; e < end;
             e++) {
            if (columns->edge_kind[e] & LG_EDGE_WEAK ||
                lg_node_component(analysis, columns->edge_target[e]) != index)
                continue;
            if (edges != NULL)
                edges[count] = e;
            count++;
        }
    }
    return count;
}

static PyObject *
get_edges(cycle_object *self, void *Py_UNUSED(closure))
{
    const lg_analysis *analysis = analysis_get(cycle_snapshot(self));
    if (analysis == NULL)
        return NULL;
    uint32_t component = cycle_found(self)->component;
    size_t count = inner_edges(analysis, component, NULL);
    uint64_t *edges = malloc((count + 1) * sizeof *edges);
    if (edges == NULL)
        return PyErr_NoMemory();
    inner_edges(analysis, component, edges);
    return sequence_of_edges(object_state(self), cycle_snapshot(self), edges,
                             (Py_ssize_t)count);
}

static PyObject *
get_types(cycle_object *self, void *Py_UNUSED(closure))
{
    lg_component component;
    if (!cycle_component(self, &component))
        return NULL;
    return type_rows_of(cycle_snapshot(self), component.nodes, component.count);
}

/* --------------------------------------------------------------- bytes --- */

static PyObject *
get_bytes(cycle_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(cycle_found(self)->retained.host);
}

static PyObject *
get_retained_total(cycle_object *self, void *Py_UNUSED(closure))
{
    lg_bytes bytes = cycle_found(self)->retained;
    return PyLong_FromUnsignedLongLong(bytes.host + bytes.device);
}

static PyObject *
cycle_bytes_on(cycle_object *self, PyObject *name)
{
    const lg_analysis *analysis = analysis_get(cycle_snapshot(self));
    uint32_t device;
    if (analysis == NULL ||
        !device_named(object_state(self), lg_analysis_graph(analysis), name,
                      &device))
        return NULL;
    return PyLong_FromUnsignedLongLong(lg_component_retained_on(
        analysis, cycle_found(self)->component, device));
}

/* ---------------------------------------------------------------- kind --- */

static PyObject *
get_kind(cycle_object *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(lg_cycle_kind_name(cycle_found(self)->kind));
}

static const char *
reason_text(lg_cycle_reason reason)
{
    switch (reason) {
    case LG_REASON_NATIVE:
        return "native code holds a reference into it";
    case LG_REASON_UNTRAVERSED:
        return "the collector does not see one of its references";
    case LG_REASON_FROZEN:
        return "frozen by gc.freeze()";
    case LG_REASON_UNTRACKED:
        return "the collector does not track one of its members";
    case LG_REASON_NONE:
        break;
    }
    return "";
}

static PyObject *
get_reason(cycle_object *self, void *Py_UNUSED(closure))
{
    return PyUnicode_FromString(reason_text(cycle_found(self)->reason));
}

static PyObject *
get_culprit(cycle_object *self, void *Py_UNUSED(closure))
{
    uint32_t culprit = cycle_found(self)->culprit;
    if (culprit == LG_NONE)
        Py_RETURN_NONE;
    return node_new(object_state(self), cycle_snapshot(self), culprit);
}

/* ------------------------------------------------------------- the way --- */

static PyObject *
get_hops(cycle_object *self, void *Py_UNUSED(closure))
{
    const lg_hops *hops = &cycle_found(self)->shortest;
    return hop_tuple(object_state(self), cycle_snapshot(self), hops->items,
                     hops->count);
}

static PyObject *
get_cut(cycle_object *self, void *Py_UNUSED(closure))
{
    const lg_cycle *cycle = cycle_found(self);
    if (cycle->cut >= cycle->shortest.count)
        Py_RETURN_NONE;
    return hop_object(object_state(self), cycle_snapshot(self),
                      &cycle->shortest.items[cycle->cut], cycle->cut_reason);
}

static PyObject *
get_path(cycle_object *self, void *Py_UNUSED(closure))
{
    const lg_cycle *cycle = cycle_found(self);
    lg_component component;
    if (!cycle_component(self, &component))
        return NULL;
    if (cycle->kind != LG_CYCLE_HELD)
        Py_RETURN_NONE;
    uint32_t node = cycle->shortest.count ? cycle->shortest.items[0].source
                                          : component.nodes[0];
    return path_to(cycle_snapshot(self), node);
}

static lg_status
see(const lg_analysis *analysis, const void *cycle, lg_view **out,
    lg_error *error)
{
    return lg_view_cycle(analysis, cycle, NULL, out, error);
}

static PyObject *
get_drawing(cycle_object *self, void *Py_UNUSED(closure))
{
    return picture_of(cycle_snapshot(self), see, cycle_found(self));
}

/* ------------------------------------------------------------ protocol --- */

/* Something that is said of the cycle, as a str. */
static PyObject *
say(cycle_object *self,
    void (*add)(const lg_graph *, const lg_cycle *, lg_text *))
{
    lg_graph *graph = snapshot_graph(cycle_snapshot(self));
    if (graph == NULL)
        return NULL;
    lg_text text = {0};
    add(graph, cycle_found(self), &text);
    return text_object(&text);
}

static PyObject *
cycle_str(cycle_object *self)
{
    return say(self, lg_cycle_label);
}

static PyObject *
get_advice(cycle_object *self, void *Py_UNUSED(closure))
{
    return say(self, lg_cycle_advice);
}

static PyObject *
get_alike(cycle_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSize_t(cycle_found(self)->alike);
}

static PyObject *
cycle_repr(cycle_object *self)
{
    const lg_cycle *cycle = cycle_found(self);
    lg_component component;
    if (cycle_snapshot(self)->closed)
        return PyUnicode_FromString("<leakgraph.Cycle of a closed snapshot>");
    if (!cycle_component(self, &component))
        return NULL;
    lg_text text = {0};
    lg_text_addf(&text,
                 "<leakgraph.Cycle, %s: ", lg_cycle_kind_name(cycle->kind));
    lg_text_add_count(&text, component.count);
    lg_text_add(&text, component.count == 1 ? " object, retains "
                                            : " objects, retains ");
    lg_text_add_size(&text, cycle->retained.host + cycle->retained.device);
    lg_text_add(&text, ": ");
    lg_cycle_label(cycle_snapshot(self)->graph, cycle, &text);
    lg_text_add(&text, ">");
    return text_object(&text);
}

static PyObject *
cycle_repr_svg(cycle_object *self, PyObject *Py_UNUSED(unused))
{
    return picture_ask(get_drawing(self, NULL), "_repr_svg_", NULL, 0, NULL);
}

static PyGetSetDef cycle_getset[] = {
    {"nodes", (getter)get_nodes, NULL,
     "All objects that lead to each other: Nodes.", NULL},
    {"edges", (getter)get_edges, NULL,
     "The strong references among them: Edges.", NULL},
    {"types", (getter)get_types, NULL,
     "Their types: a tuple of TypeRow(name, count, bytes), most bytes first.",
     NULL},
    {"bytes", (getter)get_bytes, NULL,
     "Host bytes that would be freed with all of them.", NULL},
    {"retained", (getter)get_bytes, NULL, "The same as bytes.", NULL},
    {"retained_total", (getter)get_retained_total, NULL,
     "Bytes that would be freed with all of them, host and devices together.",
     NULL},
    {"kind", (getter)get_kind, NULL,
     "'collectable': the collector would free it now; 'held': a root reaches "
     "it;\n'uncollectable': neither.",
     NULL},
    {"reason", (getter)get_reason, NULL,
     "Why the collector cannot free an uncollectable one; else ''.", NULL},
    {"culprit", (getter)get_culprit, NULL,
     "The Node that the reason is about, or None.", NULL},
    {"hops", (getter)get_hops, NULL,
     "The shortest way round, a tuple of Hop(label, source, target, reason).",
     NULL},
    {"cut", (getter)get_cut, NULL,
     "The Hop to cut: .label, .source, .target, and the .reason for it.", NULL},
    {"alike", (getter)get_alike, NULL,
     "How many more references like it must be cut for no cycle to be left.",
     NULL},
    {"advice", (getter)get_advice, NULL,
     "What to cut, and why it: a sentence; '' if there is nothing to cut.",
     NULL},
    {"path", (getter)get_path, NULL,
     "Of a held one: a shortest Path from a root; else None.", NULL},
    {"drawing", (getter)get_drawing, NULL, "A Drawing of it.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef cycle_methods[] = {
    {"bytes_on", (PyCFunction)cycle_bytes_on, METH_O,
     "bytes_on($self, device, /)\n--\n\nBytes that would be freed with it on "
     "one device: 'host', 'cuda:0' ..."},
    {"_repr_svg_", (PyCFunction)cycle_repr_svg, METH_NOARGS,
     "_repr_svg_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot cycle_slots[] = {
    SLOT(Py_tp_dealloc, cycle_dealloc),
    SLOT(Py_tp_repr, cycle_repr),
    SLOT(Py_tp_str, cycle_str),
    {Py_tp_getset, cycle_getset},
    {Py_tp_methods, cycle_methods},
    {Py_tp_doc, "Objects that all lead to each other, and what they retain.\n\n"
                "str() is the shortest way round."},
    {0, NULL},
};

PyType_Spec cycle_spec = {
    .name = "leakgraph.Cycle",
    .basicsize = sizeof(cycle_object),
    .flags = FINAL_TYPE,
    .slots = cycle_slots,
};
