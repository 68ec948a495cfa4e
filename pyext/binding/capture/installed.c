#include "binding/capture/installed.h"

#include <leakgraph/builder.h>

const char lg__core_is_installed_doc[] =
    "_is_installed($module, path, /)\n--\n\n"
    "Whether the path is in a folder of the standard library or of packages.";

PyObject *
lg__core_is_installed(PyObject *Py_UNUSED(module), PyObject *path)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(path, &length);
    if (text == NULL)
        return NULL;
    lg_string string = {text, (uint32_t)length};
    return PyBool_FromLong(lg_path_is_installed(string));
}
