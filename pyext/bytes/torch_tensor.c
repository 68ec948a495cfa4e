/**
 * A tensor: its facts, its storage, and what its TensorImpl and AutogradMeta
 * own.
 */
#include "torch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t), DIMENSIONS = 16, IMPL_BYTES = 512 };

/** By the number in c10::ScalarType, which is part of saved models and so
 *  never changes. */
static const struct {
    const char *name;
    unsigned bytes;
} dtypes[] = {
    {"uint8", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"float16", 2},
    {"float32", 4},
    {"float64", 8},
    {"complex32", 4},
    {"complex64", 8},
    {"complex128", 16},
    {"bool", 1},
    {"qint8", 1},
    {"quint8", 1},
    {"qint32", 4},
    {"bfloat16", 2},
    {"quint4x2", 1},
    {"quint2x4", 1},
    {"bits1x8", 1},
    {"bits2x4", 1},
    {"bits4x2", 1},
    {"bits8", 1},
    {"bits16", 2},
    {"float8_e5m2", 1},
    {"float8_e4m3fn", 1},
    {"float8_e5m2fnuz", 1},
    {"float8_e4m3fnuz", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"uint1", 1},
    {"uint2", 1},
    {"uint3", 1},
    {"uint4", 1},
    {"uint5", 1},
    {"uint6", 1},
    {"uint7", 1},
    {"int1", 1},
    {"int2", 1},
    {"int3", 1},
    {"int4", 1},
    {"int5", 1},
    {"int6", 1},
    {"int7", 1},
    {"float8_e8m0fnu", 1},
    {"float4_e2m1fn_x2", 1},
};

/** By the number in c10::DeviceType. */
static const char *const devices[] = {
    "cpu",  "cuda", "mkldnn", "opengl", "opencl", "ideep", "hip",
    "fpga", "maia", "xla",    "vulkan", "metal",  "xpu",   "mps",
    "meta", "hpu",  "ve",     "lazy",   "ipu",    "mtia",  "privateuseone",
};

void
lg_torch_device_name(int kind, int index, char *out, size_t size)
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

/** A TensorImpl, copied. */
typedef struct impl_copy {
    unsigned char bytes[IMPL_BYTES];
    size_t length;
    size_t block; /**< what it costs; 0: not known */
} impl_copy;

static bool
read_tensor(lg_torch *torch, uintptr_t impl, impl_copy *out)
{
    out->block = lg_memory_block(torch->memory, impl);
    out->length = out->block > torch->layout->impl_end + 8u
                      ? out->block - 8
                      : torch->layout->impl_end;
    if (out->length > IMPL_BYTES)
        out->length = IMPL_BYTES;
    return lg_memory_copy(torch->memory, impl, out->bytes, out->length);
}

static uintptr_t
word_of(const impl_copy *tensor, size_t offset)
{
    uintptr_t word;
    memcpy(&word, tensor->bytes + offset, WORD);
    return word;
}

/* --------------------------------------------------------------- facts --- */

static void
add_fact(lg_torch *torch, uint32_t node, const char *key, const char *value)
{
    lg_builder_add_fact(torch->builder, node, key, value, strlen(value));
}

/** "256, 1024"; the first dimensions of a tensor that has very many. */
static void
write_shape(lg_torch *torch, const impl_copy *tensor, char *out, size_t size)
{
    int64_t sizes[DIMENSIONS];
    size_t at = torch->layout->impl_sizes;
    uintptr_t count = word_of(tensor, at);
    size_t shown = count < DIMENSIONS ? count : DIMENSIONS;
    size_t length = 0;
    out[0] = '\0';
    if (count <= 5)
        memcpy(sizes, tensor->bytes + at + WORD, shown * WORD);
    else if (!lg_memory_copy(torch->memory, word_of(tensor, at + WORD), sizes,
                             shown * WORD))
        return;
    for (size_t i = 0; i < shown && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%" PRId64,
                                   i ? ", " : "", sizes[i]);
    if (shown < count && length < size)
        snprintf(out + length, size - length, ", ...");
}

/** The dtype's name, and what an element takes. */
static const char *
dtype_of(const lg_torch *torch, const impl_copy *tensor, unsigned *bytes)
{
    uint16_t number;
    memcpy(&number, tensor->bytes + torch->layout->impl_dtype, sizeof number);
    if (number >= sizeof dtypes / sizeof *dtypes) {
        *bytes = 0;
        return "unknown";
    }
    *bytes = dtypes[number].bytes;
    return dtypes[number].name;
}

