/** Finds the autograd half of PyTorch's layout: AutogradMeta and Node. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"

#include <stdio.h>

/* Finds saved tensors in PyTorch's layout: SavedVariable, hooked ones, the ctx
 *  of a Function written in Python. */

enum { WORD = sizeof(uintptr_t) };

#define SAVED_HOOKS "N5torch8autograd18SavedVariableHooksE"
#define TENSOR_IMPL "N3c1010TensorImplE"
#define VERSION_COUNTER "N3c1015VariableVersion14VersionCounterE"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** Half the size of this vector, if it holds two SavedVariables of this tensor;
 *  otherwise 0. */
static uintptr_t
size_of_saved(lg__torch_finder *finder, uintptr_t vector, uintptr_t impl)
{
    uintptr_t ends[2];
    if (!lg__memory_copy(finder->memory, vector, ends, sizeof ends) ||
        !lg__is_address(ends[0]) || ends[1] < ends[0] + 8 * WORD ||
        ends[1] > ends[0] + 64 * WORD || (ends[1] - ends[0]) % (2 * WORD) != 0)
        return 0;
    uintptr_t size = (ends[1] - ends[0]) / 2;
    return lg__memory_word(finder->memory, ends[0]) == impl &&
                   lg__memory_word(finder->memory, ends[0] + size) == impl
               ? size
               : 0;
}

/** The AutogradMeta of a calibration object. */
static uintptr_t
meta_of(lg__torch_finder *finder, const lg__torch_layout *layout,
        const char *name)
{
    return lg__finder_word(finder, lg__finder_address(finder, name) +
                                       layout->impl_meta);
}

/** The Node that made a calibration object. */
static uintptr_t
torch_calibration_node(lg__torch_finder *finder, const lg__torch_layout *layout,
                       const char *name)
{
    return lg__finder_word(finder, meta_of(finder, layout, name) +
                                       layout->meta_grad_fn);
}

static void
find_context(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t node = torch_calibration_node(finder, layout, "doubled");
    PyObject *context = lg__finder_object(finder, "node of doubled");
    uintptr_t object = (uintptr_t)context;
    uintptr_t impl = lg__finder_address(finder, "square");
    size_t end = context != NULL ? (size_t)Py_TYPE(context)->tp_basicsize : 0;
    lg__sample down = lg__sample_of(object, node);
    lg__sample up = lg__sample_of(node, object);
    lg__sought sought = {"a ctx's node", 2 * WORD, end, WORD, 0};
    layout->context_node = lg__finder_find(finder, &sought, &down, 1);
    sought = (lg__sought){"a node's ctx", WORD, lg__finder_end(finder, node),
                          WORD, 1};
    layout->python_context = lg__finder_find(finder, &sought, &up, 1);
    unsigned matches = 0;
    for (size_t k = 2 * WORD; k + 3 * WORD <= end; k += WORD) {
        uintptr_t size = size_of_saved(finder, object + k, impl);
        if (size == 0)
            continue;
        layout->context_saved = (uint16_t)k;
        layout->saved_size = (uint16_t)size;
        matches++;
    }
    lg__finder_check(finder, matches == 1, "a ctx's saved tensors");
}

typedef struct pair {
    uint16_t square; /**< the offset at which the product's node saves the
                          square */
    uint16_t other;
} pair;

static pair
find_pair(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t product = torch_calibration_node(finder, layout, "product");
    size_t end = lg__finder_end(finder, product);
    lg__sample self =
        lg__sample_of(product, lg__finder_address(finder, "square"));
    lg__sample other =
        lg__sample_of(product, lg__finder_address(finder, "graph other"));
    lg__sought sought = {"a node's saved tensors", layout->node_edges + WORD,
                         end, WORD, 0};
    pair found = {lg__finder_find(finder, &sought, &self, 1),
                  lg__finder_find(finder, &sought, &other, 1)};
    uint16_t first = found.square < found.other ? found.square : found.other;
    if (first < layout->node_members)
        layout->node_members = first;
    return found;
}

/** Finds five bytes: made without a tensor, in place on a view, the original, a
 *  leaf, an output. */
