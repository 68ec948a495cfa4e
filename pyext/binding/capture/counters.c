#include "binding/capture/counters.h"
#include "bytes/python/process.h"

#include <stdlib.h>

const char core_counters_doc[] =
    "_counters($module, /)\n--\n\n"
    "Bytes of this process: resident (0: unknown), in use of malloc (-1: "
    "unknown).";

PyObject *
core_counters(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    lg_allocator_bytes bytes = {0};
    uint64_t resident;
    Py_BEGIN_ALLOW_THREADS
    resident = lg_resident_bytes();
    lg_malloc_bytes_read(&bytes);
    Py_END_ALLOW_THREADS
    return Py_BuildValue("KL", (unsigned long long)resident,
                         bytes.malloc_known ? (long long)bytes.malloc_used
                                            : -1LL);
}

const char core_children_doc[] =
    "_children($module, /)\n--\n\n"
    "The process ids of the children of this process, those of all threads.";

PyObject *
core_children(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    lg_children children;
    Py_BEGIN_ALLOW_THREADS
    lg_children_list(&children);
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
