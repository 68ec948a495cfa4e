#include "capture/walk/partial.h"

#include <string.h>

/** Per node, 1 + hops from the roots; 0: do not expand it. */
static uint8_t *
depths(lg__heap_walk *walk)
{
    size_t capacity = walk->builder->node_capacity;
    size_t before = walk->depth.size;
    if (!lg__walk_scratch(walk, &walk->depth, capacity ? capacity : 1))
        return NULL;
    if (walk->depth.size > before)
        memset((char *)walk->depth.data + before, 0, walk->depth.size - before);
    return walk->depth.data;
}

/* The walk does not enter the type of a node, or namespaces from which it only
   reads names. */
void
lg__partial_entered(lg__heap_walk *walk, uint32_t node)
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

bool
lg__partial_enters(lg__heap_walk *walk, uint32_t node,
                   const lg__type_info *info)
{
    const uint8_t *depth = depths(walk);
    if (depth == NULL || depth[node] == 0)
        return false;
    if (depth[node] > 1 &&
        (info->shape == LG__SHAPE_MODULE || info->shape == LG__SHAPE_TYPE))
        return false;
    uint32_t limit = walk->options->max_depth;
    if (limit && depth[node] > limit)
        return false;
    return !walk->options->max_nodes ||
           walk->builder->node_count < walk->options->max_nodes;
}

/* Notes the length of a container. */
void
lg__partial_leave(lg__heap_walk *walk, uint32_t node, PyObject *object,
                  const lg__type_info *info)
{
    Py_ssize_t count = -1;
    walk->builder->node_flags[node] |= LG_NODE_FRONTIER;
    if (info->adapter)
        lg__pass_instance(walk, node, info);
    if (info->shape == LG__SHAPE_LIST || info->shape == LG__SHAPE_TUPLE)
        count = Py_SIZE(object);
    else if (info->shape == LG__SHAPE_DICT)
        count = ((PyDictObject *)object)->ma_used;
    else if (info->shape == LG__SHAPE_SET)
        count = ((PySetObject *)object)->used;
    if (count < 0) {
        lg__name_object(walk, object, info);
        return;
    }
    lg__name name;
    name.length = 0;
    lg__name_add(&name, "of ");
    lg__name_add_count(&name, (uint64_t)count);
    lg_builder_set_text(walk->builder, node, name.data, name.length);
}

void
lg__walk_roots_given(lg__heap_walk *walk)
{
    for (size_t i = 0; i < walk->options->root_count; i++) {
        uint32_t node = lg__walk_node(walk, walk->options->roots[i]);
        uint8_t *depth = depths(walk);
        if (node == LG_NONE || depth == NULL)
            return;
        depth[node] = 1;
        lg_builder_add_root(walk->builder, node, LG_ROOT_GIVEN, "", 0);
    }
}
