#include "binding/support/pathname.h"
#include "capture/common/capture_common.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/capture_builder.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PyObject *
lg__pathname_bytes(PyObject *path)
{
    PyObject *bytes = NULL;
    return PyUnicode_FSConverter(path, &bytes) ? bytes : NULL;
}

/* Returns `bytes` with every `mark` replaced; takes over the reference. */
static PyObject *
replace(PyObject *bytes, const char *mark, long number)
{
    PyObject *old = PyBytes_FromString(mark);
    PyObject *new = PyBytes_FromFormat("%ld", number);
    PyObject *result = old != NULL && new != NULL
                           ? lg__method_call_two(bytes, "replace", old, new)
                           : NULL;
    Py_XDECREF(new);
    Py_XDECREF(old);
    Py_DECREF(bytes);
    return result;
}

static PyObject *
first_free(PyObject *pattern)
{
    for (long n = 1;; n++) {
        Py_INCREF(pattern);
        PyObject *path = replace(pattern, "{n}", n);
        if (path == NULL || access(PyBytes_AS_STRING(path), F_OK) != 0)
            return path;
        Py_DECREF(path);
    }
}

/* A process outside of any job has rank 0. */
static long
own_rank(void)
{
    const char *rank = lg_process_rank();
    return rank != NULL ? strtol(rank, NULL, 10) : 0;
}

PyObject *
lg__pathname_filled(PyObject *path)
{
    PyObject *bytes = lg__pathname_bytes(path);
    if (bytes != NULL)
        bytes = replace(bytes, "{pid}", (long)getpid());
    if (bytes != NULL)
        bytes = replace(bytes, "{rank}", own_rank());
    if (bytes == NULL || strstr(PyBytes_AS_STRING(bytes), "{n}") == NULL)
        return bytes;
    PyObject *filled = first_free(bytes);
    Py_DECREF(bytes);
    return filled;
}

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
