#include "binding/answers/py_baseline.h"
#include "binding/support/binding_support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Reads the file that a path-like object names. NULL with an exception. */
static lg_baseline *
baseline_load(lg__core_state *state, PyObject *path, bool may_be_missing)
{
    lg_error error;
    lg_baseline *baseline = NULL;
    PyObject *name = lg__pathname_bytes(path);
    if (name == NULL)
        return NULL;
    lg_status status = lg_baseline_load(PyBytes_AS_STRING(name), may_be_missing,
                                        &baseline, &error);
    Py_DECREF(name);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return baseline;
}

/** Writes it. False with an exception. */
static bool
baseline_save(lg__core_state *state, const lg_baseline *baseline,
              PyObject *path)
{
    lg_error error;
    PyObject *name = lg__pathname_bytes(path);
    if (name == NULL)
        return false;
    lg_status status =
        lg_baseline_save(baseline, PyBytes_AS_STRING(name), &error);
    Py_DECREF(name);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

bool
lg__baseline_parse(lg__baseline_request *self, lg__core_state *state,
                   PyObject *path, PyObject *update)
{
    *self = (lg__baseline_request){0};
    if (!lg__arg_flag(update, &self->update))
        return false;
    if (path == NULL || path == Py_None) {
        if (self->update)
            PyErr_SetString(state->errors[LG__ERROR_ARGUMENT],
                            "update_baseline needs a file: give baseline, "
                            "too.");
        return !self->update;
    }
    self->path = path;
    self->baseline = baseline_load(state, path, self->update);
    return self->baseline != NULL;
}

lg_status
lg__baseline_take_growth(const lg__baseline_request *self, lg_growth *growth,
                         lg_error *error)
{
    lg_status status = LG_OK;
    if (self->update)
        status = lg_growth_note(growth, self->baseline, error);
    if (status == LG_OK && self->baseline != NULL)
        lg_growth_leave_out(growth, self->baseline);
    return status;
}

bool
lg__baseline_write(const lg__baseline_request *self, lg__core_state *state)
{
    return !self->update || baseline_save(state, self->baseline, self->path);
}

static bool
read_key(const char *digits, uint64_t *key)
{
    char *end;
    *key = strtoull(digits, &end, 16);
    if (*digits != '\0' && *end == '\0')
        return true;
    PyErr_Format(PyExc_ValueError, "'%s' is no key of 16 hexadecimal digits.",
                 digits);
    return false;
}

static bool
add_growth(lg__core_state *state, lg_baseline *baseline, PyObject *entry)
{
    const char *digits;
    const char *note;
    uint64_t key;
    lg_error error;
    if (!PyArg_ParseTuple(entry, "ss", &digits, &note) ||
        !read_key(digits, &key))
        return false;
    lg_status status =
        lg_baseline_add(baseline, LG_BASELINE_GROWTH, key,
                        (lg_string){note, (uint32_t)strlen(note)}, &error);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return status == LG_OK;
}

const char lg__core_baseline_doc[] =
    "_baseline($module, path, may_be_missing, /)\n--\n\n"
    "Read a baseline: the keys of growth that it knows.";

static PyObject *
growth_of(const lg_baseline *baseline)
{
    PyObject *keys = PyFrozenSet_New(NULL);
    for (size_t i = 0; keys != NULL && i < lg_baseline_count(baseline); i++) {
        char digits[17];
        lg_baseline_kind kind;
        uint64_t key = lg_baseline_key(baseline, i, &kind);
        if (kind != LG_BASELINE_GROWTH)
            continue;
        snprintf(digits, sizeof digits, "%016" PRIx64, key);
        PyObject *text = PyUnicode_FromString(digits);
        if (text == NULL || PySet_Add(keys, text) < 0)
            Py_CLEAR(keys);
        Py_XDECREF(text);
    }
    return keys;
}

PyObject *
lg__core_baseline(PyObject *module, PyObject *args)
{
    PyObject *path;
    int may_be_missing;
    if (!PyArg_ParseTuple(args, "Op:_baseline", &path, &may_be_missing))
        return NULL;
    lg_baseline *baseline =
        baseline_load(lg__module_state(module), path, may_be_missing != 0);
    PyObject *known = baseline ? growth_of(baseline) : NULL;
    lg_baseline_free(baseline);
    return known;
}

const char lg__core_extend_baseline_doc[] =
    "_extend_baseline($module, path, target, growth, /)\n--\n\n"
    "Read a baseline, which may be missing, add growth, and write it.\n\n"
    "growth is a list of keys and notes.";

PyObject *
lg__core_extend_baseline(PyObject *module, PyObject *args)
{
    lg__core_state *state = lg__module_state(module);
    PyObject *path;
    PyObject *target;
    PyObject *growth;
    if (!PyArg_ParseTuple(args, "OOO!:_extend_baseline", &path, &target,
                          &PyList_Type, &growth))
        return NULL;
    lg_baseline *baseline = baseline_load(state, path, true);
    bool done = baseline != NULL;
    for (Py_ssize_t i = 0; done && i < PyList_GET_SIZE(growth); i++)
        done = add_growth(state, baseline, PyList_GET_ITEM(growth, i));
    done = done && baseline_save(state, baseline, target);
    lg_baseline_free(baseline);
    if (!done)
        return NULL;
    Py_RETURN_NONE;
}
