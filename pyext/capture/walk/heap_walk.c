#include "capture/walk/ahead.h"
#include "capture/walk/chain.h"

#include <string.h>

/** Nodes between two calls of the watcher: some milliseconds. */
#define TELL_EVERY (1u << 16)

bool
lg_walk_scratch(lg_walk *walk, lg_scratch *scratch, size_t size)
{
    if (size <= scratch->size)
        return true;
    size_t grown = scratch->size ? scratch->size : 4096;
    while (grown < size)
        grown *= 2;
    void *data = walk->allocator.resize(walk->allocator.context, scratch->data,
                                        scratch->size, grown);
    if (data == NULL) {
        walk->builder->status = LG_ENOMEM;
        return false;
    }
    scratch->data = data;
    scratch->size = grown;
    return true;
}

/** Takes the memory from the address map: it is zeroed, never moves, and goes
 *  with the map. */
void *
lg_walk_keep(lg_walk *walk, size_t size)
{
    void *kept =
        lg_address_map_take(&walk->address_map, (size + 15) & ~(size_t)15);
    if (kept == NULL)
        walk->builder->status = LG_ENOMEM;
    return kept;
}

void
lg_walk_scratch_free(lg_walk *walk, lg_scratch *scratch)
{
    if (scratch->data != NULL)
        walk->allocator.resize(walk->allocator.context, scratch->data,
                               scratch->size, 0);
    scratch->data = NULL;
    scratch->size = 0;
}

void
lg_walk_free(lg_walk *walk)
{
    lg_walk_scratch_free(walk, &walk->names.heads);
    lg_walk_scratch_free(walk, &walk->names.links);
    lg_sizes_release(walk);
    lg_walk_scratch_free(walk, &walk->tracked.put_off);
    lg_walk_scratch_free(walk, &walk->sized);
    lg_walk_scratch_free(walk, &walk->recorded);
    lg_walk_scratch_free(walk, &walk->depth);
    lg_walk_scratch_free(walk, &walk->locals);
    lg_walk_scratch_free(walk, &walk->locals_given);
    lg_walk_scratch_free(walk, &walk->name_tuples);
    lg_address_map_close(&walk->address_map);
}

