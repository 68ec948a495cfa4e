/** Storages: the bytes of tensors, and the records around them. */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

enum { WORD = sizeof(uintptr_t), META_DEVICE = 14 };

typedef struct storage_copy {
    uintptr_t address;
    uintptr_t data;
    uintptr_t deleter;
    uintptr_t context;
    uintptr_t bytes;
    signed char device[2];
} storage_copy;

static bool
read_storage(lg__torch *torch, uintptr_t address, storage_copy *out)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t pointers[3];
    out->address = address;
    out->bytes = lg__memory_word(torch->memory, address + layout->storage_size);
    if (!lg__memory_copy(torch->memory, address + layout->storage_data,
                         pointers, sizeof pointers) ||
        !lg__memory_copy(torch->memory, address + layout->storage_device,
                         out->device, sizeof out->device))
        return false;
    out->data = pointers[0];
    out->deleter = pointers[1];
    out->context = pointers[2];
    return true;
}

/** The memory beyond the bytes themselves: malloc's rounding, the StorageImpl,
 *  and the record that frees borrowed memory. */
static size_t
extra_of(lg__torch *torch, const storage_copy *storage)
{
    size_t extra = lg__memory_block(torch->memory, storage->address);
    if (storage->deleter == torch->layout->deleter_malloc) {
        size_t block = lg__memory_block(torch->memory, storage->data);
        extra += block > storage->bytes ? block - storage->bytes : 0;
    } else if (storage->deleter == torch->layout->deleter_object) {
        extra += lg__memory_block(torch->memory, storage->context);
    }
    return extra;
}

/** Returns whether a word is the address of a Python object: its type is an
 *  instance of type or of a subclass. */
static bool
is_object(lg__torch *torch, uintptr_t object)
{
    if (!lg__is_address(object))
        return false;
    uintptr_t type = lg__memory_word(torch->memory, object + WORD);
    uintptr_t meta =
        type >= 4096 ? lg__memory_word(torch->memory, type + WORD) : 0;
    return meta >= 4096 &&
           (lg__memory_word(torch->memory,
                            meta + offsetof(PyTypeObject, tp_flags)) &
            Py_TPFLAGS_TYPE_SUBCLASS) != 0;
}

static void
link_object(lg__torch *torch, uint32_t holder, uintptr_t object, bool first)
{
    uint32_t node = lg__pass_object(torch->pass, (PyObject *)object);
    if (node != LG_NONE)
        lg_builder_add_late_edge(torch->builder, holder, node,
                                 LG_EDGE_NATIVE |
                                     (first ? 0 : LG_EDGE_UNCOUNTED),
                                 torch->names.owner);
}

/** Memory that came as a DLPack capsule. The producer's own context is the
 *  seventh word of a DLManagedTensor, and the second of a versioned one
 *  (dlpack.h). It is numpy's array, or begins with PyTorch's tensor. */
static void
link_capsule(lg__torch *torch, uint32_t holder, uintptr_t managed, bool first)
{
    static const unsigned places[] = {6, 1};
    for (size_t i = 0; i < 2; i++) {
        uintptr_t producer =
            lg__memory_word(torch->memory, managed + places[i] * WORD);
        if (is_object(torch, producer)) {
            link_object(torch, holder, producer, first);
            return;
        }
        uintptr_t impl = lg__is_address(producer)
                             ? lg__memory_word(torch->memory, producer)
                             : 0;
        lg__torch_record *tensor = first && lg__is_address(impl)
                                       ? lg__torch_tensor(torch, impl)
                                       : NULL;
        if (tensor != NULL) {
            lg__torch_link(torch, holder, tensor, torch->names.owner);
            return;
        }
    }
}

/** A capsule that nobody has taken owns a tensor, and so does numpy's capsule,
 *  which keeps the tensor that numpy took from another. The pointer of a taken
 *  one leads nowhere. */
static bool
is_owner(const char *name)
{
    static const char *const names[] = {"dltensor", "dltensor_versioned",
                                        "numpy_dltensor",
                                        "numpy_dltensor_versioned"};
    bool owner = false;
    for (size_t i = 0; name != NULL && i < sizeof names / sizeof *names; i++)
        owner |= strcmp(name, names[i]) == 0;
    return owner;
}

/** Links the tensor or the array that a capsule of DLPack owns. */
static void
walk_capsule(lg__torch *torch, PyObject *object, uint32_t node)
{
    const char *name = PyCapsule_GetName(object);
    if (is_owner(name))
        link_capsule(torch, node, (uintptr_t)PyCapsule_GetPointer(object, name),
                     true);
}

/** Memory that a Python object lends (from_numpy, frombuffer), directly or
 *  through DLPack: the storage's context refers to the object. */
static void
link_owner(lg__torch *torch, const storage_copy *storage, uint32_t holder,
           bool first)
{
    const lg__torch_layout *layout = torch->layout;
    if (storage->deleter != layout->deleter_object || !layout->owner_known)
        return;
    uintptr_t owner = lg__memory_word(
        torch->memory, storage->context + layout->context_object);
    if (is_object(torch, owner))
        link_object(torch, holder, owner, first);
    else if (lg__is_address(owner & ~(uintptr_t)8))
        link_capsule(torch, holder, owner, first);
}

