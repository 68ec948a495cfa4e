/**
 * A tensor: its facts, such as `float32[256, 1024]`, its bytes and its device,
 * its storage, and what its TensorImpl and AutogradMeta own. Most tensors are
 * like others, so each shape is formatted once.
 */
#include "bytes/torch/torch.h"

#include <leakgraph/internal/capture_builder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD = sizeof(uintptr_t), WORDS = 32, BLOCKS = 256, TENSORS = 16 };

/*
 * Views own their base and two functions. A ViewFunc makes the view of a base
 * again, and a std::function undoes the view. If the view is more than new
 * strides (view_as_real, conj, nested tensors), these capture tensors.
 *
 * The captures of a std::function lie in a block of their own, whose size and
 * members are unknown. Their words distinguish a tensor, an optional tensor and
 * another std::function from data. Words that may lie behind the end, or that
 * belong to an empty optional, do not count: the tensor then stays a native
 * root.
 */

/** A block of members: a ViewFunc's, or the captures of a std::function. */
typedef struct members {
    uintptr_t address;
    bool makes; /**< it is a ViewFunc's */
} members;

typedef struct view_walk {
    lg__torch *torch;
    uint32_t node;
    members blocks[BLOCKS]; /**< a queue */
    unsigned count;
    uintptr_t tensors[TENSORS]; /**< those that are linked to the view */
    unsigned linked;
    size_t cost;
} view_walk;

/** Counts one more reference of the view to a tensor, which one edge shows. */
static bool
link_tensor(view_walk *walk, uintptr_t impl, uint32_t label)
{
    lg__torch_record *record =
        lg__is_address(impl) ? lg__torch_tensor(walk->torch, impl) : NULL;
    if (record == NULL)
        return false;
    for (unsigned i = 0; i < walk->linked; i++) {
        if (walk->tensors[i] != impl)
            continue;
        record->found++;
        return true;
    }
    if (walk->linked < TENSORS)
        walk->tensors[walk->linked++] = impl;
    lg__torch_link(walk->torch, walk->node, record, label);
    return true;
}

static void
push(view_walk *walk, uintptr_t address, bool makes)
{
    if (walk->count < BLOCKS && lg__is_address(address))
        walk->blocks[walk->count++] = (members){address, makes};
}

static bool
push_view_function(view_walk *walk, uintptr_t address)
{
    const lg__torch_class *class =
        lg__is_address(address) ? lg__torch_class_of(walk->torch, address)
                                : NULL;
    if (class == NULL || class->kind != LG__TORCH_VIEW)
        return false;
    push(walk, address, true);
    return true;
}

/** Returns whether a word is the address of code of PyTorch. */
static bool
is_code(const lg__torch *torch, uintptr_t word)
{
    uintptr_t known = torch->layout->inverse_code;
    uintptr_t away = word < known ? known - word : word - known;
    return away < (uintptr_t)1 << 30;
}

/** A std::function: the block of its captures, a word without use, and the
 *  addresses of two functions. */
static bool
push_function(view_walk *walk, const uintptr_t *words, size_t count)
{
    if (count < 4 || !is_code(walk->torch, words[2]) ||
        !is_code(walk->torch, words[3]))
        return false;
    push(walk, words[0], false);
    return true;
}

/** Returns whether a word that looks like a tensor may be the remains of one.
 *  The byte after an optional tensor says whether it is empty. */
static bool
is_empty(const uintptr_t *word)
{
    return (word[1] & 0xff) == 0 && !lg__is_address(word[1]);
}

/** A vector of numbers: the size of its block, or 0. */
static size_t
cost_of_numbers(lg__torch *torch, const uintptr_t *words, size_t count)
{
    if (count < 3 || !lg__is_address(words[0]) || words[1] <= words[0] ||
        words[2] < words[1] || words[2] - words[0] > 4096)
        return 0;
    return lg__memory_block(torch->memory, words[0]);
}

