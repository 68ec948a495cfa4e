// Writes the blocks of a graph.
#include "packed.h"

#include "packed_parts.h"

#include <stdio.h>
#include <stdlib.h>

// A group whose members have a number in common is a sample of its shape.
enum { SAMPLE = 4 };

typedef struct writer {
    packed *graph;
    const lg_columns *columns;
    uint32_t *group_of; /**< of each shape, in the block of... */
    uint32_t *block_of; /**< ... this number from 1 on */
    uint32_t room;      /**< shapes */
    uint32_t first;     /**< node */
    uint32_t count;
    uint32_t groups;
    uint32_t shape[PACKED_MOST];  /**< [groups] */
    uint8_t group[PACKED_MOST];   /**< [count] */
    uint32_t end[PACKED_MOST];    /**< [groups] of the columns */
    uint32_t member[PACKED_MOST]; /**< nodes of a group */
    uint64_t numbers[PACKED_MOST];
    bytes out;
} writer;

void *
packed_allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return block;
}

static void
fit_groups(writer *to, uint32_t needed)
{
    if (needed <= to->room)
        return;
    uint32_t room = 2 * needed;
    to->group_of = realloc(to->group_of, room * sizeof *to->group_of);
    to->block_of = realloc(to->block_of, room * sizeof *to->block_of);
    if (to->group_of == NULL || to->block_of == NULL)
        exit(1);
    memset(to->block_of + to->room, 0,
           (room - to->room) * sizeof *to->block_of);
    to->room = room;
}

// Sorts the nodes of a block into groups.
static void
find_groups(writer *to, uint32_t number)
{
    to->groups = 0;
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t shape =
            shapes_find(&to->graph->shapes, to->columns, to->first + i);
        fit_groups(to, shape + 1);
        if (to->block_of[shape] != number + 1) {
            to->block_of[shape] = number + 1;
            to->group_of[shape] = to->groups;
            to->shape[to->groups++] = shape;
        }
        to->group[i] = (uint8_t)to->group_of[shape];
    }
}

void
packed_set_usual(uint64_t *usual, const uint64_t *numbers, uint32_t count)
{
    uint64_t candidate = COLUMN_NONE;
    uint32_t votes = 0;
    if (*usual != COLUMN_NONE || count < SAMPLE)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (votes == 0)
            candidate = numbers[i];
        votes = numbers[i] == candidate ? votes + 1 : votes - 1;
    }
    if (votes > count / 4)
        *usual = candidate;
}

static void
put(writer *to, uint32_t count, uint64_t *usual, unsigned raw, uint64_t *sum)
{
    size_t before = to->out.count;
    if (usual != NULL)
        packed_set_usual(usual, to->numbers, count);
    column_write(&to->out, to->numbers, count,
                 usual != NULL ? *usual : COLUMN_NONE, raw,
                 &to->graph->choices);
    *sum += to->out.count - before;
}

static void
put_targets(writer *to, const packed_shape *shape, uint32_t count,
            uint64_t *usual)
{
    const lg_columns *columns = to->columns;
    for (uint32_t slot = 0; slot < shape->slots; slot++) {
        uint32_t behind =
            slot + shape->behind >= shape->slots ? shape->slots - slot : 0;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t edge =
                behind
                    ? lg_columns_first_edge(columns, to->member[i] + 1) - behind
                    : lg_columns_first_edge(columns, to->member[i]) + slot;
            to->numbers[i] = lg_columns_target(columns, edge);
        }
        put(to, count, &usual[PACKED_SLOT + slot], sizeof(uint32_t),
            &to->graph->sizes.targets);
    }
}

static void
put_degrees(writer *to, const packed_shape *shape, uint32_t count,
            uint64_t *usual)
{
    for (uint32_t i = 0; i < count; i++) {
        const lg_columns *columns = to->columns;
        to->numbers[i] = lg_columns_first_edge(columns, to->member[i] + 1) -
                         lg_columns_first_edge(columns, to->member[i]) -
                         shape->slots;
    }
    put(to, count, &usual[PACKED_DEGREE], sizeof(uint32_t),
        &to->graph->sizes.items);
}

static void
put_nodes(writer *to, uint32_t count, uint64_t *usual)
{
    const lg_columns *columns = to->columns;
    packed_sizes *sizes = &to->graph->sizes;
    for (uint32_t i = 0; i < count; i++)
        to->numbers[i] = lg_columns_size(columns, to->member[i]);
    put(to, count, &usual[PACKED_SIZE], sizeof(uint32_t), &sizes->size);
    for (uint32_t i = 0; i < count; i++)
        to->numbers[i] = lg_columns_found(columns, to->member[i]);
    put(to, count, &usual[PACKED_FOUND], sizeof(uint32_t), &sizes->counts);
    for (uint32_t i = 0; i < count; i++)
        to->numbers[i] =
            (uint32_t)(lg_columns_refcount(columns, to->member[i]) -
                       lg_columns_found(columns, to->member[i]));
    put(to, count, &usual[PACKED_REFCOUNT], sizeof(uint32_t), &sizes->counts);
    for (uint32_t i = 0; i < count; i++)
        to->numbers[i] =
            packed_turned(lg_columns_address(columns, to->member[i]));
    put(to, count, NULL, sizeof(uint64_t), &sizes->address);
}

