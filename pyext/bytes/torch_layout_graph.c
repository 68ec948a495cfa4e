/**
 * The autograd half of PyTorch's layout: AutogradMeta, Node, SavedVariable.
 */
#include "torch_finder.h"
#include "torch_layout.h"

enum { WORD = sizeof(uintptr_t) };

#define NODE "N5torch8autograd4NodeE"
#define ACCUMULATE_GRAD "N5torch8autograd14AccumulateGradE"
#define SAVED_HOOKS "N5torch8autograd18SavedVariableHooksE"
#define TENSOR_IMPL "N3c1010TensorImplE"
#define VERSION_COUNTER "N3c1015VariableVersion14VersionCounterE"
#define NO_TENSOR "N3c1019UndefinedTensorImplE"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static lg_sample
sample(uintptr_t base, uintptr_t value)
{
    return (lg_sample){base, value};
}

static uintptr_t
object_at(lg_finder *finder, const char *name)
{
    return (uintptr_t)lg_finder_object(finder, name);
}

static bool
is_a(lg_finder *finder, uintptr_t object, const char *mangled)
{
    lg_rtti rtti;
    return lg_is_address(object) &&
           lg_rtti_read(finder->memory, lg_memory_word(finder->memory, object),
                        &rtti) &&
           lg_rtti_is_a(&rtti, mangled);
}

/** The AutogradMeta of a canary. */
static uintptr_t
meta_of(lg_finder *finder, const lg_torch_layout *layout, const char *name)
{
    return lg_finder_word(finder,
                          lg_finder_address(finder, name) + layout->impl_meta);
}

/** The Node that a canary was made by. */
static uintptr_t
node_of(lg_finder *finder, const lg_torch_layout *layout, const char *name)
{
    return lg_finder_word(finder,
                          meta_of(finder, layout, name) + layout->meta_grad_fn);
}

/* ------------------------------------------------------- AutogradMeta --- */

/** A vector of one hook, which points at this dict. */
static bool
holds_hook(lg_finder *finder, uintptr_t vector, uintptr_t dict)
{
    uintptr_t begin = lg_memory_word(finder->memory, vector);
    uintptr_t end = lg_memory_word(finder->memory, vector + WORD);
    if (!lg_is_address(begin) || end <= begin || end - begin > 2 * WORD)
        return false;
    uintptr_t hook = lg_memory_word(finder->memory, begin);
    return lg_is_address(hook) &&
           lg_memory_word(finder->memory, hook + WORD) == dict;
}

static void
find_hooks(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t meta = meta_of(finder, layout, "leaf");
    uintptr_t dict = object_at(finder, "hooks");
    size_t end = lg_finder_end(finder, meta);
    unsigned matches = 0;
    for (size_t k = WORD; k + 3 * WORD <= end; k += WORD) {
        if (!holds_hook(finder, meta + k, dict))
            continue;
        layout->meta_hooks = (uint16_t)k;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "a tensor's hooks");
    PyObject *late = lg_finder_optional(finder, "late hooks");
    if (late == NULL)
        return;
    matches = 0;
    for (size_t k = WORD; k + WORD <= end; k += WORD) {
        uintptr_t hook = lg_memory_word(finder->memory, meta + k);
        if (!lg_is_address(hook) ||
            lg_memory_word(finder->memory, hook + WORD) != (uintptr_t)late)
            continue;
        layout->meta_acc = (uint16_t)k;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "a tensor's late hooks");
}

/** The base of a view, and the byte that says whether there is one: right
 *  before it (c10::optional), or behind what comes with it (std::optional). */
static void
find_base(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t view = meta_of(finder, layout, "view");
    lg_sample bases[] = {sample(view, lg_finder_address(finder, "square")),
                         sample(meta_of(finder, layout, "slice"),
                                lg_finder_address(finder, "product"))};
    size_t end = lg_finder_end(finder, view);
    lg_sought sought = {"a view's base", layout->meta_grad_fn + WORD, end, WORD,
                        0};
    layout->meta_base = lg_finder_find(finder, &sought, bases, COUNT(bases));
    if (finder->failed)
        return;
    size_t flag = layout->meta_base - WORD;
    if ((lg_memory_word(finder->memory, view + flag) & 0xff) != 1) {
        flag = layout->meta_base + WORD;
        while (flag + WORD <= end &&
               (lg_memory_word(finder->memory, view + flag) & 0xff) == 0)
            flag += WORD;
    }
    lg_sample flags[] = {sample(bases[0].base, 1), sample(bases[1].base, 1)};
    sought = (lg_sought){"whether a view has a base", flag, flag + 1, 1, 0};
    layout->meta_base_set =
        lg_finder_find(finder, &sought, flags, COUNT(flags));
}

