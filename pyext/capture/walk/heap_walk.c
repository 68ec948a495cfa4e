#include "capture/walk/heap_walk.h"

#include <leakgraph/internal/wording.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
lg__walk_scratch(lg__heap_walk *walk, lg__scratch *scratch, size_t size)
{
    if (size <= scratch->size)
        return true;
    size_t grown = scratch->size ? scratch->size : 4096;
    while (grown < size)
        grown *= 2;
    void *data = walk->allocator.resize(walk->allocator.context, scratch->data,
                                        scratch->size, grown);
    if (data == NULL) {
        walk->builder->status = LG_ENOMEM;
        return false;
    }
    scratch->data = data;
    scratch->size = grown;
    return true;
}

void
lg__walk_scratch_free(lg__heap_walk *walk, lg__scratch *scratch)
{
    if (scratch->data != NULL)
        walk->allocator.resize(walk->allocator.context, scratch->data,
                               scratch->size, 0);
    scratch->data = NULL;
    scratch->size = 0;
}

/** Takes the memory from the address map: it is zeroed, never moves, and goes
 *  with the map. */
void *
lg__walk_keep(lg__heap_walk *walk, size_t size)
{
    void *kept =
        lg__address_map_take(&walk->address_map, (size + 15) & ~(size_t)15);
    if (kept == NULL)
        walk->builder->status = LG_ENOMEM;
    return kept;
}

uint32_t
lg__walk_intern(lg__heap_walk *walk, const char *name)
{
    return lg_builder_intern(walk->builder, name, strlen(name));
}

uint32_t
lg__walk_intern_str(lg__heap_walk *walk, PyObject *str)
{
    lg__name name;
    name.length = 0;
    if (str != NULL && PyUnicode_Check(str))
        lg__name_add_str(&name, str, LG__NAME_LIMIT);
    return lg_builder_intern(walk->builder, name.data, name.length);
}

/** The place of a literal, by its address. */
static uint32_t
place_of(const char *literal)
{
    return (uint32_t)((uintptr_t)literal * UINT64_C(0x9E3779B97F4A7C15) >>
                      (64 - LG__LITERAL_BITS));
}

/** The address of a literal stands for its text, because a literal neither
 *  moves nor changes. Another one with the same place replaces it, and is
 *  interned again when it comes back. */
uint32_t
lg__walk_intern_literal(lg__heap_walk *walk, const char *literal)
{
    lg__literals *known = &walk->literals;
    uint32_t place = place_of(literal);
    if (known->text[place] != literal) {
        known->id[place] = lg__walk_intern(walk, literal);
        known->text[place] = literal;
    }
    return known->id[place];
}

void
lg__name_addf(lg__name *name, const char *format, ...)
{
    char piece[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    lg__name_add(name, piece);
}

/* Does without printf, because a capture writes many numbers. */
void
lg__name_add_int(lg__name *name, long long number)
{
    char text[24];
    size_t at = sizeof text;
    unsigned long long rest = number < 0 ? 0 - (unsigned long long)number
                                         : (unsigned long long)number;
    do
        text[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        text[--at] = '-';
    lg__name_add_bytes(name, text + at, sizeof text - at);
}

/** Encodes one code point; a lone surrogate becomes U+FFFD. */
static size_t
encode(Py_UCS4 c, char out[4])
{
    if (c >= 0xD800 && c <= 0xDFFF)
        c = 0xFFFD;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

void
lg__name_add_str_from(lg__name *name, PyObject *str, Py_ssize_t start,
                      size_t limit)
{
    const size_t mark = sizeof LG__ELLIPSIS - 1;
    size_t room = sizeof name->data - name->length;
    if (!PyUnicode_IS_READY(str) || room < mark)
        return;
    if (limit > room - mark)
        limit = room - mark;
    Py_ssize_t length = PyUnicode_GET_LENGTH(str);
    int kind = (int)PyUnicode_KIND(str);
    const void *data = PyUnicode_DATA(str);
    if (PyUnicode_IS_ASCII(str)) {
        size_t count = (size_t)(length - start);
        lg__name_add_bytes(name, (const char *)data + start,
                           count < limit ? count : limit);
        if (count > limit)
            lg__name_add(name, LG__ELLIPSIS);
        return;
    }
    size_t used = 0;
    for (Py_ssize_t i = start; i < length; i++) {
        char bytes[4];
        size_t count = encode(PyUnicode_READ(kind, data, i), bytes);
        if (used + count > limit) {
            lg__name_add(name, LG__ELLIPSIS);
            return;
        }
        lg__name_add_bytes(name, bytes, count);
        used += count;
    }
}

void
lg__name_add_str(lg__name *name, PyObject *str, size_t limit)
{
    lg__name_add_str_from(name, str, 0, limit);
}

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
