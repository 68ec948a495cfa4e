#include "binding/capture/keep_memory.h"
#include "capture/memory/page_cache.h"

const char core_keep_memory_doc[] =
    "keep_memory($module, max_bytes, /)\n--\n\n"
    "Keep memory of closed snapshots for later captures.\n\n"
    "Where fresh pages are slow, a capture is faster in used ones. Up to "
    "max_bytes\n"
    "stay with the process. The system takes them when memory is short; until "
    "then\n"
    "they count as the process's own. 0, the default, gives all back. Returns "
    "the\n"
    "previous max_bytes.";

PyObject *
core_keep_memory(PyObject *Py_UNUSED(module), PyObject *most)
{
    size_t bytes = PyLong_AsSize_t(most);
    if (bytes == (size_t)-1 && PyErr_Occurred())
        return NULL;
    return PyLong_FromSize_t(lg_page_cache_keep(bytes));
}