static void
find_flags(lg__torch_finder *finder, lg__torch_layout *layout, pair at)
{
    uintptr_t product = torch_calibration_node(finder, layout, "product");
    uint16_t first = at.square < at.other ? at.square : at.other;
    uintptr_t exponential =
        torch_calibration_node(finder, layout, "exponential");
    lg__finder_check(
        finder,
        lg__finder_is_a(finder, lg__finder_word(finder, exponential + first),
                        TENSOR_IMPL),
        "a saved result");
    lg__sample samples[] = {
        lg__sample_of(product + at.square, UINT64_C(0x0000010000)),
        lg__sample_of(product + at.other, UINT64_C(0x0001010000)),
        lg__sample_of(exponential + first, UINT64_C(0x0100000000))};
    lg__sought sought = {"the flags of a saved tensor", WORD,
                         layout->saved_size, WORD, ~UINT64_C(0xffffffffff)};
    layout->saved_flags =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
    lg__sought counter = {"the version counter of a saved tensor", WORD,
                          layout->saved_flags, WORD, 0};
    layout->saved_counter =
        lg__finder_try_class(finder, &counter, samples, 2, VERSION_COUNTER);
}

/** Finds the number in a version counter, and the number that a SavedVariable
 *  notes: 0 of "graph other", and 3 of "modified", which has 7 now. */
static void
find_versions(lg__torch_finder *finder, lg__torch_layout *layout, pair at)
{
    uintptr_t product = torch_calibration_node(finder, layout, "product");
    uintptr_t user = torch_calibration_node(finder, layout, "user of modified");
    uintptr_t counters[] = {
        lg__finder_word(finder, lg__finder_address(finder, "graph other") +
                                    layout->impl_version),
        lg__finder_word(finder, lg__finder_address(finder, "modified") +
                                    layout->impl_version)};
    lg__sample noted[] = {lg__sample_of(product + at.other, 0),
                          lg__sample_of(user + at.other, 3)};
    lg__sample now[] = {lg__sample_of(counters[0], 0),
                        lg__sample_of(counters[1], 7)};
    lg__sought sought = {.begin = WORD, .end = layout->saved_flags, .step = 4};
    uint16_t version;
    if (!lg__finder_any(finder, &sought, noted, COUNT(noted), &version))
        return;
    sought.end = lg__finder_end(finder, counters[1]);
    if (lg__finder_any(finder, &sought, now, COUNT(now),
                       &layout->counter_version))
        layout->saved_version = version;
}

static void
find_packed(lg__torch_finder *finder, lg__torch_layout *layout, uintptr_t hooks)
{
    lg__sample packs = lg__sample_of(hooks, lg__finder_at(finder, "pack"));
    lg__sample unpacks = lg__sample_of(hooks, lg__finder_at(finder, "unpack"));
    uintptr_t type = lg__finder_at(finder, "packed");
    size_t end = lg__finder_end(finder, hooks);
    lg__sought sought = {"the hook that unpacks", WORD, end, WORD, 0};
    layout->hooks_unpack = lg__finder_find(finder, &sought, &unpacks, 1);
    sought.what = "the hook that packs";
    layout->hooks_pack = lg__finder_try(finder, &sought, &packs, 1);
    unsigned matches = 0;
    for (size_t k = WORD; k + WORD <= end; k += WORD) {
        uintptr_t object = lg__memory_word(finder->memory, hooks + k);
        if (!lg__is_address(object) ||
            lg__memory_word(finder->memory, object + WORD) != type)
            continue;
        layout->hooks_packed = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder,
                     matches == 1 && layout->hooks_pack != layout->hooks_unpack,
                     "what a hook has packed");
}

/** The AccumulateGrad at the end of an edge of the square's node. */
static uintptr_t
torch_calibration_leaf(lg__torch_finder *finder, const lg__torch_layout *layout,
                       const char *name, unsigned edge)
{
    uintptr_t edges =
        lg__finder_word(finder, torch_calibration_node(finder, layout, name) +
                                    layout->node_edges);
    return lg__finder_word(finder, edges + edge * layout->edge_size);
}

