/**
 * CUDA, from PyTorch's caching allocator and the driver.
 *
 * It reads them only if torch.cuda is already in use: nothing here makes a CUDA
 * context. It takes a snapshot of the allocator before and after the walk,
 * because threads without the GIL go on allocating. A block that differs is in
 * flux. The second snapshot is left out if the allocator's counters say that
 * nothing happened: with 300,000 blocks it takes seconds.
 */
#include "bytes/common/bytes_common.h"
#include "bytes/cuda/bytes_cuda.h"
#include "capture/adapters/capture_adapters.h"

#include <leakgraph/internal/writing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Finds what changed between two snapshots of an allocator.

enum { CUDA_DEVICES = 64 };

/** Numbers of one device; -1: unknown. */
typedef struct cuda_totals {
    bool seen; /**< it has a context, so reading the numbers makes none */
    int64_t allocated, reserved;
    int64_t peak_allocated, peak_reserved;
    int64_t driver_free, driver_total;
    int64_t driver_process; /**< bytes of this process */
} cuda_totals;

/** Counts all events in the allocators of the devices with a context; the count
 *  only grows. */
typedef struct cuda_activity {
    bool known;
    uint64_t events;
} cuda_activity;

typedef struct identity {
    uint64_t address, size, requested;
    uint32_t device, state;
} identity;

static identity
identity_of(const lg__dump *dump, const lg_block *block)
{
    return (identity){block->address, block->size, block->requested,
                      dump->segments[block->segment].device, block->state};
}

static int
by_identity(const void *left, const void *right)
{
    const identity *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->requested != b->requested)
        return a->requested < b->requested ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

/** Marks the blocks of `dump` that `later` does not have in the same state.
 *  O(blocks log blocks). On LG_ENOMEM nothing has changed. */
static lg_status
dump_compare(lg__dump *dump, const lg__dump *later, lg_error *err)
{
    identity *known = malloc((later->block_count + 1) * sizeof *known);
    if (known == NULL)
        return lg_error_set(err, LG_ENOMEM,
                            "memory ran out while allocator snapshots were "
                            "compared");
    for (size_t i = 0; i < later->block_count; i++)
        known[i] = identity_of(later, &later->blocks[i]);
    qsort(known, later->block_count, sizeof *known, by_identity);
    for (size_t i = 0; i < dump->block_count; i++) {
        identity wanted = identity_of(dump, &dump->blocks[i]);
        dump->blocks[i].in_flux = bsearch(&wanted, known, later->block_count,
                                          sizeof *known, by_identity) == NULL;
    }
    free(known);
    return LG_OK;
}

/* A number of dicts in dicts, such as "allocated_bytes.all.current", or -1.
   Does not call PyTorch's functions that return one flat dict: each call leaves
   a closure that refers to itself, and this garbage would look like the
   program's. */
static int64_t
item_of(PyObject *dict, const char *path)
{
    uint64_t number;
    PyObject *value = dict;
    while (value != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");
        PyObject *key = PyUnicode_FromStringAndSize(path, (Py_ssize_t)length);
        value = key != NULL && PyDict_Check(value) ? PyDict_GetItem(value, key)
                                                   : NULL;
        Py_XDECREF(key);
        path += length + (path[length] == '.');
    }
    PyErr_Clear();
    Py_XINCREF(value);
    return lg__ask_number(value, &number) && number <= INT64_MAX
               ? (int64_t)number
               : -1;
}

/* Returns whether this process has a context on the device. */
static bool
has_context(int ordinal)
{
    PyObject *module = lg__pass_module("torch._C");
    return module != NULL &&
           lg__ask_true(
               lg__ask_callf(lg__pass_member(module, "_cuda_hasPrimaryContext"),
                             "(i)", ordinal));
}

/** Marks the devices with a context; `memory` is the module torch.cuda.memory,
 *  here and below. */
static void
cuda_devices_find(cuda_totals *devices)
{
    PyObject *cuda = lg__pass_module("torch.cuda");
    uint64_t count = 0;
    if (cuda != NULL)
        lg__ask_number(
            lg__ask_call(lg__pass_member(cuda, "device_count"), NULL, NULL),
            &count);
    for (int i = 0; i < CUDA_DEVICES && (uint64_t)i < count; i++)
        devices[i].seen |= has_context(i);
}

