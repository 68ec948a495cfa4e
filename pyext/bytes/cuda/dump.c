/** The recorded state of PyTorch's allocator: read from its dicts. */
#include "bytes/cuda/bytes_cuda.h"
#include "bytes/common/bytes_common.h"

#include <leakgraph/internal/writing.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The keys to look up, made once. */
typedef enum dump_key {
    KEY_STATE,
    KEY_HISTORY,
    KEY_FRAMES,
    KEY_REQUESTED_SIZE,
    KEY_REAL_SIZE,
    KEY_ADDRESS,
    KEY_BLOCKS,
    KEY_SEGMENT_POOL_ID,
    KEY_SEGMENT_TYPE,
    KEY_IS_EXPANDABLE,
    KEY_STREAM,
    KEY_SEGMENTS,
    KEY_SIZE,
    KEY_TOTAL_SIZE,
    KEY_DEVICE,
    KEY_USER_METADATA,
    KEYS
} dump_key;

static const char *const key_names[KEYS] = {
    "state",        "history",       "frames", "requested_size",
    "real_size",    "address",       "blocks", "segment_pool_id",
    "segment_type", "is_expandable", "stream", "segments",
    "size",         "total_size",    "device", "user_metadata",
};

typedef struct dump_reader {
    lg__dump dump;
    PyObject *keys[KEYS];
    lg__frames *frames; // NULL: leave them out
    size_t block_capacity;
    size_t text_capacity;
    size_t at_segment;
    size_t at_block; // SIZE_MAX: not in a block
    lg_error *err;
    lg_status status;
} dump_reader;

/** Sets an error that says where the reader is and what is wrong. Returns
 *  false. */
static bool
dump_complain(dump_reader *self, const char *format, ...)
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

static bool
dump_run_out(dump_reader *self)
{
    self->status = lg_error_set(self->err, LG_ENOMEM,
                                "memory ran out while an allocator snapshot "
                                "was copied");
    return false;
}

static PyObject *
dump_item(const dump_reader *self, PyObject *dict, dump_key key)
{
    return PyDict_GetItem(dict, self->keys[key]);
}

/** Returns whether the value, which may be NULL, is a whole number. */
static bool
dump_number(PyObject *value, uint64_t *out)
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

/** Fails unless the dict has such a number. */
static bool
dump_need(dump_reader *self, PyObject *dict, dump_key key, uint64_t *out)
{
    return dump_number(dump_item(self, dict, key), out) ||
           dump_complain(self, "has no whole number '%s'", key_names[key]);
}

/** False when memory ran out, with the error set. Close the reader in any
 *  case. */
static bool
dump_open(dump_reader *self, bool with_frames)
{
    for (size_t i = 0; i < KEYS; i++) {
        self->keys[i] = PyUnicode_InternFromString(key_names[i]);
        if (self->keys[i] == NULL) {
            PyErr_Clear();
            return dump_run_out(self);
        }
    }
    self->frames = with_frames ? lg__frames_open() : NULL;
    return !with_frames || self->frames != NULL || dump_run_out(self);
}

static void
dump_close(dump_reader *self)
{
    for (size_t i = 0; i < KEYS; i++)
        Py_XDECREF(self->keys[i]);
    lg__frames_close(self->frames);
}

// Reads an allocator's snapshot. It may come from anybody's file, so this
// checks every type, range and sum.

static bool
is_row(PyObject *value)
{
    return value != NULL && (PyList_Check(value) || PyTuple_Check(value));
}

// Grows an array by half when it is full.
static bool
make_room(dump_reader *self, void **items, size_t count, size_t *capacity,
          size_t size)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity + *capacity / 2 + 16;
    void *grown = realloc(*items, wanted * size);
    if (grown == NULL)
        return dump_run_out(self);
    *items = grown;
    *capacity = wanted;
    return true;
}

// Takes over a text from malloc(), or NULL.
static bool
keep_text(dump_reader *self, char *text, uint32_t *out)
{
    lg__dump *dump = &self->dump;
    *out = 0;
    if (text == NULL)
        return true;
    if (!make_room(self, (void **)&dump->texts, dump->text_count + 1,
                   &self->text_capacity, sizeof *dump->texts)) {
        free(text);
        return false;
    }
    if (dump->text_count == 0)
        dump->texts[dump->text_count++] = NULL;
    *out = (uint32_t)dump->text_count;
    dump->texts[dump->text_count++] = text;
    return true;
}

static bool
copy_text(dump_reader *self, const char *text, uint32_t *out)
{
    char *copy = strdup(text);
    return copy ? keep_text(self, copy, out) : dump_run_out(self);
}

// Notes the name of a state once, if there is room.
static void
note_strange(lg__dump *dump, const char *name)
{
    char *names = dump->strange_states;
    size_t used = strlen(names);
    size_t room = sizeof dump->strange_states - used;
    if (strstr(names, name) == NULL && strlen(name) + 3 <= room)
        snprintf(names + used, room, "%s%s", used ? ", " : "", name);
}

