// Reads the blocks of a graph.
#include "packed_parts.h"

#include <stdio.h>
#include <stdlib.h>

packed_block
packed_block_open(const packed *graph, uint32_t number)
{
    uint16_t head;
    const uint8_t *at = graph->blocks.data + graph->begin[number];
    uint32_t first = number * graph->block;
    memcpy(&head, at, sizeof head);
    packed_block out = {
        .graph = graph,
        .groups = at + sizeof head,
        .group_count = head & (PACKED_WIDE - 1),
        .wide = head & PACKED_WIDE,
        .count = graph->nodes - first < graph->block ? graph->nodes - first
                                                     : graph->block,
    };
    out.plane_count = packed_planes(out.group_count);
    out.planes = out.groups + (size_t)out.group_count * (out.wide ? 8 : 4);
    out.columns = out.planes + out.plane_count * (graph->block / 8);
    return out;
}

// Finds the nodes of a group by the bits of its number.
static void
find_members(const packed_block *block, uint32_t number, packed_group *out)
{
    uint32_t words = block->graph->block / 64;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t before = word * 64;
        uint32_t left = block->count > before ? block->count - before : 0;
        uint64_t same = left >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << left) - 1;
        for (uint32_t plane = 0; plane < block->plane_count; plane++) {
            uint64_t bits =
                column_word(block->planes + (plane * words + word) * 8);
            same &= number >> plane & 1 ? bits : ~bits;
        }
        out->member[word] = same;
        out->count += (uint32_t)__builtin_popcountll(same);
    }
}

packed_group
packed_group_open(const packed_block *block, uint32_t number)
{
    packed_group out;
    uint32_t both[2];
    uint16_t narrow[2];
    const shapes *known = &block->graph->shapes;
    if (block->wide) {
        memcpy(both, block->groups + number * sizeof both, sizeof both);
    } else {
        memcpy(narrow, block->groups + number * sizeof narrow, sizeof narrow);
        both[0] = narrow[0];
        both[1] = narrow[1];
    }
    out.shape = known->shape + both[0];
    out.usual = shapes_usual(known, out.shape);
    out.at = block->columns + both[1];
    out.count = 0;
    out.number = number;
    find_members(block, number, &out);
    return out;
}

packed_group
packed_group_of(const packed_block *block, uint32_t node, uint32_t *place)
{
    uint32_t words = block->graph->block / 64;
    uint32_t number = 0;
    for (uint32_t plane = 0; plane < block->plane_count; plane++)
        number |=
            (uint32_t)(block->planes[plane * words * 8 + node / 8] >> node % 8 &
                       1)
            << plane;
    packed_group out = packed_group_open(block, number);
    *place = 0;
    for (uint32_t word = 0; word < node / 64; word++)
        *place += (uint32_t)__builtin_popcountll(out.member[word]);
    *place += (uint32_t)__builtin_popcountll(out.member[node / 64] &
                                             ((UINT64_C(1) << node % 64) - 1));
    return out;
}

void
packed_get_items(const uint8_t *at, uint64_t all, uint32_t unit, uint64_t begin,
                 uint64_t count, uint32_t *out)
{
    uint32_t numbers[PACKED_CHUNK];
    uint64_t end = begin + count;
    for (uint64_t chunk = 0; chunk < end; chunk += PACKED_CHUNK) {
        uint16_t length;
        memcpy(&length, at, sizeof length);
        const uint8_t *column_begin = at + sizeof length;
        at += length;
        if (chunk + PACKED_CHUNK <= begin)
            continue;
        uint32_t size =
            all - chunk < PACKED_CHUNK ? (uint32_t)(all - chunk) : PACKED_CHUNK;
        for (uint32_t phase = 0; phase < unit; phase++) {
            column items;
            uint32_t taken = (size - phase + unit - 1) / unit;
            column_begin = column_open(&items, column_begin, taken, COLUMN_NONE,
                                       sizeof(uint32_t));
            column_read(&items, numbers);
            for (uint32_t i = 0; i < taken; i++) {
                uint64_t item = chunk + i * unit + phase;
                if (item >= begin && item < end)
                    out[item - begin] = numbers[i];
            }
        }
    }
}