/** Walks the members between two words of a block. */
static void
walk_words(view_walk *walk, const uintptr_t *words, size_t at, size_t end,
           uint32_t label)
{
    while (at < end) {
        size_t numbers = cost_of_numbers(walk->torch, words + at, end - at);
        walk->cost += numbers;
        if (numbers)
            at += 3;
        else if (push_function(walk, words + at, end - at))
            at += 4;
        else if (at + 1 < end && !is_empty(words + at))
            link_tensor(walk, words[at++], label);
        else
            at++;
    }
}

/** A block that has captured only a tensor uses 24 bytes; any other block is
 *  full except for its last word. */
static void
walk_block(view_walk *walk, const members *next)
{
    lg__torch *torch = walk->torch;
    uintptr_t words[WORDS];
    size_t size = lg__memory_block(torch->memory, next->address);
    size_t count = size / WORD > 0 ? size / WORD - 1 : 0;
    uint32_t label =
        next->makes ? torch->names.make_view : torch->names.undo_view;
    if (count > WORDS)
        count = WORDS;
    if (count < 3 ||
        !lg__memory_copy(torch->memory, next->address, words, count * WORD))
        return;
    walk->cost += size;
    if (!next->makes) {
        bool tensor = link_tensor(walk, words[0], label);
        walk_words(walk, words, tensor, count > 3 ? count : 0, label);
    } else if (lg__torch_class_of(torch, next->address)->chained) {
        push_view_function(walk, words[1]);
        push_view_function(walk, words[2]);
    } else if (count > 3) {
        walk_words(walk, words, 1, count, label);
    }
}

static bool
has_base(lg__torch *torch, uintptr_t meta, size_t size)
{
    unsigned char flag = 0;
    return size >= torch->layout->meta_base + (size_t)WORD &&
           lg__memory_copy(torch->memory, meta + torch->layout->meta_base_set,
                           &flag, 1) &&
           flag == 1;
}

/** Adds what a view owns: its base, and the tensors that the functions that
 *  make and undo the view captured. Takes the view's AutogradMeta and the size
 *  of its block; returns the bytes of these functions. */
static size_t
torch_link_view(lg__torch *torch, uintptr_t meta, size_t size, uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t inverse[4];
    view_walk walk = {.torch = torch, .node = node};
    if (!has_base(torch, meta, size))
        return 0;
    link_tensor(&walk, lg__memory_word(torch->memory, meta + layout->meta_base),
                torch->names.base);
    if (!layout->meta_inverse || size < layout->meta_inverse + sizeof inverse ||
        !lg__memory_copy(torch->memory, meta + layout->meta_inverse, inverse,
                         sizeof inverse))
        return 0;
    push_function(&walk, inverse, 4);
    push_view_function(
        &walk,
        lg__memory_word(torch->memory, meta + layout->meta_inverse - WORD));
    for (unsigned i = 0; i < walk.count; i++)
        walk_block(&walk, &walk.blocks[i]);
    return walk.cost;
}

uintptr_t
lg__torch_hook_dict(lg__torch *torch, uintptr_t impl, unsigned index,
                    bool *late)
{
    const lg__torch_layout *layout = torch->layout;
    lg__memory *memory = torch->memory;
    uintptr_t meta = lg__memory_word(memory, impl + layout->impl_meta);
    if (meta == 0)
        return 0;
    uintptr_t begin = lg__memory_word(memory, meta + layout->meta_hooks);
    uintptr_t end = lg__memory_word(memory, meta + layout->meta_hooks + WORD);
    uintptr_t at = begin, hook = 0;
    *late = false;
    for (; at < end && end - begin < 4096; at += WORD) {
        hook = lg__memory_word(memory, at);
        const lg__torch_class *class = lg__torch_class_of(torch, hook);
        if (class != NULL && class->kind == LG__TORCH_HOOK && index-- == 0)
            return lg__memory_word(memory, hook + WORD);
    }
    if (index != 0 || !layout->meta_acc)
        return 0;
    *late = true;
    hook = lg__memory_word(memory, meta + layout->meta_acc);
    return hook != 0 ? lg__memory_word(memory, hook + WORD) : 0;
}

