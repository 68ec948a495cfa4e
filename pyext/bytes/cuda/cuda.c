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
#include "bytes/cuda/dump.h"
#include "bytes/cuda/totals.h"

#include <stdlib.h>
#include <string.h>

typedef struct cuda_state {
    PyObject *memory; /* torch.cuda.memory, borrowed: a loaded module */
    bool has_blocks;
    lg__dump dump; /* the state before the walk */
    lg__cuda_activity before;
    lg__cuda_totals devices[LG__CUDA_DEVICES];
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
    self->before = lg__cuda_activity_ask(self->memory, self->devices);
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
        if (self->dump.segments[i].device < LG__CUDA_DEVICES)
            self->devices[self->dump.segments[i].device].seen = true;
    lg__cuda_totals_ask(self->memory, self->devices);
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
    lg__cuda_devices_find(self->devices);
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
        segment.device = lg__cuda_device_id(pass, segment.device);
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
    lg__cuda_activity now = lg__cuda_activity_ask(self->memory, self->devices);
    return self->before.known && now.known && now.events == self->before.events;
}

static void
cuda_ask(lg__adapter_pass *pass, void *state)
{
    cuda_state *self = state;
    lg__dump later = {0};
    if (self->has_blocks && !is_quiet(self) &&
        take_dump(self->memory, false, &later, NULL) == LG_OK)
        lg__dump_compare(&self->dump, &later, NULL);
    lg__dump_free(&later);
    add_blocks(pass, &self->dump);
    if (*self->dump.strange_states)
        lg_builder_set_info(lg__pass_builder(pass), "allocator.strange_states",
                            self->dump.strange_states);
    lg__cuda_totals_add(pass, self->devices);
    lg__cuda_pinned_add(pass, self->memory);
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