static void
find_hooked(lg__torch_finder *finder, lg__torch_layout *layout, pair at)
{
    uintptr_t hooked = torch_calibration_node(finder, layout, "hooked");
    uintptr_t leaves = torch_calibration_node(finder, layout, "hooked leaf");
    lg__sample slots[] = {lg__sample_of(hooked + at.square, 0),
                          lg__sample_of(hooked + at.other, 0),
                          lg__sample_of(leaves + at.square, 0),
                          lg__sample_of(leaves + at.other, 0)};
    lg__sought sought = {"the hooks of a saved tensor", WORD,
                         layout->saved_size, WORD, 0};
    layout->saved_hooks =
        lg__finder_class(finder, &sought, slots, COUNT(slots), SAVED_HOOKS);
    find_packed(finder, layout,
                lg__finder_word(finder, slots[0].base + layout->saved_hooks));
    slots[0].value = torch_calibration_node(finder, layout, "square");
    slots[1].value = torch_calibration_node(finder, layout, "product");
    sought.what = "the node of a hooked tensor";
    layout->saved_grad_fn = lg__finder_find(finder, &sought, slots, 2);
    /* The leaf's node: held, or by a weak_ptr. Two edges own it, too. */
    uintptr_t other = torch_calibration_leaf(finder, layout, "product", 1);
    uintptr_t counts = layout->node_counted
                           ? other
                           : lg__finder_word(finder, other + 2 * WORD);
    if ((lg__finder_word(finder, counts + WORD) & UINT32_MAX) == 2)
        return;
    slots[2].value = torch_calibration_leaf(finder, layout, "square", 0);
    slots[3].value = other;
    sought.what = "the leaf of a hooked tensor";
    layout->saved_leaf = lg__finder_find(finder, &sought, slots + 2, 2);
}

static void
find_raw(lg__torch_finder *finder, lg__torch_layout *layout, pair at)
{
    PyObject *raw = lg__finder_object(finder, "raw saved");
    PyObject *own = lg__finder_optional(finder, "own saved");
    lg__sample slot = lg__sample_of(
        (uintptr_t)raw,
        torch_calibration_node(finder, layout, "product") + at.square);
    lg__sought sought = {"a SavedTensor's own", 2 * WORD, 7 * WORD, WORD, 0};
    layout->raw_saved = lg__finder_find(finder, &sought, &slot, 1);
    if (own == NULL)
        return;
    lg__sample samples[] = {lg__sample_of((uintptr_t)raw, 0),
                            lg__sample_of((uintptr_t)own, 1)};
    sought = (lg__sought){"whether a SavedTensor owns", 6 * WORD, 6 * WORD + 1,
                          1, ~UINT64_C(1)};
    layout->raw_owned =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
}

static void
torch_find_saved(lg__torch_finder *finder, lg__torch_layout *layout)
{
    find_context(finder, layout);
    pair at = find_pair(finder, layout);
    find_flags(finder, layout, at);
    find_versions(finder, layout, at);
    find_hooked(finder, layout, at);
    find_raw(finder, layout, at);
}

#define NODE "N5torch8autograd4NodeE"
#define ACCUMULATE_GRAD "N5torch8autograd14AccumulateGradE"
#define ANOMALY_METADATA "N5torch8autograd15AnomalyMetadataE"
#define NO_TENSOR "N3c1019UndefinedTensorImplE"

/** Returns whether this is a vector of one hook, which points at this dict. */
static bool
holds_hook(lg__torch_finder *finder, uintptr_t vector, uintptr_t dict)
{
    uintptr_t begin = lg__memory_word(finder->memory, vector);
    uintptr_t end = lg__memory_word(finder->memory, vector + WORD);
    if (!lg__is_address(begin) || end <= begin || end - begin > 2 * WORD)
        return false;
    uintptr_t hook = lg__memory_word(finder->memory, begin);
    return lg__is_address(hook) &&
           lg__memory_word(finder->memory, hook + WORD) == dict;
}

static void
find_hooks(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t meta = meta_of(finder, layout, "leaf");
    uintptr_t dict = lg__finder_at(finder, "hooks");
    size_t end = lg__finder_end(finder, meta);
    unsigned matches = 0;
    for (size_t k = WORD; k + 3 * WORD <= end; k += WORD) {
        if (!holds_hook(finder, meta + k, dict))
            continue;
        layout->meta_hooks = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder, matches == 1, "a tensor's hooks");
    PyObject *late = lg__finder_optional(finder, "late hooks");
    if (late == NULL)
        return;
    matches = 0;
    for (size_t k = WORD; k + WORD <= end; k += WORD) {
        uintptr_t hook = lg__memory_word(finder->memory, meta + k);
        if (!lg__is_address(hook) ||
            lg__memory_word(finder->memory, hook + WORD) != (uintptr_t)late)
            continue;
        layout->meta_acc = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder, matches == 1, "a tensor's late hooks");
}