static bool
is_mapped(lg__torch *torch, const storage_copy *storage)
{
    if (!lg__is_address(storage->context) || storage->context == storage->data)
        return false;
    const lg__torch_class *class = lg__torch_class_of(torch, storage->context);
    return class != NULL && class->kind == LG__TORCH_MAPPING;
}

/** Page-locked memory shows in the name of the allocator's class. */
static bool
is_pinned(lg__torch *torch, const storage_copy *storage)
{
    if (storage->device[0] != 0 || !torch->layout->storage_allocator)
        return false;
    uintptr_t allocator = lg__memory_word(
        torch->memory, storage->address + torch->layout->storage_allocator);
    const lg__torch_class *class =
        allocator != 0 ? lg__torch_class_of(torch, allocator) : NULL;
    return class != NULL && class->kind == LG__TORCH_PINNING;
}

/** The tensor's own text if it covers the storage, and otherwise a text with
 *  the storage's number of elements. */
static uint32_t
text_of(lg__torch *torch, const storage_copy *storage,
        const lg__torch_contents *contents)
{
    char text[64];
    if (contents->bytes == storage->bytes)
        return contents->text;
    if (contents->element == 0)
        return 0;
    snprintf(text, sizeof text, "%s[%" PRIu64 "]", contents->dtype,
             (uint64_t)(storage->bytes / contents->element));
    return lg__torch_intern(torch, text);
}

/** Adds a span; a holder of the whole storage describes it best. */
static unsigned
flags_of(lg__torch *torch, const storage_copy *storage, bool covers)
{
    unsigned flags = 0;
    if (covers && storage->deleter != torch->layout->deleter_object)
        flags |= LG_SPAN_OWNER;
    if (is_mapped(torch, storage))
        flags |= LG_SPAN_MAPPED;
    if (is_pinned(torch, storage))
        flags |= LG_SPAN_PINNED;
    return flags;
}

/** The segment of shared memory, or the file; 0: not known. */
static uint32_t
file_of(lg__torch *torch, const storage_copy *storage)
{
    char name[512];
    if (!is_mapped(torch, storage))
        return 0;
    if (torch->files == NULL)
        torch->files = lg__mapped_files_read(torch->pass);
    return lg__mapped_files_name(torch->files, storage->data, name, sizeof name)
               ? lg__torch_intern(torch, name)
               : 0;
}

/** By the number in c10::DeviceType. */
static const char *const devices[] = {
    "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
    "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
    "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone",
};

void
lg__torch_device_name(int kind, int index, char *out, size_t size)
{
    const char *name =
        kind >= 0 && (size_t)kind < sizeof devices / sizeof *devices
            ? devices[kind]
            : "unknown";
    if (index >= 0 && kind != 0)
        snprintf(out, size, "%s:%d", name, index);
    else
        snprintf(out, size, "%s", name);
}

static uint32_t
device_of(lg__torch *torch, const storage_copy *storage)
{
    char name[32];
    if (storage->device[0] == 0)
        return 0;
    lg__torch_device_name(storage->device[0], storage->device[1], name,
                          sizeof name);
    return lg__pass_device(torch->pass, name);
}

/** Makes lg__torch_first false for the data of a storage. */
static void
torch_take(lg__torch *torch, uintptr_t address)
{
    lg__torch_slot *slot =
        lg__torch_slot_of(torch->pass, &torch->records, address);
    if (slot != NULL && slot->value == NULL)
        lg__torch_fill(&torch->records, slot, address, &torch->taken);
}

void
lg__torch_hold_storage(lg__torch *torch, uint32_t holder, uintptr_t address,
                       const lg__torch_contents *contents)
{
    storage_copy storage;
    bool first;
    lg__torch_record *record = lg__torch_storage(torch, address, &first);
    if (record == NULL || !read_storage(torch, address, &storage))
        return;
    if (record->node != holder)
        lg__torch_link(torch, holder, record, torch->names.storage);
    link_owner(torch, &storage, holder, first);
    size_t extra = first ? extra_of(torch, &storage) : 0;
    if (first && storage.data != 0)
        torch_take(torch, storage.data);
    if (storage.data == 0 || storage.bytes == 0 ||
        storage.device[0] == META_DEVICE) {
        lg__pass_add_size(torch->pass, holder, (int64_t)extra);
        return;
    }
    lg_span span = {
        .holder = holder,
        .device = device_of(torch, &storage),
        .address = storage.data,
        .length = storage.bytes,
        .extra = extra,
        .type = torch->storage_type,
        .text = text_of(torch, &storage, contents),
        .label = torch->names.data,
        .flags = flags_of(torch, &storage, contents->bytes == storage.bytes),
        .file = file_of(torch, &storage),
    };
    lg_builder_add_span(torch->builder, &span);
}

static void
scan_storage(lg__torch *torch, const lg__instance *instance)
{
    const lg__torch_contents contents = {.dtype = "bytes"};
    uintptr_t storage =
        lg__torch_word_at(instance->object, torch->layout->owner_impl);
    if (instance->kind == LG__TORCH_CAPSULE)
        walk_capsule(torch, instance->object, instance->node);
    else if (storage != 0)
        lg__torch_hold_storage(torch, instance->node, storage, &contents);
}

const lg__torch_sort lg__torch_storages = {scan_storage, NULL};
