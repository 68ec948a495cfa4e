#include "capture/run/traced_lines.h"

#include <dlfcn.h>
#include <string.h>

/** Frames that lead from a library that allocates to the program. */
enum { MOST_FRAMES = 16 };

/** The frames of a block that tracemalloc traced, the innermost first, as
 *  tuples of a file and a line; None if it did not. */
typedef PyObject *traceback_of(unsigned domain, uintptr_t block);

static traceback_of *
find_function(void)
{
    traceback_of *function = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "_PyTraceMalloc_GetTraceback");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/** Adds `train.py:42`, and before it what separates it from the last. Returns
 *  false, and adds nothing, if there is no room. */
static bool
add_frame(lg__name *name, PyObject *frame)
{
    const size_t before = name->length;
    if (!PyTuple_Check(frame) || PyTuple_GET_SIZE(frame) < 2 ||
        !PyUnicode_Check(PyTuple_GET_ITEM(frame, 0)))
        return false;
    if (before > 0)
        lg__name_add(name, " < ");
    lg__name_add_str(name, PyTuple_GET_ITEM(frame, 0), LG__NAME_LIMIT);
    lg__name_add(name, ":");
    lg__name_add_int(name, PyLong_AsLong(PyTuple_GET_ITEM(frame, 1)));
    if (name->length < sizeof name->data)
        return true;
    name->length = before;
    return false;
}

/** Makes the text of the frames a fact of the node. */
static void
add_traceback(lg__heap_walk *walk, uint32_t node, PyObject *frames)
{
    lg__name name = {.length = 0};
    Py_ssize_t count = PyTuple_Check(frames) ? PyTuple_GET_SIZE(frames) : 0;
    for (Py_ssize_t i = 0; i < count && i < MOST_FRAMES; i++)
        if (!add_frame(&name, PyTuple_GET_ITEM(frames, i)))
            break;
    if (name.length > 0)
        lg_builder_add_fact(walk->builder, node, "allocation", name.data,
                            name.length);
}

void
lg__allocations_find(lg__heap_walk *walk)
{
    traceback_of *traceback = find_function();
    const lg_builder *builder = walk->builder;
    bool collecting = lg__collector_pause(walk->interpreter);
    for (uint32_t node = 0; node < walk->looked && traceback != NULL; node++) {
        const lg__type_info *info = lg__walk_info(walk, node);
        if (info == NULL)
            continue;
        uintptr_t block =
            (uintptr_t)builder->address[node] - lg__preheader_size(info->type);
        PyObject *frames = traceback(0, block);
        if (frames != NULL)
            add_traceback(walk, node, frames);
        Py_XDECREF(frames);
        PyErr_Clear();
    }
    lg__collector_resume(walk->interpreter, collecting);
}
