/**
 * numpy arrays: not seen by the collector at all. Read from memory at the
 * layout of the loaded numpy, which is never imported and never called.
 *
 * The array struct is numpy's stable ABI prefix (ndarraytypes.h,
 * PyArrayObject_fields); the descriptor changed in numpy 2, where the item size
 * became a pointer-sized integer behind a 64-bit flags word.
 */
#include "walk.h"

#include <string.h>

typedef struct array_layout {
    PyObject_HEAD
    char *data;
    int dimension_count;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *descriptor;
    int flags;
} array_layout;

/** The part of a descriptor that numpy 1 and 2 share. */
typedef struct descriptor_layout {
    PyObject_HEAD
    PyTypeObject *scalar_type;
    char kind;
    char code;
    char byte_order;
    char former_flags;
    int type_number;
} descriptor_layout;

enum { OWNS_DATA = 0x4, OBJECT_TYPE_NUMBER = 17 };

void
lg_numpy_find(lg_walk *walk)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *numpy = lg_dict_find(modules, "numpy");
    if (numpy == NULL || !PyModule_Check(numpy))
        return;
    PyObject *names = ((lg_module_layout *)numpy)->md_dict;
    if (names == NULL || !PyDict_CheckExact(names))
        return;
    PyObject *array = lg_dict_find(names, "ndarray");
    PyObject *version = lg_dict_find(names, "__version__");
    if (array == NULL || !PyType_Check(array) || version == NULL ||
        !PyUnicode_CheckExact(version))
        return;
    lg_name text = {0};
    lg_name_add_str(&text, version, 64);
    char note[128];
    bool known = text.length > 1 && text.data[1] == '.' &&
                 (text.data[0] == '1' || text.data[0] == '2');
    snprintf(note, sizeof note,
             known ? "inspected: %.*s" : "not inspected: numpy %.*s is unknown",
             (int)text.length, text.data);
    lg_builder_set_info(walk->builder, "adapter.numpy", note);
    if (!known)
        return;
    walk->numpy.ndarray = (PyTypeObject *)array;
    walk->numpy.item_size_wide = text.data[0] == '2';
    size_t behind = offsetof(descriptor_layout, type_number) + sizeof(int);
    walk->numpy.item_size_offset =
        walk->numpy.item_size_wide ? behind + sizeof(uint64_t) : behind;
}

static size_t
item_size(const lg_walk *walk, const array_layout *array)
{
    const char *word =
        (const char *)array->descriptor + walk->numpy.item_size_offset;
    if (!walk->numpy.item_size_wide) {
        int narrow;
        memcpy(&narrow, word, sizeof narrow);
        return narrow > 0 ? (size_t)narrow : 0;
    }
    Py_ssize_t wide;
    memcpy(&wide, word, sizeof wide);
    return wide > 0 ? (size_t)wide : 0;
}

static size_t
item_count(const array_layout *array)
{
    size_t count = 1;
    for (int i = 0; i < array->dimension_count; i++)
        count *= (size_t)array->dimensions[i];
    return count;
}

size_t
lg_numpy_data_size(lg_walk *walk, PyObject *object)
{
    const array_layout *array = (array_layout *)object;
    size_t shape = 2 * sizeof(Py_ssize_t) * (size_t)array->dimension_count;
    if (array->descriptor == NULL || !(array->flags & OWNS_DATA))
        return shape;
    return shape + item_count(array) * item_size(walk, array);
}

/** Only the owner of an object array's memory holds its elements; memory an
 *  owner allocated is contiguous. */
static void
claim_elements(lg_walk *walk, const array_layout *array)
{
    const descriptor_layout *descriptor =
        (descriptor_layout *)array->descriptor;
    if (descriptor->type_number != OBJECT_TYPE_NUMBER ||
        !(array->flags & OWNS_DATA) || array->data == NULL)
        return;
    size_t count = item_count(array);
    PyObject *const *items = (PyObject *const *)array->data;
    for (size_t i = 0; i < count; i++)
        lg_walk_edge(walk, items[i], LG_EDGE_INDEX, (uint32_t)i);
}

void
lg_claim_ndarray(lg_walk *walk, PyObject *object)
{
    const array_layout *array = (array_layout *)object;
    lg_claim(walk, array->base, LG_EDGE_ATTRIBUTE,
             lg_walk_intern(walk, "base"));
    if (array->descriptor == NULL)
        return;
    lg_claim(walk, array->descriptor, LG_EDGE_ATTRIBUTE,
             lg_walk_intern(walk, "dtype"));
    claim_elements(walk, array);
}

/** `float64[3, 4]`, from the scalar type's name. */
void
lg_name_ndarray(PyObject *object, lg_name *name)
{
    const array_layout *array = (array_layout *)object;
    if (array->descriptor == NULL)
        return;
    const PyTypeObject *scalar =
        ((descriptor_layout *)array->descriptor)->scalar_type;
    const char *text = scalar != NULL ? scalar->tp_name : "?";
    const char *dot = strrchr(text, '.');
    lg_name_add(name, dot != NULL ? dot + 1 : text);
    lg_name_add(name, "[");
    for (int i = 0; i < array->dimension_count; i++)
        lg_name_addf(name, i ? ", %zd" : "%zd", array->dimensions[i]);
    lg_name_add(name, "]");
}
