/**
 * CUDA, from PyTorch's caching allocator and the driver.
 *
 * It reads them only if torch.cuda is already in use: nothing here makes a CUDA
 * context. It takes a snapshot of the allocator before and after the walk,
 * because threads without the GIL go on allocating. A block that differs is in
 * flux.
 */
#include "bytes/common/adapters.h"
#include "bytes/common/ask.h"
#include "bytes/cuda/dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 64 };

typedef struct cuda_device {
    bool seen; /* it has a context, so that reading totals makes none */
    bool has_stats, has_driver;
    uint64_t allocated, reserved;
    uint64_t driver_free, driver_total;
} cuda_device;

typedef struct cuda_state {
    PyObject *memory; /* torch.cuda.memory, borrowed: a loaded module */
    bool has_blocks;
    lg_dump dump; /* the state before the walk */
    cuda_device devices[DEVICES];
} cuda_state;

/* Takes the snapshot, without the trace of past allocations if PyTorch can
   leave it out: the trace may take gigabytes. */
static PyObject *
ask_snapshot(PyObject *memory)
{
    PyObject *lean = PyDict_New();
    PyObject *snapshot = NULL;
    if (lean != NULL && !PyDict_SetItemString(lean, "include_traces", Py_False))
        snapshot =
            lg_ask_call(lg_pass_member(memory, "memory_snapshot"), NULL, lean);
    Py_XDECREF(lean);
    if (snapshot == NULL)
        snapshot = lg_ask_call(lg_pass_member(memory, "_snapshot"), NULL, NULL);
    return snapshot;
}

static lg_status
take_dump(PyObject *memory, bool with_frames, lg_dump *out, lg_error *err)
{
    PyObject *snapshot = ask_snapshot(memory);
    if (snapshot == NULL)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "torch.cuda.memory._snapshot() failed");
    lg_status status = lg_dump_read(snapshot, with_frames, out, err);
    Py_DECREF(snapshot);
    return status;
}

/* PyTorch before 2.0 has only its own allocator, and no such function. */
static PyObject *
ask_backend(PyObject *memory)
{
    PyObject *name = lg_ask_call(
        lg_pass_member(memory, "get_allocator_backend"), NULL, NULL);
    return name != NULL ? name : PyUnicode_FromString("native");
}

static void
find_blocks(lg_adapter_pass *pass, cuda_state *self)
{
    const char *version = lg_ask_version("torch");
    PyObject *owned = ask_backend(self->memory);
    const char *backend =
        owned && PyUnicode_Check(owned) ? PyUnicode_AsUTF8(owned) : NULL;
    lg_error error;
    if (backend == NULL || strcmp(backend, "native") != 0)
        lg_pass_note(pass,
                     "inspected: %s, totals only: the allocator %.40s does "
                     "not list its blocks",
                     version, backend ? backend : "?");
    else if (take_dump(self->memory, true, &self->dump, &error) != LG_OK)
        lg_pass_note(pass, "inspected: %s, totals only: %s", version,
                     error.message);
    else {
        self->has_blocks = true;
        lg_pass_note(pass, "inspected: %s", version);
    }
    Py_XDECREF(owned);
}

static bool
stat_of(PyObject *stats, const char *key, uint64_t *out)
{
    PyObject *value = PyDict_GetItemString(stats, key);
    Py_XINCREF(value);
    return lg_ask_number(value, out);
}

static void
ask_totals(PyObject *memory, int ordinal, cuda_device *device)
{
    PyObject *stats =
        lg_ask_callf(lg_pass_member(memory, "memory_stats"), "(i)", ordinal);
    device->has_stats =
        stats != NULL && PyDict_Check(stats) &&
        stat_of(stats, "allocated_bytes.all.current", &device->allocated) &&
        stat_of(stats, "reserved_bytes.all.current", &device->reserved);
    Py_XDECREF(stats);
    PyObject *driver =
        lg_ask_callf(lg_pass_member(memory, "mem_get_info"), "(i)", ordinal);
    if (driver != NULL)
        device->has_driver =
            lg_ask_number(PySequence_GetItem(driver, 0),
                          &device->driver_free) &&
            lg_ask_number(PySequence_GetItem(driver, 1), &device->driver_total);
    PyErr_Clear();
    Py_XDECREF(driver);
}

/* Returns whether this process has a context on the device. */
static bool
has_context(int ordinal)
{
    PyObject *module = lg_pass_module("torch._C");
    return module != NULL &&
           lg_ask_true(
               lg_ask_callf(lg_pass_member(module, "_cuda_hasPrimaryContext"),
                            "(i)", ordinal));
}