/** Finds the base of a view, and the byte that says whether there is one: right
 *  before the base (c10::optional), or after its companions (std::optional). No
 *  pointer ends with such a byte. */
static void
find_base(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t view = meta_of(finder, layout, "view");
    lg__sample bases[] = {
        lg__sample_of(view, lg__finder_address(finder, "square")),
        lg__sample_of(meta_of(finder, layout, "slice"),
                      lg__finder_address(finder, "product"))};
    size_t end = lg__finder_end(finder, view);
    lg__sought sought = {"a view's base", layout->meta_grad_fn + WORD, end,
                         WORD, 0};
    layout->meta_base = lg__finder_find(finder, &sought, bases, COUNT(bases));
    lg__sample flags[] = {lg__sample_of(bases[0].base, 1),
                          lg__sample_of(bases[1].base, 1)};
    sought = (lg__sought){"whether a view has a base",
                          layout->meta_base - (size_t)WORD, end, WORD,
                          ~UINT64_C(0xff)};
    layout->meta_base_set =
        lg__finder_first(finder, &sought, flags, COUNT(flags));
}

/** Finds the std::function that undoes a view. What it captured lies in a block
 *  of its own that begins with the base. PyTorch has it since 2.2. */
static void
find_inverse(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t views[] = {meta_of(finder, layout, "real view"),
                         meta_of(finder, layout, "conjugate")};
    uintptr_t base = lg__finder_address(finder, "complex");
    size_t end = lg__finder_end(finder, views[0]);
    unsigned matches = 0;
    for (size_t k = layout->meta_base + WORD;
         !finder->failed && k + 4 * WORD <= end; k += WORD) {
        uintptr_t real = lg__memory_word(finder->memory, views[0] + k);
        uintptr_t conjugate = lg__memory_word(finder->memory, views[1] + k);
        if (!lg__is_address(real) || !lg__is_address(conjugate) ||
            lg__memory_word(finder->memory, real) != base ||
            lg__memory_word(finder->memory, conjugate) != base)
            continue;
        layout->meta_inverse = (uint16_t)k;
        layout->inverse_code =
            lg__memory_word(finder->memory, views[0] + k + 3 * WORD);
        matches++;
    }
    if (matches > 1)
        lg__finder_fail(finder, "what undoes a view",
                        "found in several places");
}

/** Finds the byte that says whether a tensor requires grad. The padding around
 *  it has what malloc left there, and all leaves have pointers alike, whose
 *  bytes may be 1. So there are many samples, and those of tensors that do not
 *  require grad any more have the pointers of leaves. */
static void
find_requires(lg__torch_finder *finder, lg__torch_layout *layout)
{
    enum { EACH = 8 };
    lg__sample samples[2 * EACH];
    char name[16];
    for (unsigned i = 0; i < 2 * EACH; i++) {
        snprintf(name, sizeof name, i % 2 ? "frozen %u" : "trained %u", i / 2);
        samples[i] = lg__sample_of(meta_of(finder, layout, name), i % 2 == 0);
    }
    lg__sought sought = {"whether a tensor requires grad",
                         layout->meta_grad_fn + (size_t)WORD,
                         lg__finder_end(finder, samples[0].base), 1, 0};
    layout->meta_requires =
        lg__finder_find(finder, &sought, samples, COUNT(samples));
}

static void
find_meta(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t leaf = meta_of(finder, layout, "leaf");
    uintptr_t other = meta_of(finder, layout, "graph leaf");
    size_t end = lg__finder_end(finder, other);
    lg__sample gradient =
        lg__sample_of(leaf, lg__finder_address(finder, "gradient"));
    lg__sought sought = {"a tensor's gradient", WORD, end, WORD, 0};
    layout->meta_grad = lg__finder_find(finder, &sought, &gradient, 1);
    layout->undefined = lg__finder_word(finder, other + layout->meta_grad);
    lg__finder_check(finder,
                     lg__finder_is_a(finder, layout->undefined, NO_TENSOR),
                     "the tensor that is none");
    lg__sample made[] = {lg__sample_of(meta_of(finder, layout, "square"), 0),
                         lg__sample_of(meta_of(finder, layout, "product"), 0)};
    sought.what = "a tensor's grad_fn";
    layout->meta_grad_fn =
        lg__finder_class(finder, &sought, made, COUNT(made), NODE);
    find_requires(finder, layout);
    find_hooks(finder, layout);
    find_base(finder, layout);
    find_inverse(finder, layout);
}

