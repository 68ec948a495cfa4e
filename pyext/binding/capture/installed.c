#include "binding/capture/installed.h"

#include <leakgraph/builder.h>

const char lg__core_is_installed_doc[] =
    "_is_installed($module, path, /)\n--\n\n"
    "Whether the path is in a folder of the standard library or of packages.";

PyObject *
lg__core_is_installed(PyObject *Py_UNUSED(module), PyObject *path)
{
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes))
        return NULL;
    lg_string string = {PyBytes_AS_STRING(bytes),
                        (uint32_t)PyBytes_GET_SIZE(bytes)};
    bool installed = lg_path_is_installed(string);
    Py_DECREF(bytes);
    return PyBool_FromLong(installed);
}
