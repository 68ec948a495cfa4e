// The references to each node: in the blocks of the nodes that they lead to,
// with the groups that these have there.
#include "packed_parts.h"

#include <stdlib.h>

typedef struct in_edge {
    uint32_t source;
    uint32_t rank;
} in_edge;

typedef struct builder {
    packed *graph;
    packed_nodes nodes;
    uint32_t first; // the nodes that this pass is about
    uint32_t end;
    uint64_t *begin; // [end - first + 1] in the edges
    in_edge *edges;
    uint64_t room;
    bytes out;
    uint64_t numbers[PACKED_MOST];
} builder;

static uint32_t
blocks_of(const packed *graph)
{
    return (graph->nodes + graph->block - 1) / graph->block;
}

// Counts the references to the nodes of this pass, or places them.
static void
pass_over(builder *of, bool places)
{
    for (uint32_t block = 0; block < blocks_of(of->graph); block++) {
        packed_read(of->graph, block, 0, &of->nodes);
        for (uint32_t i = 0; i < of->nodes.count; i++) {
            uint32_t source = block * of->graph->block + i;
            uint32_t first = of->nodes.first[i];
            for (uint32_t edge = first; edge < of->nodes.first[i + 1]; edge++) {
                uint32_t target = of->nodes.target[edge];
                if (target < of->first || target >= of->end)
                    continue;
                uint64_t *place = &of->begin[target - of->first + 1];
                if (places)
                    of->edges[*place] = (in_edge){source, edge - first};
                ++*place;
            }
        }
    }
}

static void
collect(builder *of)
{
    uint32_t count = of->end - of->first;
    memset(of->begin, 0, (count + 1) * sizeof *of->begin);
    pass_over(of, false);
    uint64_t sum = 0;
    for (uint32_t i = 1; i <= count; i++) {
        uint64_t in = of->begin[i];
        of->begin[i] = sum;
        sum += in;
    }
    if (sum > of->room) {
        free(of->edges);
        of->room = sum + sum / 8;
        of->edges = packed_allocate(of->room, sizeof *of->edges);
    }
    pass_over(of, true);
}

static void
put(builder *of, uint32_t count, uint64_t *usual, uint64_t *sum)
{
    size_t before = of->out.count;
    if (usual != NULL)
        packed_set_usual(usual, of->numbers, count);
    if (count > 0)
        column_write(&of->out, of->numbers, count,
                     usual != NULL ? *usual : COLUMN_NONE, sizeof(uint32_t),
                     &of->graph->choices);
    *sum += of->out.count - before;
}

static uint64_t
degree_of(const builder *of, uint32_t node)
{
    return of->begin[node + 1] - of->begin[node];
}

// Writes the references number `place` to the members that have so many.
static void
put_place(builder *of, const uint32_t *member, uint32_t count, uint32_t place,
          uint64_t *usual)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++)
        if (degree_of(of, member[i]) > place)
            of->numbers[taken++] =
                of->edges[of->begin[member[i]] + place].source;
    put(of, taken, NULL, &of->graph->sizes.sources);
    taken = 0;
    for (uint32_t i = 0; i < count; i++)
        if (degree_of(of, member[i]) > place)
            of->numbers[taken++] = of->edges[of->begin[member[i]] + place].rank;
    put(of, taken, &usual[PACKED_RANK + place], &of->graph->sizes.ranks);
}

// Writes the references behind those that have columns each.
static void
put_rest(builder *of, const uint32_t *member, uint32_t count, bool ranks)
{
    bytes rest = {0};
    size_t before = of->out.count;
    for (uint32_t i = 0; i < count; i++)
        for (uint64_t j = PACKED_IN; j < degree_of(of, member[i]); j++) {
            const in_edge *edge = &of->edges[of->begin[member[i]] + j];
            memcpy(bytes_extend(&rest, sizeof(uint32_t)),
                   ranks ? &edge->rank : &edge->source, sizeof(uint32_t));
        }
    packed_put_items(&of->out, (const uint32_t *)(void *)rest.data,
                     rest.count / sizeof(uint32_t), 1, &of->graph->choices);
    free(rest.data);
    *(ranks ? &of->graph->sizes.ranks : &of->graph->sizes.sources) +=
        of->out.count - before;
}

static void
put_group(builder *of, const packed_group *group, uint32_t first)
{
    uint32_t member[PACKED_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < of->graph->block; i++)
        if (group->member[i / 64] >> i % 64 & 1)
            member[count++] = first + i - of->first;
    for (uint32_t i = 0; i < count; i++)
        of->numbers[i] = degree_of(of, member[i]);
    put(of, count, &group->usual[PACKED_IN_DEGREE], &of->graph->sizes.sources);
    for (uint32_t place = 0; place < PACKED_IN; place++)
        put_place(of, member, count, place, group->usual);
    put_rest(of, member, count, false);
    put_rest(of, member, count, true);
}