void
packed_nodes_free(packed_nodes *nodes)
{
    free(nodes->target);
    free(nodes->payload);
    free(nodes->kind);
}

// The columns of a group while a block is read.
typedef struct reading {
    packed_group group;
    uint32_t member[PACKED_MOST]; // [group.count] in the block
    uint32_t number[PACKED_MOST];
    const uint8_t *at;
    uint32_t items;
} reading;

static void
list_members(reading *from, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < words; word++)
        for (uint64_t left = from->group.member[word]; left; left &= left - 1)
            from->member[count++] = word * 64 + (uint32_t)__builtin_ctzll(left);
}

static void
get(reading *from, const uint64_t *usual)
{
    column numbers;
    from->at = column_open(&numbers, from->at, from->group.count, *usual,
                           sizeof(uint32_t));
    column_read(&numbers, from->number);
}

// Stores the degrees of a group's nodes where the next nodes begin.
static void
read_degrees(reading *from, packed_nodes *out)
{
    const packed_shape *shape = from->group.shape;
    if (shape->unit)
        get(from, &from->group.usual[PACKED_DEGREE]);
    from->items = 0;
    for (uint32_t i = 0; i < from->group.count; i++) {
        uint32_t items = shape->unit ? from->number[i] : 0;
        out->first[from->member[i] + 1] = shape->slots + items;
        from->items += items;
    }
}

static void
read_slots(reading *from, packed_nodes *out, const packed_label *label,
           unsigned parts)
{
    const packed_shape *shape = from->group.shape;
    for (uint32_t slot = 0; slot < shape->slots; slot++) {
        uint32_t behind =
            slot + shape->behind >= shape->slots ? shape->slots - slot : 0;
        get(from, &from->group.usual[PACKED_SLOT + slot]);
        for (uint32_t i = 0; i < from->group.count; i++) {
            const uint32_t *first = out->first + from->member[i];
            uint32_t edge = behind ? first[1] - behind : first[0] + slot;
            out->target[edge] = from->number[i];
            if (parts & PACKED_WITH_KINDS)
                out->kind[edge] = (uint8_t)label[slot];
            if (parts & PACKED_WITH_PAYLOADS)
                out->payload[edge] = (uint32_t)(label[slot] >> 32);
        }
    }
}

static void
read_nodes(reading *from, packed_nodes *out)
{
    const uint64_t *usual = from->group.usual;
    uint64_t address[PACKED_MOST];
    column numbers;
    get(from, &usual[PACKED_SIZE]);
    for (uint32_t i = 0; i < from->group.count; i++) {
        out->size[from->member[i]] = from->number[i];
        out->type[from->member[i]] = from->group.shape->type;
        out->flags[from->member[i]] = from->group.shape->flags;
    }
    get(from, &usual[PACKED_FOUND]);
    for (uint32_t i = 0; i < from->group.count; i++)
        out->found[from->member[i]] = from->number[i];
    get(from, &usual[PACKED_REFCOUNT]);
    for (uint32_t i = 0; i < from->group.count; i++)
        out->refcount[from->member[i]] =
            out->found[from->member[i]] + from->number[i];
    from->at = column_open(&numbers, from->at, from->group.count, COLUMN_NONE,
                           sizeof(uint64_t));
    column_read_wide(&numbers, address);
    for (uint32_t i = 0; i < from->group.count; i++)
        out->address[from->member[i]] = packed_turned_back(address[i]);
}

// Skips the columns of nodes.
static void
skip_nodes(reading *from)
{
    const uint64_t *usual = from->group.usual;
    column numbers;
    for (unsigned i = PACKED_SIZE; i <= PACKED_REFCOUNT; i++)
        from->at = column_open(&numbers, from->at, from->group.count, usual[i],
                               sizeof(uint32_t));
    from->at = column_open(&numbers, from->at, from->group.count, COLUMN_NONE,
                           sizeof(uint64_t));
}

