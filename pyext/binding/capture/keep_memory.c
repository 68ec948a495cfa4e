#include "binding/capture/keep_memory.h"
#include "capture/memory/capture_memory.h"

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