/* The handle of NVML for a device, found by the device's UUID. */
static PyObject *
nvml_handle(PyObject *nvml, int ordinal)
{
    PyObject *cuda = lg__pass_module("torch.cuda");
    PyObject *properties =
        cuda != NULL
            ? lg__ask_callf(lg__pass_member(cuda, "get_device_properties"),
                            "(i)", ordinal)
            : NULL;
    PyObject *uuid =
        properties != NULL ? lg__ask_attribute(properties, "uuid") : NULL;
    PyObject *text = uuid != NULL ? PyUnicode_FromFormat("GPU-%S", uuid) : NULL;
    PyErr_Clear();
    PyObject *handle =
        text != NULL
            ? lg__ask_callf(lg__pass_member(nvml, "nvmlDeviceGetHandleByUUID"),
                            "(O)", text)
            : NULL;
    Py_XDECREF(text);
    Py_XDECREF(uuid);
    Py_XDECREF(properties);
    return handle;
}

/* What this process has on a device, if the program itself has loaded and begun
   NVML. In a container the driver may know the process by another number; then
   the bytes are unknown. */
static int64_t
process_bytes(int ordinal)
{
    PyObject *nvml = lg__pass_module("pynvml");
    PyObject *handle = nvml != NULL ? nvml_handle(nvml, ordinal) : NULL;
    PyObject *processes =
        handle != NULL
            ? lg__ask_callf(
                  lg__pass_member(nvml, "nvmlDeviceGetComputeRunningProcesses"),
                  "(O)", handle)
            : NULL;
    int64_t found = -1;
    Py_ssize_t count = processes != NULL && PyList_Check(processes)
                           ? PyList_GET_SIZE(processes)
                           : 0;
    for (Py_ssize_t i = 0; i < count && i < PyList_GET_SIZE(processes); i++) {
        PyObject *at = PyList_GET_ITEM(processes, i);
        uint64_t pid, bytes;
        if (lg__ask_number(lg__ask_attribute(at, "pid"), &pid) &&
            pid == (uint64_t)getpid() &&
            lg__ask_number(lg__ask_attribute(at, "usedGpuMemory"), &bytes) &&
            bytes <= INT64_MAX)
            found = (int64_t)bytes;
    }
    Py_XDECREF(processes);
    Py_XDECREF(handle);
    return found;
}

static PyObject *
ask_stats(PyObject *memory, int ordinal)
{
    return lg__ask_callf(lg__pass_member(memory, "memory_stats_as_nested_dict"),
                         "(i)", ordinal);
}

static int64_t
element(PyObject *row, Py_ssize_t index)
{
    uint64_t number = 0;
    PyObject *value = row != NULL ? PySequence_GetItem(row, index) : NULL;
    PyErr_Clear();
    return lg__ask_number(value, &number) && number <= INT64_MAX
               ? (int64_t)number
               : -1;
}

/** Reads the numbers of the devices that are marked. */
static void
cuda_totals_ask(PyObject *memory, cuda_totals *devices)
{
    for (int i = 0; i < CUDA_DEVICES; i++) {
        cuda_totals *at = &devices[i];
        if (!at->seen)
            continue;
        PyObject *stats = ask_stats(memory, i);
        at->allocated = item_of(stats, "allocated_bytes.all.current");
        at->reserved = item_of(stats, "reserved_bytes.all.current");
        at->peak_allocated = item_of(stats, "allocated_bytes.all.peak");
        at->peak_reserved = item_of(stats, "reserved_bytes.all.peak");
        Py_XDECREF(stats);
        PyObject *driver =
            lg__ask_callf(lg__pass_member(memory, "mem_get_info"), "(i)", i);
        at->driver_free = element(driver, 0);
        at->driver_total = element(driver, 1);
        Py_XDECREF(driver);
        at->driver_process = process_bytes(i);
    }
}

static void
add_number(lg__adapter_pass *pass, const char *key, int64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%lld", (long long)number);
    if (number >= 0)
        lg_builder_set_info(lg__pass_builder(pass), key, value);
}

/** The id of a device by its number. */
static uint32_t
cuda_device_id(lg__adapter_pass *pass, unsigned ordinal)
{
    char name[32];
    snprintf(name, sizeof name, "cuda:%u", ordinal);
    return lg__pass_device(pass, name);
}