static void
read_items(reading *from, packed_nodes *out, const packed_label *label,
           unsigned parts)
{
    const packed_shape *shape = from->group.shape;
    uint32_t before = shape->slots - shape->behind;
    uint64_t at = 0;
    for (uint32_t i = 0; i < from->group.count; i++) {
        const uint32_t *first = out->first + from->member[i];
        uint32_t begin = first[0] + before;
        uint32_t count = first[1] - first[0] - shape->slots;
        packed_get_items(from->at, from->items, shape->unit, at, count,
                         out->target + begin);
        at += count;
        for (uint32_t item = 0; item < count; item++) {
            packed_label own = label[shape->slots + item % shape->unit];
            bool rises = (own >> 8 & 0xff) == PACKED_RISING;
            if (parts & PACKED_WITH_KINDS)
                out->kind[begin + item] = (uint8_t)own;
            if (parts & PACKED_WITH_PAYLOADS)
                out->payload[begin + item] =
                    (uint32_t)(own >> 32) + (rises ? item / shape->unit : 0);
        }
    }
}

// Replaces the payloads that are the next targets.
static void
read_next(const reading *from, packed_nodes *out, const packed_label *label)
{
    const packed_shape *shape = from->group.shape;
    uint32_t before = shape->slots - shape->behind;
    for (uint32_t i = 0; i < from->group.count; i++) {
        const uint32_t *first = out->first + from->member[i];
        uint32_t items = first[1] - first[0] - shape->slots;
        for (uint32_t edge = first[0]; edge < first[1]; edge++) {
            uint32_t rank = edge - first[0];
            packed_label own =
                rank < before ? label[rank]
                : rank < before + items
                    ? label[shape->slots + (rank - before) % shape->unit]
                    : label[rank - items];
            if ((own >> 8 & 0xff) == PACKED_NEXT)
                out->payload[edge] = out->target[edge + 1];
        }
    }
}

static void
fit_edges(packed_nodes *out)
{
    size_t edges = out->first[out->count];
    if (edges <= out->room)
        return;
    packed_nodes_free(out);
    out->room = 2 * edges;
    out->target = packed_allocate(out->room, sizeof *out->target);
    out->payload = packed_allocate(out->room, sizeof *out->payload);
    out->kind = packed_allocate(out->room, sizeof *out->kind);
}

