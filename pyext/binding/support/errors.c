/**
 * Maps each lg_status to an exception. Each class also derives from the builtin
 * class that a caller without knowledge of leakgraph would catch.
 */
#include "binding/support/errors.h"
#include "capture/common/capture_common.h"

#include <stdbool.h>
#include <string.h>

typedef struct error_class {
    lg__core_error id;
    const char *name;
    PyObject *builtin; /* second base, or NULL */
    const char *doc;
    const char *attribute; /* None, unless an instance sets it; or NULL */
} error_class;

static PyObject *
error_bases(lg__core_state *state, const error_class *class)
{
    PyObject *error = state->errors[LG__ERROR_BASE];
    if (error == NULL)
        return PyTuple_Pack(1, PyExc_Exception);
    if (class->builtin == NULL)
        return PyTuple_Pack(1, error);
    return PyTuple_Pack(2, error, class->builtin);
}

static int
error_add(PyObject *module, const error_class *class)
{
    lg__core_state *state = lg__module_state(module);
    PyObject *bases = error_bases(state, class);
    if (bases == NULL)
        return -1;
    PyObject *names = class->attribute != NULL
                          ? Py_BuildValue("{sO}", class->attribute, Py_None)
                          : NULL;
    PyObject *made =
        PyErr_NewExceptionWithDoc(class->name, class->doc, bases, names);
    Py_XDECREF(names);
    Py_DECREF(bases);
    if (made == NULL)
        return -1;
    state->errors[class->id] = made;
    return PyModule_AddType(module, (PyTypeObject *)made);
}

int
lg__errors_add(PyObject *module)
{
    const error_class classes[LG__ERRORS] = {
        {LG__ERROR_BASE, "leakgraph.Error", NULL,
         "Base of every error that leakgraph raises.", NULL},
        {LG__ERROR_ARGUMENT, "leakgraph.ArgumentError", PyExc_ValueError,
         "An argument makes no sense: a malformed selector, an unknown "
         "format.",
         NULL},
        {LG__ERROR_CLOSED, "leakgraph.ClosedError", PyExc_ValueError,
         "The snapshot was closed.", NULL},
        {LG__ERROR_NOT_FOUND, "leakgraph.NotFoundError", PyExc_LookupError,
         "Nothing in the snapshot matches that selector or object, or no "
         "root reaches it.",
         NULL},
        {LG__ERROR_FILE, "leakgraph.FileError", PyExc_OSError,
         "A file cannot be read or written, is damaged, or is not a snapshot.",
         NULL},
        {LG__ERROR_LIMIT, "leakgraph.LimitError", PyExc_MemoryError,
         "The capture needed more memory than max_bytes allows.", NULL},
        {LG__ERROR_CANCELLED, "leakgraph.CancelledError", NULL,
         "The work was stopped before its end.", NULL},
        {LG__ERROR_PARTIAL, "leakgraph.PartialError", NULL,
         "The question needs a snapshot of the whole heap.", NULL},
        {LG__ERROR_UNSUPPORTED, "leakgraph.UnsupportedError", NULL,
         "This build or machine cannot do that.", NULL},
        {LG__ERROR_CHILD, "leakgraph.ChildError", PyExc_ChildProcessError,
         "The capturing child died; this process is unharmed. `signal` is "
         "the number of the signal that killed it, or None.",
         "signal"},
        {LG__ERROR_PICTURE, "leakgraph.PictureError", NULL,
         "Graphviz could not draw the picture; this process is unharmed. "
         "`text` is the picture as an indented tree.",
         "text"},
    };
    for (int i = 0; i < LG__ERRORS; i++)
        if (error_add(module, &classes[i]) < 0)
            return -1;
    return 0;
}

static PyObject *
error_type(lg__core_state *state, lg_status status)
{
    switch (status) {
    case LG_ENOMEM:
        return PyExc_MemoryError;
    case LG_EINVAL:
        return state->errors[LG__ERROR_ARGUMENT];
    case LG_EIO:
    case LG_EFORMAT:
    case LG_EVERSION:
        return state->errors[LG__ERROR_FILE];
    case LG_ENOTFOUND:
        return state->errors[LG__ERROR_NOT_FOUND];
    case LG_ELIMIT:
        return state->errors[LG__ERROR_LIMIT];
    case LG_ECANCELLED:
        return state->errors[LG__ERROR_CANCELLED];
    case LG_EPARTIAL:
        return state->errors[LG__ERROR_PARTIAL];
    case LG_EUNSUPPORTED:
        return state->errors[LG__ERROR_UNSUPPORTED];
    case LG_ECHILD:
        return state->errors[LG__ERROR_CHILD];
    case LG_ERENDER:
        return state->errors[LG__ERROR_PICTURE];
    case LG_OK:
        break;
    }
    return state->errors[LG__ERROR_BASE];
}

/* A message may name a file whose name is not UTF-8. */
static PyObject *
sentence_of(const lg_error *error)
{
    return PyUnicode_DecodeUTF8(
        error->message, (Py_ssize_t)strlen(error->message), "backslashreplace");
}

PyObject *
lg__error_raise(lg__core_state *state, lg_status status, const lg_error *error)
{
    if (PyErr_Occurred())
        return NULL;
    PyObject *sentence = sentence_of(error);
    if (sentence != NULL)
        PyErr_SetObject(error_type(state, status), sentence);
    Py_XDECREF(sentence);
    return NULL;
}

/* Takes over the value of the attribute. If it is NULL, the attribute stays
   None, or the current exception stays. */
static void
raise_with(lg__core_state *state, lg__core_error id, const lg_error *error,
           const char *attribute, PyObject *value)
{
    PyObject *type = state->errors[id];
    PyObject *sentence = PyErr_Occurred() ? NULL : sentence_of(error);
    PyObject *raised =
        sentence ? PyObject_CallFunctionObjArgs(type, sentence, NULL) : NULL;
    if (raised != NULL && (value == NULL || PyObject_SetAttrString(
                                                raised, attribute, value) == 0))
        PyErr_SetObject(type, raised);
    Py_XDECREF(value);
    Py_XDECREF(raised);
    Py_XDECREF(sentence);
}

void
lg__error_raise_child(lg__core_state *state, const lg_error *error, int number)
{
    raise_with(state, LG__ERROR_CHILD, error, "signal",
               number ? PyLong_FromLong(number) : NULL);
}

void
lg__error_raise_picture(lg__core_state *state, const lg_error *error,
                        PyObject *text)
{
    raise_with(state, LG__ERROR_PICTURE, error, "text", text);
}

static PyObject *
call(const char *module_name, const char *function, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule(module_name);
    if (module == NULL)
        return NULL;
    PyObject *result = lg__method_call(module, function, argument);
    Py_DECREF(module);
    return result;
}

/* Returns whether the exception looks like a module that is gone, or whose
   names are None by now. */
static bool
is_of_ending(void)
{
    return Py_IsFinalizing() && (PyErr_ExceptionMatches(PyExc_ImportError) ||
                                 PyErr_ExceptionMatches(PyExc_AttributeError) ||
                                 PyErr_ExceptionMatches(PyExc_TypeError));
}

PyObject *
lg__python_call(lg__core_state *state, const char *module, const char *function,
                PyObject *argument)
{
    PyObject *result = call(module, function, argument);
    if (result == NULL && is_of_ending())
        PyErr_Format(state->errors[LG__ERROR_BASE],
                     "%s() of %s can no longer run, because the interpreter is "
                     "ending: ask earlier, for example in an atexit callback.",
                     function, module);
    return result;
}