static void
link_hooks(lg__torch *torch, uintptr_t impl, uint32_t node)
{
    bool late;
    uintptr_t dict;
    for (unsigned i = 0;
         (dict = lg__torch_hook_dict(torch, impl, i, &late)) != 0; i++)
        lg__torch_hold(torch, node, dict,
                       late ? torch->names.late_hooks : torch->names.hooks);
}

/** Adds the tangents of forward mode. A ForwardGrad has them in an
 *  unordered_map by level, with entries of (next, level, tensor). Tries every
 *  word that may lead to an entry, because no other word there leads to a
 *  tensor. Returns the cost. */
static size_t
link_entries(lg__torch *torch, uintptr_t forward, uint32_t node)
{
    enum { LEVELS = 64 };
    size_t block = lg__memory_block(torch->memory, forward), cost = block;
    for (size_t k = 2 * WORD; k + WORD < block && k < 256; k += WORD) {
        uintptr_t at = lg__memory_word(torch->memory, forward + k);
        for (unsigned i = 0; i < LEVELS && lg__is_address(at); i++) {
            uintptr_t impl = lg__memory_word(torch->memory, at + 2 * WORD);
            lg__torch_record *tangent =
                lg__is_address(impl) ? lg__torch_tensor(torch, impl) : NULL;
            if (tangent == NULL)
                break;
            lg__torch_link(torch, node, tangent, torch->names.tangent);
            cost += lg__memory_block(torch->memory, at);
            at = lg__memory_word(torch->memory, at);
            k = block;
        }
    }
    return cost;
}

/** The AutogradMeta owns its ForwardGrad by a shared_ptr; the class of the
 *  block shows it. */
static size_t
link_tangents(lg__torch *torch, uintptr_t meta, size_t size, uint32_t node)
{
    for (size_t k = WORD; k + 2 * WORD <= size && k < 512; k += WORD) {
        uintptr_t word = lg__memory_word(torch->memory, meta + k);
        const lg__torch_class *class =
            lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
        if (class != NULL && class->kind == LG__TORCH_FORWARD)
            return link_entries(torch, word, node);
    }
    return 0;
}

/** Returns the cost of the AutogradMeta and its parts. */
static size_t
walk_meta(lg__torch *torch, uintptr_t meta, uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    size_t block = lg__memory_block(torch->memory, meta);
    uintptr_t function =
        lg__memory_word(torch->memory, meta + layout->meta_grad_fn);
    unsigned char requires = 0;
    lg__memory_copy(torch->memory, meta + layout->meta_requires, &requires, 1);
    if (requires || function)
        lg_builder_add_fact_ids(torch->builder, node,
                                torch->names.requires_grad, torch->names.yes);
    lg__torch_record *gradient = lg__torch_tensor(
        torch, lg__memory_word(torch->memory, meta + layout->meta_grad));
    if (gradient != NULL)
        lg__torch_link(torch, node, gradient, torch->names.grad);
    lg__torch_record *made_by =
        function ? lg__torch_node(torch, function) : NULL;
    if (made_by != NULL)
        lg__torch_link(torch, node, made_by, torch->names.grad_fn);
    return block + torch_link_view(torch, meta, block, node) +
           link_tangents(torch, meta, block, node);
}

/** Adds the tensors that a subclass of TensorImpl owns, with the names from its
 *  class. */
static void
link_members(lg__torch *torch, const lg__torch_impl *tensor, const char *names,
             uint32_t node)
{
    size_t k = torch->layout->impl_end;
    for (; *names != '\0' && k + WORD <= tensor->length; k += WORD) {
        uintptr_t word = lg__torch_impl_word(tensor, k);
        lg__torch_record *member =
            lg__is_address(word) ? lg__torch_tensor(torch, word) : NULL;
        if (member == NULL)
            continue;
        size_t length = strcspn(names, " ");
        lg__torch_link(torch, node, member,
                       lg_builder_intern(torch->builder, names, length));
        names += length + 1;
    }
}

