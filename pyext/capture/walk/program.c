/**
 * Walks types, code objects, frames and generators: the parts of a program, of
 * whose references tp_traverse reports only some.
 */
#include "capture/walk/program.h"
#include "capture/walk/calling_frame.h"
#include "capture/walk/edge_names.h"

static void
mark_names(lg__heap_walk *walk, PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        uint32_t name = lg__walk_node(walk, PyTuple_GET_ITEM(tuple, i));
        if (name != LG_NONE)
            walk->builder->node_flags[name] |= LG_NODE_NAME;
    }
}

/** Flags a tuple of names, which many code objects may share. The walk marks
 *  its elements when it comes to it (lg__walk_tuple), or it has been there. */
static void
flag_variables(lg__heap_walk *walk, PyObject *tuple)
{
    uint32_t node = lg__walk_node(walk, tuple);
    uint16_t *flags = walk->builder->node_flags;
    size_t size = (walk->names_count + (size_t)1) * sizeof node;
    if (node == LG_NONE || (flags[node] & LG__NODE_VARIABLES) ||
        !lg__walk_scratch(walk, &walk->name_tuples, size))
        return;
    flags[node] |= LG__NODE_VARIABLES;
    ((uint32_t *)walk->name_tuples.data)[walk->names_count++] = node;
    if (node < walk->builder->open_node)
        mark_names(walk, tuple);
}

/** Names of closure variables are looked up through the code object: see
 *  lg_hop. A whole walk meets the elements of the tuples anyway. */
static void
mark_slot_names(lg__heap_walk *walk, const PyCodeObject *code)
{
    PyObject *tuple;
    for (size_t i = 0; (tuple = lg__code_names(code, i)) != NULL; i++) {
        if (walk->partial || LG__FREE_THREADED || !PyTuple_CheckExact(tuple))
            mark_names(walk, tuple);
        else
            flag_variables(walk, tuple);
    }
}

/** The compiler keeps its executors alive through the code they are for. */
static void
walk_executors(lg__heap_walk *walk, const PyCodeObject *code)
{
    size_t count = walk->internal ? lg__code_executor_count(code) : 0;
    for (size_t i = 0; i < count; i++)
        lg__walk_edge(walk, lg__code_executor(code, i), LG_EDGE_NATIVE,
                      lg__walk_intern_literal(walk, "executor"));
}

void
lg__name_edges_of_code(lg__heap_walk *walk, PyObject *object)
{
    PyCodeObject *code = (PyCodeObject *)object;
    const char *cached = LG__CODE_CACHED(code);
    for (size_t i = 0; cached != NULL && i < LG__COUNT(lg__code_cached_fields);
         i++) {
        const lg__field *field = &lg__code_cached_fields[i];
        lg__walk_edge(walk, *(PyObject *const *)(cached + field->offset),
                      field->kind, lg__walk_intern_literal(walk, field->name));
    }
    walk_executors(walk, code);
    mark_slot_names(walk, code);
}

typedef void (*namer)(lg__heap_walk *, PyObject *, unsigned, uint32_t);

/** Does not count what owns no reference, whoever reports it. */
static unsigned
counted_as(unsigned kind, bool counted)
{
    return counted ? kind : kind | LG_EDGE_UNCOUNTED;
}

/** Variables and stack. */
static void
name_slots(lg__heap_walk *walk, const lg__frame_view *view, namer edge_name)
{
    for (Py_ssize_t i = 0; i < view->local_count + view->stack_count; i++) {
        lg__slot slot = view->slots[i];
        PyObject *object = lg__slot_object(slot);
        bool counted = lg__slot_is_counted(slot);
        if (object != NULL && i < view->local_count)
            edge_name(
                walk, object, counted_as(LG_EDGE_LOCAL, counted),
                lg__walk_intern_str(walk, lg__code_slot_name(view->code, i)));
        else if (object != NULL && !lg__calling_frame_holds(walk, view, object))
            edge_name(walk, object, counted_as(LG_EDGE_STACK, counted),
                      (uint32_t)(i - view->local_count));
    }
}

/** Names what a frame holds. `edge_name` decides how an edge that tp_traverse
 * does not report counts. */
static void
name_frame_with(lg__heap_walk *walk, const lg__frame_view *view,
                namer edge_name)
{
    edge_name(walk, view->function,
              counted_as(LG_EDGE_ATTRIBUTE, view->function_counted),
              lg__walk_intern_literal(walk, "function"));
    if (view->function != NULL)
        edge_name(walk, (PyObject *)view->code,
                  counted_as(LG_EDGE_ATTRIBUTE, view->code_counted),
                  lg__walk_intern_literal(walk, "f_code"));
    edge_name(walk, view->locals_mapping,
              view->locals_mapping == view->globals ? LG_EDGE_GLOBALS
                                                    : LG_EDGE_ATTRIBUTE,
              lg__walk_intern_literal(walk, "f_locals"));
    name_slots(walk, view, edge_name);
}

void
lg__name_edges_of_frame(lg__heap_walk *walk, const lg__frame_view *view)
{
    name_frame_with(walk, view, lg__name_edge);
}

void
lg__name_edges_of_frame_object(lg__heap_walk *walk, PyObject *object)
{
    if (!walk->internal)
        return;
    lg__frame *frame = lg__frame_of_object(object);
    if (frame == NULL)
        return;
    lg__frame_view view = lg__frame_view_of(frame);
    if (view.code == NULL)
        return;
    /* The frame of a generator is a part of the generator, which has the
       edges. */
    if (view.generator != NULL && view.function != NULL)
        name_frame_with(walk, &view, lg__name_edges_of_shared);
    else
        lg__name_edges_of_frame(walk, &view);
}
