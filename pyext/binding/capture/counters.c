#include "binding/capture/binding_capture.h"
#include "bytes/python/bytes_python.h"
#include "capture/memory/capture_memory.h"

#include <stdlib.h>

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
