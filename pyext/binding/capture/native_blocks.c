#include "binding/capture/binding_capture.h"
#include "binding/support/binding_support.h"
#include "capture/memory/capture_memory.h"
#include "heap/heap.h"

#include <unistd.h>

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
            "(NNNz)",
            bytes_of(found.blocks, found.block_count, sizeof *found.blocks),
            bytes_of(found.ranges, found.range_count, sizeof *found.ranges),
            bytes_of(&found.account, 1, sizeof found.account), found.failure);
    lg__native_free(&native);
    lg__native_facts_free(&facts);
    if (pagemap >= 0)
        close(pagemap);
    allocator.release(allocator.context);
    return result;
}
