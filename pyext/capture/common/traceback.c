#include "capture/cpython/capture_cpython.h"
#include "capture/common/traceback.h"

PyObject *
lg__object_traceback(PyObject *tracemalloc, PyObject *object)
{
#if LG__TRACES_UNDER_HEAD
    uintptr_t block = (uintptr_t)object - lg__preheader_size(Py_TYPE(object));
    PyObject *frames = _PyTraceMalloc_GetTraceback(0, block);
    if (frames == NULL || frames == Py_None)
        return frames;
    PyObject *found =
        PyObject_CallMethod(tracemalloc, "Traceback", "(O)", frames);
    Py_DECREF(frames);
    return found;
#else
    return PyObject_CallMethod(tracemalloc, "get_object_traceback", "(O)",
                               object);
#endif
}
