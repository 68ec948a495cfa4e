// Types, first edges, and targets with their kinds are shortened in the blocks
// that they have: each is written where only numbers were that are read before.
#include "graph/short_columns.h"

#include "graph/graph_private.h"

#include <string.h>

enum {
    AT_ONCE = LG_FIRST_EDGES_BLOCK,
    STEP = LG_FIRST_EDGES_STEP,
};

// Copies whole blocks of numbers. Returns how many that are.
static size_t
copy_words(const uint16_t *words, size_t count, uint32_t *room)
{
    size_t at = 0;
    for (; at + AT_ONCE <= count; at += AT_ONCE) {
        uint16_t some[AT_ONCE];
        uint32_t wide[AT_ONCE];
        memcpy(some, words + at, sizeof some);
        for (unsigned i = 0; i < AT_ONCE; i++)
            wide[i] = some[i];
        memcpy(room + at, wide, sizeof wide);
    }
    return at;
}

const uint32_t *
lg__type_ids_some(const lg_type_ids *types, uint64_t from, size_t count,
                  uint32_t *room)
{
    if (types->mask == UINT32_MAX)
        return (const uint32_t *)types->numbers + from;
    size_t at = 0;
    if (types->mask == UINT16_MAX && types->of == NULL)
        at = copy_words((const uint16_t *)types->numbers + from, count, room);
    for (size_t i = at; i < count; i++)
        room[i] = lg_type_ids_at(types, from + i);
    return room;
}

// Copies a whole block of numbers that is not far.
static void
copy_near(const lg_first_edges *first, uint64_t from, uint32_t *room)
{
    const uint32_t base = first->base[from / AT_ONCE];
    uint16_t above[AT_ONCE];
    uint32_t plain[AT_ONCE];
    memcpy(above, lg_first_edges_above(first, from), sizeof above);
    for (unsigned i = 0; i < AT_ONCE; i++)
        plain[i] = base + above[i];
    memcpy(room, plain, sizeof plain);
}

const uint32_t *
lg__first_edges_some(const lg_first_edges *first, uint64_t from, size_t count,
                     uint32_t *room)
{
    if (first->wide != NULL)
        return first->wide + from;
    for (size_t at = 0; at < count;) {
        if ((from + at) % AT_ONCE == 0 && count - at >= AT_ONCE &&
            *lg_first_edges_above(first, from + at) != UINT16_MAX) {
            copy_near(first, from + at, room + at);
            at += AT_ONCE;
        } else {
            room[at] = lg_first_edges_at(first, from + at);
            at++;
        }
    }
    return room;
}

// Returns the bits that are set in any eight bytes of an array: those of its
// numbers, side by side.
static uint64_t
bits_of(const void *array, size_t size)
{
    uint64_t parts[AT_ONCE] = {0};
    uint64_t plain[AT_ONCE];
    uint64_t bits = 0;
    size_t at = 0;
    for (; at + sizeof plain <= size; at += sizeof plain) {
        memcpy(plain, (const char *)array + at, sizeof plain);
        for (unsigned i = 0; i < AT_ONCE; i++)
            parts[i] |= plain[i];
    }
    memset(plain, 0, sizeof plain);
    memcpy(plain, (const char *)array + at, size - at);
    for (unsigned i = 0; i < AT_ONCE; i++)
        bits |= parts[i] | plain[i];
    return bits;
}

// Makes bytes of words, if all of them fit.
static bool
shorten_to_bytes(uint16_t *types, size_t count)
{
    const uint64_t high = 0xff00ff00ff00ff00;
    const bool fits = !(bits_of(types, count * sizeof *types) & high);
    for (size_t at = 0; at < count && fits; at += AT_ONCE) {
        const size_t part = count - at < AT_ONCE ? count - at : AT_ONCE;
        uint16_t plain[AT_ONCE] = {0};
        uint8_t low[AT_ONCE];
        memcpy(plain, types + at, part * sizeof *plain);
        for (unsigned i = 0; i < AT_ONCE; i++)
            low[i] = (uint8_t)plain[i];
        memcpy((char *)types + at, low, part);
    }
    return fits;
}

static void
shorten_to_words(uint32_t *types, size_t count)
{
    for (size_t at = 0; at < count; at += AT_ONCE) {
        const size_t part = count - at < AT_ONCE ? count - at : AT_ONCE;
        uint32_t plain[AT_ONCE] = {0};
        uint16_t low[AT_ONCE];
        memcpy(plain, types + at, part * sizeof *plain);
        for (unsigned i = 0; i < AT_ONCE; i++)
            low[i] = (uint16_t)plain[i];
        memcpy((char *)types + at * sizeof *low, low, part * sizeof *low);
    }
}