static bool
read_state(dump_reader *self, PyObject *block, uint32_t *out)
{
    static const struct {
        const char *name;
        lg_block_state state;
    } states[] = {
        {"active_allocated", LG_BLOCK_ALLOCATED},
        {"active_pending_free", LG_BLOCK_PENDING},
        {"active_awaiting_free", LG_BLOCK_PENDING},
        {"inactive", LG_BLOCK_INACTIVE},
    };
    PyObject *value = dump_item(self, block, KEY_STATE);
    const char *name =
        value && PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : NULL;
    PyErr_Clear();
    if (name == NULL)
        return dump_complain(self, "has no 'state'");
    *out = LG_BLOCK_STRANGE;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(name, states[i].name) == 0)
            *out = states[i].state;
    if (*out == LG_BLOCK_STRANGE)
        note_strange(&self->dump, name);
    return true;
}

// Reads the requested size and the stack: from the block itself or, before
// PyTorch 2.0, from the first entry of its `history`.
static bool
read_origin(dump_reader *self, PyObject *dict, lg_block *block)
{
    PyObject *history = dump_item(self, dict, KEY_HISTORY);
    PyObject *frames = dump_item(self, dict, KEY_FRAMES);
    bool known = dump_number(dump_item(self, dict, KEY_REQUESTED_SIZE),
                             &block->requested);
    if (history != NULL && PyList_Check(history) && PyList_Size(history) > 0) {
        PyObject *first = PyList_GetItem(history, 0);
        if (!PyDict_Check(first))
            return dump_complain(self, "has a 'history' of something else");
        if (!known)
            known = dump_number(dump_item(self, first, KEY_REAL_SIZE),
                                &block->requested);
        if (frames == NULL)
            frames = dump_item(self, first, KEY_FRAMES);
    }
    if (known && block->state == LG_BLOCK_ALLOCATED &&
        block->requested > block->size)
        return dump_complain(self, "is smaller than what was requested");
    if (!known || block->requested > block->size)
        block->requested = block->size;
    char *text = NULL;
    if (self->frames != NULL &&
        !lg__frames_text(self->frames, dump_item(self, dict, KEY_USER_METADATA),
                         frames, &text))
        return dump_run_out(self);
    return keep_text(self, text, &block->frames);
}

// `next` is the end of the previous block.
static bool
read_block(dump_reader *self, PyObject *dict, const lg_segment *segment,
           uint64_t *next)
{
    lg_block block = {.segment = (uint32_t)self->at_segment};
    if (!PyDict_Check(dict))
        return dump_complain(self, "is no dict");
    if (!dump_need(self, dict, KEY_SIZE, &block.size) ||
        !read_state(self, dict, &block.state) ||
        !read_origin(self, dict, &block))
        return false;
    block.address = *next;
    if (dump_item(self, dict, KEY_ADDRESS) != NULL &&
        !dump_need(self, dict, KEY_ADDRESS, &block.address))
        return false;
    if (block.address != *next)
        return dump_complain(self,
                             "does not begin where the one before it ends");
    if (block.size > segment->address + segment->size - block.address)
        return dump_complain(self, "ends beyond its segment");
    *next = block.address + block.size;
    if (!make_room(self, (void **)&self->dump.blocks, self->dump.block_count,
                   &self->block_capacity, sizeof block))
        return false;
    self->dump.blocks[self->dump.block_count++] = block;
    return true;
}

static bool
read_blocks(dump_reader *self, PyObject *dict, const lg_segment *segment)
{
    PyObject *blocks = dump_item(self, dict, KEY_BLOCKS);
    uint64_t next = segment->address;
    if (!is_row(blocks))
        return dump_complain(self, "has no list 'blocks'");
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(blocks); i++) {
        self->at_block = (size_t)i;
        if (!read_block(self, PySequence_Fast_GET_ITEM(blocks, i), segment,
                        &next))
            return false;
    }
    self->at_block = SIZE_MAX;
    if (next - segment->address != segment->size)
        return dump_complain(self,
                             "is %llu bytes long, but its blocks are %llu",
                             (unsigned long long)segment->size,
                             (unsigned long long)(next - segment->address));
    return true;
}

// The id (0, 0), or none, means the default pool.
static bool
read_pool(dump_reader *self, PyObject *dict, uint32_t *out)
{
    PyObject *pool = dump_item(self, dict, KEY_SEGMENT_POOL_ID);
    uint64_t first = 0, second = 0;
    char name[48];
    *out = 0;
    if (pool == NULL || pool == Py_None)
        return true;
    if (!is_row(pool) || PySequence_Fast_GET_SIZE(pool) != 2 ||
        !dump_number(PySequence_Fast_GET_ITEM(pool, 0), &first) ||
        !dump_number(PySequence_Fast_GET_ITEM(pool, 1), &second))
        return dump_complain(self, "has a 'segment_pool_id' that is no pair of "
                                   "whole numbers");
    if (first == 0 && second == 0)
        return true;
    snprintf(name, sizeof name, "%llu.%llu", (unsigned long long)first,
             (unsigned long long)second);
    return copy_text(self, name, out);
}

