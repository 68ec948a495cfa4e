#include "capture/walk/heap_walk.h"

#include <string.h>

const void *lg__general_lookup;

bool
lg__str_equals(PyObject *str, const char *text)
{
    size_t length = strlen(text);
    return PyUnicode_IS_READY(str) && PyUnicode_IS_COMPACT_ASCII(str) &&
           (size_t)PyUnicode_GET_LENGTH(str) == length &&
           memcmp(PyUnicode_DATA(str), text, length) == 0;
}

PyObject *
lg__dict_find(PyObject *dict, const char *key)
{
    Py_ssize_t position = 0, length = (Py_ssize_t)strlen(key);
    PyObject *name, *value;
    if (!PyDict_Check(dict) || ((PyDictObject *)dict)->ma_keys == NULL)
        return NULL;
    while (PyDict_Next(dict, &position, &name, &value))
        if (PyUnicode_CheckExact(name) &&
            ((PyASCIIObject *)name)->length == length &&
            lg__str_equals(name, key))
            return value;
    return NULL;
}

/** Returns whether a lookup compares nothing but strs. */
static bool
has_only_strs(const PyObject *dict)
{
    const PyDictObject *words = (const PyDictObject *)dict;
    return PyDict_CheckExact(dict) && words->ma_keys != NULL &&
           lg__dict_table_of(words->ma_keys, lg__general_lookup).str_keys;
}

PyObject *
lg__dict_find_common(const lg__heap_walk *walk, PyObject *dict, PyObject *key,
                     const char *text)
{
    if (LG__FREE_THREADED || !walk->internal || key == NULL ||
        !has_only_strs(dict))
        return lg__dict_find(dict, text);
    return PyDict_GetItemWithError(dict, key);
}
