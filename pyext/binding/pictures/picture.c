#include "binding/pictures/picture.h"
#include "binding/objects/binding_objects.h"
#include "binding/pictures/drawing.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

PyObject *
lg__picture_of(lg__snapshot_object *snapshot, lg__picture_maker *make,
               const void *of)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, NULL);
    if (analysis == NULL)
        return NULL;
    const lg__drawing_style style = {.legend = true};
    lg_view *view = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = make(analysis, of, &view, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(snapshot), status, &error);
    return lg__drawing_new(lg__object_state(snapshot), view, &style);
}

PyObject *
lg__picture_ask(PyObject *drawing, const char *method, PyObject *const *args,
                Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *bound = drawing ? lg__attribute_get(drawing, method) : NULL;
    PyObject *result =
        bound ? PyObject_Vectorcall(bound, args, (size_t)nargs, kwnames) : NULL;
    Py_XDECREF(bound);
    Py_XDECREF(drawing);
    return result;
}
