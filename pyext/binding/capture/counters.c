#include "binding/capture/counters.h"
#include "bytes/python/process.h"

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