static void
add_device(lg__adapter_pass *pass, unsigned ordinal, const cuda_totals *at)
{
    const struct {
        const char *name;
        int64_t number;
    } facts[] = {
        {"allocated", at->allocated},
        {"reserved", at->reserved},
        {"driver_total", at->driver_total},
        {"driver_free", at->driver_free},
        {"driver_process", at->driver_process},
        {"peak_allocated", at->peak_allocated},
        {"peak_reserved", at->peak_reserved},
    };
    cuda_device_id(pass, ordinal);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char key[64];
        snprintf(key, sizeof key, "device.cuda:%u.%s", ordinal, facts[i].name);
        add_number(pass, key, facts[i].number);
    }
}

/** Adds these numbers, and those of pinned memory, to the snapshot. */
static void
cuda_totals_add(lg__adapter_pass *pass, const cuda_totals *devices)
{
    for (unsigned i = 0; i < CUDA_DEVICES; i++)
        if (devices[i].seen)
            add_device(pass, i, &devices[i]);
}

/** Adds the numbers of PyTorch's allocator of pinned memory. */
static void
cuda_pinned_add(lg__adapter_pass *pass, PyObject *memory)
{
    PyObject *stats = lg__ask_call(
        lg__pass_member(memory, "host_memory_stats_as_nested_dict"), NULL,
        NULL);
    add_number(pass, "memory.pinned_pool",
               item_of(stats, "allocated_bytes.current"));
    add_number(pass, "memory.pinned_used",
               item_of(stats, "active_bytes.current"));
    add_number(pass, "memory.pinned_peak",
               item_of(stats, "allocated_bytes.peak"));
    Py_XDECREF(stats);
}

/** Counts events. If two calls give the same count, no thread has allocated or
 *  freed anything between them. */
static cuda_activity
cuda_activity_ask(PyObject *memory, const cuda_totals *devices)
{
    static const char *const keys[] = {
        "allocation.all.allocated", "allocation.all.freed", "active.all.freed",
        "segment.all.allocated",    "segment.all.freed",
    };
    cuda_activity out = {.known = true};
    for (int i = 0; i < CUDA_DEVICES; i++) {
        PyObject *stats = devices[i].seen ? ask_stats(memory, i) : NULL;
        for (size_t k = 0; devices[i].seen && k < sizeof keys / sizeof *keys;
             k++) {
            int64_t number = item_of(stats, keys[k]);
            out.known = out.known && number >= 0;
            out.events += (uint64_t)number;
        }
        Py_XDECREF(stats);
    }
    return out;
}

typedef struct cuda_state {
    PyObject *memory; /* torch.cuda.memory, borrowed: a loaded module */
    bool has_blocks;
    lg__dump dump; /* the state before the walk */
    cuda_activity before;
    cuda_totals devices[CUDA_DEVICES];
} cuda_state;

/* Takes the snapshot, without the trace of past allocations if PyTorch can
   leave it out: the trace may take gigabytes. */
static PyObject *
ask_snapshot(PyObject *memory)
{
    PyObject *lean = PyDict_New();
    PyObject *snapshot = NULL;
    if (lean != NULL && !PyDict_SetItemString(lean, "include_traces", Py_False))
        snapshot = lg__ask_call(lg__pass_member(memory, "memory_snapshot"),
                                NULL, lean);
    Py_XDECREF(lean);
    if (snapshot == NULL)
        snapshot =
            lg__ask_call(lg__pass_member(memory, "_snapshot"), NULL, NULL);
    return snapshot;
}

static lg_status
take_dump(PyObject *memory, bool with_frames, lg__dump *out, lg_error *err)
{
    PyObject *snapshot = ask_snapshot(memory);
    if (snapshot == NULL)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "torch.cuda.memory._snapshot() failed");
    lg_status status = lg__dump_read(snapshot, with_frames, out, err);
    Py_DECREF(snapshot);
    return status;
}

static lg_status
take_first(cuda_state *self, lg_error *err)
{
    self->before = cuda_activity_ask(self->memory, self->devices);
    return take_dump(self->memory, true, &self->dump, err);
}

/* PyTorch before 2.0 has only its own allocator, and no such function. */
static PyObject *
ask_backend(PyObject *memory)
{
    PyObject *name = lg__ask_call(
        lg__pass_member(memory, "get_allocator_backend"), NULL, NULL);
    return name != NULL ? name : PyUnicode_FromString("native");
}

