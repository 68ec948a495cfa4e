#include "capture/cpython/capture_cpython.h"
#include "capture/common/traceback.h"
#include "capture/common/interned_attribute.h"

PyObject *
lg__object_traceback(PyObject *tracemalloc, PyObject *object)
{
#if LG__TRACES_UNDER_HEAD
    uintptr_t block = (uintptr_t)object - lg__preheader_size(Py_TYPE(object));
    PyObject *frames = _PyTraceMalloc_GetTraceback(0, block);
    if (frames == NULL || frames == Py_None)
        return frames;
    PyObject *found = lg__method_call(tracemalloc, "Traceback", frames);
    Py_DECREF(frames);
    return found;
#else
    return lg__method_call(tracemalloc, "get_object_traceback", object);
#endif
}