static bool
is_owned(const lg__array *array)
{
    return array->count > 0 && array->owned != NULL &&
           array->owned == array->data;
}

// Makes types of two bytes shorter, with which their block begins. Bytes are
// read behind the last.
static bool
keep_words(lg_graph *graph, lg__array *array)
{
    const size_t count = (size_t)array->count;
    const unsigned shift = !shorten_to_bytes(array->owned, count);
    const size_t behind = sizeof(uint32_t) - ((size_t)1 << shift);
    const bool kept =
        lg__array_keep_front(graph, array, (count << shift) + behind);
    graph->columns.type = (lg_type_ids){
        array->owned, shift, shift == 0 ? UINT8_MAX : UINT16_MAX, NULL};
    return kept;
}

bool
lg__type_ids_shorten(lg_graph *graph)
{
    lg__array *array = &graph->array[LG__TYPE];
    const size_t count = (size_t)array->count;
    const uint64_t high = 0xffff0000ffff0000;
    if (array->owned != NULL && graph->columns.type.numbers == array->owned &&
        graph->columns.type.mask == UINT16_MAX)
        return keep_words(graph, array);
    if (!is_owned(array) ||
        bits_of(array->owned, count * sizeof(uint32_t)) & high)
        return true;
    shorten_to_words(array->owned, count);
    return keep_words(graph, array);
}

void
lg__type_ids_give(lg_graph *graph, const lg__vector *words)
{
    lg__array *array = &graph->array[LG__TYPE];
    if (words->data == NULL)
        return;
    *array = (lg__array){NULL, array->count, words->data,
                         words->capacity * words->element};
    graph->columns.type = lg_type_ids_words(words->data);
}

uint32_t
lg_first_edges_far(const lg_first_edges *first, uint64_t index)
{
    const uint32_t block = (uint32_t)(index / LG_FIRST_EDGES_BLOCK);
    const size_t at =
        lg__ascending_find(first->far_block, first->far_count, block);
    return first
        ->far_number[at * LG_FIRST_EDGES_BLOCK + index % LG_FIRST_EDGES_BLOCK];
}