static void
find_meta(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t leaf = meta_of(finder, layout, "leaf");
    uintptr_t other = meta_of(finder, layout, "graph leaf");
    size_t end = lg_finder_end(finder, other);
    lg_sample gradient = sample(leaf, lg_finder_address(finder, "gradient"));
    lg_sought sought = {"a tensor's gradient", WORD, end, WORD, 0};
    layout->meta_grad = lg_finder_find(finder, &sought, &gradient, 1);
    layout->undefined = lg_finder_word(finder, other + layout->meta_grad);
    lg_finder_check(finder, is_a(finder, layout->undefined, NO_TENSOR),
                    "the tensor that is none");
    lg_sample made[] = {sample(meta_of(finder, layout, "square"), 0),
                        sample(meta_of(finder, layout, "product"), 0)};
    sought.what = "a tensor's grad_fn";
    layout->meta_grad_fn =
        lg_finder_class(finder, &sought, made, COUNT(made), NODE);
    lg_sample requires[] = {sample(leaf, 1), sample(other, 1),
                            sample(made[0].base, 0), sample(made[1].base, 0)};
    sought = (lg_sought){"whether a tensor requires grad",
                         layout->meta_grad_fn + WORD, end, 1, 0};
    layout->meta_requires =
        lg_finder_find(finder, &sought, requires, COUNT(requires));
    find_hooks(finder, layout);
    find_base(finder, layout);
}

/* --------------------------------------------------------------- Node --- */

/** The vector of the product's two edges: to the square's node, and to the
 *  AccumulateGrad of the other factor. */
static void
find_edges(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t product = node_of(finder, layout, "product");
    uintptr_t square = node_of(finder, layout, "square");
    size_t end = lg_finder_end(finder, product);
    unsigned matches = 0;
    for (size_t k = WORD; k + 3 * WORD <= end; k += WORD) {
        uintptr_t first = lg_memory_word(finder->memory, product + k);
        uintptr_t last = lg_memory_word(finder->memory, product + k + WORD);
        if (!lg_is_address(first) || last <= first || last - first > 64 ||
            lg_memory_word(finder->memory, first) != square)
            continue;
        uintptr_t size = (last - first) / 2;
        if (!is_a(finder, lg_memory_word(finder->memory, first + size),
                  ACCUMULATE_GRAD))
            continue;
        layout->node_edges = (uint16_t)k;
        layout->edge_size = (uint16_t)size;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "a node's edges");
}

/** The AccumulateGrad at the end of an edge of the square's node. */
static uintptr_t
accumulate_of(lg_finder *finder, const lg_torch_layout *layout,
              const char *name, unsigned edge)
{
    uintptr_t edges = lg_finder_word(finder, node_of(finder, layout, name) +
                                                 layout->node_edges);
    return lg_finder_word(finder, edges + edge * layout->edge_size);
}

static void
find_node(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t square = node_of(finder, layout, "square");
    uintptr_t product = node_of(finder, layout, "product");
    lg_sample down[] = {sample(object_at(finder, "node of square"), square),
                        sample(object_at(finder, "node of product"), product)};
    lg_sample up[] = {sample(square, down[0].base),
                      sample(product, down[1].base)};
    lg_sought sought = {"a node object's Node", 2 * WORD, 3 * WORD, WORD, 0};
    layout->function_node = lg_finder_find(finder, &sought, down, COUNT(down));
    find_edges(finder, layout);
    size_t end = lg_finder_end(finder, square);
    sought = (lg_sought){"a node's object", WORD, end, WORD, 1};
    layout->node_object = lg_finder_find(finder, &sought, up, COUNT(up));
    /* enable_shared_from_this begins with the address of the object. */
    layout->node_counted = lg_finder_word(finder, square + WORD) != square;
    uintptr_t leaf = accumulate_of(finder, layout, "square", 0);
    lg_sample leaves[] = {sample(leaf, lg_finder_address(finder, "graph leaf")),
                          sample(accumulate_of(finder, layout, "product", 1),
                                 lg_finder_address(finder, "graph other"))};
    sought = (lg_sought){"the leaf of an AccumulateGrad",
                         layout->node_edges + WORD, end, WORD, 0};
    layout->accumulate_leaf =
        lg_finder_find(finder, &sought, leaves, COUNT(leaves));
    layout->node_members = layout->accumulate_leaf;
}

