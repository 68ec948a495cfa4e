/** Finds the autograd half of PyTorch's layout: AutogradMeta and Node. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"

enum { WORD = sizeof(uintptr_t) };

#define NODE "N5torch8autograd4NodeE"
#define ACCUMULATE_GRAD "N5torch8autograd14AccumulateGradE"
#define ANOMALY_METADATA "N5torch8autograd15AnomalyMetadataE"
#define NO_TENSOR "N3c1019UndefinedTensorImplE"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/** The AutogradMeta of a calibration object. */
static uintptr_t
meta_of(lg_finder *finder, const lg_torch_layout *layout, const char *name)
{
    return lg_finder_word(finder,
                          lg_finder_address(finder, name) + layout->impl_meta);
}

/** The Node that made a calibration object. */
uintptr_t
lg_torch_calibration_node(lg_finder *finder, const lg_torch_layout *layout,
                          const char *name)
{
    return lg_finder_word(finder,
                          meta_of(finder, layout, name) + layout->meta_grad_fn);
}

/** Returns whether this is a vector of one hook, which points at this dict. */
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
    uintptr_t dict = lg_finder_at(finder, "hooks");
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

/** Finds the base of a view, and the byte that says whether there is one: right
 *  before the base (c10::optional), or after its companions (std::optional). */