uint32_t
lg__first_edges_find_far(const lg_first_edges *first, uint64_t edge,
                         uint32_t low, uint32_t high)
{
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (lg_first_edges_at(first, middle) <= edge)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

lg_edge_range
lg_columns_far_edges(const lg_columns *columns, lg_node node)
{
    return (lg_edge_range){
        lg_columns_first_edge(columns, node),
        lg_columns_first_edge(columns, node + 1),
    };
}

// Returns how many of the numbers the distances of a block belong to, its own
// and the one behind it.
static size_t
count_in(size_t count, size_t at)
{
    return count - at < STEP ? count - at : STEP;
}

// The numbers rise, so the last is the farthest. The greatest distance of two
// bytes marks a far block, so a near one must stay below it.
static bool
is_far(const uint32_t *first, size_t count, size_t at)
{
    return first[at + count_in(count, at) - 1] - first[at] >= UINT16_MAX;
}

// Makes room for what far blocks have, of which there are so many, and for the
// first numbers of all. Returns these, or NULL when memory ran out.
static uint32_t *
open_blocks(lg_graph *graph, size_t blocks, uint32_t far_count)
{
    const size_t far = (size_t)far_count * (1 + LG_FIRST_EDGES_BLOCK);
    const size_t size = (blocks + far) * sizeof(uint32_t);
    uint32_t *base = lg__allocate(&graph->allocator, size);
    if (base != NULL)
        graph->beside[LG_NARROW_FIRST_EDGE] =
            (lg__array){base, blocks + far, base, size};
    return base;
}

static void
write_near(const uint32_t *plain, size_t count, uint16_t *to)
{
    uint16_t above[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++)
        above[i] = (uint16_t)(plain[i] - plain[0]);
    memcpy(to, above, (count < AT_ONCE ? count : AT_ONCE) * sizeof *to);
    if (count > AT_ONCE)
        to[AT_ONCE] = (uint16_t)(plain[AT_ONCE] - plain[0]);
}

// Shortens all numbers, and lists those of far blocks.
static void
write_blocks(uint32_t *first, size_t count, uint32_t *base, uint32_t *far_block,
             uint32_t *far_number)
{
    for (size_t at = 0, block = 0; at < count; at += AT_ONCE, block++) {
        const size_t some = count_in(count, at);
        const bool far = is_far(first, count, at);
        uint16_t *to = (uint16_t *)first + block * STEP;
        uint32_t plain[STEP] = {0};
        memcpy(plain, first + at, some * sizeof *plain);
        base[block] = plain[0];
        if (far) {
            memset(to, UINT8_MAX, some * sizeof *to);
            memcpy(far_number, plain, AT_ONCE * sizeof *plain);
            *far_block++ = (uint32_t)block;
            far_number += AT_ONCE;
        } else {
            write_near(plain, some, to);
        }
    }
}

static bool
append(const lg_allocator *allocator, lg__vector *to, const lg__vector *from)
{
    uint32_t *place = lg__vector_extend(allocator, to, from->count);
    if (place != NULL && from->count > 0)
        memcpy(place, from->data, from->count * sizeof *place);
    return place != NULL;
}

bool
lg__first_edges_give(lg_graph *graph, lg__first_edges_made *made)
{
    const lg_allocator *allocator = &graph->allocator;
    lg__array *array = &graph->array[LG__FIRST_EDGE];
    const size_t blocks = made->base.count;
    const uint32_t far_count = (uint32_t)made->far_block.count;
    const bool enough = append(allocator, &made->base, &made->far_block) &&
                        append(allocator, &made->base, &made->far_number);
    lg__vector_free(allocator, &made->far_block);
    lg__vector_free(allocator, &made->far_number);
    lg__vector_trim(allocator, &made->base);
    const uint32_t *base = made->base.data;
    graph->beside[LG_NARROW_FIRST_EDGE] =
        (lg__array){base, made->base.count, made->base.data,
                    made->base.capacity * sizeof *base};
    array->owned = made->above.data;
    array->owned_size = made->above.capacity * made->above.element;
    const bool kept = lg__array_keep_front(
        graph, array, made->above.count * made->above.element);
    graph->columns.first_edge = (lg_first_edges){
        .base = base,
        .above = array->owned,
        .far_count = far_count,
        .far_block = base + blocks,
        .far_number = base + blocks + far_count,
    };
    return enough && kept;
}

bool
lg__first_edges_shorten(lg_graph *graph)
{
    lg__array *array = &graph->array[LG__FIRST_EDGE];
    const size_t count = (size_t)array->count;
    if (!is_owned(array))
        return true;
    const size_t blocks = (count + AT_ONCE - 1) / AT_ONCE;
    uint32_t far_count = 0;
    for (size_t at = 0; at < count; at += AT_ONCE)
        far_count += is_far(array->owned, count, at);
    uint32_t *base = open_blocks(graph, blocks, far_count);
    if (base == NULL)
        return false;
    uint32_t *far_block = base + blocks;
    uint32_t *far_number = far_block + far_count;
    write_blocks(array->owned, count, base, far_block, far_number);
    const size_t used = (count + (count - 1) / AT_ONCE) * sizeof(uint16_t);
    const bool kept = lg__array_keep_front(graph, array, used);
    graph->columns.first_edge = (lg_first_edges){
        .base = base,
        .above = array->owned,
        .far_count = far_count,
        .far_block = far_block,
        .far_number = far_number,
    };
    return kept;
}

// No edges have no words, and their columns point somewhere else.
void
lg__edges_are_packed(lg_graph *graph)
{
    lg__array *words = &graph->array[LG__EDGE_TARGET];
    if (words->count == 0)
        return;
    words->data = NULL;
    graph->array[LG__EDGE_KIND].data = NULL;
    graph->columns.target = lg_edge_targets_packed(words->owned);
    graph->columns.kind = lg_edge_kinds_packed(words->owned);
}

void
lg__edges_pack(lg_graph *graph)
{
    const lg__array *targets = &graph->array[LG__EDGE_TARGET];
    lg__array *kinds = &graph->array[LG__EDGE_KIND];
    const uint64_t high = UINT64_C(0x100000001) * ~LG_TARGET_MASK;
    if (!is_owned(targets) || !is_owned(kinds) ||
        targets->count != kinds->count ||
        bits_of(targets->owned, (size_t)targets->count * sizeof(uint32_t)) &
            high)
        return;
    uint32_t *words = targets->owned;
    const uint8_t *bytes = kinds->data;
    for (uint64_t edge = 0; edge < targets->count; edge++)
        words[edge] |= (uint32_t)bytes[edge] << LG_TARGET_BITS;
    lg__deallocate(&graph->allocator, kinds->owned, kinds->owned_size);
    kinds->owned = NULL;
    kinds->owned_size = 0;
    lg__edges_are_packed(graph);
}