/* ------------------------------------------------ Functions in Python --- */

/** Half of this vector, if that holds two SavedVariables of this tensor; else
 *  0. */
static uintptr_t
size_of_saved(lg_finder *finder, uintptr_t vector, uintptr_t impl)
{
    uintptr_t ends[2];
    if (!lg_memory_copy(finder->memory, vector, ends, sizeof ends) ||
        !lg_is_address(ends[0]) || ends[1] < ends[0] + 8 * WORD ||
        ends[1] > ends[0] + 64 * WORD || (ends[1] - ends[0]) % (2 * WORD) != 0)
        return 0;
    uintptr_t size = (ends[1] - ends[0]) / 2;
    return lg_memory_word(finder->memory, ends[0]) == impl &&
                   lg_memory_word(finder->memory, ends[0] + size) == impl
               ? size
               : 0;
}

static void
find_context(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t node = node_of(finder, layout, "doubled");
    PyObject *context = lg_finder_object(finder, "node of doubled");
    uintptr_t object = (uintptr_t)context;
    uintptr_t impl = lg_finder_address(finder, "square");
    size_t end = context != NULL ? (size_t)Py_TYPE(context)->tp_basicsize : 0;
    lg_sample down = sample(object, node);
    lg_sample up = sample(node, object);
    lg_sought sought = {"a ctx's node", 2 * WORD, end, WORD, 0};
    layout->context_node = lg_finder_find(finder, &sought, &down, 1);
    sought =
        (lg_sought){"a node's ctx", WORD, lg_finder_end(finder, node), WORD, 1};
    layout->python_context = lg_finder_find(finder, &sought, &up, 1);
    unsigned matches = 0;
    for (size_t k = 2 * WORD; k + 3 * WORD <= end; k += WORD) {
        uintptr_t size = size_of_saved(finder, object + k, impl);
        if (size == 0)
            continue;
        layout->context_saved = (uint16_t)k;
        layout->saved_size = (uint16_t)size;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "a ctx's saved tensors");
}

/* ------------------------------------------------------ SavedVariable --- */

typedef struct pair {
    uint16_t square; /**< where the product's node saves the square */
    uint16_t other;
} pair;

static pair
find_saved(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t product = node_of(finder, layout, "product");
    size_t end = lg_finder_end(finder, product);
    lg_sample self = sample(product, lg_finder_address(finder, "square"));
    lg_sample other = sample(product, lg_finder_address(finder, "graph other"));
    lg_sought sought = {"a node's saved tensors", layout->node_edges + WORD,
                        end, WORD, 0};
    pair found = {lg_finder_find(finder, &sought, &self, 1),
                  lg_finder_find(finder, &sought, &other, 1)};
    uint16_t first = found.square < found.other ? found.square : found.other;
    if (first < layout->node_members)
        layout->node_members = first;
    return found;
}

/** Five bytes: made without a tensor, in place on a view, the original, a leaf,
 *  an output. */
static void
find_flags(lg_finder *finder, lg_torch_layout *layout, pair at)
{
    uintptr_t product = node_of(finder, layout, "product");
    uint16_t first = at.square < at.other ? at.square : at.other;
    uintptr_t exponential = node_of(finder, layout, "exponential");
    lg_finder_check(
        finder,
        is_a(finder, lg_finder_word(finder, exponential + first), TENSOR_IMPL),
        "a saved result");
    lg_sample samples[] = {sample(product + at.square, UINT64_C(0x0000010000)),
                           sample(product + at.other, UINT64_C(0x0001010000)),
                           sample(exponential + first, UINT64_C(0x0100000000))};
    lg_sought sought = {"the flags of a saved tensor", WORD, layout->saved_size,
                        WORD, ~UINT64_C(0xffffffffff)};
    layout->saved_flags =
        lg_finder_find(finder, &sought, samples, COUNT(samples));
    lg_sought counter = {"the version of a saved tensor", WORD,
                         layout->saved_flags, WORD, 0};
    layout->saved_version =
        lg_finder_try_class(finder, &counter, samples, 2, VERSION_COUNTER);
}