static bool
read_kind(dump_reader *self, PyObject *dict, uint32_t *out)
{
    PyObject *kind = dump_item(self, dict, KEY_SEGMENT_TYPE);
    const char *name =
        kind && PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : NULL;
    PyErr_Clear();
    *out = 0;
    return name == NULL || copy_text(self, name, out);
}

enum { DEVICES = 4096 }; // more than any machine has

static bool
read_segment(dump_reader *self, PyObject *dict, lg_segment *out)
{
    lg_segment segment = {0};
    uint64_t device = 0;
    if (!PyDict_Check(dict))
        return dump_complain(self, "is no dict");
    if (!dump_need(self, dict, KEY_ADDRESS, &segment.address) ||
        !dump_need(self, dict, KEY_TOTAL_SIZE, &segment.size) ||
        !dump_need(self, dict, KEY_DEVICE, &device))
        return false;
    if (device >= DEVICES)
        return dump_complain(self, "is on the impossible device %llu",
                             (unsigned long long)device);
    if (segment.size > UINT64_MAX - segment.address)
        return dump_complain(self, "ends beyond the last address");
    PyObject *expandable = dump_item(self, dict, KEY_IS_EXPANDABLE);
    segment.device = (uint32_t)device;
    segment.expandable = expandable == Py_True;
    if (!dump_number(dump_item(self, dict, KEY_STREAM), &segment.stream))
        segment.stream = 0;
    if (!read_pool(self, dict, &segment.pool) ||
        !read_kind(self, dict, &segment.kind) ||
        !read_blocks(self, dict, &segment))
        return false;
    *out = segment;
    return true;
}

static int
by_address(const void *left, const void *right)
{
    const lg_segment *a = *(const lg_segment *const *)left;
    const lg_segment *b = *(const lg_segment *const *)right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

static bool
check_overlaps(dump_reader *self)
{
    const lg__dump *dump = &self->dump;
    const lg_segment **sorted =
        malloc((dump->segment_count + 1) * sizeof *sorted);
    if (sorted == NULL)
        return dump_run_out(self);
    for (size_t i = 0; i < dump->segment_count; i++)
        sorted[i] = &dump->segments[i];
    qsort(sorted, dump->segment_count, sizeof *sorted, by_address);
    for (size_t i = 1; self->status == LG_OK && i < dump->segment_count; i++) {
        const lg_segment *before = sorted[i - 1];
        if (before->device == sorted[i]->device &&
            before->address + before->size > sorted[i]->address) {
            self->at_segment = (size_t)(sorted[i] - dump->segments);
            dump_complain(self, "overlaps segments[%zu]",
                          (size_t)(before - dump->segments));
        }
    }
    free(sorted);
    return self->status == LG_OK;
}

static bool
read_segments(dump_reader *self, PyObject *row)
{
    size_t count = (size_t)PySequence_Fast_GET_SIZE(row);
    self->dump.segments = calloc(count + 1, sizeof *self->dump.segments);
    if (self->dump.segments == NULL)
        return dump_run_out(self);
    for (size_t i = 0; i < count; i++) {
        self->at_segment = i;
        // Whoever else has the row may shrink it meanwhile.
        if ((Py_ssize_t)i >= PySequence_Fast_GET_SIZE(row))
            break;
        if (!read_segment(self, PySequence_Fast_GET_ITEM(row, (Py_ssize_t)i),
                          &self->dump.segments[i]))
            return false;
        self->dump.segment_count = i + 1;
    }
    self->at_segment = SIZE_MAX;
    return check_overlaps(self);
}

static void
read_snapshot(dump_reader *self, PyObject *snapshot)
{
    PyObject *row = snapshot;
    if (PyDict_Check(snapshot))
        row = dump_item(self, snapshot, KEY_SEGMENTS);
    if (row == NULL)
        dump_complain(self, "it has no 'segments'");
    else if (!is_row(row))
        dump_complain(self, "it is a %.80s", Py_TYPE(row)->tp_name);
    else
        read_segments(self, row);
}

lg_status
lg__dump_read(PyObject *snapshot, bool with_frames, lg__dump *out,
              lg_error *err)
{
    dump_reader self = {
        .at_segment = SIZE_MAX, .at_block = SIZE_MAX, .err = err};
    if (dump_open(&self, with_frames))
        read_snapshot(&self, snapshot);
    dump_close(&self);
    if (self.status == LG_OK)
        *out = self.dump;
    else
        lg__dump_free(&self.dump);
    return self.status;
}

void
lg__dump_free(lg__dump *dump)
{
    for (size_t i = 0; i < dump->text_count; i++)
        free(dump->texts[i]);
    free(dump->texts);
    free(dump->blocks);
    free(dump->segments);
    *dump = (lg__dump){0};
}
