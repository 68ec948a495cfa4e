/**
 * Names edges. tp_traverse says what an object refers to, but not by which
 * name. The walkers know names, but not what this version's tp_traverse
 * reports. So the reported edges come first, unnamed, and each walker names
 * those that it knows. A name that finds no reported edge becomes one that the
 * collector does not see. Thus the edges with LG_EDGE_TRAVERSED are exactly
 * what gc.get_referents gives, on every version.
 */
#include "capture/walk/edge_names.h"

#include <string.h>

/** From this many edges on, an index replaces the linear search. */
#define INDEX_FROM 24
#define UNNAMED (LG_EDGE_REFERENCE | LG_EDGE_TRAVERSED)

static int
visit(PyObject *child, void *context)
{
    lg__heap_walk *walk = context;
    /* Always return 0: many traversers ignore or mishandle anything else. */
    if (child != NULL)
        lg_builder_append_edge(walk->builder, lg__walk_node(walk, child),
                               UNNAMED, 0);
    return 0;
}

static uint32_t
bucket_of(const lg__edge_names *names, uint32_t target)
{
    return (target * 2654435761u) >> 7 & names->mask;
}

/** Chains every reported edge into the bucket of its target. */
static void
build_index(lg__heap_walk *walk)
{
    lg__edge_names *names = &walk->names;
    names->indexed = false;
    if (names->count < INDEX_FROM || names->count > UINT32_MAX / 4)
        return;
    size_t buckets = 64;
    while (buckets < names->count)
        buckets *= 2;
    if (!lg__walk_scratch(walk, &names->heads, buckets * sizeof(uint32_t)) ||
        !lg__walk_scratch(walk, &names->links, names->count * sizeof(uint32_t)))
        return;
    names->mask = (uint32_t)buckets - 1;
    uint32_t *heads = names->heads.data;
    uint32_t *links = names->links.data;
    memset(heads, 0, buckets * sizeof *heads);
    /* Go backwards, so that a bucket has its edges in the order reported. */
    for (uint64_t rank = names->count; rank-- > 0;) {
        uint32_t target = lg_builder_target(walk->builder, names->first + rank);
        uint32_t *head = &heads[bucket_of(names, target)];
        links[rank] = *head;
        *head = (uint32_t)rank + 1;
    }
    names->indexed = true;
}

void
lg__edge_names_open(lg__heap_walk *walk, PyObject *object,
                    const lg__type_info *info)
{
    lg__edge_names *names = &walk->names;
    names->first = walk->builder->edge_count;
    names->count = 0;
    names->indexed = false;
    if (!lg__is_traversed(object, info))
        return;
    info->type->tp_traverse(object, visit, walk);
    names->count = walk->builder->edge_count - names->first;
    build_index(walk);
}

/** Takes an unnamed edge to `target` out of the index, so that many names of
 *  one target stay linear; UINT64_MAX if there is none. */
static uint64_t
take_unnamed(lg__heap_walk *walk, uint32_t target)
{
    const lg_builder *builder = walk->builder;
    lg__edge_names *names = &walk->names;
    if (!names->indexed) {
        for (uint64_t rank = 0; rank < names->count; rank++) {
            uint64_t edge = names->first + rank;
            if (lg_builder_target(builder, edge) == target &&
                lg_builder_kind(builder, edge) == UNNAMED)
                return edge;
        }
        return UINT64_MAX;
    }
    uint32_t *links = names->links.data;
    uint32_t *link = (uint32_t *)names->heads.data + bucket_of(names, target);
    while (*link) {
        uint32_t rank = *link - 1;
        if (lg_builder_target(builder, names->first + rank) == target) {
            *link = links[rank];
            return names->first + rank;
        }
        link = &links[rank];
    }
    return UINT64_MAX;
}

bool
lg__name_edges_of_reported(lg__heap_walk *walk, PyObject *child, unsigned kind,
                           uint32_t payload)
{
    uint64_t edge = take_unnamed(walk, lg__walk_node(walk, child));
    if (edge == UINT64_MAX)
        return false;
    lg_builder_name_edge(walk->builder, edge, kind | LG_EDGE_TRAVERSED,
                         payload);
    return true;
}

static void
edge_name(lg__heap_walk *walk, PyObject *child, unsigned kind, uint32_t payload,
          unsigned flags_if_added)
{
    if (child == NULL)
        return;
    if (!lg__name_edges_of_reported(walk, child, kind, payload))
        lg_builder_append_edge(walk->builder, lg__walk_node(walk, child),
                               kind | flags_if_added, payload);
}

void
lg__name_edge(lg__heap_walk *walk, PyObject *child, unsigned kind,
              uint32_t payload)
{
    edge_name(walk, child, kind, payload, 0);
}

void
lg__name_edges_of_shared(lg__heap_walk *walk, PyObject *child, unsigned kind,
                         uint32_t payload)
{
    edge_name(walk, child, kind, payload, LG_EDGE_UNCOUNTED);
}

uint32_t
lg__word_holding(PyObject *object, const lg__type_info *info, PyObject *target)
{
    size_t end = (size_t)info->type->tp_basicsize;
    for (size_t offset = sizeof(PyObject); offset + sizeof(void *) <= end;
         offset += sizeof(void *)) {
        if (*(PyObject *const *)((const char *)object + offset) == target)
            return (uint32_t)offset;
    }
    return 0;
}

void
lg__edge_names_close(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info)
{
    lg_builder *builder = walk->builder;
    const lg__edge_names *names = &walk->names;
    bool ranked = info->rest_kind != LG_EDGE_REFERENCE;
    /* Few objects have thousands of unnamed edges, and searching the struct for
     * each would cost more than the names are worth. */
    bool search = names->count <= 4096;
    uint32_t rank = 0;
    for (uint64_t i = 0; i < names->count; i++) {
        uint64_t edge = names->first + i;
        if (lg_builder_kind(builder, edge) != UNNAMED)
            continue;
        const void *target = (const void *)(uintptr_t)lg_builder_address(
            builder, lg_builder_target(builder, edge));
        uint32_t offset =
            ranked || !search
                ? 0
                : lg__word_holding(object, info, (PyObject *)target);
        unsigned kind = ranked   ? info->rest_kind
                        : offset ? LG_EDGE_FIELD
                                 : LG_EDGE_REFERENCE;
        lg_builder_name_edge(builder, edge, kind | LG_EDGE_TRAVERSED,
                             offset ? offset : rank);
        rank++;
    }
}
