/**
 * Checks, at import, that the interpreter's internals are where this build
 * expects them. A patch release may move them; then the capture uses the public
 * method and says so.
 */
#include "capture/run/capture.h"
#include "capture/walk/capture_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Why the capture does not use the internals, or empty. Written once, at
 *  import. */
static char refusal[128] = "not checked";
static bool asked_for;

static void
refuse(const char *reason)
{
    if (refusal[0] == '\0')
        snprintf(refusal, sizeof refusal, "%s", reason);
}

static void
check_offsets(void)
{
    if (lg__untested_patch() != NULL)
        refuse(lg__untested_patch());
    if (!lg__offsets_agree() ||
        !lg__interpreter_agrees(PyInterpreterState_Get()))
        refuse("the interpreter's state is not laid out as it should be");
}

/** Checks that a new list is the youngest member of the youngest generation. */
static void
check_generations(void)
{
    if (LG__FREE_THREADED)
        return;
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        PyErr_Clear();
        refuse("no memory for the self-check");
        return;
    }
    lg__gc_link *head = lg__gc_head(PyInterpreterState_Get(), 0);
    if (lg__gc_prev(head) != (lg__gc_link *)list - 1)
        refuse("the collector's lists are not where they should be");
    Py_DECREF(list);
}

/** Reads back two known dicts, one with str keys, one with others. */
static void
check_dict(PyObject *key, PyObject *value, bool str_keys)
{
    PyObject *dict = PyDict_New();
    if (dict == NULL || PyDict_SetItem(dict, key, value) < 0) {
        PyErr_Clear();
        refuse("no memory for the self-check");
        Py_XDECREF(dict);
        return;
    }
    if (!str_keys)
        lg__general_lookup = lg__dict_lookup(dict);
    lg__dict_table table =
        lg__dict_table_of(((PyDictObject *)dict)->ma_keys, lg__general_lookup);
    if (table.count != 1 || table.str_keys != str_keys ||
        *(PyObject *const *)(table.base + table.key) != key ||
        *(PyObject *const *)(table.base + table.value) != value)
        refuse("dicts are not laid out as they should be");
    Py_DECREF(dict);
}

static void
check_dicts(void)
{
    PyObject *number = PyLong_FromLong(1);
    PyObject *name = PyUnicode_FromString("leakgraph_self_check");
    if (number != NULL && name != NULL) {
        check_dict(number, Py_None, false);
        check_dict(name, number, true);
    } else {
        PyErr_Clear();
        refuse("no memory for the self-check");
    }
    Py_XDECREF(number);
    Py_XDECREF(name);
}

/** Checks that a new instance has its two attributes where the walkers of
 *  instances read them. */
static void
check_instance(PyObject *class)
{
    PyObject *object = PyObject_CallNoArgs(class);
    if (object == NULL || PyObject_SetAttrString(object, "first", Py_None) ||
        PyObject_SetAttrString(object, "second", class)) {
        PyErr_Clear();
        refuse("no memory for the self-check");
        Py_XDECREF(object);
        return;
    }
    if (lg__type_has_managed_dict(Py_TYPE(object))) {
        lg__inline_values inlined = lg__inline_values_of(object);
        if (inlined.values == NULL || inlined.count != 2 ||
            inlined.values[0] != Py_None || inlined.values[1] != class)
            refuse("instance attributes are not where they should be");
    }
    Py_DECREF(object);
}

/** Takes a class apart as the collector does, because a class is a cycle and
 *  would otherwise be visible garbage until a collection. Without a GIL, only
 *  the collector counts its references. */
static void
drop_class(PyObject *class)
{
    if (!LG__FREE_THREADED)
        Py_TYPE(class)->tp_clear(class);
    Py_DECREF(class);
}

static void
check_classes(void)
{
    PyObject *class =
        PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "SelfCheck");
    if (class == NULL) {
        PyErr_Clear();
        refuse("no memory for the self-check");
        return;
    }
    lg__subtype_traverse = ((PyTypeObject *)class)->tp_traverse;
    lg__subtype_dealloc = ((PyTypeObject *)class)->tp_dealloc;
    check_instance(class);
    drop_class(class);
}

void
lg__capture_self_check(void)
{
    refusal[0] = '\0';
    const char *forced = getenv("LEAKGRAPH_CAPTURE");
    asked_for = forced != NULL && strcmp(forced, "public") == 0;
    if (asked_for)
        refuse("asked for by LEAKGRAPH_CAPTURE");
    check_offsets();
    check_generations();
    check_dicts();
    check_classes();
    lg__signal_handlers_find();
}

bool
lg__capture_internal(void)
{
    return refusal[0] == '\0';
}

int
lg__capture_announce(void)
{
    if (lg__capture_internal() || asked_for)
        return 0;
    return PyErr_WarnFormat(
        PyExc_RuntimeWarning, 1,
        "leakgraph uses only public calls of this CPython (%s): snapshots lack "
        "frozen objects, frames with their variables, and what native code "
        "holds",
        refusal);
}

void
lg__capture_describe(char *out, size_t size)
{
    if (lg__capture_internal())
        snprintf(out, size, "internal");
    else
        snprintf(out, size, "public: %s", refusal);
}

bool
lg__capture_is_free_threaded(void)
{
    return LG__FREE_THREADED;
}
