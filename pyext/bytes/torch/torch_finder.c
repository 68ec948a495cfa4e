#include "bytes/torch/torch_finder.h"

#include <stdio.h>
#include <string.h>

uint16_t
lg__finder_fail(lg__torch_finder *finder, const char *what, const char *how)
{
    if (!finder->failed)
        snprintf(finder->reason, finder->reason_size, "%s: %s", what, how);
    finder->failed = true;
    return 0;
}

bool
lg__finder_check(lg__torch_finder *finder, bool is_so, const char *what)
{
    if (!is_so)
        lg__finder_fail(finder, what, "not as expected");
    return is_so && !finder->failed;
}

/** Returns whether the member of `step` bytes at this address has that value.
 *  */
static bool
fits(lg__torch_finder *finder, const lg__sought *sought, uintptr_t address,
     uintptr_t value)
{
    uintptr_t found = 0;
    return lg__memory_copy(finder->memory, address, &found, sought->step) &&
           (found & ~sought->ignored) == value;
}

static bool
fits_all(lg__torch_finder *finder, const lg__sought *sought, size_t offset,
         const lg__sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!fits(finder, sought, samples[i].base + offset, samples[i].value))
            return false;
    return true;
}

bool
lg__finder_is_a(lg__torch_finder *finder, uintptr_t object, const char *mangled)
{
    lg__rtti rtti;
    return object % sizeof object == 0 &&
           lg__rtti_read(finder->memory,
                         lg__memory_word(finder->memory, object), &rtti) &&
           lg__rtti_is_a(&rtti, mangled);
}

/** Like lg__finder_class, for one offset. */
static bool
points_all(lg__torch_finder *finder, size_t offset, const lg__sample *samples,
           size_t count, const char *mangled)
{
    for (size_t i = 0; i < count; i++)
        if (!lg__finder_is_a(
                finder,
                lg__memory_word(finder->memory, samples[i].base + offset),
                mangled))
            return false;
    return true;
}

typedef struct match {
    size_t offset; // the first that fits
    unsigned count;
} match;

static match
match_all(lg__torch_finder *finder, const lg__sought *sought,
          const lg__sample *samples, size_t count, const char *mangled)
{
    match found = {0, 0};
    size_t end = sought->end < UINT16_MAX ? sought->end : UINT16_MAX;
    for (size_t k = sought->begin; k + sought->step <= end; k += sought->step) {
        bool fit = mangled != NULL
                       ? points_all(finder, k, samples, count, mangled)
                       : fits_all(finder, sought, k, samples, count);
        if (fit && found.count++ == 0)
            found.offset = k;
    }
    return found;
}

static uint16_t
one_of(lg__torch_finder *finder, const lg__sought *sought, match found)
{
    if (found.count == 1)
        return (uint16_t)found.offset;
    return lg__finder_fail(finder, sought->what,
                           found.count ? "found in several places"
                                       : "not found");
}

uint16_t
lg__finder_find(lg__torch_finder *finder, const lg__sought *sought,
                const lg__sample *samples, size_t count)
{
    if (finder->failed)
        return 0;
    return one_of(finder, sought,
                  match_all(finder, sought, samples, count, NULL));
}

uint16_t
lg__finder_first(lg__torch_finder *finder, const lg__sought *sought,
                 const lg__sample *samples, size_t count)
{
    if (finder->failed)
        return 0;
    match found = match_all(finder, sought, samples, count, NULL);
    found.count = found.count > 0;
    return one_of(finder, sought, found);
}

bool
lg__finder_any(lg__torch_finder *finder, const lg__sought *sought,
               const lg__sample *samples, size_t count, uint16_t *out)
{
    match found = match_all(finder, sought, samples, count, NULL);
    if (finder->failed || found.count != 1)
        return false;
    *out = (uint16_t)found.offset;
    return true;
}

uint16_t
lg__finder_try(lg__torch_finder *finder, const lg__sought *sought,
               const lg__sample *samples, size_t count)
{
    if (finder->failed)
        return 0;
    match found = match_all(finder, sought, samples, count, NULL);
    return found.count ? one_of(finder, sought, found) : 0;
}

uint16_t
lg__finder_class(lg__torch_finder *finder, const lg__sought *sought,
                 const lg__sample *samples, size_t count, const char *mangled)
{
    if (finder->failed)
        return 0;
    return one_of(finder, sought,
                  match_all(finder, sought, samples, count, mangled));
}

uint16_t
lg__finder_try_class(lg__torch_finder *finder, const lg__sought *sought,
                     const lg__sample *samples, size_t count,
                     const char *mangled)
{
    if (finder->failed)
        return 0;
    match found = match_all(finder, sought, samples, count, mangled);
    return found.count ? one_of(finder, sought, found) : 0;
}

PyObject *
lg__finder_optional(lg__torch_finder *finder, const char *name)
{
    return PyDict_GetItemString(finder->made, name);
}

PyObject *
lg__finder_object(lg__torch_finder *finder, const char *name)
{
    PyObject *object = lg__finder_optional(finder, name);
    if (object == NULL)
        lg__finder_fail(finder, name, "no such calibration object");
    return object;
}

uintptr_t
lg__finder_at(lg__torch_finder *finder, const char *name)
{
    return (uintptr_t)lg__finder_object(finder, name);
}

/** The number that a table of the calibration objects has for an object. */
static uintptr_t
number_of(lg__torch_finder *finder, const char *table, const char *name)
{
    PyObject *object = lg__finder_object(finder, name);
    PyObject *numbers = lg__finder_object(finder, table);
    PyObject *id = object != NULL ? PyLong_FromVoidPtr(object) : NULL;
    PyObject *number = NULL;
    if (id != NULL && numbers != NULL && PyDict_Check(numbers))
        number = PyDict_GetItem(numbers, id);
    uintptr_t address = number != NULL ? PyLong_AsSize_t(number) : 0;
    Py_XDECREF(id);
    if (PyErr_Occurred() || number == NULL) {
        PyErr_Clear();
        lg__finder_fail(finder, name, "has no address");
        return 0;
    }
    return address;
}

uintptr_t
lg__finder_address(lg__torch_finder *finder, const char *name)
{
    return number_of(finder, "addresses", name);
}

uintptr_t
lg__finder_data(lg__torch_finder *finder, const char *name)
{
    return number_of(finder, "data", name);
}

uintptr_t
lg__finder_word(lg__torch_finder *finder, uintptr_t address)
{
    uintptr_t word = 0;
    if (!finder->failed &&
        !lg__memory_copy(finder->memory, address, &word, sizeof word))
        lg__finder_fail(finder, "memory of a calibration object",
                        "cannot be read");
    return word;
}

size_t
lg__finder_end(lg__torch_finder *finder, uintptr_t block)
{
    size_t size = finder->failed ? 0 : lg__memory_block(finder->memory, block);
    return size > 8 && size < UINT16_MAX ? size - 8 : 0;
}