static void
find_blocks(lg__adapter_pass *pass, cuda_state *self)
{
    const char *version = lg__ask_version("torch");
    PyObject *owned = ask_backend(self->memory);
    const char *backend =
        owned && PyUnicode_Check(owned) ? PyUnicode_AsUTF8(owned) : NULL;
    lg_error error;
    if (backend == NULL || strcmp(backend, "native") != 0)
        lg__pass_note(pass,
                      "inspected: %s, totals only: the allocator %.40s does "
                      "not list its blocks",
                      version, backend ? backend : "?");
    else if (take_first(self, &error) != LG_OK)
        lg__pass_note(pass, "inspected: %s, totals only: %s", version,
                      error.message);
    else {
        self->has_blocks = true;
        lg__pass_note(pass, "inspected: %s", version);
    }
    Py_XDECREF(owned);
}

/* Marks the devices of the dump, too, because PyTorch before 2.0 reports them
   in no other way. */
static void
find_totals(cuda_state *self)
{
    for (size_t i = 0; i < self->dump.segment_count; i++)
        if (self->dump.segments[i].device < CUDA_DEVICES)
            self->devices[self->dump.segments[i].device].seen = true;
    cuda_totals_ask(self->memory, self->devices);
}

/* A process cannot use CUDA if it was forked after CUDA was initialised. */
static bool
is_usable(lg__adapter_pass *pass, PyObject *cuda)
{
    bool forked = lg__ask_true(
        lg__ask_call(lg__pass_member(cuda, "_is_in_bad_fork"), NULL, NULL));
    if (forked)
        lg__pass_note(pass, "not inspected: CUDA cannot be used in a "
                            "process forked from one that used it");
    return !forked;
}

static bool
cuda_prepare(lg__adapter_pass *pass, void **state)
{
    PyObject *cuda = lg__pass_module("torch.cuda");
    PyObject *memory = lg__pass_module("torch.cuda.memory");
    if (cuda == NULL || memory == NULL || lg__pass_is_partial(pass) ||
        lg__pass_member(cuda, "_initialized") != Py_True ||
        !is_usable(pass, cuda))
        return false;
    cuda_state *self = calloc(1, sizeof *self);
    if (self == NULL)
        return false;
    self->memory = memory;
    cuda_devices_find(self->devices);
    find_blocks(pass, self);
    find_totals(self);
    *state = self;
    return true;
}

static uint32_t
text_id(lg__adapter_pass *pass, const lg__dump *dump, uint32_t id)
{
    const char *text = id != 0 ? dump->texts[id] : "";
    return lg_builder_intern(lg__pass_builder(pass), text, strlen(text));
}

static void
add_blocks(lg__adapter_pass *pass, const lg__dump *dump)
{
    lg_builder *builder = lg__pass_builder(pass);
    size_t next = 0;
    for (size_t i = 0; i < dump->segment_count; i++) {
        lg_segment segment = dump->segments[i];
        segment.device = cuda_device_id(pass, segment.device);
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

/* Whether the allocators did nothing since the dump. False if there is a device
   whose events were not counted then. */
static bool
is_quiet(const cuda_state *self)
{
    cuda_activity now = cuda_activity_ask(self->memory, self->devices);
    return self->before.known && now.known && now.events == self->before.events;
}

static void
cuda_ask(lg__adapter_pass *pass, void *state)
{
    cuda_state *self = state;
    lg__dump later = {0};
    if (self->has_blocks && !is_quiet(self) &&
        take_dump(self->memory, false, &later, NULL) == LG_OK)
        dump_compare(&self->dump, &later, NULL);
    lg__dump_free(&later);
    add_blocks(pass, &self->dump);
    if (*self->dump.strange_states)
        lg_builder_set_info(lg__pass_builder(pass), "allocator.strange_states",
                            self->dump.strange_states);
    cuda_totals_add(pass, self->devices);
    cuda_pinned_add(pass, self->memory);
}

static unsigned
cuda_kind(void *state, PyTypeObject *type)
{
    (void)state;
    (void)type;
    return 0;
}

static void
cuda_scan(lg__adapter_pass *pass, void *state)
{
    (void)pass;
    (void)state;
}

static void
cuda_finish(void *state)
{
    cuda_state *self = state;
    lg__dump_free(&self->dump);
    free(self);
}

const lg__adapter lg__cuda_adapter = {
    .name = "cuda",
    .prepare = cuda_prepare,
    .kind = cuda_kind,
    .pass = cuda_scan,
    .ask = cuda_ask,
    .finish = cuda_finish,
};
