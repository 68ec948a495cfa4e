#include "binding/pictures/render_dot.h"
#include "binding/support/errors.h"
#include "binding/support/progress.h"

#include <leakgraph/render.h>
#include <stdlib.h>

const char lg__core_render_doc[] =
    "_render($module, dot, format, /)\n--\n\n"
    "DOT as a picture: bytes in the format, such as 'svg'.\n\n"
    "PictureError if Graphviz cannot draw it.";

PyObject *
lg__core_render(PyObject *module, PyObject *args)
{
    PyObject *text;
    const char *format;
    Py_ssize_t length;
    lg__progress watch;
    if (!PyArg_ParseTuple(args, "Us:_render", &text, &format))
        return NULL;
    const char *dot = PyUnicode_AsUTF8AndSize(text, &length);
    if (dot == NULL || !lg__progress_begin(&watch, NULL))
        return NULL;
    char *data = NULL;
    size_t size = 0;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_render(dot, (size_t)length, format, &watch.monitor, &data,
                       &size, &error);
    Py_END_ALLOW_THREADS
    PyObject *picture = NULL;
    if (status == LG_OK)
        picture = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    else
        lg__error_raise(lg__module_state(module), status, &error);
    free(data);
    if (!lg__progress_finish(&watch, status))
        Py_CLEAR(picture);
    return picture;
}