void
packed_put_items(bytes *to, const uint32_t *items, uint64_t count,
                 uint32_t unit, const column_choices *choices)
{
    uint64_t numbers[PACKED_CHUNK];
    for (uint64_t at = 0; at < count; at += PACKED_CHUNK) {
        uint32_t part =
            count - at < PACKED_CHUNK ? (uint32_t)(count - at) : PACKED_CHUNK;
        size_t begin = to->count;
        bytes_extend(to, sizeof(uint16_t));
        for (uint32_t phase = 0; phase < unit; phase++) {
            uint32_t taken = 0;
            for (uint32_t i = phase; i < part; i += unit)
                numbers[taken++] = items[at + i];
            column_write(to, numbers, taken, COLUMN_NONE, sizeof(uint32_t),
                         choices);
        }
        uint16_t length = (uint16_t)(to->count - begin);
        memcpy(to->data + begin, &length, sizeof length);
    }
}

// Writes the items of all nodes of a group, one after the other.
static void
put_items(writer *to, const packed_shape *shape, uint32_t count)
{
    bytes items = {0};
    size_t before = to->out.count;
    for (uint32_t i = 0; i < count; i++) {
        const lg_columns *columns = to->columns;
        uint64_t length =
            (lg_columns_first_edge(columns, to->member[i] + 1) -
             lg_columns_first_edge(columns, to->member[i]) - shape->slots) *
            sizeof(uint32_t);
        uint64_t begin = lg_columns_first_edge(columns, to->member[i]) +
                         shape->slots - shape->behind;
        if (length > 0)
            lg_columns_write(columns, LG_NARROW_TARGET, begin,
                             length / sizeof(uint32_t),
                             bytes_extend(&items, length));
    }
    packed_put_items(&to->out, (const uint32_t *)(void *)items.data,
                     items.count / sizeof(uint32_t), shape->unit,
                     &to->graph->choices);
    to->graph->sizes.items += to->out.count - before;
    free(items.data);
}

static void
put_group(writer *to, uint32_t number)
{
    const packed_shape *shape = to->graph->shapes.shape + to->shape[number];
    uint64_t *usual = shapes_usual(&to->graph->shapes, shape);
    uint32_t count = 0;
    for (uint32_t i = 0; i < to->count; i++)
        if (to->group[i] == number)
            to->member[count++] = to->first + i;
    if (shape->unit)
        put_degrees(to, shape, count, usual);
    put_targets(to, shape, count, usual);
    put_nodes(to, count, usual);
    if (shape->unit)
        put_items(to, shape, count);
    to->end[number] = (uint32_t)to->out.count;
}

static void
put_planes(bytes *out, const uint8_t *groups, uint32_t count,
           uint32_t plane_count, uint32_t size)
{
    uint8_t *planes = bytes_extend(out, plane_count * size);
    memset(planes, 0, plane_count * size);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t plane = 0; plane < plane_count; plane++)
            planes[plane * size + i / 8] |=
                (uint8_t)((groups[i] >> plane & 1u) << i % 8);
}

static void
put_head(writer *to)
{
    bytes *out = &to->graph->blocks;
    uint32_t plane_count = packed_planes(to->groups);
    bool wide =
        to->out.count > UINT16_MAX || to->graph->shapes.count > UINT16_MAX;
    uint16_t head = (uint16_t)(to->groups | (wide ? PACKED_WIDE : 0));
    size_t before = out->count;
    memcpy(bytes_extend(out, sizeof head), &head, sizeof head);
    for (uint32_t i = 0; i < to->groups; i++) {
        uint32_t begin = i > 0 ? to->end[i - 1] : 0;
        uint16_t narrow[2] = {(uint16_t)to->shape[i], (uint16_t)begin};
        uint32_t both[2] = {to->shape[i], begin};
        if (wide)
            memcpy(bytes_extend(out, sizeof both), both, sizeof both);
        else
            memcpy(bytes_extend(out, sizeof narrow), narrow, sizeof narrow);
    }
    put_planes(out, to->group, to->count, plane_count, to->graph->block / 8);
    to->graph->sizes.shapes += out->count - before;
}

static void
put_block(writer *to, uint32_t number)
{
    packed *graph = to->graph;
    to->first = number * graph->block;
    to->count = graph->nodes - to->first < graph->block
                    ? graph->nodes - to->first
                    : graph->block;
    to->out.count = 0;
    graph->begin[number] = graph->blocks.count;
    graph->first_edge[number] = lg_columns_first_edge(to->columns, to->first);
    find_groups(to, number);
    for (uint32_t i = 0; i < to->groups; i++)
        put_group(to, i);
    put_head(to);
    memcpy(bytes_extend(&graph->blocks, to->out.count), to->out.data,
           to->out.count);
}

packed
packed_new(const lg_columns *columns, uint32_t block,
           const column_choices *choices)
{
    uint32_t blocks = (columns->node_count + block - 1) / block;
    packed graph = {
        .nodes = columns->node_count,
        .block = block,
        .edges = columns->edge_count,
        .begin = packed_allocate(blocks + 1, sizeof(uint64_t)),
        .first_edge = packed_allocate(blocks + 1, sizeof(uint64_t)),
        .choices = *choices,
    };
    writer to = {.graph = &graph, .columns = columns};
    for (uint32_t i = 0; i < blocks; i++)
        put_block(&to, i);
    graph.begin[blocks] = graph.blocks.count;
    graph.first_edge[blocks] = columns->edge_count;
    free(to.group_of);
    free(to.block_of);
    free(to.out.data);
    // The index of a block is 5 bytes for its place and 5 for its first edge.
    graph.sizes.tables = graph.shapes.labels.count + graph.shapes.usual.count +
                         graph.shapes.count * sizeof *graph.shapes.shape +
                         UINT64_C(10) * blocks;
    return graph;
}

void
packed_free(packed *graph)
{
    shapes_free(&graph->shapes);
    free(graph->blocks.data);
    free(graph->begin);
    free(graph->first_edge);
    free(graph->in_blocks.data);
    free(graph->in_begin);
    *graph = (packed){0};
}