static void
find_packed(lg_finder *finder, lg_torch_layout *layout, uintptr_t hooks)
{
    lg_sample packs = sample(hooks, object_at(finder, "pack"));
    lg_sample unpacks = sample(hooks, object_at(finder, "unpack"));
    uintptr_t type = object_at(finder, "packed");
    size_t end = lg_finder_end(finder, hooks);
    lg_sought sought = {"the hook that unpacks", WORD, end, WORD, 0};
    layout->hooks_unpack = lg_finder_find(finder, &sought, &unpacks, 1);
    sought.what = "the hook that packs";
    layout->hooks_pack = lg_finder_try(finder, &sought, &packs, 1);
    unsigned matches = 0;
    for (size_t k = WORD; k + WORD <= end; k += WORD) {
        uintptr_t object = lg_memory_word(finder->memory, hooks + k);
        if (!lg_is_address(object) ||
            lg_memory_word(finder->memory, object + WORD) != type)
            continue;
        layout->hooks_packed = (uint16_t)k;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "what a hook has packed");
}

static void
find_hooked(lg_finder *finder, lg_torch_layout *layout, pair at)
{
    uintptr_t hooked = node_of(finder, layout, "hooked");
    uintptr_t leaves = node_of(finder, layout, "hooked leaf");
    lg_sample slots[] = {
        sample(hooked + at.square, 0), sample(hooked + at.other, 0),
        sample(leaves + at.square, 0), sample(leaves + at.other, 0)};
    lg_sought sought = {"the hooks of a saved tensor", WORD, layout->saved_size,
                        WORD, 0};
    layout->saved_hooks =
        lg_finder_class(finder, &sought, slots, COUNT(slots), SAVED_HOOKS);
    find_packed(finder, layout,
                lg_finder_word(finder, slots[0].base + layout->saved_hooks));
    slots[0].value = node_of(finder, layout, "square");
    slots[1].value = node_of(finder, layout, "product");
    sought.what = "the node of a hooked tensor";
    layout->saved_grad_fn = lg_finder_find(finder, &sought, slots, 2);
    /* The leaf's node: held, or by a weak_ptr. Two edges own it besides. */
    uintptr_t other = accumulate_of(finder, layout, "product", 1);
    uintptr_t counts =
        layout->node_counted ? other : lg_finder_word(finder, other + 2 * WORD);
    if ((lg_finder_word(finder, counts + WORD) & UINT32_MAX) == 2)
        return;
    slots[2].value = accumulate_of(finder, layout, "square", 0);
    slots[3].value = other;
    sought.what = "the leaf of a hooked tensor";
    layout->saved_leaf = lg_finder_find(finder, &sought, slots + 2, 2);
}

static void
find_raw(lg_finder *finder, lg_torch_layout *layout, pair at)
{
    PyObject *raw = lg_finder_object(finder, "raw saved");
    PyObject *own = lg_finder_optional(finder, "own saved");
    lg_sample slot =
        sample((uintptr_t)raw, node_of(finder, layout, "product") + at.square);
    lg_sought sought = {"a SavedTensor's own", 2 * WORD, 7 * WORD, WORD, 0};
    layout->raw_saved = lg_finder_find(finder, &sought, &slot, 1);
    if (own == NULL)
        return;
    lg_sample samples[] = {sample((uintptr_t)raw, 0),
                           sample((uintptr_t)own, 1)};
    sought = (lg_sought){"whether a SavedTensor owns", 6 * WORD, 6 * WORD + 1,
                         1, ~UINT64_C(1)};
    layout->raw_owned =
        lg_finder_find(finder, &sought, samples, COUNT(samples));
}

bool
lg_torch_find_graph(lg_finder *finder, lg_torch_layout *layout)
{
    find_meta(finder, layout);
    find_node(finder, layout);
    find_context(finder, layout);
    pair at = find_saved(finder, layout);
    find_flags(finder, layout, at);
    find_hooked(finder, layout, at);
    find_raw(finder, layout, at);
    return !finder->failed;
}