/** Adds the scales and zero points of a tensor quantized by channel. */
static size_t
walk_quantizer(lg__torch *torch, uintptr_t quantizer, uint32_t node)
{
    static const char *const names[] = {"q_per_channel_scales",
                                        "q_per_channel_zero_points"};
    size_t block = lg__memory_block(torch->memory, quantizer), next = 0;
    for (size_t k = 2 * WORD; k + 2 * WORD <= block && k < 128 && next < 2;
         k += WORD) {
        uintptr_t word = lg__memory_word(torch->memory, quantizer + k);
        lg__torch_record *member =
            lg__is_address(word) ? lg__torch_tensor(torch, word) : NULL;
        if (member != NULL)
            lg__torch_link(torch, node, member,
                           lg__torch_intern(torch, names[next++]));
    }
    return block;
}

static bool
is_shared(lg__torch *torch, uintptr_t word)
{
    const lg__torch_class *class =
        lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
    return class != NULL && class->kind == LG__TORCH_SHARED;
}

/** The tensor's handle is a counted wrapper of an ideep::tensor. Its memory
 *  belongs to a shared_ptr<void>: the address, and a block that counts. */
static bool
hold_handle(lg__torch *torch, uint32_t holder, uintptr_t handle,
            const lg__torch_contents *contents)
{
    size_t size = lg__memory_block(torch->memory, handle);
    for (size_t k = 2 * WORD; k + 2 * WORD < size && k < 512; k += WORD) {
        uintptr_t data = lg__memory_word(torch->memory, handle + k);
        uintptr_t counts = lg__memory_word(torch->memory, handle + k + WORD);
        if (!lg__is_address(data) || !is_shared(torch, counts))
            continue;
        size_t block = lg__memory_block(torch->memory, data);
        if (block <= WORD)
            return false;
        size_t usable = block - WORD;
        lg_span span = {
            .holder = holder,
            .address = data,
            .length = contents->bytes && contents->bytes < usable
                          ? contents->bytes
                          : usable,
            .type = torch->storage_type,
            .text = contents->text,
            .label = torch->names.data,
            .flags = LG_SPAN_OWNER,
        };
        span.extra = block - span.length + size +
                     lg__memory_block(torch->memory, counts);
        lg_builder_add_span(torch->builder, &span);
        return true;
    }
    return false;
}

/** Charges a tensor in a layout of oneDNN. False: its bytes were not found. */
static bool
torch_hold_opaque(lg__torch *torch, uint32_t holder,
                  const lg__torch_impl *tensor,
                  const lg__torch_contents *contents)
{
    for (size_t k = torch->layout->impl_end; k + WORD <= tensor->length;
         k += WORD) {
        uintptr_t handle = lg__torch_impl_word(tensor, k);
        if (lg__is_address(handle) &&
            lg__torch_class_of(torch, handle) != NULL &&
            hold_handle(torch, holder, handle, contents))
            return true;
    }
    return false;
}

static size_t
walk_subclass(lg__torch *torch, uintptr_t impl, const lg__torch_impl *tensor,
              uint32_t node, const lg__torch_contents *contents)
{
    static const char opaque[] =
        "only its library knows the layout of its data";
    const lg__torch_class *class = lg__torch_class_of(torch, impl);
    size_t cost = 0;
    if (class == NULL)
        return 0;
    if (class->members != NULL)
        link_members(torch, tensor, class->members, node);
    if (class->opaque && !torch_hold_opaque(torch, node, tensor, contents))
        lg_builder_add_fact(torch->builder, node, "not inspected", opaque,
                            sizeof opaque - 1);
    for (size_t k = torch->layout->impl_end;
         class->quantized && k + WORD <= tensor->length; k += WORD) {
        uintptr_t word = lg__torch_impl_word(tensor, k);
        const lg__torch_class *member =
            lg__is_address(word) ? lg__torch_class_of(torch, word) : NULL;
        if (member != NULL && member->kind == LG__TORCH_QUANTIZER) {
            cost += walk_quantizer(torch, word, node);
            break;
        }
    }
    return cost;
}

