#include "binding/pictures/drawing.h"
#include "binding/support/binding_support.h"

bool
lg__drawing_file(lg__core_state *state, PyObject *filename,
                 const lg__drawing_style *style, char suffix[16],
                 PyObject **path)
{
    *path = NULL;
    if (filename == NULL || filename == Py_None)
        return true;
    *path = lg__pathname_filled(filename);
    if (*path == NULL)
        return false;
    if (style->format != NULL)
        return true;
    lg_error error;
    lg_status status =
        lg_render_format_of(PyBytes_AS_STRING(*path), suffix, &error);
    if (status == LG_OK)
        return true;
    lg__error_raise(state, status, &error);
    Py_CLEAR(*path);
    return false;
}
