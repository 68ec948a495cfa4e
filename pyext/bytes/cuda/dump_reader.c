#include "bytes/cuda/dump_reader.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const key_names[LG_KEYS] = {
    "state",        "history",       "frames", "requested_size",
    "real_size",    "address",       "blocks", "segment_pool_id",
    "segment_type", "is_expandable", "stream", "segments",
    "size",         "total_size",    "device", "user_metadata",
};

bool
lg_dump_complain(lg_dump_reader *self, const char *format, ...)
{
    char what[200];
    char where[64] = "";
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (self->at_block != SIZE_MAX)
        snprintf(where, sizeof where, "segments[%zu].blocks[%zu] ",
                 self->at_segment, self->at_block);
    else if (self->at_segment != SIZE_MAX)
        snprintf(where, sizeof where, "segments[%zu] ", self->at_segment);
    self->status =
        lg_error_set(self->err, LG_EINVAL,
                     "not an allocator snapshot: %s%s; pass what "
                     "torch.cuda.memory._snapshot() returned, or a file of it",
                     where, what);
    return false;
}

bool
lg_dump_run_out(lg_dump_reader *self)
{
    self->status = lg_error_set(self->err, LG_ENOMEM,
                                "memory ran out while an allocator snapshot "
                                "was copied");
    return false;
}

PyObject *
lg_dump_item(const lg_dump_reader *self, PyObject *dict, lg_dump_key key)
{
    return PyDict_GetItem(dict, self->keys[key]);
}

bool
lg_dump_number(PyObject *value, uint64_t *out)
{
    if (value == NULL || !PyLong_Check(value))
        return false;
    unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    *out = number;
    return true;
}

bool
lg_dump_need(lg_dump_reader *self, PyObject *dict, lg_dump_key key,
             uint64_t *out)
{
    return lg_dump_number(lg_dump_item(self, dict, key), out) ||
           lg_dump_complain(self, "has no whole number '%s'", key_names[key]);
}

bool
lg_dump_open(lg_dump_reader *self, bool with_frames)
{
    for (size_t i = 0; i < LG_KEYS; i++) {
        self->keys[i] = PyUnicode_InternFromString(key_names[i]);
        if (self->keys[i] == NULL) {
            PyErr_Clear();
            return lg_dump_run_out(self);
        }
    }
    self->frames = with_frames ? lg_frames_open() : NULL;
    return !with_frames || self->frames != NULL || lg_dump_run_out(self);
}

void
lg_dump_close(lg_dump_reader *self)
{
    for (size_t i = 0; i < LG_KEYS; i++)
        Py_XDECREF(self->keys[i]);
    lg_frames_close(self->frames);
}
