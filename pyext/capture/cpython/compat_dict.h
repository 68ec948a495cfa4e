/**
 * Dicts and instance attributes, per version. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_DICT_H
#define LEAKGRAPH_COMPAT_DICT_H

#include "capture/cpython/compat.h"

#if PY_VERSION_HEX < 0x030B0000
/* Objects/dict-common.h, 3.9 and 3.10. */
typedef struct {
    Py_hash_t me_hash;
    PyObject *me_key;
    PyObject *me_value;
} lg__dict_entry;
struct _dictkeysobject {
    Py_ssize_t dk_refcnt;
    Py_ssize_t dk_size;
    void *dk_lookup;
    Py_ssize_t dk_usable;
    Py_ssize_t dk_nentries;
    char dk_indices[];
};
typedef struct _dictkeysobject lg__dict_keys;

static inline size_t
lg__dict_index_bytes(const lg__dict_keys *keys)
{
    size_t size = (size_t)keys->dk_size;
    return size * (size <= 0xff         ? 1
                   : size <= 0xffff     ? 2
                   : size <= 0xffffffff ? 4
                                        : 8);
}
#else
typedef struct _dictkeysobject lg__dict_keys;
#endif

/** The lookup function in a dict's keys, which up to 3.10 shows whether all are
 *  strs; NULL since. */
static inline const void *
lg__dict_lookup(PyObject *dict)
{
#if PY_VERSION_HEX >= 0x030B0000
    (void)dict;
    return NULL;
#else
    return ((PyDictObject *)dict)->ma_keys->dk_lookup;
#endif
}

/** `general_lookup` is the lookup function of dicts with any key, learned by
 * the self-check (used up to 3.10 only). */
static inline lg__dict_table
lg__dict_table_of(const lg__dict_keys *keys, const void *general_lookup)
{
    lg__dict_table table = {0};
    table.count = keys->dk_nentries;
#if PY_VERSION_HEX >= 0x030B0000
    (void)general_lookup;
    table.str_keys = DK_IS_UNICODE(keys);
    table.base = (const char *)keys->dk_indices +
                 ((size_t)1 << keys->dk_log2_index_bytes);
    table.stride =
        table.str_keys ? sizeof(PyDictUnicodeEntry) : sizeof(PyDictKeyEntry);
    table.key = table.str_keys ? offsetof(PyDictUnicodeEntry, me_key)
                               : offsetof(PyDictKeyEntry, me_key);
    table.value = table.str_keys ? offsetof(PyDictUnicodeEntry, me_value)
                                 : offsetof(PyDictKeyEntry, me_value);
#else
    table.str_keys = keys->dk_lookup != general_lookup;
    table.base = keys->dk_indices + lg__dict_index_bytes(keys);
    table.stride = sizeof(lg__dict_entry);
    table.key = offsetof(lg__dict_entry, me_key);
    table.value = offsetof(lg__dict_entry, me_value);
#endif
    return table;
}

/** The type of frozen dicts, which are laid out as dicts are, with a hash
 * behind that; NULL before 3.15. */
static inline PyTypeObject *
lg__frozen_dict_type(void)
{
#if PY_VERSION_HEX >= 0x030F0000
    return &PyFrozenDict_Type;
#else
    return NULL;
#endif
}

/** Returns whether instances of exactly this type have the struct of a dict,
 * and nothing else that refers to anything. */
static inline bool
lg__type_is_dict(const PyTypeObject *type)
{
    return type == &PyDict_Type ||
           (type != NULL && type == lg__frozen_dict_type());
}

/** Bytes of a keys object, as sys.getsizeof counts it (Objects/dictobject.c,
 *  _PyDict_SizeOf and _PyDict_KeysSize). */
static inline size_t
lg__dict_keys_size(const lg__dict_keys *keys)
{
#if PY_VERSION_HEX >= 0x030B0000
    size_t entry = DK_IS_UNICODE(keys) ? sizeof(PyDictUnicodeEntry)
                                       : sizeof(PyDictKeyEntry);
    size_t usable = ((size_t)DK_SIZE(keys) << 1) / 3;
    return sizeof(lg__dict_keys) + ((size_t)1 << keys->dk_log2_index_bytes) +
           usable * entry;
#else
    size_t usable = ((size_t)keys->dk_size << 1) / 3;
    return sizeof(lg__dict_keys) + lg__dict_index_bytes(keys) +
           usable * sizeof(lg__dict_entry);
#endif
}

/** The room of a split table, in values. */
static inline size_t
lg__dict_shared_usable(const lg__dict_keys *keys)
{
#if PY_VERSION_HEX >= 0x030B0000
    return (size_t)(keys->dk_nentries + keys->dk_usable);
#else
    return ((size_t)keys->dk_size << 1) / 3;
#endif
}

#if PY_VERSION_HEX >= 0x030B0000
#define LG__DICT_VALUES(dict)                                                  \
    ((dict)->ma_values != NULL ? (dict)->ma_values->values : NULL)
#else
#define LG__DICT_VALUES(dict) ((dict)->ma_values)
#endif

/** Returns whether the dict's values are embedded in the instance it belongs
 *  to, which then owns them. */
