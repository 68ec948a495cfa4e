/** Summaries: saved to a file, merged, and their places. */
#include "binding/answers/binding_answers.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/growth.h>

#include <inttypes.h>
#include <stdlib.h>

const char lg__snapshot_summary_doc[] =
    "summary($self, /, path, *, progress=None)\n"
    "--\n\n"
    "Save what diff() needs of the snapshot to a small file and return its "
    "path.\n\n"
    "The file has places, types and accounts, but no objects. {pid}, {rank} "
    "and {n} in\n"
    "path stand for the same as in save().";

static bool
save_summary(lg__snapshot_object *snapshot, const char *path,
             const lg_monitor *monitor)
{
    const lg_analysis *analysis = lg__analysis_acquire(snapshot, monitor);
    if (analysis == NULL)
        return false;
    lg_summary *summary = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_summary_new(analysis, monitor, &summary, &error);
    if (status == LG_OK)
        status = lg_summary_save(summary, path, &error);
    lg_summary_free(summary);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(snapshot), status, &error);
    return status == LG_OK;
}

PyObject *
lg__snapshot_summary(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    static const char *const names[] = {"path", "progress", NULL};
    static const lg__arg_list list = {"summary", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg__progress watch;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__progress_begin(&watch, values[1]))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    bool saved =
        path != NULL && save_summary((lg__snapshot_object *)self,
                                     PyBytes_AS_STRING(path), &watch.monitor);
    PyObject *result = NULL;
    if (lg__progress_finish(&watch, saved ? LG_OK : LG_ECANCELLED) && saved)
        result = PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
    Py_XDECREF(path);
    return result;
}

static lg_summary *
summary_from(lg__core_state *state, PyObject *bytes)
{
    lg_summary *summary = NULL;
    lg_error error;
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(bytes, &data, &length) < 0)
        return NULL;
    lg_status status =
        lg_summary_load_memory(data, (size_t)length, &summary, &error);
    if (status != LG_OK)
        lg__error_raise(state, status, &error);
    return summary;
}

static PyObject *
bytes_of(lg__core_state *state, const lg_summary *summary)
{
    void *data = NULL;
    size_t length = 0;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_summary_save_memory(summary, &data, &length, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(state, status, &error);
    PyObject *bytes = PyBytes_FromStringAndSize(data, (Py_ssize_t)length);
    free(data);
    return bytes;
}

static PyObject *
merge(lg__core_state *state, lg_summary *const *parts, size_t count)
{
    lg_summary *sum = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status =
        lg_summary_merge((const lg_summary *const *)parts, count, &sum, &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(state, status, &error);
    PyObject *bytes = bytes_of(state, sum);
    lg_summary_free(sum);
    return bytes;
}

const char lg__core_merge_summaries_doc[] =
    "_merge_summaries($module, /, *summaries)\n--\n\n"
    "Add up the bytes of summaries.";

PyObject *
lg__core_merge_summaries(PyObject *module, PyObject *args)
{
    lg__core_state *state = lg__module_state(module);
    Py_ssize_t count = PyTuple_GET_SIZE(args);
    lg_summary **parts = calloc((size_t)count + 1, sizeof *parts);
    if (parts == NULL)
        return PyErr_NoMemory();
    Py_ssize_t read = 0;
    for (; read < count; read++) {
        parts[read] = summary_from(state, PyTuple_GET_ITEM(args, read));
        if (parts[read] == NULL)
            break;
    }
    PyObject *sum = read == count ? merge(state, parts, (size_t)count) : NULL;
    for (Py_ssize_t i = 0; i < read; i++)
        lg_summary_free(parts[i]);
    free(parts);
    return sum;
}

static PyObject *
size_of(lg__core_state *state, const lg_places *places, const uint64_t *bytes)
{
    PyObject *dict = PyDict_New();
    for (uint32_t i = 0; dict != NULL && i <= lg_places_device_count(places);
         i++) {
        lg_string name = lg_places_device_name(places, i);
        PyObject *key = PyUnicode_FromStringAndSize(name.data, name.length);
        PyObject *value = PyLong_FromUnsignedLongLong(bytes[i]);
        if (key == NULL || value == NULL ||
            PyDict_SetItem(dict, key, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    PyObject *size =
        dict ? lg__size_from(state->types[LG__TYPE_SIZE], dict) : NULL;
    Py_XDECREF(dict);
    return size;
}

static PyObject *
place_tuple(lg__core_state *state, const lg_places *places, uint32_t index)
{
    lg_place place = lg_places_at(places, index);
    lg_text holder = {0};
    char key[17];
    lg_place_format(places, index, &holder);
    snprintf(key, sizeof key, "%016" PRIx64, place.key);
    long long parent = place.parent == LG_NONE ? -1 : (long long)place.parent;
    return Py_BuildValue(
        "(NNKNNsL)", lg__text_object(&holder),
        PyUnicode_FromStringAndSize(place.type.data, place.type.length),
        (unsigned long long)place.members, size_of(state, places, place.own),
        size_of(state, places, place.retained), key, parent);
}

const char lg__core_summary_places_doc[] =
    "_summary_places($module, summary, /)\n--\n\n"
    "The places of a summary's bytes, parents first: tuples of holder, type, "
    "members,\nown and retained bytes (Size), key, and the parent's "
    "position "
    "or -1.";

PyObject *
lg__core_summary_places(PyObject *module, PyObject *bytes)
{
    lg__core_state *state = lg__module_state(module);
    lg_summary *summary = summary_from(state, bytes);
    if (summary == NULL)
        return NULL;
    const lg_places *places = lg_summary_places(summary);
    uint32_t count = lg_places_count(places);
    PyObject *all = PyList_New(count);
    for (uint32_t i = 0; all != NULL && i < count; i++) {
        PyObject *place = place_tuple(state, places, i);
        if (place != NULL)
            PyList_SET_ITEM(all, i, place);
        else
            Py_CLEAR(all);
    }
    lg_summary_free(summary);
    return all;
}