/** Charges the counter that a tensor shares with its views to the first of
 *  them. */
static size_t
cost_of_version(lg__torch *torch, uintptr_t counter)
{
    if (counter == 0 || !lg__torch_first(torch, counter))
        return 0;
    return lg__memory_block(torch->memory, counter);
}

enum { DIMENSIONS = 16, INLINE = 5 };

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

static bool
torch_impl_read(lg__torch *torch, uintptr_t impl, lg__torch_impl *out)
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

/** Valid until the next call. */
static const lg__torch_shape *
torch_shape_of(lg__torch *torch, const lg__torch_impl *tensor)
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

/** Adds the facts and the text of a tensor. */
static void
torch_note_shape(lg__torch *torch, uint32_t node, const lg__torch_shape *shape)
{
    lg_builder *builder = torch->builder;
    lg_builder_set_text_id(builder, node, shape->text);
    lg_builder_add_fact_ids(builder, node, torch->names.dtype, shape->dtype);
    lg_builder_add_fact_ids(builder, node, torch->names.shape, shape->sizes);
    lg_builder_add_fact_ids(builder, node, torch->names.bytes, shape->bytes);
    lg_builder_add_fact_ids(builder, node, torch->names.device, shape->device);
}

/** Adds the shape of a TensorImpl. */
static void
describe(lg__torch *torch, uintptr_t impl, uint32_t node)
{
    lg__torch_impl tensor;
    if (torch_impl_read(torch, impl, &tensor))
        torch_note_shape(torch, node, torch_shape_of(torch, &tensor));
}

/** Adds what a tensor owns. If it is `wrapped`, it has a Python object, whose
 *  hooks the walk has named. */
static void
walk_tensor(lg__torch *torch, uintptr_t impl, uint32_t node, bool wrapped)
{
    const lg__torch_layout *layout = torch->layout;
    lg__torch_impl tensor;
    if (!torch_impl_read(torch, impl, &tensor))
        return;
    const lg__torch_shape *shape = torch_shape_of(torch, &tensor);
    torch_note_shape(torch, node, shape);
    const lg__torch_contents contents = {shape->size, shape->element,
                                         shape->dtype_name, shape->text};
    size_t cost = wrapped ? tensor.block : 0;
    cost += cost_of_version(torch,
                            lg__torch_impl_word(&tensor, layout->impl_version));
    cost += walk_subclass(torch, impl, &tensor, node, &contents);
    if (lg__torch_impl_word(&tensor, layout->impl_sizes) > 5)
        cost += lg__memory_block(
            torch->memory,
            lg__torch_impl_word(&tensor, layout->impl_sizes + WORD));
    uintptr_t meta = lg__torch_impl_word(&tensor, layout->impl_meta);
    if (meta != 0 && layout->graph) {
        cost += walk_meta(torch, meta, node);
        if (!wrapped)
            link_hooks(torch, impl, node);
    }
    lg__pass_add_size(torch->pass, node, (int64_t)cost);
    uintptr_t storage = lg__torch_impl_word(&tensor, layout->impl_storage);
    if (storage != 0)
        lg__torch_hold_storage(torch, node, storage, &contents);
}

static void
scan_tensor(lg__torch *torch, const lg__instance *instance)
{
    uintptr_t impl =
        lg__torch_word_at(instance->object, torch->layout->wrapper_impl);
    if (instance->frontier) {
        describe(torch, impl, instance->node);
        return;
    }
    lg__torch_record *record = lg__torch_tensor(torch, impl);
    if (record == NULL)
        return;
    if (record->node == instance->node)
        walk_tensor(torch, impl, instance->node, true);
    else
        lg__torch_link(torch, instance->node, record, torch->names.tensor);
}

static void
walk_task(lg__torch *torch, const lg__torch_task *task)
{
    walk_tensor(torch, task->address, task->node, false);
}

const lg__torch_sort lg__torch_tensors = {scan_tensor, walk_task};
