#include "native_heap.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>

void
native_heap_open(native_heap *heap)
{
    *heap = (native_heap){0};
    heap->words = aligned_alloc(4096, 8 * (size_t)NATIVE_WORDS);
    heap->blocks = calloc(NATIVE_BLOCKS, sizeof *heap->blocks);
    REQUIRE(heap->words != NULL && heap->blocks != NULL);
    memset(heap->words, 0, 8 * (size_t)NATIVE_WORDS);
}

void
native_heap_close(native_heap *heap)
{
    lg_analysis_free(heap->found);
    lg_graph_free(heap->joined);
    lg_graph_free(heap->graph);
    free(heap->blocks);
    free(heap->words);
}

static uint64_t *
take(native_heap *heap, size_t words)
{
    // Two words between blocks, for a chunk's header.
    uint64_t *place = heap->words + heap->used + 2;
    heap->used += words + 2;
    heap->used += heap->used % 2;
    REQUIRE(heap->used <= NATIVE_WORDS);
    return place;
}

static void
list_block(lg_native_block *block, uint64_t *place, size_t bytes)
{
    enum { IN_USE_BEFORE = 1 };
    place[-1] = (bytes + NATIVE_CHUNK) | IN_USE_BEFORE;
    *block = lg_block_make((uintptr_t)place, bytes, LG_ALLOCATOR_MALLOC);
}

uint64_t *
native_heap_block(native_heap *heap, size_t bytes)
{
    uint64_t *place = take(heap, bytes / 8);
    REQUIRE(heap->block_count < NATIVE_BLOCKS);
    list_block(&heap->blocks[heap->block_count++], place, bytes / 8 * 8);
    return place;
}

uint64_t
native_heap_address(const uint64_t *words)
{
    return (uintptr_t)words;
}

uint64_t *
native_heap_list(native_heap *heap, uint32_t count)
{
    uint64_t *first = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *item = native_heap_block(heap, 48);
        uint64_t *text = native_heap_block(heap, 32);
        memset(text, 'x', 24);
        item[0] = first != NULL ? native_heap_address(first) : 0;
        item[1] = i;
        item[2] = native_heap_address(text);
        first = item;
    }
    return first;
}

uint64_t *
native_heap_object(native_heap *heap, bool owned)
{
    uint64_t *place = native_heap_block(heap, NATIVE_FIXED);
    REQUIRE(heap->object_count < NATIVE_OBJECTS);
    place[0] = 1;
    place[1] = NATIVE_HOLDER_TYPE;
    heap->owned[heap->object_count] = owned;
    heap->refcounts[heap->object_count] = 1;
    heap->objects[heap->object_count++] = place;
    return place;
}

uint64_t *
native_heap_tracked(native_heap *heap)
{
    enum { HEAD = 2 };
    uint64_t *head = native_heap_object(heap, false);
    uint64_t *place = head + HEAD;
    heap->used += HEAD;
    list_block(&heap->blocks[heap->block_count - 1], head,
               NATIVE_FIXED + 8 * (size_t)HEAD);
    memcpy(place, head, 8 * (size_t)HEAD);
    memset(head, 0, 8 * (size_t)HEAD);
    return heap->objects[heap->object_count - 1] = place;
}

uint64_t *
native_heap_lock(native_heap *heap)
{
    uint64_t *place = native_heap_object(heap, true);
    heap->lock[heap->object_count - 1] = true;
    place[1] = NATIVE_LOCK_TYPE;
    return place;
}

uint64_t *
native_heap_pattern(native_heap *heap)
{
    uint64_t *place = native_heap_object(heap, true);
    heap->pattern[heap->object_count - 1] = true;
    place[1] = NATIVE_PATTERN_TYPE;
    return place;
}

uint64_t *
native_heap_other(native_heap *heap)
{
    uint64_t *place = native_heap_object(heap, true);
    heap->other[heap->object_count - 1] = true;
    place[1] = NATIVE_OTHER_TYPE;
    return place;
}

uint64_t *
native_heap_int(native_heap *heap, uint64_t value, bool tagged)
{
    enum { DIGIT_BITS = 30 };
    const uint64_t digit = (UINT64_C(1) << DIGIT_BITS) - 1;
    uint64_t *place = native_heap_object(heap, true);
    heap->number[heap->object_count - 1] = true;
    place[1] = NATIVE_INT_TYPE;
    place[2] = tagged ? 2 << 3 : 2;
    place[3] = (value & digit) | (value >> DIGIT_BITS & digit) << 32;
    return place;
}

