// First edges have their last form at once: see lg_first_edges. The producer
// writes them. A second thread reads those of nodes that are opened, and is
// held off while a block becomes far.
//
// A far block ends UINT16_MAX edges or more behind its beginning, and these
// edges are its own. So there is room for the far blocks of all edges that
// there is room for.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

enum {
    BLOCK = LG_FIRST_EDGES_BLOCK,
    STEP = LG_FIRST_EDGES_STEP,
};

static uint16_t *
above_of(lg_builder *builder, uint32_t block)
{
    return builder->first_above + (size_t)block * STEP;
}

// Opens the last far block, unless it is open, and lists the first numbers that
// it has so far.
static uint32_t *
open_far(lg_builder *builder, uint32_t block, size_t count)
{
    const uint32_t before = builder->far_count;
    uint32_t *numbers = builder->far_number + (size_t)before * BLOCK;
    if (before > 0 && builder->far_block[before - 1] == block)
        return numbers - BLOCK;
    uint16_t *above = above_of(builder, block);
    lg__builder_hold(builder, true);
    for (size_t i = 0; i < count; i++)
        numbers[i] = builder->first_base[block] + above[i];
    builder->far_block[builder->far_count++] = block;
    memset(above, UINT8_MAX, count * sizeof *above);
    lg__builder_hold(builder, false);
    return numbers;
}

static void
put_far(lg_builder *builder, uint32_t index, uint32_t edge)
{
    const uint32_t place = index % BLOCK;
    uint32_t *numbers = open_far(builder, index / BLOCK, place);
    numbers[place] = edge;
    above_of(builder, index / BLOCK)[place] = UINT16_MAX;
}

// Sets the number behind a block.
static void
end_block(lg_builder *builder, uint32_t block, uint32_t edge)
{
    const uint32_t above = edge - builder->first_base[block];
    if (above >= UINT16_MAX)
        open_far(builder, block, BLOCK);
    above_of(builder, block)[BLOCK] =
        above < UINT16_MAX ? (uint16_t)above : UINT16_MAX;
}

static void
begin_block(lg_builder *builder, uint32_t index, uint32_t edge)
{
    const uint32_t block = index / BLOCK;
    if (block > 0)
        end_block(builder, block - 1, edge);
    builder->first_base[block] = edge;
    builder->block_base = edge;
    builder->block_end = index + BLOCK;
}

void
lg_builder_put_first_edges(lg_builder *builder, lg_node node, uint32_t edge)
{
    for (; builder->opened <= node; builder->opened++) {
        const uint32_t index = builder->opened;
        if (index % BLOCK == 0)
            begin_block(builder, index, edge);
        const uint32_t above = edge - builder->block_base;
        if (above < UINT16_MAX)
            above_of(builder, index / BLOCK)[index % BLOCK] = (uint16_t)above;
        else
            put_far(builder, index, edge);
    }
}

// Late edges, those of lower nodes first.
typedef struct late_edges {
    const lg__late_edge *edge;
    size_t count;
    size_t before; // how many of them lower nodes than the last asked for have
} late_edges;

static uint32_t
count_before(late_edges *late, uint64_t node)
{
    while (late->before < late->count && late->edge[late->before].source < node)
        late->before++;
    return (uint32_t)late->before;
}

// Adds to all numbers of a block alike, and to those of a far one in the list.
static void
move_block(lg_builder *builder, uint32_t block, uint32_t more,
           uint32_t *far_number)
{
    builder->first_base[block] += more;
    for (size_t i = 0; far_number != NULL && i < BLOCK; i++)
        far_number[i] += more;
}

// Makes room in the list for the numbers of a block.
static void
insert_far(lg_builder *builder, uint32_t at, uint32_t block)
{
    const size_t behind = builder->far_count - at;
    uint32_t *blocks = builder->far_block + at;
    uint32_t *numbers = builder->far_number + (size_t)at * BLOCK;
    memmove(blocks + 1, blocks, behind * sizeof *blocks);
    memmove(numbers + BLOCK, numbers, behind * BLOCK * sizeof *numbers);
    *blocks = block;
    builder->far_count++;
}

// Writes the numbers of a block, and the one behind it, anew; those of a far
// one to place `at` of the list.
static void
write_block(lg_builder *builder, uint32_t block, const uint32_t *plain,
            size_t count, uint32_t at)
{
    const bool was_far =
        at < builder->far_count && builder->far_block[at] == block;
    const bool far = plain[count - 1] - plain[0] >= UINT16_MAX;
    uint16_t *above = above_of(builder, block);
    if (far && !was_far)
        insert_far(builder, at, block);
    if (far)
        memcpy(builder->far_number + (size_t)at * BLOCK, plain,
               (count < BLOCK ? count : BLOCK) * sizeof *plain);
    builder->first_base[block] = plain[0];
    for (size_t i = 0; i < count; i++)
        above[i] = far ? UINT16_MAX : (uint16_t)(plain[i] - plain[0]);
}

// Adds to the numbers of a block, and to the one behind it, what late edges
// before each node add.
static void
add_in_block(lg_builder *builder, uint32_t block, late_edges *late, uint32_t at)
{
    const lg_first_edges first = lg_builder_first_edges(builder);
    const uint64_t begin = (uint64_t)block * BLOCK;
    const uint64_t left = (uint64_t)builder->node_count + 1 - begin;
    const size_t count = left < STEP ? (size_t)left : STEP;
    uint32_t plain[STEP];
    for (size_t i = 0; i < count; i++)
        plain[i] = lg_first_edges_at(&first, begin + i) +
                   count_before(late, begin + i);
    write_block(builder, block, plain, count, at);
}

void
lg__first_edges_add(lg_builder *builder, const lg__late_edge *edges,
                    size_t count)
{
    late_edges late = {edges, count, 0};
    const uint32_t last = builder->node_count / BLOCK;
    uint32_t at = 0;
    for (uint32_t block = edges[0].source / BLOCK; block <= last; block++) {
        const uint64_t end = ((uint64_t)block + 1) * BLOCK;
        const uint32_t more = count_before(&late, (uint64_t)block * BLOCK);
        while (at < builder->far_count && builder->far_block[at] < block)
            at++;
        const bool far =
            at < builder->far_count && builder->far_block[at] == block;
        if (late.before < count && edges[late.before].source < end)
            add_in_block(builder, block, &late, at);
        else
            move_block(builder, block, more,
                       far ? builder->far_number + (size_t)at * BLOCK : NULL);
    }
}
