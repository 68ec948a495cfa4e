/**
 * What this process has: its memory, what malloc and pymalloc have given out,
 * and its children.
 */
#include "binding/capture/binding_capture.h"
#include "bytes/python/bytes_python.h"
#include "capture/memory/capture_memory.h"
#include "capture/run/capture_run.h"
#include "binding/support/binding_support.h"
#include "heap/heap.h"

#include <stdlib.h>
#include <unistd.h>

const char lg__core_resident_bytes_doc[] =
    "_resident_bytes($module, /)\n--\n\n"
    "Resident bytes of this process; 0: unknown.";

PyObject *
lg__core_resident_bytes(PyObject *Py_UNUSED(module),
                        PyObject *Py_UNUSED(unused))
{
    uint64_t resident;
    Py_BEGIN_ALLOW_THREADS
    resident = lg__resident_bytes();
    Py_END_ALLOW_THREADS
    return PyLong_FromUnsignedLongLong(resident);
}

const char lg__core_malloc_bytes_doc[] =
    "_malloc_bytes($module, /)\n--\n\n"
    "Bytes in use of malloc; -1: unknown. Looks at every free block.";

PyObject *
lg__core_malloc_bytes(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    lg__allocator_bytes bytes = {0};
    uint64_t cached = lg__malloc_cached();
    Py_BEGIN_ALLOW_THREADS
    lg__malloc_bytes_read(cached, &bytes);
    Py_END_ALLOW_THREADS
    return PyLong_FromLongLong(bytes.malloc_known ? (long long)bytes.malloc_used
                                                  : -1LL);
}

const char lg__core_snapshot_need_doc[] =
    "_snapshot_need($module, /)\n--\n\n"
    "Estimate the bytes that a snapshot of this process takes itself.";

PyObject *
lg__core_snapshot_need(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const lg__capture_options options = {.native = false};
    return PyLong_FromUnsignedLongLong(lg__child_need(&options, false));
}

const char lg__core_control_groups_doc[] =
    "_control_groups($module, root, /)\n--\n\n"
    "The control groups that count this memory: (version, folder), from below.";

/* Ends the list with an exception. */
static bool
add_group(void *context, const lg__group *group)
{
    PyObject **list = context;
    PyObject *row =
        *list == NULL ? NULL
                      : Py_BuildValue("(iN)", group->version,
                                      PyUnicode_DecodeFSDefault(group->folder));
    if (row == NULL || PyList_Append(*list, row) < 0)
        Py_CLEAR(*list);
    Py_XDECREF(row);
    return *list != NULL;
}

PyObject *
lg__core_control_groups(PyObject *Py_UNUSED(module), PyObject *root)
{
    PyObject *list = NULL;
    const char *text = PyUnicode_AsUTF8(root);
    if (text != NULL)
        list = PyList_New(0);
    if (list != NULL)
        lg__groups_each(text, 0, "memory", add_group, &list);
    return list;
}

const char lg__core_group_room_doc[] = "_group_room($module, root, /)\n--\n\n"
                                       "Bytes left until the kernel kills the "
                                       "control group whole, and the limit:\n"
                                       "(bytes, file, folder).";

PyObject *
lg__core_group_room(PyObject *Py_UNUSED(module), PyObject *root)
{
    lg__group_room room;
    const char *text = PyUnicode_AsUTF8(root);
    if (text == NULL)
        return NULL;
    lg__group_room_read(text, 0, &room);
    return Py_BuildValue("(KsN)", (unsigned long long)room.bytes, room.limit,
                         PyUnicode_DecodeFSDefault(room.group.folder));
}

const char lg__core_children_doc[] =
    "_children($module, /)\n--\n\n"
    "The process ids of the children of this process, those of all threads.";

PyObject *
lg__core_children(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    lg__children children;
    Py_BEGIN_ALLOW_THREADS
    lg__children_list(&children);
    Py_END_ALLOW_THREADS
    PyObject *list = PyList_New((Py_ssize_t)children.count);
    for (size_t i = 0; list != NULL && i < children.count; i++) {
        PyObject *pid = PyLong_FromLong(children.items[i]);
        if (pid == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, (Py_ssize_t)i, pid);
    }
    free(children.items);
    return list;
}

const char lg__core_keep_memory_doc[] =
    "keep_memory($module, max_bytes, /)\n"
    "--\n\n"
    "Keep memory of closed snapshots for later captures.\n\n"
    "The process keeps up to max_bytes when you close snapshots, which makes "
    "captures\n"
    "faster on a system that is slow to provide fresh pages. The system takes "
    "this\n"
    "memory when memory is short; until then, it counts as the process's own. "
    "0, the\n"
    "default, keeps nothing. Returns the previous max_bytes.";

PyObject *
lg__core_keep_memory(PyObject *Py_UNUSED(module), PyObject *most)
{
    size_t bytes = PyLong_AsSize_t(most);
    if (bytes == (size_t)-1 && PyErr_Occurred())
        return NULL;
    return PyLong_FromSize_t(lg__page_cache_keep(bytes));
}

const char lg__core_native_blocks_doc[] =
    "_native_blocks($module, /)\n"
    "--\n\n"
    "List what malloc and pymalloc have given out, for tests.\n\n"
    "Returns (blocks, ranges, account, failure): three arrays as bytes, and a "
    "sentence\n"
    "or None. Call it in a process with one thread, such as a forked child.";

static PyObject *
bytes_of(const void *items, size_t count, size_t size)
{
    return PyBytes_FromStringAndSize(items, (Py_ssize_t)(count * size));
}

/** The address, the bytes and the allocator of each block. */
static PyObject *
rows_of(const lg_native_memory *memory)
{
    enum { COLUMNS = 3 };
    PyObject *rows = PyBytes_FromStringAndSize(
        NULL, (Py_ssize_t)(memory->block_count * COLUMNS * sizeof(uint64_t)));
    char *to = rows != NULL ? PyBytes_AS_STRING(rows) : NULL;
    for (size_t i = 0; i < memory->block_count && to != NULL; i++) {
        const lg_native_block *block = &memory->blocks[i];
        const uint64_t row[COLUMNS] = {lg_block_address(block),
                                       lg_block_bytes(block), block->kind};
        memcpy(to + i * sizeof row, row, sizeof row);
    }
    return rows;
}

PyObject *
lg__core_native_blocks(PyObject *module, PyObject *unused)
{
    static lg__native native;
    lg_allocator allocator = lg__arena_new(0);
    lg_native_memory found;
    lg__native_facts facts;
    lg_error error;
    (void)unused;
    memset(&native, 0, sizeof native);
    lg__native_facts_read(&facts);
    int pagemap = lg__native_pagemap();
    lg_status status =
        lg__native_list(&native, &facts, pagemap, &allocator, &found, &error);
    PyObject *result = NULL;
    if (status != LG_OK)
        lg__error_raise(lg__module_state(module), status, &error);
    else
        result = Py_BuildValue(
            "(NNNz)", rows_of(&found),
            bytes_of(found.ranges, found.range_count, sizeof *found.ranges),
            bytes_of(&found.account, 1, sizeof found.account), found.failure);
    lg__native_free(&native);
    lg__native_facts_free(&facts);
    if (pagemap >= 0)
        close(pagemap);
    allocator.release(allocator.context);
    return result;
}
