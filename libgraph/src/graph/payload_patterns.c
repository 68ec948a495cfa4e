// The payloads of edges by the patterns of types: makes them, and reads them.
//
// Every edge has an expected payload, which its kind, its place among the edges
// of its source, the type of the source and the target of the next edge decide.
// None of these changes once a graph is complete, so what differs when the
// patterns are made, and is listed, is all that differs ever after. A pattern
// is learned from the first nodes of a type: at each place, the payload of more
// than half of them, if there is one, and otherwise any of theirs. Whether it
// is a good one decides how many payloads are listed, and nothing else.
#include "graph/graph_private.h"

#include <string.h>

// Edges of a block, nodes that a pattern is learned from, and its places.
enum { BLOCK = 64, LEARNED = 128, PLACES = 32 };

// What tells the payload that is expected of a kind of edge.
typedef enum rule {
    BY_PATTERN = 0,
    BY_PLACE,
    BY_PAIR, // of a dict's edges, each value comes before its key
    BY_NEXT,
} rule;

static const uint8_t rule_of[LG_EDGE_KIND_MASK + 1] = {
    [LG_EDGE_REFERENCE] = BY_PLACE, [LG_EDGE_VALUE] = BY_NEXT,
    [LG_EDGE_KEY] = BY_PAIR,        [LG_EDGE_INDEX] = BY_PLACE,
    [LG_EDGE_ELEMENT] = BY_PLACE,   [LG_EDGE_STACK] = BY_PLACE,
    [LG_EDGE_FRAME] = BY_PLACE,
};

static rule
rule_for(const lg_columns *columns, uint64_t edge)
{
    return (rule)rule_of[columns->edge_kind[edge] & LG_EDGE_KIND_MASK];
}

// The pattern of a type.
typedef struct pattern {
    const uint32_t *expected;
    uint32_t places;
} pattern;

static pattern
pattern_of(const lg_columns *columns, uint32_t node)
{
    const lg_payloads *of = &columns->payload;
    const uint32_t type = columns->type[node];
    if (type >= of->type_count)
        return (pattern){NULL, 0};
    const uint32_t first = of->first_place[type];
    return (pattern){of->expected + first, of->first_place[type + 1] - first};
}

static inline uint32_t
expected(const lg_columns *columns, const pattern *known, uint64_t edge,
         uint64_t place)
{
    switch (rule_for(columns, edge)) {
    case BY_PLACE:
        return (uint32_t)place;
    case BY_PAIR:
        return (uint32_t)(place / 2);
    case BY_NEXT:
        return edge + 1 < columns->edge_count ? columns->edge_target[edge + 1]
                                              : 0;
    default:
        return place < known->places ? known->expected[place] : 0;
    }
}

// What is known of a type while its pattern is learned.
typedef struct learned {
    uint32_t type;
    uint32_t nodes;
    uint32_t places;
    uint32_t payload[PLACES];
    uint32_t votes[PLACES]; // how many more nodes had the payload than not
} learned;

typedef struct making {
    const lg_allocator *allocator;
    const lg_columns *columns;
    uint32_t types;
    uint32_t *place; // [types] 1 + where a type is among `learned`; or 0
    lg__vector learned;
} making;

static learned *
learned_of(making *to, uint32_t type)
{
    if (to->place[type] != 0)
        return (learned *)to->learned.data + to->place[type] - 1;
    learned *added = lg__vector_extend(to->allocator, &to->learned, 1);
    if (added == NULL)
        return NULL;
    memset(added, 0, sizeof *added);
    added->type = type;
    to->place[type] = (uint32_t)to->learned.count;
    return added;
}

static void
vote(learned *to, uint64_t place, uint32_t payload)
{
    if (to->votes[place] == 0)
        to->payload[place] = payload;
    to->votes[place] += to->payload[place] == payload ? 1 : UINT32_MAX;
    if (to->places <= place)
        to->places = (uint32_t)place + 1;
}

static bool
learn_from(making *to, uint32_t node)
{
    const lg_columns *columns = to->columns;
    const uint64_t first = columns->first_edge[node];
    const uint64_t count = columns->first_edge[node + 1] - first;
    learned *type = learned_of(to, columns->type[node]);
    if (type == NULL)
        return false;
    if (type->nodes == LEARNED)
        return true;
    type->nodes++;
    for (uint64_t place = 0; place < count && place < PLACES; place++)
        if (rule_for(columns, first + place) == BY_PATTERN)
            vote(type, place, columns->payload.wide[first + place]);
    return true;
}

static bool
learn(making *to)
{
    const lg_columns *columns = to->columns;
    const uint32_t *first = columns->first_edge;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (first[node] != first[node + 1] && columns->type[node] < to->types &&
            !learn_from(to, node))
            return false;
    return true;
}

// All parts are one block, which begins with the blocks of edges.
static size_t
size_of(const making *to)
{
    const learned *types = to->learned.data;
    size_t numbers = (size_t)to->types + 1;
    for (size_t i = 0; i < to->learned.count; i++)
        numbers += types[i].places;
    return (size_t)(to->columns->edge_count / BLOCK + 2) *
               sizeof(lg_payload_block) +
           numbers * sizeof(uint32_t);
}