/** Static types are never freed, and nobody owns their first reference. */
static bool
is_static_type(PyObject *object)
{
    return !(((PyTypeObject *)object)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

/** The same for the few types with special cases. */
static void
fill_special(lg_walk *walk, uint32_t node, PyObject *object,
             const lg_type_info *info)
{
    if (info->immortal ||
        (info->shape == LG_SHAPE_TYPE && is_static_type(object)))
        walk->builder->node_flags[node] |= LG_NODE_IMMORTAL;
    if (info->has_sizeof &&
        lg_walk_scratch(walk, &walk->sized,
                        (walk->sized_count + 1) * sizeof(uint32_t)))
        ((uint32_t *)walk->sized.data)[walk->sized_count++] = node;
}

/** References, size and flags of a node. */
static inline void
fill_columns(lg_walk *walk, uint32_t node, PyObject *object,
             const lg_type_info *info)
{
    lg_builder *builder = walk->builder;
    Py_ssize_t count = lg_reference_count(walk->interpreter, object);
    uint64_t size =
        info->fixed_size ? info->fixed_size : lg_size_of(walk, object, info);
    builder->refcount[node] =
        count < (Py_ssize_t)UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (lg_is_immortal(object))
        builder->node_flags[node] |= LG_NODE_IMMORTAL;
    if (LG_FREE_THREADED && _PyObject_GC_IS_TRACKED(object))
        builder->node_flags[node] |= LG_NODE_TRACKED;
    if (LG_FREE_THREADED && lg_is_frozen(object))
        builder->node_flags[node] |= LG_NODE_FROZEN;
    if (size < UINT32_MAX)
        builder->size[node] = (uint32_t)size;
    else
        lg_builder_set_size(builder, node, size);
    if (__builtin_expect(info->special, 0))
        fill_special(walk, node, object, info);
}

static void
walk_edges(lg_walk *walk, PyObject *object, lg_type_info *info)
{
    switch ((lg_plan)info->plan) {
    case LG_PLAN_ATOM:
        return;
    case LG_PLAN_LEAF:
        lg_builder_add_edge(walk->builder, info->node, LG_EDGE_TYPE, 0);
        return;
    case LG_PLAN_LIST:
        lg_walk_list(walk, object);
        return;
    case LG_PLAN_TUPLE:
        lg_walk_tuple(walk, object);
        return;
    case LG_PLAN_DICT:
        if (!lg_dict_is_embedded((PyDictObject *)object)) {
            lg_walk_dict(walk, object);
            return;
        }
        break;
    case LG_PLAN_SET:
        lg_walk_set(walk, object);
        return;
    case LG_PLAN_INSTANCE:
        if (lg_walk_instance(walk, object, info))
            return;
        break;
    case LG_PLAN_STRUCT:
        lg_walk_struct(walk, object, info);
        lg_name_object(walk, object, info);
        return;
    case LG_PLAN_NAMED:
        break;
    }
    lg_walk_named(walk, object, info);
    lg_name_object(walk, object, info);
    if (info->adapter)
        lg_pass_instance(walk, walk->builder->open_node, info);
    if (info->shape == LG_SHAPE_TYPE && !walk->partial &&
        is_static_type(object))
        lg_builder_add_root(walk->builder, walk->builder->open_node,
                            LG_ROOT_STATIC, "", 0);
}

/** Per node, 1 + hops from the roots; 0: do not expand it. */
static uint8_t *
depths(lg_walk *walk)
{
    size_t capacity = walk->builder->node_capacity;
    size_t before = walk->depth.size;
    if (!lg_walk_scratch(walk, &walk->depth, capacity ? capacity : 1))
        return NULL;
    if (walk->depth.size > before)
        memset((char *)walk->depth.data + before, 0, walk->depth.size - before);
    return walk->depth.data;
}

/** The referents of the open node are one hop further. The walk does not enter
 *  the type of the node, or namespaces from which it only reads names. */
static void
mark_depths(lg_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    uint8_t *depth = depths(walk);
    if (depth == NULL || depth[node] == UINT8_MAX)
        return;
    for (uint64_t edge = builder->first_edge[node]; edge < builder->edge_count;
         edge++) {
        unsigned kind = builder->edge_kind[edge] & LG_EDGE_KIND_MASK;
        uint8_t *target = &depth[builder->edge_target[edge]];
        if (kind != LG_EDGE_TYPE && kind != LG_EDGE_GLOBALS &&
            !(builder->edge_kind[edge] & LG_EDGE_WEAK) && *target == 0)
            *target = (uint8_t)(depth[node] + 1);
    }
}

/** Returns whether a partial walk goes into this node. */
static bool
is_expanded(lg_walk *walk, uint32_t node, const lg_type_info *info)
{
    const uint8_t *depth = depths(walk);
    if (depth == NULL || depth[node] == 0)
        return false;
    if (depth[node] > 1 &&
        (info->shape == LG_SHAPE_MODULE || info->shape == LG_SHAPE_TYPE))
        return false;
    uint32_t limit = walk->options->max_depth;
    if (limit && depth[node] > limit)
        return false;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

/** Notes the length of a container that the walk does not enter. */
static void
describe_frontier(lg_walk *walk, uint32_t node, PyObject *object,
                  const lg_type_info *info)
{
    Py_ssize_t count = -1;
    walk->builder->node_flags[node] |= LG_NODE_FRONTIER;
    if (info->adapter)
        lg_pass_instance(walk, node, info);
    if (info->shape == LG_SHAPE_LIST || info->shape == LG_SHAPE_TUPLE)
        count = Py_SIZE(object);
    else if (info->shape == LG_SHAPE_DICT)
        count = ((PyDictObject *)object)->ma_used;
    else if (info->shape == LG_SHAPE_SET)
        count = ((PySetObject *)object)->used;
    if (count < 0) {
        lg_name_object(walk, object, info);
        return;
    }
    lg_name name;
    name.length = 0;
    lg_name_add(&name, "of ");
    lg_name_add_count(&name, (uint64_t)count);
    lg_builder_set_text(walk->builder, node, name.data, name.length);
}

static void
walk_partially(lg_walk *walk, uint32_t node, PyObject *object,
               lg_type_info *info)
{
    if (is_expanded(walk, node, info)) {
        walk_edges(walk, object, info);
        mark_depths(walk, node);
    } else if (info->plan != LG_PLAN_ATOM && info->plan != LG_PLAN_LEAF) {
        describe_frontier(walk, node, object, info);
    }
}

void
lg_walk_roots_given(lg_walk *walk)
{
    for (size_t i = 0; i < walk->options->root_count; i++) {
        uint32_t node = lg_walk_node(walk, walk->options->roots[i]);
        uint8_t *depth = depths(walk);
        if (node == LG_NONE || depth == NULL)
            return;
        depth[node] = 1;
        lg_builder_add_root(walk->builder, node, LG_ROOT_GIVEN, "", 0);
    }
}

/** Estimates the part that is done, because nobody knows how many objects are
 *  left. Once the collector's lists are done, it is a part of the objects met
 *  so far; before, of the expected number. */
static double
part_done(const lg_walk *walk)
{
    uint64_t all = walk->builder->node_count;
    if (!walk->tracked.done && walk->expected == 0)
        return 0;
    if (!walk->tracked.done && all < walk->expected)
        all = walk->expected;
    return (double)walk->walked / (double)all;
}

/** Calls the watcher, which may stop the walk. */
static void
report_progress(lg_walk *walk)
{
    const lg_monitor *watch = walk->options->watch;
    if (watch != NULL &&
        !watch->tick(watch->context, "capturing", part_done(walk)) &&
        walk->builder->status == LG_OK)
        walk->builder->status = LG_ECANCELLED;
}

/** Finds the type of a node's object, and everything else if the object refers
 *  to nothing. False if memory ran out. */
static inline bool
look_at(lg_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    if (builder->node_flags[node] & LG_NODE_SYNTHETIC)
        return true;
    PyObject *object = (PyObject *)(uintptr_t)builder->address[node];
    const lg_type_info *info = lg_walk_type(walk, Py_TYPE(object));
    if (info == NULL)
        return false;
    builder->type[node] = info->id;
    if (info->plan == LG_PLAN_ATOM)
        fill_columns(walk, node, object, info);
    else
        lg_ahead_parts(object, info);
    return true;
}

/** Prepares the nodes that come after `node`. False if memory ran out. */
static inline bool
look_ahead(lg_walk *walk, uint32_t node)
{
    const lg_builder *builder = walk->builder;
    if (node + LG_AHEAD_OBJECT < builder->node_count)
        lg_ahead_object(
            (const char *)(uintptr_t)builder->address[node + LG_AHEAD_OBJECT]);
    for (; walk->looked <= node + LG_AHEAD_PARTS &&
           walk->looked < builder->node_count;
         walk->looked++)
        if (!look_at(walk, walk->looked))
            return false;
    if (node + LG_AHEAD_SLOTS < walk->looked)
        lg_ahead_slots(walk, node + LG_AHEAD_SLOTS);
    return true;
}

static inline void
walk_object(lg_walk *walk, uint32_t node, lg_type_info *info)
{
    PyObject *object = (PyObject *)(uintptr_t)walk->builder->address[node];
    lg_builder_open(walk->builder, node);
    fill_columns(walk, node, object, info);
    lg_chain_follow(walk, node, object, info);
    if (walk->partial)
        walk_partially(walk, node, object, info);
    else
        walk_edges(walk, object, info);
}

void
lg_walk_run(lg_walk *walk)
{
    const lg_builder *builder = walk->builder;
    for (; builder->status == LG_OK; walk->walked++) {
        uint32_t node = walk->walked;
        if (node + LG_AHEAD_OBJECT >= builder->node_count)
            lg_enumerate_ahead(walk, node, LG_AHEAD_OBJECT);
        if (node >= builder->node_count)
            break;
        if (node % TELL_EVERY == 0)
            report_progress(walk);
        if (!look_ahead(walk, node))
            return;
        lg_type_info *info = lg_walk_info(walk, node);
        if (info != NULL && info->plan != LG_PLAN_ATOM)
            walk_object(walk, node, info);
    }
}
