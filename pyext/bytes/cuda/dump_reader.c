#include "bytes/cuda/dump_reader.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const key_names[LG__KEYS] = {
    "state",        "history",       "frames", "requested_size",
    "real_size",    "address",       "blocks", "segment_pool_id",
    "segment_type", "is_expandable", "stream", "segments",
    "size",         "total_size",    "device", "user_metadata",
};

bool
lg__dump_complain(lg__dump_reader *self, const char *format, ...)
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
lg__dump_run_out(lg__dump_reader *self)
{
    self->status = lg_error_set(self->err, LG_ENOMEM,
                                "memory ran out while an allocator snapshot "
                                "was copied");
    return false;
}

PyObject *
lg__dump_item(const lg__dump_reader *self, PyObject *dict, lg__dump_key key)
{
    return PyDict_GetItem(dict, self->keys[key]);
}

bool
lg__dump_number(PyObject *value, uint64_t *out)
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
lg__dump_need(lg__dump_reader *self, PyObject *dict, lg__dump_key key,
              uint64_t *out)
{
    return lg__dump_number(lg__dump_item(self, dict, key), out) ||
           lg__dump_complain(self, "has no whole number '%s'", key_names[key]);
}

bool
lg__dump_open(lg__dump_reader *self, bool with_frames)
{
    for (size_t i = 0; i < LG__KEYS; i++) {
        self->keys[i] = PyUnicode_InternFromString(key_names[i]);
        if (self->keys[i] == NULL) {
            PyErr_Clear();
            return lg__dump_run_out(self);
        }
    }
    self->frames = with_frames ? lg__frames_open() : NULL;
    return !with_frames || self->frames != NULL || lg__dump_run_out(self);
}

void
lg__dump_close(lg__dump_reader *self)
{
    for (size_t i = 0; i < LG__KEYS; i++)
        Py_XDECREF(self->keys[i]);
    lg__frames_close(self->frames);
}
