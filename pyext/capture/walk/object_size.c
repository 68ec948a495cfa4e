/**
 * Shallow sizes: what sys.getsizeof returns, without running a __sizeof__ that
 * is written in Python, plus the inline values that it omits. The formulas are
 * those of the __sizeof__ methods in CPython's Objects/ folder, 3.9 to 3.15.
 */
#include "capture/walk/object_size.h"

static size_t
size_of_str(PyObject *object)
{
    if (PyUnicode_IS_COMPACT_ASCII(object))
        return lg__ascii_size(object);
    size_t length = (size_t)PyUnicode_GET_LENGTH(object);
    size_t bytes = (length + 1) * (size_t)PyUnicode_KIND(object);
    size_t size = PyUnicode_IS_COMPACT(object)
                      ? sizeof(PyCompactUnicodeObject) + bytes
                      : sizeof(PyUnicodeObject);
    if (!PyUnicode_IS_COMPACT(object) &&
        ((PyUnicodeObject *)object)->data.any != NULL)
        size += bytes;
    const PyCompactUnicodeObject *compact = (PyCompactUnicodeObject *)object;
    if (compact->utf8 != NULL &&
        (const void *)compact->utf8 != ((PyUnicodeObject *)object)->data.any &&
        !PyUnicode_IS_ASCII(object))
        size += (size_t)compact->utf8_length + 1;
    return size;
}

static size_t
size_of_type(lg__heap_walk *walk, PyObject *object)
{
    PyTypeObject *type = (PyTypeObject *)object;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE))
        return sizeof(PyTypeObject);
    size_t size = sizeof(PyHeapTypeObject) + LG__GC_HEAD_SIZE;
    if (walk->internal && lg__type_cached_keys(type) != NULL)
        size += lg__dict_keys_size(lg__type_cached_keys(type));
    return size;
}

static size_t
size_of_items(PyObject *object, size_t item_size)
{
    Py_ssize_t count = Py_SIZE(object);
    return (size_t)(count < 0 ? -count : count) * item_size;
}

static size_t
size_behind_set(PyObject *object)
{
    const PySetObject *set = (PySetObject *)object;
    return set->table == set->smalltable
               ? 0
               : (size_t)(set->mask + 1) * sizeof(setentry);
}

uint64_t
lg__object_size(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    size_t size = info->base_size;
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_STR:
        return size_of_str(object) + lg__preheader_size(info->type);
    case LG__SHAPE_INT:
        return LG__INT_DIGITS_OFFSET + lg__int_digits(object) * sizeof(digit) +
               lg__preheader_size(info->type);
    case LG__SHAPE_TYPE:
        return size_of_type(walk, object);
    case LG__SHAPE_LIST:
        size +=
            (size_t)((PyListObject *)object)->allocated * sizeof(PyObject *);
        break;
    case LG__SHAPE_DICT:
        size +=
            walk->internal ? lg__dict_size_behind((PyDictObject *)object) : 0;
        break;
    case LG__SHAPE_SET:
        size += size_behind_set(object);
        break;
    case LG__SHAPE_CODE:
        size += lg__code_size_behind((PyCodeObject *)object);
        break;
    case LG__SHAPE_GENERATOR:
        size += lg__generator_size_behind(object);
        break;
    case LG__SHAPE_FRAME:
        size += lg__frame_size_behind(object);
        break;
    default:
        size += info->item_size ? size_of_items(object, info->item_size) : 0;
    }
    if (info->dict_kind == LG__DICT_MANAGED && walk->internal)
        size += lg__inline_values_size(object);
    return size;
}

/** Bytes before this object. A static type has no collector's head; other types
 *  do. */
static size_t
size_before(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_is_gc != NULL && !type->tp_is_gc(object))
        return 0;
    return lg__preheader_size(type);
}

static PyObject *
sized_object(const lg__heap_walk *walk, uint32_t i)
{
    const uint32_t *nodes = walk->sized.data;
    return (PyObject *)(uintptr_t)lg_builder_address(walk->builder, nodes[i]);
}

void
lg__sizes_hold(lg__heap_walk *walk)
{
    for (; walk->sized_held < walk->sized_count; walk->sized_held++)
        Py_INCREF(sized_object(walk, walk->sized_held));
}

void
lg__sizes_release(lg__heap_walk *walk)
{
    while (walk->sized_held > 0)
        Py_DECREF(sized_object(walk, --walk->sized_held));
}

/** Keep what adapters have added or taken away meanwhile. */
static void
correct_size(lg__heap_walk *walk, uint32_t node, PyObject *object,
             size_t answer)
{
    const lg__type_info *info = lg__walk_type_info(walk, Py_TYPE(object));
    if (info == NULL)
        return;
    uint64_t known = lg_builder_size(walk->builder, node);
    lg_builder_set_size(walk->builder, node,
                        known + answer + size_before(object) -
                            lg__object_size(walk, object, info));
}

/** Calls a C __sizeof__: the only code of a library that the capture runs
 *  itself, after the walk, for the few types whose memory has no public
 *  layout. */
void
lg__sizes_finish(lg__heap_walk *walk)
{
    const uint32_t *nodes = walk->sized.data;
    for (uint32_t i = 0; i < walk->sized_count; i++) {
        PyObject *object = sized_object(walk, i);
        /* A fault in it is reported against this type. */
        walk->builder->open_node = nodes[i];
        PyCFunction function = lg__type_sizeof(walk, Py_TYPE(object));
        PyObject *answer = function != NULL ? function(object, NULL) : NULL;
        size_t bytes = answer != NULL ? PyLong_AsSize_t(answer) : (size_t)-1;
        Py_XDECREF(answer);
        if (bytes == (size_t)-1)
            PyErr_Clear();
        else
            correct_size(walk, nodes[i], object, bytes);
    }
    lg__sizes_release(walk);
    walk->sized_count = 0;
}
