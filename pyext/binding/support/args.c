#include "binding/support/args.h"
#include "capture/common/capture_common.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/capture_builder.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Py_ssize_t
name_index(const lg__arg_list *list, PyObject *name)
{
    for (Py_ssize_t i = 0; list->names[i] != NULL; i++)
        if (PyUnicode_CompareWithASCIIString(name, list->names[i]) == 0)
            return i;
    return -1;
}

static bool
take_keyword(const lg__arg_list *list, PyObject *name, PyObject *value,
             PyObject **values)
{
    Py_ssize_t index = name_index(list, name);
    if (index < 0) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U'",
                     list->function, name);
        return false;
    }
    if (values[index] != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got multiple values for argument '%U'",
                     list->function, name);
        return false;
    }
    values[index] = value;
    return true;
}

bool
lg__args_take(const lg__arg_list *list, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames, PyObject **values)
{
    if (nargs > list->positional) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes %s%zd positional argument%s, and got %zd",
                     list->function, list->positional > 0 ? "at most " : "",
                     list->positional, list->positional == 1 ? "" : "s", nargs);
        return false;
    }
    for (Py_ssize_t i = 0; i < nargs; i++)
        values[i] = args[i];
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++)
        if (!take_keyword(list, PyTuple_GET_ITEM(kwnames, i), args[nargs + i],
                          values))
            return false;
    for (Py_ssize_t i = 0; i < list->required; i++)
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'",
                         list->function, list->names[i]);
            return false;
        }
    return true;
}

/* Raises ArgumentError without the module's state, which checks of arguments do
   not have. */
static void
raise_argument(PyObject *sentence)
{
    PyObject *module =
        sentence ? PyImport_ImportModule("leakgraph._core") : NULL;
    PyObject *error =
        module ? lg__attribute_get(module, "ArgumentError") : NULL;
    if (error != NULL)
        PyErr_SetObject(error, sentence);
    Py_XDECREF(error);
    Py_XDECREF(module);
    Py_XDECREF(sentence);
}

/* Reads a whole number of 0 or more; a number beyond 64 bits becomes the
   maximum. */
static bool
read_count(PyObject *value, bool *negative, uint64_t *out)
{
    PyObject *index = PyNumber_Index(value);
    if (index == NULL)
        return false;
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(index, &overflow);
    *negative = overflow < 0 || (overflow == 0 && number < 0);
    *out = overflow > 0 ? UINT64_MAX : (uint64_t)number;
    if (overflow > 0) {
        *out = PyLong_AsUnsignedLongLong(index);
        PyErr_Clear();
    }
    Py_DECREF(index);
    return true;
}

bool
lg__arg_limit(const char *name, PyObject *value, uint64_t max, uint64_t *out)
{
    if (value == NULL || value == Py_None)
        return true;
    bool negative;
    uint64_t number;
    if (!PyIndex_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a whole number, not %R.",
                     name, value);
        return false;
    }
    if (!read_count(value, &negative, &number))
        return false;
    if (!negative && number > 0 && number <= max) {
        *out = number;
        return true;
    }
    if (max < UINT32_MAX || (!negative && number > 0))
        raise_argument(
            PyUnicode_FromFormat("%s must be between 1 and %llu, not %R.", name,
                                 (unsigned long long)max, value));
    else
        raise_argument(PyUnicode_FromFormat(
            "%s must be 1 or more, not %R; leave it out for the default.", name,
            value));
    return false;
}

bool
lg__arg_rows(PyObject *value, size_t *out)
{
    uint64_t rows = *out;
    bool all = value == Py_None ||
               (value != NULL && PyUnicode_Check(value) &&
                PyUnicode_CompareWithASCIIString(value, "all") == 0);
    if (!all && value != NULL && !PyIndex_Check(value)) {
        PyErr_Format(PyExc_TypeError,
                     "limit must be a whole number or 'all', not %R.", value);
        return false;
    }
    if (!all && !lg__arg_limit("limit", value, SIZE_MAX, &rows))
        return false;
    *out = all ? 0 : (size_t)rows;
    return true;
}

/* A new reference to the number of bytes that a text stands for. */
static PyObject *
read_size(const char *name, PyObject *text)
{
    PyObject *module = PyImport_ImportModule("leakgraph.limits");
    PyObject *key = module != NULL ? PyUnicode_FromString(name) : NULL;
    PyObject *bytes =
        key != NULL ? lg__method_call_two(module, "argument", key, text) : NULL;
    Py_XDECREF(key);
    Py_XDECREF(module);
    return bytes;
}

bool
lg__arg_bytes(const char *name, PyObject *value, uint64_t least, uint64_t *out)
{
    if (value == NULL || value == Py_None)
        return true;
    if (PyUnicode_Check(value))
        value = read_size(name, value);
    else
        Py_INCREF(value);
    bool negative;
    uint64_t number;
    if (value == NULL || !read_count(value, &negative, &number)) {
        Py_XDECREF(value);
        return false;
    }
    bool fits = !negative && number >= least;
    if (fits)
        *out = number;
    else
        raise_argument(PyUnicode_FromFormat("%s must be %llu or more, not %R.",
                                            name, (unsigned long long)least,
                                            value));
    Py_DECREF(value);
    return fits;
}

bool
lg__arg_flag(PyObject *value, bool *out)
{
    if (value == NULL)
        return true;
    int truth = PyObject_IsTrue(value);
    if (truth < 0)
        return false;
    *out = truth != 0;
    return true;
}

bool
lg__arg_objects(const char *name, PyObject *value, PyObject **out)
{
    *out = NULL;
    if (value == NULL || value == Py_None)
        return true;
    if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list or tuple of objects",
                     name);
        return false;
    }
    *out = PySequence_Fast(value, "");
    if (*out == NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "%s must be a list or tuple of objects, not %.100s", name,
                     Py_TYPE(value)->tp_name);
    return *out != NULL;
}

/* The index of the first lone surrogate; -1 if there is none. */
static Py_ssize_t
find_surrogate(PyObject *text)
{
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(text); i++)
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ_CHAR(text, i)))
            return i;
    return -1;
}

const char *
lg__arg_utf8(const char *name, PyObject *text)
{
    const char *utf8 = PyUnicode_AsUTF8(text);
    if (utf8 != NULL || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
        return utf8;
    Py_ssize_t at = find_surrogate(text);
    PyErr_Clear();
    raise_argument(PyUnicode_FromFormat(
        "%s has a lone surrogate at index %zd, which is no character: leave it "
        "out.",
        name, at));
    return NULL;
}

bool
lg__arg_text(const char *name, PyObject *value, const char **out)
{
    *out = NULL;
    if (value == NULL || value == Py_None)
        return true;
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or None, not %.100s",
                     name, Py_TYPE(value)->tp_name);
        return false;
    }
    *out = lg__arg_utf8(name, value);
    return *out != NULL;
}

bool
lg__arg_scope(PyObject *mine, PyObject *module, lg__scope_request *out)
{
    *out = (lg__scope_request){0};
    return lg__arg_flag(mine, &out->mine) &&
           lg__arg_text("module", module, &out->module);
}

lg_status
lg__scope_find(const lg__scope_request *self, const lg_graph *graph,
               const lg_monitor *monitor, lg_scope **out, lg_error *error)
{
    return lg_scope_new(graph, self->mine, self->module, monitor, out, error);
}

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
