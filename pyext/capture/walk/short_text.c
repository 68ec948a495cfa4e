/**
 * Writes short texts. Reads the memory of str objects; Python prints nothing.
 */
#include "capture/walk/heap_walk.h"

#include <leakgraph/internal/wording.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void
lg__name_add_count(lg__name *name, uint64_t count)
{
    char digits[24];
    int length =
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            lg__name_add(name, ",");
        lg__name_addf(name, "%c", digits[i]);
    }
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