/** Dtype, shape, bytes, device. Returns the text of a storage that holds just
 *  this tensor, a string id; 0 if it is not known. */
static uint32_t
describe(lg_torch *torch, const impl_copy *tensor, uint32_t node)
{
    char shape[256], text[320], bytes[32], device[32];
    unsigned each;
    const char *dtype = dtype_of(torch, tensor, &each);
    write_shape(torch, tensor, shape, sizeof shape);
    int length = snprintf(text, sizeof text, "%s[%s]", dtype, shape);
    uintptr_t count = word_of(tensor, torch->layout->impl_count);
    const signed char *place =
        (const signed char *)tensor->bytes + torch->layout->impl_device;
    lg_torch_device_name(place[0], place[1], device, sizeof device);
    snprintf(bytes, sizeof bytes, "%" PRIu64, (uint64_t)count * each);
    lg_builder_set_text(torch->builder, node, text, (size_t)length);
    add_fact(torch, node, "dtype", dtype);
    add_fact(torch, node, "shape", shape);
    add_fact(torch, node, "bytes", bytes);
    add_fact(torch, node, "device", device);
    return lg_torch_intern(torch, text);
}

void
lg_torch_describe(lg_torch *torch, uintptr_t impl, uint32_t node)
{
    impl_copy tensor;
    if (read_tensor(torch, impl, &tensor))
        describe(torch, &tensor, node);
}

/* -------------------------------------------------------- AutogradMeta --- */

uintptr_t
lg_torch_hook_dict(lg_torch *torch, uintptr_t impl, unsigned index, bool *late)
{
    const lg_torch_layout *layout = torch->layout;
    lg_memory *memory = torch->memory;
    uintptr_t meta = lg_memory_word(memory, impl + layout->impl_meta);
    if (meta == 0)
        return 0;
    uintptr_t begin = lg_memory_word(memory, meta + layout->meta_hooks);
    uintptr_t end = lg_memory_word(memory, meta + layout->meta_hooks + WORD);
    uintptr_t at = begin, hook = 0;
    *late = false;
    for (; at < end && end - begin < 4096; at += WORD) {
        hook = lg_memory_word(memory, at);
        const lg_torch_class *class = lg_torch_class_of(torch, hook);
        if (class != NULL && class->kind == LG_TORCH_HOOK && index-- == 0)
            return lg_memory_word(memory, hook + WORD);
    }
    if (index != 0 || !layout->meta_acc)
        return 0;
    *late = true;
    hook = lg_memory_word(memory, meta + layout->meta_acc);
    return hook != 0 ? lg_memory_word(memory, hook + WORD) : 0;
}

static void
link_hooks(lg_torch *torch, uintptr_t impl, uint32_t node)
{
    bool late;
    uintptr_t dict;
    for (unsigned i = 0;
         (dict = lg_torch_hook_dict(torch, impl, i, &late)) != 0; i++)
        lg_torch_hold(torch, node, dict,
                      late ? torch->names.late_hooks : torch->names.hooks);
}

static void
link_base(lg_torch *torch, uintptr_t meta, size_t size, uint32_t node)
{
    const lg_torch_layout *layout = torch->layout;
    unsigned char has_base = 0;
    if (size < layout->meta_base + (size_t)WORD ||
        !lg_memory_copy(torch->memory, meta + layout->meta_base_set, &has_base,
                        1) ||
        has_base != 1)
        return;
    lg_torch_record *base = lg_torch_tensor(
        torch, lg_memory_word(torch->memory, meta + layout->meta_base));
    if (base != NULL)
        lg_torch_link(torch, node, base, torch->names.base);
}

/** Returns what the AutogradMeta itself costs. */
static size_t
walk_meta(lg_torch *torch, uintptr_t meta, uint32_t node)
{
    const lg_torch_layout *layout = torch->layout;
    size_t block = lg_memory_block(torch->memory, meta);
    uintptr_t function =
        lg_memory_word(torch->memory, meta + layout->meta_grad_fn);
    unsigned char requires = 0;
    lg_memory_copy(torch->memory, meta + layout->meta_requires, &requires, 1);
    if (requires || function)
        add_fact(torch, node, "requires_grad", "yes");
    lg_torch_record *gradient = lg_torch_tensor(
        torch, lg_memory_word(torch->memory, meta + layout->meta_grad));
    if (gradient != NULL)
        lg_torch_link(torch, node, gradient, torch->names.grad);
    lg_torch_record *made_by = function ? lg_torch_node(torch, function) : NULL;
    if (made_by != NULL)
        lg_torch_link(torch, node, made_by, torch->names.grad_fn);
    link_base(torch, meta, block, node);
    return block;
}

