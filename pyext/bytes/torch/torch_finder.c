#include "bytes/torch/torch_finder.h"

#include <stdio.h>
#include <string.h>

uint16_t
lg_finder_fail(lg_finder *finder, const char *what, const char *how)
{
    if (!finder->failed)
        snprintf(finder->reason, finder->reason_size, "%s: %s", what, how);
    finder->failed = true;
    return 0;
}

bool
lg_finder_check(lg_finder *finder, bool is_so, const char *what)
{
    if (!is_so)
        lg_finder_fail(finder, what, "not as expected");
    return is_so && !finder->failed;
}

/** Returns whether the member of `step` bytes at this address has that value.
 *  */
static bool
fits(lg_finder *finder, const lg_sought *sought, uintptr_t address,
     uintptr_t value)
{
    uintptr_t found = 0;
    return lg_memory_copy(finder->memory, address, &found, sought->step) &&
           (found & ~sought->ignored) == value;
}

static bool
fits_all(lg_finder *finder, const lg_sought *sought, size_t offset,
         const lg_sample *samples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!fits(finder, sought, samples[i].base + offset, samples[i].value))
            return false;
    return true;
}

bool
lg_finder_is_a(lg_finder *finder, uintptr_t object, const char *mangled)
{
    lg_rtti rtti;
    return object % sizeof object == 0 &&
           lg_rtti_read(finder->memory, lg_memory_word(finder->memory, object),
                        &rtti) &&
           lg_rtti_is_a(&rtti, mangled);
}

/** Like lg_finder_class, for one offset. */
static bool
points_all(lg_finder *finder, size_t offset, const lg_sample *samples,
           size_t count, const char *mangled)
{
    for (size_t i = 0; i < count; i++)
        if (!lg_finder_is_a(
                finder,
                lg_memory_word(finder->memory, samples[i].base + offset),
                mangled))
            return false;
    return true;
}

typedef struct match {
    size_t offset;
    unsigned count;
} match;

static match
match_all(lg_finder *finder, const lg_sought *sought, const lg_sample *samples,
          size_t count, const char *mangled)
{
    match found = {0, 0};
    size_t end = sought->end < UINT16_MAX ? sought->end : UINT16_MAX;
    for (size_t k = sought->begin; k + sought->step <= end; k += sought->step) {
        bool fit = mangled != NULL
                       ? points_all(finder, k, samples, count, mangled)
                       : fits_all(finder, sought, k, samples, count);
        if (!fit)
            continue;
        found.offset = k;
        found.count++;
    }
    return found;
}

static uint16_t
one_of(lg_finder *finder, const lg_sought *sought, match found)
{
    if (found.count == 1)
        return (uint16_t)found.offset;
    return lg_finder_fail(finder, sought->what,
                          found.count ? "found in several places"
                                      : "not found");
}

uint16_t
lg_finder_find(lg_finder *finder, const lg_sought *sought,
               const lg_sample *samples, size_t count)
{
    if (finder->failed)
        return 0;
    return one_of(finder, sought,
                  match_all(finder, sought, samples, count, NULL));
}

bool
lg_finder_any(lg_finder *finder, const lg_sought *sought,
              const lg_sample *samples, size_t count, uint16_t *out)
{
    match found = match_all(finder, sought, samples, count, NULL);
    if (finder->failed || found.count != 1)
        return false;
    *out = (uint16_t)found.offset;
    return true;
}

uint16_t
lg_finder_try(lg_finder *finder, const lg_sought *sought,
              const lg_sample *samples, size_t count)
{
    if (finder->failed)
        return 0;
    match found = match_all(finder, sought, samples, count, NULL);
    return found.count ? one_of(finder, sought, found) : 0;
}

uint16_t
lg_finder_class(lg_finder *finder, const lg_sought *sought,
                const lg_sample *samples, size_t count, const char *mangled)
{
    if (finder->failed)
        return 0;
    return one_of(finder, sought,
                  match_all(finder, sought, samples, count, mangled));
}

uint16_t
lg_finder_try_class(lg_finder *finder, const lg_sought *sought,
                    const lg_sample *samples, size_t count, const char *mangled)
{
    if (finder->failed)
        return 0;
    match found = match_all(finder, sought, samples, count, mangled);
    return found.count ? one_of(finder, sought, found) : 0;
}

PyObject *
lg_finder_optional(lg_finder *finder, const char *name)
{
    return PyDict_GetItemString(finder->made, name);
}

PyObject *
lg_finder_object(lg_finder *finder, const char *name)
{
    PyObject *object = lg_finder_optional(finder, name);
    if (object == NULL)
        lg_finder_fail(finder, name, "no such calibration object");
    return object;
}

uintptr_t
lg_finder_at(lg_finder *finder, const char *name)
{
    return (uintptr_t)lg_finder_object(finder, name);
}

/** The number that a table of the calibration objects has for an object. */
static uintptr_t
number_of(lg_finder *finder, const char *table, const char *name)
{
    PyObject *object = lg_finder_object(finder, name);
    PyObject *numbers = lg_finder_object(finder, table);
    PyObject *id = object != NULL ? PyLong_FromVoidPtr(object) : NULL;
    PyObject *number = NULL;
    if (id != NULL && numbers != NULL && PyDict_Check(numbers))
        number = PyDict_GetItem(numbers, id);
    uintptr_t address = number != NULL ? PyLong_AsSize_t(number) : 0;
    Py_XDECREF(id);
    if (PyErr_Occurred() || number == NULL) {
        PyErr_Clear();
        lg_finder_fail(finder, name, "has no address");
        return 0;
    }
    return address;
}

uintptr_t
lg_finder_address(lg_finder *finder, const char *name)
{
    return number_of(finder, "addresses", name);
}

uintptr_t
lg_finder_data(lg_finder *finder, const char *name)
{
    return number_of(finder, "data", name);
}

uintptr_t
lg_finder_word(lg_finder *finder, uintptr_t address)
{
    uintptr_t word = 0;
    if (!finder->failed &&
        !lg_memory_copy(finder->memory, address, &word, sizeof word))
        lg_finder_fail(finder, "memory of a calibration object",
                       "cannot be read");
    return word;
}

size_t
lg_finder_end(lg_finder *finder, uintptr_t block)
{
    size_t size = finder->failed ? 0 : lg_memory_block(finder->memory, block);
    return size > 8 && size < UINT16_MAX ? size - 8 : 0;
}
