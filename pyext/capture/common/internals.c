#include "capture/common/internals.h"
#include "capture/cpython/capture_cpython.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const void *
lg__bytearray_memory(const PyObject *array, uint64_t *bytes)
{
    return lg__bytearray_block((const PyByteArrayObject *)array, bytes);
}

bool
lg__stringio_is_known(const PyTypeObject *type)
{
    return lg__stringio_has_layout(type);
}

lg__stringio_parts
lg__stringio_read(const PyObject *object)
{
    const lg__stringio *stream = (const lg__stringio *)object;
    lg__stringio_parts parts = {
        .buffer = stream->characters,
        .bytes = stream->room * (uint64_t)sizeof *stream->characters,
    };
    lg__stringio_text_of(stream, parts.objects);
    return parts;
}

PyObject *
lg__attribute_get(PyObject *object, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = key != NULL ? PyObject_GetAttr(object, key) : NULL;
    Py_XDECREF(key);
    return value;
}

PyObject *
lg__method_call(PyObject *object, const char *name, PyObject *argument)
{
    return lg__method_call_two(object, name, argument, NULL);
}

PyObject *
lg__method_call_two(PyObject *object, const char *name, PyObject *first,
                    PyObject *second)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *result =
        key != NULL
            ? PyObject_CallMethodObjArgs(object, key, first, second, NULL)
            : NULL;
    Py_XDECREF(key);
    return result;
}

PyObject *
lg__object_traceback(PyObject *tracemalloc, PyObject *object)
{
#if LG__TRACES_UNDER_HEAD
    uintptr_t block = (uintptr_t)object - lg__preheader_size(Py_TYPE(object));
    PyObject *frames = _PyTraceMalloc_GetTraceback(0, block);
    if (frames == NULL || frames == Py_None)
        return frames;
    PyObject *found = lg__method_call(tracemalloc, "Traceback", frames);
    Py_DECREF(frames);
    return found;
#else
    return lg__method_call(tracemalloc, "get_object_traceback", object);
#endif
}

/* The collector's head, and what a tuple has before its items. */
static uint64_t
tuple_block(unsigned long items)
{
    enum { HEAD = 2 * sizeof(uintptr_t), GRAIN = 16 };
    uint64_t bytes =
        HEAD + sizeof(PyTupleObject) + (items - 1) * sizeof(PyObject *);
    return (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

/** The bytes by the lists themselves. False if this version does not say how
 *  long they are. */
static bool
read_lists(uint64_t *bytes)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    *bytes = 0;
    for (unsigned items = 1; items <= LG__FREE_TUPLES_ITEMS; items++) {
        int64_t count = lg__free_tuples(interpreter, items);
        if (count < 0 || count > LG__FREE_TUPLES_MOST)
            return false;
        *bytes += (uint64_t)count * tuple_block(items);
    }
    return true;
}

/* Reads lines such as `50 free 1-sized PyTupleObjects * 32 bytes each`. */
static uint64_t
read_account(const char *account)
{
    static const char before[] = " free ";
    static const char after[] = "-sized PyTupleObjects";
    uint64_t bytes = 0;
    for (const char *line = account; line != NULL;
         line = strchr(line, '\n'), line += line != NULL) {
        char *at;
        unsigned long count = strtoul(line, &at, 10);
        if (strncmp(at, before, sizeof before - 1) != 0)
            continue;
        unsigned long items = strtoul(at + sizeof before - 1, &at, 10);
        if (items > 0 && strncmp(at, after, sizeof after - 1) == 0)
            bytes += count * tuple_block(items);
    }
    return bytes;
}

/** The bytes by CPython's own account of its lists. */
static uint64_t
ask_for_account(void)
{
    void (*write)(FILE *);
    char *account = NULL;
    size_t length = 0;
    uint64_t bytes = 0;
    void *symbol = dlsym(RTLD_DEFAULT, "_PyObject_DebugTypeStats");
    FILE *file = symbol ? open_memstream(&account, &length) : NULL;
    if (file == NULL)
        return 0;
    memcpy(&write, &symbol, sizeof write);
    write(file);
    if (fclose(file) == 0)
        bytes = read_account(account);
    free(account);
    return bytes;
}

uint64_t
lg__free_list_bytes(void)
{
    uint64_t bytes;
    return read_lists(&bytes) ? bytes : ask_for_account();
}