/** Finds the vector of the product's two edges: to the square's node, and to
 *  the AccumulateGrad of the other factor. */
static void
find_edges(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t product = torch_calibration_node(finder, layout, "product");
    uintptr_t square = torch_calibration_node(finder, layout, "square");
    size_t end = lg__finder_end(finder, product);
    unsigned matches = 0;
    for (size_t k = WORD; k + 3 * WORD <= end; k += WORD) {
        uintptr_t first = lg__memory_word(finder->memory, product + k);
        uintptr_t last = lg__memory_word(finder->memory, product + k + WORD);
        if (!lg__is_address(first) || last <= first || last - first > 64 ||
            lg__memory_word(finder->memory, first) != square)
            continue;
        uintptr_t size = (last - first) / 2;
        if (!lg__finder_is_a(finder,
                             lg__memory_word(finder->memory, first + size),
                             ACCUMULATE_GRAD))
            continue;
        layout->node_edges = (uint16_t)k;
        layout->edge_size = (uint16_t)size;
        matches++;
    }
    lg__finder_check(finder, matches == 1, "a node's edges");
}

static void
find_node(lg__torch_finder *finder, lg__torch_layout *layout)
{
    uintptr_t square = torch_calibration_node(finder, layout, "square");
    uintptr_t product = torch_calibration_node(finder, layout, "product");
    lg__sample down[] = {
        lg__sample_of(lg__finder_at(finder, "node of square"), square),
        lg__sample_of(lg__finder_at(finder, "node of product"), product)};
    lg__sample up[] = {lg__sample_of(square, down[0].base),
                       lg__sample_of(product, down[1].base)};
    lg__sought sought = {"a node object's Node", 2 * WORD, 3 * WORD, WORD, 0};
    layout->function_node = lg__finder_find(finder, &sought, down, COUNT(down));
    find_edges(finder, layout);
    size_t end = lg__finder_end(finder, square);
    sought = (lg__sought){"a node's object", WORD, end, WORD, 1};
    layout->node_object = lg__finder_find(finder, &sought, up, COUNT(up));
    /* The part of enable_shared_from_this begins with the address of the
       object. */
    layout->node_counted = lg__finder_word(finder, square + WORD) != square;
    uintptr_t leaf = torch_calibration_leaf(finder, layout, "square", 0);
    lg__sample leaves[] = {
        lg__sample_of(leaf, lg__finder_address(finder, "graph leaf")),
        lg__sample_of(torch_calibration_leaf(finder, layout, "product", 1),
                      lg__finder_address(finder, "graph other"))};
    sought = (lg__sought){"the leaf of an AccumulateGrad",
                          layout->node_edges + WORD, end, WORD, 0};
    layout->accumulate_leaf =
        lg__finder_find(finder, &sought, leaves, COUNT(leaves));
    layout->node_members = layout->accumulate_leaf;
}

static void
find_metadata(lg__torch_finder *finder, lg__torch_layout *layout)
{
    lg__sample node =
        lg__sample_of(torch_calibration_node(finder, layout, "product"), 0);
    lg__sought sought = {"a node's metadata", WORD, layout->node_members, WORD,
                         0};
    layout->node_metadata =
        lg__finder_class(finder, &sought, &node, 1, ANOMALY_METADATA);
    uintptr_t metadata =
        lg__finder_word(finder, node.base + layout->node_metadata);
    lg__sample dict =
        lg__sample_of(metadata, lg__finder_at(finder, "metadata"));
    sought = (lg__sought){"the dict of a node's metadata", WORD,
                          lg__finder_end(finder, metadata), WORD, 0};
    layout->metadata_dict = lg__finder_find(finder, &sought, &dict, 1);
}

bool
lg__torch_find_graph(lg__torch_finder *finder, lg__torch_layout *layout)
{
    find_meta(finder, layout);
    find_node(finder, layout);
    find_metadata(finder, layout);
    torch_find_saved(finder, layout);
    return !finder->failed;
}