static void
find_totals(cuda_state *self, PyObject *cuda)
{
    uint64_t count = 0;
    lg_ask_number(lg_ask_call(lg_pass_member(cuda, "device_count"), NULL, NULL),
                  &count);
    for (size_t i = 0; i < self->dump.segment_count; i++)
        if (self->dump.segments[i].device < DEVICES)
            self->devices[self->dump.segments[i].device].seen = true;
    for (int i = 0; i < DEVICES && (uint64_t)i < count; i++)
        self->devices[i].seen |= has_context(i);
    for (int i = 0; i < DEVICES; i++)
        if (self->devices[i].seen)
            ask_totals(self->memory, i, &self->devices[i]);
}

/* A process cannot use CUDA if it was forked after CUDA was initialised. */
static bool
is_usable(lg_adapter_pass *pass, PyObject *cuda)
{
    bool forked = lg_ask_true(
        lg_ask_call(lg_pass_member(cuda, "_is_in_bad_fork"), NULL, NULL));
    if (forked)
        lg_pass_note(pass, "not inspected: CUDA cannot be used in a "
                           "process forked from one that used it");
    return !forked;
}

static bool
cuda_prepare(lg_adapter_pass *pass, void **state)
{
    PyObject *cuda = lg_pass_module("torch.cuda");
    PyObject *memory = lg_pass_module("torch.cuda.memory");
    if (cuda == NULL || memory == NULL || lg_pass_is_partial(pass) ||
        lg_pass_member(cuda, "_initialized") != Py_True ||
        !is_usable(pass, cuda))
        return false;
    cuda_state *self = calloc(1, sizeof *self);
    if (self == NULL)
        return false;
    self->memory = memory;
    find_blocks(pass, self);
    find_totals(self, cuda);
    *state = self;
    return true;
}

static uint32_t
device_id(lg_adapter_pass *pass, unsigned ordinal)
{
    char name[32];
    snprintf(name, sizeof name, "cuda:%u", ordinal);
    return lg_pass_device(pass, name);
}

static uint32_t
text_id(lg_adapter_pass *pass, const lg_dump *dump, uint32_t id)
{
    const char *text = id != 0 ? dump->texts[id] : "";
    return lg_builder_intern(lg_pass_builder(pass), text, strlen(text));
}

static void
add_blocks(lg_adapter_pass *pass, const lg_dump *dump)
{
    lg_builder *builder = lg_pass_builder(pass);
    size_t next = 0;
    for (size_t i = 0; i < dump->segment_count; i++) {
        lg_segment segment = dump->segments[i];
        segment.device = device_id(pass, segment.device);
        segment.kind = text_id(pass, dump, segment.kind);
        segment.pool = text_id(pass, dump, segment.pool);
        uint32_t number = lg_builder_add_segment(builder, &segment);
        for (; next < dump->block_count && dump->blocks[next].segment == i;
             next++) {
            lg_block block = dump->blocks[next];
            block.segment = number;
            block.frames = text_id(pass, dump, block.frames);
            lg_builder_add_block(builder, &block);
        }
    }
}

static void
add_total(lg_adapter_pass *pass, unsigned ordinal, const char *what,
          uint64_t bytes)
{
    char key[64], value[32];
    snprintf(key, sizeof key, "device.cuda:%u.%s", ordinal, what);
    snprintf(value, sizeof value, "%llu", (unsigned long long)bytes);
    lg_builder_set_info(lg_pass_builder(pass), key, value);
}

static void
add_totals(lg_adapter_pass *pass, const cuda_state *self)
{
    for (unsigned i = 0; i < DEVICES; i++) {
        const cuda_device *device = &self->devices[i];
        if (device->seen)
            device_id(pass, i);
        if (device->has_stats) {
            add_total(pass, i, "allocated", device->allocated);
            add_total(pass, i, "reserved", device->reserved);
        }
        if (device->has_driver) {
            add_total(pass, i, "driver_total", device->driver_total);
            add_total(pass, i, "driver_free", device->driver_free);
        }
    }
}

static void
cuda_ask(lg_adapter_pass *pass, void *state)
{
    cuda_state *self = state;
    lg_dump later = {0};
    if (self->has_blocks &&
        take_dump(self->memory, false, &later, NULL) == LG_OK)
        lg_dump_compare(&self->dump, &later, NULL);
    lg_dump_free(&later);
    add_blocks(pass, &self->dump);
    add_totals(pass, self);
}

static unsigned
cuda_kind(void *state, PyTypeObject *type)
{
    (void)state;
    (void)type;
    return 0;
}

static void
cuda_scan(lg_adapter_pass *pass, void *state)
{
    (void)pass;
    (void)state;
}

static void
cuda_finish(void *state)
{
    cuda_state *self = state;
    lg_dump_free(&self->dump);
    free(self);
}

const lg_adapter lg_cuda_adapter = {
    .name = "cuda",
    .prepare = cuda_prepare,
    .kind = cuda_kind,
    .pass = cuda_scan,
    .ask = cuda_ask,
    .finish = cuda_finish,
};