uint64_t *
native_heap_range(native_heap *heap, lg_range_kind kind, const char *name,
                  size_t words)
{
    uint64_t *place = take(heap, words);
    heap->ranges[heap->range_count++] = (lg_native_range){
        (uintptr_t)place, (uintptr_t)(place + words), kind, name};
    return place;
}

static uint32_t
add_type(lg_builder *builder, const char *name)
{
    return lg_builder_add_type(builder, name, strlen(name), LG_NONE, NULL, 0);
}

static lg_graph *
make_graph(const native_heap *heap)
{
    lg_graph *graph;
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t module = add_type(builder, "module");
    uint32_t holder = add_type(builder, "lib.Holder");
    uint32_t number = add_type(builder, "int");
    uint32_t lock = add_type(builder, "_thread.lock");
    uint32_t pattern = add_type(builder, "re.Pattern");
    uint32_t other = add_type(builder, "lib.Other");
    lg_builder_add_node(builder, 0x1000);
    lg_builder_put_type(builder, 0, module);
    builder->refcount[0] = 1;
    lg_builder_add_found(builder, 0, 1);
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    for (uint32_t i = 0; i < heap->object_count; i++) {
        uint32_t node =
            lg_builder_add_node(builder, (uintptr_t)heap->objects[i]);
        lg_builder_put_type(builder, node,
                            heap->number[i]    ? number
                            : heap->lock[i]    ? lock
                            : heap->pattern[i] ? pattern
                            : heap->other[i]   ? other
                                               : holder);
        lg_builder_put_size(builder, node, NATIVE_FIXED + heap->tables[i]);
        lg_builder_put_refcount(builder, node, heap->refcounts[i]);
    }
    lg_builder_open(builder, 0);
    for (uint32_t i = 0; i < heap->object_count; i++)
        if (heap->owned[i])
            lg_builder_add_edge(builder, i + 1, LG_EDGE_REFERENCE, i);
    for (uint32_t i = 0; i < heap->object_count; i++) {
        lg_builder_open(builder, i + 1);
        if (heap->refers_to[i] != 0)
            lg_builder_add_edge(builder, heap->refers_to[i], LG_EDGE_REFERENCE,
                                0);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

lg_status
native_heap_join(const native_heap *heap, const lg_allocator *allocator,
                 lg_graph **out, lg_error *err)
{
    lg_native_type types[] = {{0},
                              {0},
                              {NATIVE_HOLDER_TYPE, NATIVE_FIXED, 0},
                              {NATIVE_INT_TYPE, NATIVE_FIXED, 0},
                              {NATIVE_LOCK_TYPE, NATIVE_FIXED, 0},
                              {NATIVE_PATTERN_TYPE, NATIVE_FIXED, 0},
                              {NATIVE_OTHER_TYPE, NATIVE_FIXED, 0}};
    lg_native_memory memory = {
        .blocks = heap->blocks,
        .block_count = heap->block_count,
        .ranges = heap->ranges,
        .range_count = heap->range_count,
        .types = types,
        .type_count = sizeof types / sizeof *types,
        .monitor = heap->monitor,
    };
    return lg_graph_with_native(make_graph(heap), &memory, allocator, out, err);
}

void
native_heap_finish(native_heap *heap)
{
    lg_error err = {.message = ""};
    heap->graph = make_graph(heap);
    REQUIRE(native_heap_join(heap, NULL, &heap->joined, &err) == LG_OK);
    CHECK(lg_graph_check(heap->joined, &err) == LG_OK);
    REQUIRE(lg_analysis_new(heap->joined, NULL, &heap->found, &err) == LG_OK);
}

uint64_t
native_heap_held(const native_heap *heap, uint32_t object)
{
    return lg_node_retained(heap->found, object + 1).host -
           lg_node_size(heap->joined, object + 1);
}

uint64_t
native_heap_of(const native_heap *heap, const char *type)
{
    const lg_columns *columns = lg_graph_columns(heap->joined);
    for (uint32_t node = 0; node < columns->node_count; node++) {
        lg_string name =
            lg_graph_type(heap->joined, lg_columns_type(columns, node)).name;
        if (name.length == strlen(type) &&
            memcmp(name.data, type, name.length) == 0)
            return lg_node_retained(heap->found, node).host;
    }
    return 0;
}

uint32_t
native_heap_nodes(const native_heap *heap)
{
    const lg_columns *columns = lg_graph_columns(heap->joined);
    uint32_t count = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        count += (lg_columns_flags(columns, node) & LG_NODE_NATIVE) != 0;
    return count;
}
