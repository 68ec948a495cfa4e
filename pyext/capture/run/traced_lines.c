/**
 * The lines that allocated each object, and those that allocated its table.
 *
 * A list, dict or set has its items in a block of its own, its table, and gets
 * a new one when it outgrows that. So the line that adds the last item may have
 * allocated most of the bytes of an object that another line made, maybe before
 * tracemalloc began. A table has lines of its own only where they differ from
 * those of its object. The block of a bytearray or an array grows in the same
 * way, and becomes a buffer of the graph.
 */
#include "capture/run/traced_lines.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** Python's own blocks, and those of numpy. */
enum { PYTHONS_DOMAIN = 0, NUMPYS_DOMAIN = 389047 };

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

/** Writes the frames of a block; nothing if it was not traced. */
static void
write_traceback(traceback_of *traceback, unsigned domain, uintptr_t block,
                lg__name *out)
{
    PyObject *frames = traceback(domain, block);
    Py_ssize_t count = 0;
    if (frames != NULL && PyTuple_Check(frames))
        count = PyTuple_GET_SIZE(frames);
    out->length = 0;
    for (Py_ssize_t i = 0; i < count && i < MOST_FRAMES; i++)
        if (!add_frame(out, PyTuple_GET_ITEM(frames, i)))
            break;
    Py_XDECREF(frames);
    PyErr_Clear();
}

/** A block that has the items of an object; no bytes if it has none. */
typedef struct item_table {
    uintptr_t block;
    uint64_t bytes;
} item_table;

static item_table
table_of_list(const PyListObject *list)
{
#ifdef Py_GIL_DISABLED
    const size_t before = sizeof(Py_ssize_t);
#else
    const size_t before = 0;
#endif
    return (item_table){
        .block = (uintptr_t)list->ob_item - before,
        .bytes = (uint64_t)list->allocated * sizeof(PyObject *),
    };
}

static item_table
table_of_set(const PySetObject *set)
{
    if (set->table == set->smalltable)
        return (item_table){0};
    return (item_table){
        .block = (uintptr_t)set->table,
        .bytes = (uint64_t)(set->mask + 1) * sizeof(setentry),
    };
}

/** Dicts that share their keys have no table of their own. */
static item_table
table_of_dict(const PyDictObject *dict)
{
    if (dict->ma_values != NULL)
        return (item_table){0};
    return (item_table){
        .block = (uintptr_t)dict->ma_keys,
        .bytes = lg__dict_size_behind(dict),
    };
}

static item_table
table_of(const lg__heap_walk *walk, uint32_t node, const lg__type_info *info)
{
    const void *object =
        (void *)(uintptr_t)lg_builder_address(walk->builder, node);
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_LIST:
        return table_of_list(object);
    case LG__SHAPE_SET:
        return table_of_set(object);
    case LG__SHAPE_DICT:
        return walk->internal ? table_of_dict(object) : (item_table){0};
    default:
        return (item_table){0};
    }
}

/** Makes the frames of an object's table a fact of it, unless the object has
 *  the same. */
static void
add_table(lg__heap_walk *walk, uint32_t node, const item_table *table,
          const lg__name *own, traceback_of *traceback)
{
    lg__name name = {.length = 0};
    char bytes[24];
    write_traceback(traceback, PYTHONS_DOMAIN, table->block, &name);
    bool same = name.length == own->length &&
                memcmp(name.data, own->data, name.length) == 0;
    if (name.length == 0 || same)
        return;
    int length = snprintf(bytes, sizeof bytes, "%" PRIu64, table->bytes);
    lg_builder_add_fact(walk->builder, node, "table allocation", name.data,
                        name.length);
    lg_builder_add_fact(walk->builder, node, "table bytes", bytes,
                        (size_t)length);
}

static void
add_lines(lg__heap_walk *walk, uint32_t node, const lg__type_info *info,
          traceback_of *traceback)
{
    lg__name own = {.length = 0};
    uintptr_t object = (uintptr_t)lg_builder_address(walk->builder, node);
    write_traceback(traceback, PYTHONS_DOMAIN,
                    object - lg__preheader_size(info->type), &own);
    if (own.length > 0)
        lg_builder_add_fact(walk->builder, node, "allocation", own.data,
                            own.length);
    item_table table = table_of(walk, node, info);
    if (table.bytes > 0)
        add_table(walk, node, &table, &own, traceback);
}

/** Makes the frames of a buffer a fact of the object that has it. */
static void
add_buffer(lg__heap_walk *walk, const lg_span *span, traceback_of *traceback)
{
    lg__name name = {.length = 0};
    if (span->device != 0 || span->address == 0)
        return;
    write_traceback(traceback, PYTHONS_DOMAIN, span->address, &name);
    if (name.length == 0)
        write_traceback(traceback, NUMPYS_DOMAIN, span->address, &name);
    if (name.length > 0)
        lg_builder_add_fact(walk->builder, span->holder, "buffer allocation",
                            name.data, name.length);
}

static void
add_buffers(lg__heap_walk *walk, traceback_of *traceback)
{
    const lg_span *span;
    for (size_t i = 0; (span = lg_builder_span_at(walk->builder, i)) != NULL;
         i++)
        add_buffer(walk, span, traceback);
}

void
lg__allocations_find(lg__heap_walk *walk)
{
    traceback_of *traceback = find_function();
    bool collecting = lg__collector_pause(walk->interpreter);
    for (uint32_t node = 0; node < walk->looked && traceback != NULL; node++) {
        const lg__type_info *info = lg__walk_info(walk, node);
        if (info != NULL)
            add_lines(walk, node, info, traceback);
    }
    if (traceback != NULL)
        add_buffers(walk, traceback);
    lg__collector_resume(walk->interpreter, collecting);
}