static void
put_block(builder *of, uint32_t number)
{
    packed *graph = of->graph;
    const packed_block block = packed_block_open(graph, number);
    bytes *to = &graph->in_blocks;
    uint32_t begin[PACKED_MOST];
    of->out.count = 0;
    for (uint32_t i = 0; i < block.group_count; i++) {
        const packed_group group = packed_group_open(&block, i);
        begin[i] = (uint32_t)of->out.count;
        put_group(of, &group, number * graph->block);
    }
    uint8_t wide = of->out.count > UINT16_MAX;
    graph->in_begin[number] = to->count;
    *bytes_extend(to, 1) = wide;
    for (uint32_t i = 0; i < block.group_count; i++) {
        uint16_t narrow = (uint16_t)begin[i];
        if (wide)
            memcpy(bytes_extend(to, sizeof *begin), &begin[i], sizeof *begin);
        else
            memcpy(bytes_extend(to, sizeof narrow), &narrow, sizeof narrow);
    }
    graph->sizes.sources += to->count - graph->in_begin[number];
    memcpy(bytes_extend(to, of->out.count), of->out.data, of->out.count);
}

void
packed_reverse(packed *graph, uint32_t passes)
{
    uint32_t blocks = blocks_of(graph);
    uint32_t step = (blocks + passes - 1) / passes;
    builder of = {
        .graph = graph,
        .begin =
            packed_allocate((size_t)step * graph->block + 1, sizeof *of.begin),
    };
    graph->in_begin = packed_allocate(blocks + 1, sizeof *graph->in_begin);
    for (uint32_t block = 0; block < blocks; block += step) {
        uint32_t last = block + step < blocks ? block + step : blocks;
        of.first = block * graph->block;
        of.end = last < blocks ? last * graph->block : graph->nodes;
        collect(&of);
        for (uint32_t i = block; i < last; i++)
            put_block(&of, i);
    }
    graph->in_begin[blocks] = graph->in_blocks.count;
    packed_nodes_free(&of.nodes);
    free(of.begin);
    free(of.edges);
    free(of.out.data);
}

// What is known of a node when its references are read.
typedef struct lookup {
    const uint8_t *at;
    uint32_t degrees[PACKED_MOST];
    uint32_t count;
    uint32_t place;
} lookup;

static const uint8_t *
columns_of(const packed *graph, const packed_block *block, uint32_t number,
           uint32_t group)
{
    const uint8_t *at = graph->in_blocks.data + graph->in_begin[number];
    bool wide = *at++;
    uint16_t narrow;
    uint32_t begin;
    memcpy(&narrow, at + group * sizeof narrow, sizeof narrow);
    memcpy(&begin, at + group * sizeof begin, sizeof begin);
    return at + block->group_count * (wide ? sizeof begin : sizeof narrow) +
           (wide ? begin : narrow);
}

// Returns the next source, and skips the rank.
static uint32_t
next_source(lookup *from, uint32_t place, uint64_t usual)
{
    column numbers;
    uint32_t count = 0;
    uint32_t before = 0;
    uint32_t source = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        before += i < from->place && from->degrees[i] > place;
        count += from->degrees[i] > place;
    }
    if (count == 0)
        return 0;
    from->at =
        column_open(&numbers, from->at, count, COLUMN_NONE, sizeof(uint32_t));
    if (before < count)
        source = (uint32_t)column_at(&numbers, before);
    from->at = column_open(&numbers, from->at, count, usual, sizeof(uint32_t));
    return source;
}

static void
read_rest(const lookup *from, uint32_t *out)
{
    uint64_t before = 0;
    uint64_t all = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        uint64_t more = from->degrees[i] > PACKED_IN
                            ? from->degrees[i] - (uint64_t)PACKED_IN
                            : 0;
        before += i < from->place ? more : 0;
        all += more;
    }
    packed_get_items(from->at, all, 1, before,
                     from->degrees[from->place] - PACKED_IN, out);
}

uint32_t
packed_sources(const packed *graph, uint32_t node, packed_list *out)
{
    lookup from;
    column degrees;
    uint32_t number = node / graph->block;
    const packed_block block = packed_block_open(graph, number);
    const packed_group group =
        packed_group_of(&block, node % graph->block, &from.place);
    from.at = columns_of(graph, &block, number, group.number);
    from.count = group.count;
    from.at = column_open(&degrees, from.at, group.count,
                          group.usual[PACKED_IN_DEGREE], sizeof(uint32_t));
    column_read(&degrees, from.degrees);
    uint32_t degree = from.degrees[from.place];
    packed_list_fit(out, degree + 1);
    for (uint32_t i = 0; i < PACKED_IN && (i < degree || degree > PACKED_IN);
         i++)
        out->items[i] = next_source(&from, i, group.usual[PACKED_RANK + i]);
    if (degree > PACKED_IN)
        read_rest(&from, out->items + PACKED_IN);
    return degree;
}