/* ------------------------------------------------------------- tensors --- */

/** Tensors that a subclass of TensorImpl owns, by the names of its class. */
static void
link_members(lg_torch *torch, const impl_copy *tensor, const char *names,
             uint32_t node)
{
    size_t k = torch->layout->impl_end;
    for (; *names != '\0' && k + WORD <= tensor->length; k += WORD) {
        uintptr_t word = word_of(tensor, k);
        lg_torch_record *member =
            lg_is_address(word) ? lg_torch_tensor(torch, word) : NULL;
        if (member == NULL)
            continue;
        size_t length = strcspn(names, " ");
        lg_torch_link(torch, node, member,
                      lg_builder_intern(torch->builder, names, length));
        names += length + 1;
    }
}

/** Scales and zero points of a tensor quantized by channel. */
static size_t
walk_quantizer(lg_torch *torch, uintptr_t quantizer, uint32_t node)
{
    static const char *const names[] = {"q_per_channel_scales",
                                        "q_per_channel_zero_points"};
    size_t block = lg_memory_block(torch->memory, quantizer), next = 0;
    for (size_t k = 2 * WORD; k + 2 * WORD <= block && k < 128 && next < 2;
         k += WORD) {
        uintptr_t word = lg_memory_word(torch->memory, quantizer + k);
        lg_torch_record *member =
            lg_is_address(word) ? lg_torch_tensor(torch, word) : NULL;
        if (member != NULL)
            lg_torch_link(torch, node, member,
                          lg_torch_intern(torch, names[next++]));
    }
    return block;
}

static size_t
walk_subclass(lg_torch *torch, uintptr_t impl, const impl_copy *tensor,
              uint32_t node)
{
    const lg_torch_class *class = lg_torch_class_of(torch, impl);
    size_t cost = 0;
    if (class == NULL)
        return 0;
    if (class->members != NULL)
        link_members(torch, tensor, class->members, node);
    if (class->opaque)
        add_fact(torch, node, "not inspected",
                 "the layout of its data is its library's own");
    for (size_t k = torch->layout->impl_end;
         class->quantized && k + WORD <= tensor->length; k += WORD) {
        uintptr_t word = word_of(tensor, k);
        const lg_torch_class *member =
            lg_is_address(word) ? lg_torch_class_of(torch, word) : NULL;
        if (member != NULL && member->kind == LG_TORCH_QUANTIZER) {
            cost += walk_quantizer(torch, word, node);
            break;
        }
    }
    return cost;
}

/** The counter that a tensor shares with its views: charged to the first. */
static size_t
cost_of_version(lg_torch *torch, uintptr_t counter)
{
    if (counter == 0 || !lg_torch_first(torch, counter))
        return 0;
    return lg_memory_block(torch->memory, counter);
}

void
lg_torch_walk_tensor(lg_torch *torch, uintptr_t impl, uint32_t node,
                     bool wrapped)
{
    const lg_torch_layout *layout = torch->layout;
    impl_copy tensor;
    if (!read_tensor(torch, impl, &tensor))
        return;
    uint32_t text = describe(torch, &tensor, node);
    size_t cost = wrapped ? tensor.block : 0;
    cost += cost_of_version(torch, word_of(&tensor, layout->impl_version));
    cost += walk_subclass(torch, impl, &tensor, node);
    if (word_of(&tensor, layout->impl_sizes) > 5)
        cost += lg_memory_block(torch->memory,
                                word_of(&tensor, layout->impl_sizes + WORD));
    uintptr_t meta = word_of(&tensor, layout->impl_meta);
    if (meta != 0 && layout->graph) {
        cost += walk_meta(torch, meta, node);
        if (!wrapped)
            link_hooks(torch, impl, node);
    }
    lg_survey_add_size(torch->survey, node, (int64_t)cost);
    uintptr_t storage = word_of(&tensor, layout->impl_storage);
    uintptr_t count = word_of(&tensor, layout->impl_count);
    lg_torch_contents contents = {.text = text};
    contents.dtype = dtype_of(torch, &tensor, &contents.element);
    contents.bytes = (uint64_t)count * contents.element;
    if (storage != 0)
        lg_torch_hold_storage(torch, node, storage, &contents);
}
