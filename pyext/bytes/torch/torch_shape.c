/**
 * The facts of a tensor: `float32[256, 1024]`, its bytes, its device. Most
 * tensors are like others, so each shape is formatted once.
 */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t), DIMENSIONS = 16, INLINE = 5 };

/** By the number in c10::ScalarType. Saved models contain it, so it never
 *  changes. */
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

bool
lg__torch_impl_read(lg__torch *torch, uintptr_t impl, lg__torch_impl *out)
{
    out->block = lg__memory_block(torch->memory, impl);
    out->length = out->block > torch->layout->impl_end + 8u
                      ? out->block - 8
                      : torch->layout->impl_end;
    if (out->length > sizeof out->bytes)
        out->length = sizeof out->bytes;
    return lg__memory_copy(torch->memory, impl, out->bytes, out->length);
}

/** Writes "256, 1024"; cuts it after very many dimensions. */
static void
write_sizes(lg__torch *torch, const lg__torch_impl *tensor, char *out,
            size_t size)
{
    int64_t sizes[DIMENSIONS];
    size_t at = torch->layout->impl_sizes;
    uintptr_t count = lg__torch_impl_word(tensor, at);
    size_t shown = count < DIMENSIONS ? count : DIMENSIONS;
    size_t length = 0;
    out[0] = '\0';
    if (count <= INLINE)
        memcpy(sizes, tensor->bytes + at + WORD, shown * WORD);
    else if (!lg__memory_copy(torch->memory,
                              lg__torch_impl_word(tensor, at + WORD), sizes,
                              shown * WORD))
        return;
    for (size_t i = 0; i < shown && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%" PRId64,
                                   i ? ", " : "", sizes[i]);
    if (shown < count && length < size)
        snprintf(out + length, size - length, ", ...");
}

/** Finds all that the text depends on; false if the TensorImpl does not have
 *  it. */
static bool
read_key(const lg__torch *torch, const lg__torch_impl *tensor, uintptr_t *key)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t count = lg__torch_impl_word(tensor, layout->impl_sizes);
    memset(key, 0, LG__TORCH_SHAPE_KEY * WORD);
    if (count > INLINE)
        return false;
    memcpy(key, tensor->bytes + layout->impl_sizes, (1 + count) * WORD);
    key[6] = lg__torch_impl_word(tensor, layout->impl_count);
    memcpy(&key[7], tensor->bytes + layout->impl_dtype, 2);
    memcpy((char *)&key[7] + 2, tensor->bytes + layout->impl_device, 2);
    return true;
}

static void
put_into_words(lg__torch *torch, const lg__torch_impl *tensor,
               lg__torch_shape *shape)
{
    char sizes[256], text[320], bytes[32], device[32];
    uint16_t number;
    memcpy(&number, tensor->bytes + torch->layout->impl_dtype, sizeof number);
    bool known = number < sizeof dtypes / sizeof *dtypes;
    shape->dtype_name = known ? dtypes[number].name : "unknown";
    shape->element = known ? dtypes[number].bytes : 0;
    shape->size =
        (uint64_t)lg__torch_impl_word(tensor, torch->layout->impl_count) *
        shape->element;
    write_sizes(torch, tensor, sizes, sizeof sizes);
    snprintf(text, sizeof text, "%s[%s]", shape->dtype_name, sizes);
    snprintf(bytes, sizeof bytes, "%" PRIu64, shape->size);
    const signed char *place =
        (const signed char *)tensor->bytes + torch->layout->impl_device;
    lg__torch_device_name(place[0], place[1], device, sizeof device);
    shape->text = lg__torch_intern(torch, text);
    shape->dtype = lg__torch_intern(torch, shape->dtype_name);
    shape->sizes = lg__torch_intern(torch, sizes);
    shape->bytes = lg__torch_intern(torch, bytes);
    shape->device = lg__torch_intern(torch, device);
}

const lg__torch_shape *
lg__torch_shape_of(lg__torch *torch, const lg__torch_impl *tensor)
{
    uintptr_t key[LG__TORCH_SHAPE_KEY];
    bool whole = read_key(torch, tensor, key);
    uint64_t hash = 0;
    for (size_t i = 0; i < LG__TORCH_SHAPE_KEY; i++)
        hash = (hash ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    lg__torch_shape *shape = &torch->shapes[hash >> 56];
    if (whole && shape->known && memcmp(shape->key, key, sizeof key) == 0)
        return shape;
    put_into_words(torch, tensor, shape);
    memcpy(shape->key, key, sizeof key);
    shape->known = whole;
    return shape;
}

void
lg__torch_note_shape(lg__torch *torch, uint32_t node,
                     const lg__torch_shape *shape)
{
    lg_builder *builder = torch->builder;
    lg_builder_set_text_id(builder, node, shape->text);
    lg_builder_add_fact_ids(builder, node, torch->names.dtype, shape->dtype);
    lg_builder_add_fact_ids(builder, node, torch->names.shape, shape->sizes);
    lg_builder_add_fact_ids(builder, node, torch->names.bytes, shape->bytes);
    lg_builder_add_fact_ids(builder, node, torch->names.device, shape->device);
}

void
lg__torch_describe(lg__torch *torch, uintptr_t impl, uint32_t node)
{
    lg__torch_impl tensor;
    if (lg__torch_impl_read(torch, impl, &tensor))
        lg__torch_note_shape(torch, node, lg__torch_shape_of(torch, &tensor));
}