void
packed_read(const packed *graph, uint32_t block, unsigned parts,
            packed_nodes *out)
{
    const packed_block opened = packed_block_open(graph, block);
    static _Thread_local reading groups[PACKED_MOST];
    out->count = opened.count;
    out->first[0] = 0;
    for (uint32_t i = 0; i < opened.group_count; i++) {
        groups[i].group = packed_group_open(&opened, i);
        groups[i].at = groups[i].group.at;
        list_members(&groups[i], graph->block / 64);
        read_degrees(&groups[i], out);
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->first[i + 1] += out->first[i];
    fit_edges(out);
    for (uint32_t i = 0; i < opened.group_count; i++) {
        const packed_shape *shape = groups[i].group.shape;
        const packed_label *label = shapes_labels(&graph->shapes, shape);
        read_slots(&groups[i], out, label, parts);
        if (parts & PACKED_WITH_NODES)
            read_nodes(&groups[i], out);
        if (!shape->unit && !(parts & PACKED_WITH_PAYLOADS))
            continue;
        if (shape->unit && !(parts & PACKED_WITH_NODES))
            skip_nodes(&groups[i]);
        if (shape->unit)
            read_items(&groups[i], out, label, parts);
        if (parts & PACKED_WITH_PAYLOADS)
            read_next(&groups[i], out, label);
    }
}

static bool
is_weak(packed_label label)
{
    return label & LG_EDGE_WEAK;
}

void
packed_list_fit(packed_list *list, size_t count)
{
    if (count <= list->room)
        return;
    free(list->items);
    list->room = 2 * count;
    list->items = packed_allocate(list->room, sizeof *list->items);
}

// Opens the next column of a group.
static column
next_column(const uint8_t **at, const packed_group *group, unsigned usual)
{
    column out;
    *at = column_open(&out, *at, group->count, group->usual[usual],
                      sizeof(uint32_t));
    return out;
}

// The items of one node: its degree, and those before and of the whole group.
typedef struct span {
    uint64_t before;
    uint64_t count;
    uint64_t all;
} span;

static span
span_of(const column *degrees, uint32_t place)
{
    span out = {0};
    for (uint32_t i = 0; i < degrees->count; i++) {
        uint64_t degree = column_at(degrees, i);
        out.before += i < place ? degree : 0;
        out.count = i == place ? degree : out.count;
        out.all += degree;
    }
    return out;
}

static uint32_t
add_items(const packed_group *group, const uint8_t *at,
          const packed_label *label, span items, uint32_t *out)
{
    column skipped;
    const uint32_t unit = group->shape->unit;
    uint32_t kept = 0;
    if (items.count == 0 || (is_weak(label[0]) && is_weak(label[unit - 1])))
        return 0;
    for (unsigned i = PACKED_SIZE; i <= PACKED_REFCOUNT; i++)
        skipped = next_column(&at, group, i);
    at = column_open(&skipped, at, group->count, COLUMN_NONE, sizeof(uint64_t));
    packed_get_items(at, items.all, unit, items.before, items.count, out);
    for (uint64_t i = 0; i < items.count; i++)
        if (!is_weak(label[i % unit]))
            out[kept++] = out[i];
    return kept;
}

uint32_t
packed_targets(const packed *graph, uint32_t node, packed_list *out)
{
    uint32_t place;
    const packed_block block = packed_block_open(graph, node / graph->block);
    const packed_group group =
        packed_group_of(&block, node % graph->block, &place);
    const packed_shape *shape = group.shape;
    const packed_label *label = shapes_labels(&graph->shapes, shape);
    const uint8_t *at = group.at;
    span items = {0};
    uint32_t count = 0;
    if (shape->unit) {
        column degrees = next_column(&at, &group, PACKED_DEGREE);
        items = span_of(&degrees, place);
    }
    packed_list_fit(out, shape->slots + items.count);
    uint32_t *behind = out->items + items.count;
    for (uint32_t slot = 0; slot < shape->slots; slot++) {
        bool is_behind = slot + shape->behind >= shape->slots;
        column targets = next_column(&at, &group, PACKED_SLOT + slot);
        if (is_behind)
            behind[slot] = (uint32_t)column_at(&targets, place);
        else if (!is_weak(label[slot]))
            out->items[count++] = (uint32_t)column_at(&targets, place);
    }
    if (shape->unit)
        count += add_items(&group, at, label + shape->slots, items,
                           out->items + count);
    for (uint32_t slot = shape->slots - shape->behind; slot < shape->slots;
         slot++)
        if (!is_weak(label[slot]))
            out->items[count++] = behind[slot];
    return count;
}

uint32_t
packed_type(const packed *graph, uint32_t node)
{
    uint32_t place;
    const packed_block block = packed_block_open(graph, node / graph->block);
    return packed_group_of(&block, node % graph->block, &place).shape->type;
}

uint32_t
packed_node_size(const packed *graph, uint32_t node)
{
    uint32_t place;
    const packed_block block = packed_block_open(graph, node / graph->block);
    const packed_group group =
        packed_group_of(&block, node % graph->block, &place);
    const uint8_t *at = group.at;
    column skipped;
    if (group.shape->unit)
        skipped = next_column(&at, &group, PACKED_DEGREE);
    for (uint32_t slot = 0; slot < group.shape->slots; slot++)
        skipped = next_column(&at, &group, PACKED_SLOT + slot);
    skipped = next_column(&at, &group, PACKED_SIZE);
    return (uint32_t)column_at(&skipped, place);
}