static void
find_base(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t view = meta_of(finder, layout, "view");
    lg_sample bases[] = {
        lg_sample_of(view, lg_finder_address(finder, "square")),
        lg_sample_of(meta_of(finder, layout, "slice"),
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
    lg_sample flags[] = {lg_sample_of(bases[0].base, 1),
                         lg_sample_of(bases[1].base, 1)};
    sought = (lg_sought){"whether a view has a base", flag, flag + 1, 1, 0};
    layout->meta_base_set =
        lg_finder_find(finder, &sought, flags, COUNT(flags));
}

/** Finds the std::function that undoes a view. What it captured lies in a block
 *  of its own that begins with the base. PyTorch has it since 2.2. */
static void
find_inverse(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t views[] = {meta_of(finder, layout, "real view"),
                         meta_of(finder, layout, "conjugate")};
    uintptr_t base = lg_finder_address(finder, "complex");
    size_t end = lg_finder_end(finder, views[0]);
    unsigned matches = 0;
    for (size_t k = layout->meta_base + WORD;
         !finder->failed && k + 4 * WORD <= end; k += WORD) {
        uintptr_t real = lg_memory_word(finder->memory, views[0] + k);
        uintptr_t conjugate = lg_memory_word(finder->memory, views[1] + k);
        if (!lg_is_address(real) || !lg_is_address(conjugate) ||
            lg_memory_word(finder->memory, real) != base ||
            lg_memory_word(finder->memory, conjugate) != base)
            continue;
        layout->meta_inverse = (uint16_t)k;
        layout->inverse_code =
            lg_memory_word(finder->memory, views[0] + k + 3 * WORD);
        matches++;
    }
    if (matches > 1)
        lg_finder_fail(finder, "what undoes a view", "found in several places");
}

static void
find_meta(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t leaf = meta_of(finder, layout, "leaf");
    uintptr_t other = meta_of(finder, layout, "graph leaf");
    size_t end = lg_finder_end(finder, other);
    lg_sample gradient =
        lg_sample_of(leaf, lg_finder_address(finder, "gradient"));
    lg_sought sought = {"a tensor's gradient", WORD, end, WORD, 0};
    layout->meta_grad = lg_finder_find(finder, &sought, &gradient, 1);
    layout->undefined = lg_finder_word(finder, other + layout->meta_grad);
    lg_finder_check(finder,
                    lg_finder_is_a(finder, layout->undefined, NO_TENSOR),
                    "the tensor that is none");
    lg_sample made[] = {lg_sample_of(meta_of(finder, layout, "square"), 0),
                        lg_sample_of(meta_of(finder, layout, "product"), 0)};
    sought.what = "a tensor's grad_fn";
    layout->meta_grad_fn =
        lg_finder_class(finder, &sought, made, COUNT(made), NODE);
    lg_sample requires[] = {lg_sample_of(leaf, 1), lg_sample_of(other, 1),
                            lg_sample_of(made[0].base, 0),
                            lg_sample_of(made[1].base, 0)};
    sought = (lg_sought){"whether a tensor requires grad",
                         layout->meta_grad_fn + WORD, end, 1, 0};
    layout->meta_requires =
        lg_finder_find(finder, &sought, requires, COUNT(requires));
    find_hooks(finder, layout);
    find_base(finder, layout);
    find_inverse(finder, layout);
}

/** Finds the vector of the product's two edges: to the square's node, and to
 *  the AccumulateGrad of the other factor. */
static void
find_edges(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t product = lg_torch_calibration_node(finder, layout, "product");
    uintptr_t square = lg_torch_calibration_node(finder, layout, "square");
    size_t end = lg_finder_end(finder, product);
    unsigned matches = 0;
    for (size_t k = WORD; k + 3 * WORD <= end; k += WORD) {
        uintptr_t first = lg_memory_word(finder->memory, product + k);
        uintptr_t last = lg_memory_word(finder->memory, product + k + WORD);
        if (!lg_is_address(first) || last <= first || last - first > 64 ||
            lg_memory_word(finder->memory, first) != square)
            continue;
        uintptr_t size = (last - first) / 2;
        if (!lg_finder_is_a(finder,
                            lg_memory_word(finder->memory, first + size),
                            ACCUMULATE_GRAD))
            continue;
        layout->node_edges = (uint16_t)k;
        layout->edge_size = (uint16_t)size;
        matches++;
    }
    lg_finder_check(finder, matches == 1, "a node's edges");
}

/** The AccumulateGrad at the end of an edge of the square's node. */
uintptr_t
lg_torch_calibration_leaf(lg_finder *finder, const lg_torch_layout *layout,
                          const char *name, unsigned edge)
{
    uintptr_t edges =
        lg_finder_word(finder, lg_torch_calibration_node(finder, layout, name) +
                                   layout->node_edges);
    return lg_finder_word(finder, edges + edge * layout->edge_size);
}

static void
find_node(lg_finder *finder, lg_torch_layout *layout)
{
    uintptr_t square = lg_torch_calibration_node(finder, layout, "square");
    uintptr_t product = lg_torch_calibration_node(finder, layout, "product");
    lg_sample down[] = {
        lg_sample_of(lg_finder_at(finder, "node of square"), square),
        lg_sample_of(lg_finder_at(finder, "node of product"), product)};
    lg_sample up[] = {lg_sample_of(square, down[0].base),
                      lg_sample_of(product, down[1].base)};
    lg_sought sought = {"a node object's Node", 2 * WORD, 3 * WORD, WORD, 0};
    layout->function_node = lg_finder_find(finder, &sought, down, COUNT(down));
    find_edges(finder, layout);
    size_t end = lg_finder_end(finder, square);
    sought = (lg_sought){"a node's object", WORD, end, WORD, 1};
    layout->node_object = lg_finder_find(finder, &sought, up, COUNT(up));
    /* The part of enable_shared_from_this begins with the address of the
       object. */
    layout->node_counted = lg_finder_word(finder, square + WORD) != square;
    uintptr_t leaf = lg_torch_calibration_leaf(finder, layout, "square", 0);
    lg_sample leaves[] = {
        lg_sample_of(leaf, lg_finder_address(finder, "graph leaf")),
        lg_sample_of(lg_torch_calibration_leaf(finder, layout, "product", 1),
                     lg_finder_address(finder, "graph other"))};
    sought = (lg_sought){"the leaf of an AccumulateGrad",
                         layout->node_edges + WORD, end, WORD, 0};
    layout->accumulate_leaf =
        lg_finder_find(finder, &sought, leaves, COUNT(leaves));
    layout->node_members = layout->accumulate_leaf;
}

static void
find_metadata(lg_finder *finder, lg_torch_layout *layout)
{
    lg_sample node =
        lg_sample_of(lg_torch_calibration_node(finder, layout, "product"), 0);
    lg_sought sought = {"a node's metadata", WORD, layout->node_members, WORD,
                        0};
    layout->node_metadata =
        lg_finder_class(finder, &sought, &node, 1, ANOMALY_METADATA);
    uintptr_t metadata =
        lg_finder_word(finder, node.base + layout->node_metadata);
    lg_sample dict = lg_sample_of(metadata, lg_finder_at(finder, "metadata"));
    sought = (lg_sought){"the dict of a node's metadata", WORD,
                         lg_finder_end(finder, metadata), WORD, 0};
    layout->metadata_dict = lg_finder_find(finder, &sought, &dict, 1);
}

bool
lg_torch_find_graph(lg_finder *finder, lg_torch_layout *layout)
{
    find_meta(finder, layout);
    find_node(finder, layout);
    find_metadata(finder, layout);
    lg_torch_find_saved(finder, layout);
    return !finder->failed;
}