static inline bool
lg__dict_is_embedded(const PyDictObject *dict)
{
#if PY_VERSION_HEX >= 0x030D0000
    return dict->ma_values != NULL && dict->ma_values->embedded;
#else
    (void)dict;
    return false;
#endif
}

/** Bytes of the tables of a dict that are its own. */
static inline size_t
lg__dict_size_behind(const PyDictObject *dict)
{
    size_t size = 0;
    if (dict->ma_keys == NULL)
        return 0;
    if (dict->ma_values != NULL && !lg__dict_is_embedded(dict))
        size += lg__dict_shared_usable(dict->ma_keys) * sizeof(PyObject *);
    if (dict->ma_keys->dk_refcnt == 1)
        size += lg__dict_keys_size(dict->ma_keys);
    return size;
}

/** The dict of all interned strs, whose references are not counted. */
static inline PyObject *
lg__interned_dict(PyInterpreterState *interpreter)
{
#if PY_VERSION_HEX >= 0x030C0000
    return interpreter->cached_objects.interned_strings;
#else
    (void)interpreter;
    return NULL;
#endif
}

/* Instance attributes. */

static inline bool
lg__type_has_managed_dict(const PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030B0000
    return (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
#else
    (void)type;
    return false;
#endif
}

static inline lg__dict_keys *
lg__type_cached_keys(PyTypeObject *type)
{
    return ((PyHeapTypeObject *)type)->ht_cached_keys;
}

/** The instance's own dict if it exists; never makes one. The type must have a
 *  managed dict. */
static inline PyObject *
lg__managed_dict(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (PyObject *)_PyObject_ManagedDictPointer(object)->dict;
#elif PY_VERSION_HEX >= 0x030C0000
    PyDictOrValues either = *_PyObject_DictOrValuesPointer(object);
    return _PyDictOrValues_IsValues(either) ? NULL
                                            : _PyDictOrValues_GetDict(either);
#elif PY_VERSION_HEX >= 0x030B0000
    return *_PyObject_ManagedDictPointer(object);
#else
    (void)object;
    return NULL;
#endif
}

/** Where an instance with a managed dict keeps its values, or that dict. Only
 *  for prefetching. */
static inline const void *
lg__managed_word(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030D0000
    return _PyObject_ManagedDictPointer(object)->dict;
#elif PY_VERSION_HEX >= 0x030C0000
    return _PyObject_DictOrValuesPointer(object)->values;
#elif PY_VERSION_HEX >= 0x030B0000
    return *_PyObject_ValuesPointer(object);
#else
    return object;
#endif
}

/** The values kept in or beside the instance itself, if they are in use. */
static inline lg__inline_values
lg__inline_values_of(PyObject *object)
{
    lg__inline_values found = {NULL, 0};
#if PY_VERSION_HEX >= 0x030B0000
    PyTypeObject *type = Py_TYPE(object);
    PyDictValues *values = NULL;
    lg__dict_keys *keys = lg__type_cached_keys(type);
    if (keys == NULL)
        return found;
#if PY_VERSION_HEX >= 0x030D0000
    if (!(type->tp_flags & Py_TPFLAGS_INLINE_VALUES))
        return found;
    values = _PyObject_InlineValues(object);
    if (!values->valid)
        return found;
#elif PY_VERSION_HEX >= 0x030C0000
    PyDictOrValues either = *_PyObject_DictOrValuesPointer(object);
    if (_PyDictOrValues_IsValues(either))
        values = _PyDictOrValues_GetValues(either);
#else
    values = *_PyObject_ValuesPointer(object);
#endif
    if (values == NULL)
        return found;
    found.values = values->values;
    found.count = keys->dk_nentries;
#if PY_VERSION_HEX >= 0x030D0000
    if (found.count > values->capacity)
        found.count = values->capacity;
#endif
#else
    (void)object;
#endif
    return found;
}

/** Bytes of inline values that the instance owns and sys.getsizeof leaves out.
 *  From 3.13 on they lie behind the body; before, in a block of their own,
 *  after a prefix of whole words (Objects/dictobject.c, new_values). */
static inline size_t
lg__inline_values_size(PyObject *object)
{
#if PY_VERSION_HEX >= 0x030D0000
    PyTypeObject *type = Py_TYPE(object);
    if (!(type->tp_flags & Py_TPFLAGS_INLINE_VALUES))
        return 0;
    size_t capacity = _PyObject_InlineValues(object)->capacity;
    size_t prefix = (capacity + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    return offsetof(PyDictValues, values) + capacity * sizeof(void *) + prefix;
#elif PY_VERSION_HEX >= 0x030B0000
    PyObject *const *values = lg__inline_values_of(object).values;
    if (values == NULL)
        return 0;
    /* The byte before the values is the prefix's length: the capacity plus 2,
       rounded up to words. Later instances of a type get less room than the
       first, so the type's present figure is only an estimate. */
    size_t prefix = ((const uint8_t *)values)[-1];
    size_t usable =
        lg__dict_shared_usable(lg__type_cached_keys(Py_TYPE(object)));
    if (usable + 2 > prefix)
        usable = prefix - 2;
    else if (usable + 2 + sizeof(void *) <= prefix)
        usable = prefix - 1 - sizeof(void *);
    return usable * sizeof(void *) + prefix;
#else
    (void)object;
    return 0;
#endif
}

#endif
