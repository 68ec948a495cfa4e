// Made-up heaps. All their edges are late ones, so a test may add them in any
// order. The heap counts each edge, so that it leaves no reference unexplained.

#include "heap.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
give_up(const char *what)
{
    fprintf(stderr, "heap: %s\n", what);
    abort();
}

void
heap_open(test_heap *heap)
{
    lg_error error = {0};
    memset(heap, 0, sizeof *heap);
    if (lg_builder_new(&heap->builder, &error))
        give_up(error.message);
    lg_builder_set_info(heap->builder, "pid", "4127");
}

lg_graph *
heap_close(test_heap *heap)
{
    lg_error error = {0};
    lg_graph *graph = NULL;
    if (lg_builder_finish(heap->builder, &graph, &error))
        give_up(error.message);
    return graph;
}

static uint32_t
type_id(test_heap *heap, const char *type)
{
    for (size_t i = 0; i < heap->count; i++) {
        if (!strcmp(heap->names[i], type))
            return heap->ids[i];
    }
    if (heap->count == sizeof heap->ids / sizeof *heap->ids)
        give_up("too many types");
    heap->names[heap->count] = type;
    heap->ids[heap->count] = lg_builder_add_type(
        heap->builder, type, strlen(type), LG_NONE, NULL, 0);
    return heap->ids[heap->count++];
}

uint32_t
heap_add(test_heap *heap, const char *type, uint64_t size)
{
    uint32_t id = type_id(heap, type);
    uint32_t next = heap->builder->node_count;
    uint32_t node =
        lg_builder_add_node(heap->builder, 0x7f0000001000u + 64u * next);
    if (node == LG_NONE)
        give_up("no memory");
    lg_builder_put_type(heap->builder, node, id);
    lg_builder_set_size(heap->builder, node, size);
    return node;
}

static uint32_t
add_str(test_heap *heap, const char *text, uint32_t flag)
{
    uint32_t node = heap_add(heap, "str", 49 + strlen(text));
    heap->builder->node_flags[node] |= (uint16_t)flag;
    heap_set_text(heap, node, text);
    return node;
}

uint32_t
heap_add_name(test_heap *heap, const char *text)
{
    return add_str(heap, text, LG_NODE_NAME);
}

uint32_t
heap_add_module(test_heap *heap, const char *name)
{
    uint32_t node = heap_add(heap, "module", 72);
    heap_set_text(heap, node, name);
    heap_root(heap, node, LG_ROOT_MODULE, name);
    return node;
}

void
heap_set_text(test_heap *heap, uint32_t node, const char *text)
{
    lg_builder_set_text(heap->builder, node, text, strlen(text));
}

void
heap_root(test_heap *heap, uint32_t node, lg_root_kind kind, const char *name)
{
    lg_builder_add_root(heap->builder, node, kind, name, strlen(name));
}

void
heap_hold(test_heap *heap, uint32_t node, uint32_t count)
{
    lg_builder_put_refcount(heap->builder, node,
                            lg_builder_refcount(heap->builder, node) + count);
}

void
heap_track(test_heap *heap, uint32_t node)
{
    heap->builder->node_flags[node] |= LG_NODE_TRACKED;
}

void
heap_edge(test_heap *heap, uint32_t from, uint32_t to, unsigned kind,
          uint32_t payload)
{
    if (heap->builder->node_flags[from] & LG_NODE_TRACKED)
        kind |= LG_EDGE_TRAVERSED;
    lg_builder_add_late_edge(heap->builder, from, to, kind, payload);
    if (!(kind & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED)))
        heap_hold(heap, to, 1);
}

static uint32_t
intern(test_heap *heap, const char *name)
{
    return lg_builder_intern(heap->builder, name, strlen(name));
}

void
heap_attribute(test_heap *heap, uint32_t from, uint32_t to, const char *name)
{
    heap_edge(heap, from, to, LG_EDGE_ATTRIBUTE, intern(heap, name));
}

void
heap_local(test_heap *heap, uint32_t from, uint32_t to, const char *name)
{
    heap_edge(heap, from, to, LG_EDGE_LOCAL, intern(heap, name));
}

void
heap_index(test_heap *heap, uint32_t from, uint32_t to, uint32_t index)
{
    heap_edge(heap, from, to, LG_EDGE_INDEX, index);
}

void
heap_value(test_heap *heap, uint32_t from, uint32_t to, const char *key)
{
    uint32_t name = add_str(heap, key, LG_NODE_KEY);
    heap_edge(heap, from, name, LG_EDGE_KEY, 0);
    heap_edge(heap, from, to, LG_EDGE_VALUE, name);
}
