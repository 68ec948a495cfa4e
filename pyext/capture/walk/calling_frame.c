/**
 * The call that takes the capture. Its arguments are on the stack of the
 * caller, which some versions show (LG__STACK_IS_VISIBLE). They are not
 * holders.
 */
#include "capture/walk/calling_frame.h"

#include <string.h>

bool
lg__is_own_frame(const lg__frame_view *view)
{
    if (view->globals == NULL || !PyDict_Check(view->globals))
        return false;
    PyObject *module = lg__dict_find(view->globals, "__name__");
    if (module == NULL || !PyUnicode_Check(module))
        return false;
    lg__name name;
    name.length = 0;
    lg__name_add_str(&name, module, 32);
    return (name.length == 9 && memcmp(name.data, "leakgraph", 9) == 0) ||
           (name.length > 10 && memcmp(name.data, "leakgraph.", 10) == 0);
}

void
lg__calling_frame_find(lg__heap_walk *walk)
{
    lg__frame *frame = lg__thread_top_frame(PyThreadState_Get());
    if (!LG__STACK_IS_VISIBLE || !walk->internal)
        return;
    while (frame != NULL && walk->calling_frame.code == NULL) {
        walk->calling_frame = lg__frame_view_of(frame);
        frame = lg__frame_previous(frame);
    }
}

bool
lg__calling_frame_holds(const lg__heap_walk *walk, const lg__frame_view *view,
                        PyObject *object)
{
    const lg__capture_options *options = walk->options;
    if (walk->calling_frame.slots == NULL ||
        view->slots != walk->calling_frame.slots)
        return false;
    for (size_t i = 0; i < options->held_count; i++)
        if (options->held[i] == object)
            return true;
    return object == options->hidden;
}

/** Counts the references of the capturing call to one of its arguments. */
static uint32_t
references_to(const lg__heap_walk *walk, PyObject *argument)
{
    const lg__frame_view *view = &walk->calling_frame;
    uint32_t counted = 0;
    bool shown = false;
    for (Py_ssize_t i = 0; i < view->stack_count; i++) {
        lg__slot slot = view->slots[view->local_count + i];
        if (lg__slot_object(slot) != argument)
            continue;
        shown = true;
        counted += lg__slot_is_counted(slot);
    }
    if (!shown)
        return 1;
    /* The references on the stack of leakgraph's own frames count with the
       frame. */
    return lg__is_own_frame(view) ? 0 : counted;
}

void
lg__calling_frame_note(lg__heap_walk *walk)
{
    const lg__capture_options *options = walk->options;
    for (size_t i = 0; i < options->held_count; i++) {
        uint32_t node = lg__walk_node(walk, options->held[i]);
        uint32_t count = references_to(walk, options->held[i]);
        if (node != LG_NONE && count > 0)
            lg_builder_add_found(walk->builder, node, count);
    }
}
