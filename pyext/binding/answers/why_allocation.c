/** Where the object of a Why was allocated. */
#include "binding/answers/py_why.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/report.h>

/* Asks tracemalloc about the object of a node, where nobody has yet. */
static bool
take_traced_allocation(lg__why_object *self, const lg_graph *graph)
{
    if (self->note == Py_None)
        Py_SETREF(self->note, lg__allocation_note_of(graph, self->why.node));
    return self->note != NULL;
}

/* If tracemalloc says nothing, takes what an allocator of buffers recorded. */
static bool
take_recorded_allocation(lg__why_object *self)
{
    lg_text text = {0};
    if (PyUnicode_GetLength(self->note) > 0)
        return true;
    lg_report_allocation(&self->why, &text);
    Py_SETREF(self->note, lg__text_object(&text));
    return self->note != NULL;
}

bool
lg__why_find_allocation(lg__why_object *self, const lg_graph *graph)
{
    return take_traced_allocation(self, graph) &&
           take_recorded_allocation(self);
}