static lg_payloads
write_patterns(const making *to, lg_payload_block *block)
{
    const learned *types = to->learned.data;
    uint32_t *first = (uint32_t *)(block + to->columns->edge_count / BLOCK + 2);
    uint32_t *expect = first + to->types + 1;
    uint32_t next = 0;
    for (uint32_t type = 0; type < to->types; type++) {
        first[type] = next;
        if (to->place[type] == 0)
            continue;
        const learned *one = &types[to->place[type] - 1];
        memcpy(expect + next, one->payload, one->places * sizeof *expect);
        next += one->places;
    }
    first[to->types] = next;
    return (lg_payloads){.block = block,
                         .first_place = first,
                         .expected = expect,
                         .type_count = to->types};
}

// Lists what differs in the column itself, of which it overwrites only what it
// has read. Returns how many differ.
static uint32_t
list(const lg_columns *columns, uint32_t *payload, lg_payload_block *block)
{
    const uint32_t *first = columns->first_edge;
    const uint64_t blocks = columns->edge_count / BLOCK + 2;
    uint32_t listed = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        const uint64_t begin = first[node], end = first[node + 1];
        if (begin == end)
            continue;
        const pattern known = pattern_of(columns, node);
        for (uint64_t edge = begin; edge < end; edge++) {
            lg_payload_block *at = &block[edge / BLOCK];
            if (edge % BLOCK == 0)
                *at = (lg_payload_block){.before = listed, .source = node};
            if (payload[edge] == expected(columns, &known, edge, edge - begin))
                continue;
            at->listed |= UINT64_C(1) << edge % BLOCK;
            payload[listed++] = payload[edge];
        }
    }
    for (uint64_t i = (columns->edge_count + BLOCK - 1) / BLOCK; i < blocks;
         i++)
        block[i] = (lg_payload_block){
            .before = listed,
            .source = columns->node_count > 0 ? columns->node_count - 1 : 0};
    return listed;
}

static bool
replace(lg_graph *graph, const making *made)
{
    lg__array *array = &graph->array[LG__EDGE_PAYLOAD];
    lg_columns *columns = &graph->columns;
    const size_t size = size_of(made);
    lg_payload_block *block = lg__allocate(&graph->allocator, size);
    if (block == NULL)
        return false;
    graph->beside[LG_NARROW_PAYLOAD] =
        (lg__array){block, columns->edge_count, block, size};
    columns->payload = write_patterns(made, block);
    const uint32_t listed = list(columns, array->owned, block);
    const size_t most = listed > 0 ? listed : 1;
    const bool kept =
        lg__array_keep_front(graph, array, most * sizeof(uint32_t));
    columns->payload.listed = array->owned;
    return kept;
}

bool
lg__payloads_make(lg_graph *graph)
{
    const lg__array *array = &graph->array[LG__EDGE_PAYLOAD];
    if (array->owned == NULL || array->owned != array->data || array->count < 2)
        return true;
    const uint32_t types = graph->type_count;
    making to = {
        .allocator = &graph->allocator,
        .columns = &graph->columns,
        .types = types,
        .place = lg__allocate(&graph->allocator, types * sizeof *to.place),
        .learned = {.element = sizeof(learned)},
    };
    if (to.place != NULL)
        memset(to.place, 0, types * sizeof *to.place);
    const bool made = to.place != NULL && learn(&to) && replace(graph, &to);
    lg__deallocate(&graph->allocator, to.place, types * sizeof *to.place);
    lg__vector_free(&graph->allocator, &to.learned);
    return made;
}

static uint32_t
source_of(const lg_columns *columns, uint64_t edge)
{
    const lg_payload_block *around = &columns->payload.block[edge / BLOCK];
    return lg__edge_source_between(columns->first_edge, edge, around[0].source,
                                   around[1].source);
}

static inline bool
is_listed(const lg_payloads *of, uint64_t edge)
{
    return of->block[edge / BLOCK].listed >> edge % BLOCK & 1;
}

static inline uint32_t
listed_at(const lg_payloads *of, uint64_t edge)
{
    const lg_payload_block *block = &of->block[edge / BLOCK];
    const uint64_t before = block->listed & ((UINT64_C(1) << edge % BLOCK) - 1);
    return of->listed[block->before + (uint32_t)__builtin_popcountll(before)];
}

uint32_t
lg_payload_of(const lg_columns *columns, lg_node source, lg_edge edge)
{
    if (is_listed(&columns->payload, edge))
        return listed_at(&columns->payload, edge);
    const pattern known = pattern_of(columns, source);
    return expected(columns, &known, edge, edge - columns->first_edge[source]);
}

uint32_t
lg_payload_at(const lg_columns *columns, lg_edge edge)
{
    const bool is_by_source = !is_listed(&columns->payload, edge) &&
                              rule_for(columns, edge) != BY_NEXT;
    return lg_payload_of(columns, is_by_source ? source_of(columns, edge) : 0,
                         edge);
}
