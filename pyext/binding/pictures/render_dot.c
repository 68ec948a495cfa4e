#include "binding/pictures/render_dot.h"
#include "binding/support/binding_support.h"

#include <leakgraph/render.h>

const char lg__core_render_doc[] =
    "_render($module, dot, format, /)\n--\n\n"
    "DOT as a picture: bytes in the format, such as 'svg'.\n\n"
    "PictureError if Graphviz cannot draw it.";

PyObject *
lg__core_render(PyObject *module, PyObject *args)
{
    const char *dot;
    const char *format;
    lg__progress watch;
    if (!PyArg_ParseTuple(args, "ss:_render", &dot, &format) ||
        !lg__progress_begin(&watch, NULL))
        return NULL;
    lg_text image = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_render(dot, format, &watch.monitor, &image, &error);
    Py_END_ALLOW_THREADS
    PyObject *picture = NULL;
    if (status == LG_OK)
        picture =
            PyBytes_FromStringAndSize(image.data, (Py_ssize_t)image.length);
    else
        lg__error_raise(lg__module_state(module), status, &error);
    lg_text_free(&image);
    if (!lg__progress_finish(&watch, status))
        Py_CLEAR(picture);
    return picture;
}
