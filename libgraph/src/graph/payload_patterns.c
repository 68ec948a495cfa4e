// The payloads of edges by the patterns of types: makes them, and reads them.
//
// Every edge has an expected payload, which its kind, its place among the edges
// of its source, the type of the source and the target of the next edge decide.
// None of these changes once a graph is complete, so what differs when the
// patterns are made, and is listed, is all that differs ever after. A pattern
// is learned from the first nodes of a type: at each place, the payload of more
// than half of them, if there is one, and otherwise any of theirs. Whether it
// is a good one decides how many payloads are listed, and nothing else.
//
// Edges are coded while later ones are still to come. Until a type's pattern is
// learned, all payloads that it should tell are listed. So is the last edge of
// a source that the next edge should tell: another edge may come in between.
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
    uint32_t nodes;
    uint32_t places;
    uint32_t payload[PLACES];
    uint8_t votes[PLACES]; // how many more nodes had the payload than not
} learned;

_Static_assert(LEARNED <= UINT8_MAX, "votes fit");

void
lg__payload_coder_open(lg__payload_coder *coder)
{
    *coder = (lg__payload_coder){
        .block = {.element = sizeof(lg_payload_block)},
        .listed = {.element = sizeof(uint32_t)},
        .place = {.element = sizeof(uint32_t)},
        .learned = {.element = sizeof(learned)},
    };
}

void
lg__payload_coder_free(const lg_allocator *allocator, lg__payload_coder *coder)
{
    lg__vector_free(allocator, &coder->block);
    lg__vector_free(allocator, &coder->listed);
    lg__vector_free(allocator, &coder->place);
    lg__vector_free(allocator, &coder->learned);
}

// Appends zeroes up to `count` elements.
static bool
fill_up(const lg_allocator *allocator, lg__vector *vector, size_t count)
{
    const size_t before = vector->count;
    if (count <= before)
        return true;
    void *added = lg__vector_extend(allocator, vector, count - before);
    if (added != NULL)
        memset(added, 0, (count - before) * vector->element);
    return added != NULL;
}

static learned *
learned_of(const lg_allocator *allocator, lg__payload_coder *coder,
           uint32_t type)
{
    const uint32_t *known = coder->place.data;
    if (type < coder->place.count && known[type] != 0)
        return (learned *)coder->learned.data + known[type] - 1;
    learned *added;
    if (!fill_up(allocator, &coder->place, (size_t)type + 1) ||
        (added = lg__vector_extend(allocator, &coder->learned, 1)) == NULL)
        return NULL;
    memset(added, 0, sizeof *added);
    ((uint32_t *)coder->place.data)[type] = (uint32_t)coder->learned.count;
    return added;
}

static void
vote(learned *to, uint64_t place, uint32_t payload)
{
    if (to->votes[place] == 0)
        to->payload[place] = payload;
    const int more = to->payload[place] == payload ? 1 : -1;
    to->votes[place] = (uint8_t)(to->votes[place] + more);
    if (to->places <= place)
        to->places = (uint32_t)place + 1;
}

// Learns from a node of a type whose pattern is not complete.
static void
learn_from(learned *type, const uint8_t *kind, const uint32_t *payload,
           uint64_t count)
{
    type->nodes++;
    for (uint64_t place = 0; place < count && place < PLACES; place++)
        if (rule_of[kind[place] & LG_EDGE_KIND_MASK] == BY_PATTERN)
            vote(type, place, payload[place]);
}

// Returns whether a payload is listed: not if any later look at the edge finds
// it without a list.
static inline bool
is_to_list(const lg_columns *columns, const pattern *known, uint64_t edge,
           uint64_t place, uint64_t count, uint32_t payload)
{
    const rule of = rule_for(columns, edge);
    if (of == BY_NEXT && place + 1 == count)
        return true;
    if (of == BY_PATTERN && known->expected == NULL)
        return true;
    return payload != expected(columns, known, edge, place);
}

static bool
code_node(const lg_allocator *allocator, lg__payload_coder *coder,
          const lg_columns *columns, const uint32_t *payload, uint64_t begin,
          uint64_t end)
{
    const uint64_t count = end - begin;
    lg__vector *listed = &coder->listed;
    learned *type = learned_of(allocator, coder, columns->type[coder->node]);
    if (type == NULL ||
        !fill_up(allocator, &coder->block, (size_t)(end / BLOCK) + 1) ||
        (listed->capacity - listed->count < count &&
         !lg__vector_grow(allocator, listed, (size_t)count)))
        return false;
    const bool is_learned = type->nodes == LEARNED;
    const pattern known = {is_learned ? type->payload : NULL, type->places};
    lg_payload_block *block = coder->block.data;
    uint32_t *list = listed->data;
    size_t next = listed->count;
    if (!is_learned)
        learn_from(type, columns->edge_kind + begin, payload, count);
    for (uint64_t place = 0; place < count; place++) {
        const uint64_t edge = begin + place;
        if (edge % BLOCK == 0)
            block[edge / BLOCK].before = (uint32_t)next;
        if (!is_to_list(columns, &known, edge, place, count, payload[place]))
            continue;
        block[edge / BLOCK].listed |= UINT64_C(1) << edge % BLOCK;
        list[next++] = payload[place];
    }
    listed->count = next;
    return true;
}

bool
lg__payloads_code(const lg_allocator *allocator, lg__payload_coder *coder,
                  const lg_columns *columns, const uint32_t *payload,
                  uint64_t first, uint32_t end)
{
    const uint32_t *first_edge = columns->first_edge;
    for (; coder->node < end; coder->node++) {
        const uint64_t begin = first_edge[coder->node];
        const uint64_t next = first_edge[coder->node + 1];
        if (begin != next && !code_node(allocator, coder, columns,
                                        payload + (begin - first), begin, next))
            return false;
    }
    return true;
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

uint32_t
lg__payload_coded(const lg__payload_coder *coder, const lg_columns *columns,
                  uint64_t edge)
{
    const lg_payloads known = {.block = coder->block.data,
                               .listed = coder->listed.data};
    return is_listed(&known, edge) ? listed_at(&known, edge)
                                   : columns->edge_target[edge + 1];
}

// Completion: the coded edges move behind the late ones that come before them,
// late ones are added, and what is listed is compared with the patterns once
// more, which are complete by now.
typedef struct completion {
    const lg_columns *columns; // with the new payloads, but for what is listed
    const lg__payload_coder *coder;
    const lg__payload_changes *changes;
    lg_payload_block *block;
    uint32_t *listed;
    uint32_t count;      // of those
    uint64_t next_block; // has no source yet
    uint32_t source;     // the one that the work is at
    size_t late;         // late edges that come before the next coded one
} completion;

// Lists a payload if it differs. The numbers of edges ascend.
static void
put(completion *to, uint64_t edge, uint32_t payload)
{
    const lg_columns *columns = to->columns;
    const pattern known = pattern_of(columns, to->source);
    if (payload ==
        expected(columns, &known, edge, edge - columns->first_edge[to->source]))
        return;
    to->block[edge / BLOCK].listed |= UINT64_C(1) << edge % BLOCK;
    to->listed[to->count++] = payload;
}

// Adds the late edges of the source, and goes to the next one.
static void
leave_source(completion *to)
{
    const lg__payload_changes *changes = to->changes;
    const uint64_t end = to->columns->first_edge[to->source + 1];
    const uint64_t edges = to->columns->edge_count;
    size_t count = 0;
    while (to->late + count < changes->late_count &&
           changes->late[to->late + count].source == to->source)
        count++;
    for (size_t i = count; i > 0; i--)
        put(to, end - i, changes->late[to->late++].payload);
    for (; to->next_block * BLOCK < end && to->next_block * BLOCK < edges;
         to->next_block++)
        to->block[to->next_block].source = to->source;
    to->source++;
}

// Goes to the source of a coded edge. Returns the edge's number now.
static uint64_t
move_to(completion *to, uint64_t edge)
{
    const uint32_t *first = to->columns->first_edge;
    while (to->source + 1 < to->columns->node_count) {
        size_t late = to->late;
        while (late < to->changes->late_count &&
               to->changes->late[late].source == to->source)
            late++;
        if (first[to->source + 1] > edge + late)
            break;
        leave_source(to);
    }
    return edge + to->late;
}

// Puts the payloads that were changed before a coded edge, and returns whether
// one of them is that edge's. The last change counts.
static bool
put_changed(completion *to, size_t *next, uint64_t edge)
{
    const lg__new_payload *changed = to->changes->changed;
    const size_t count = to->changes->changed_count;
    bool met = false;
    for (; *next < count && changed[*next].edge <= edge; ++*next) {
        if (*next + 1 < count && changed[*next + 1].edge == changed[*next].edge)
            continue;
        put(to, move_to(to, changed[*next].edge), changed[*next].payload);
        met = changed[*next].edge == edge;
    }
    return met;
}

static void
put_all(completion *to)
{
    const lg_payload_block *coded = to->coder->block.data;
    const uint32_t *listed = to->coder->listed.data;
    size_t changed = 0;
    for (size_t i = 0; i < to->coder->block.count; i++)
        for (uint64_t rest = coded[i].listed; rest != 0; rest &= rest - 1) {
            const uint64_t edge = i * BLOCK + (unsigned)__builtin_ctzll(rest);
            const uint32_t payload = *listed++;
            if (!put_changed(to, &changed, edge))
                put(to, move_to(to, edge), payload);
        }
    put_changed(to, &changed, UINT64_MAX);
    while (to->source < to->columns->node_count)
        leave_source(to);
}

// Sets how many edges before each block are listed, and the last source behind
// the last edge.
static void
complete_blocks(completion *to, uint64_t blocks)
{
    const uint32_t nodes = to->columns->node_count;
    uint32_t before = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        lg_payload_block *block = &to->block[i];
        block->before = before;
        before += (uint32_t)__builtin_popcountll(block->listed);
        if (i >= to->next_block)
            block->source = nodes > 0 ? nodes - 1 : 0;
    }
}

// The patterns lie behind the blocks.
static size_t
pattern_numbers(const lg__payload_coder *coder, uint32_t type_count)
{
    const learned *types = coder->learned.data;
    size_t numbers = (size_t)type_count + 1;
    for (size_t i = 0; i < coder->learned.count; i++)
        numbers += types[i].places;
    return numbers;
}

static lg_payloads
write_patterns(const lg__payload_coder *coder, uint32_t type_count,
               const lg_payload_block *block, uint32_t *first)
{
    const learned *types = coder->learned.data;
    const uint32_t *place = coder->place.data;
    uint32_t *expect = first + type_count + 1;
    uint32_t next = 0;
    for (uint32_t type = 0; type < type_count; type++) {
        first[type] = next;
        if (type >= coder->place.count || place[type] == 0)
            continue;
        const learned *one = &types[place[type] - 1];
        memcpy(expect + next, one->payload, one->places * sizeof *expect);
        next += one->places;
    }
    first[type_count] = next;
    return (lg_payloads){.block = block,
                         .first_place = first,
                         .expected = expect,
                         .type_count = type_count};
}

bool
lg__payloads_complete(const lg_allocator *allocator, lg__payload_coder *coder,
                      const lg_columns *columns, uint32_t type_count,
                      const lg__payload_changes *changes,
                      lg__payload_arrays *out)
{
    const uint64_t blocks = columns->edge_count / BLOCK + 2;
    const size_t numbers = pattern_numbers(coder, type_count);
    const size_t head = (size_t)blocks * sizeof(lg_payload_block);
    lg_columns complete = *columns;
    lg__vector listed = {.element = sizeof(uint32_t)};
    out->block_size = head + numbers * sizeof(uint32_t);
    lg_payload_block *block = lg__allocate(allocator, out->block_size);
    uint32_t *list = lg__vector_extend(
        allocator, &listed,
        coder->listed.count + changes->late_count + changes->changed_count + 1);
    if (block == NULL || list == NULL) {
        lg__deallocate(allocator, block, out->block_size);
        lg__vector_free(allocator, &listed);
        return false;
    }
    memset(block, 0, head);
    complete.payload =
        write_patterns(coder, type_count, block, (uint32_t *)(block + blocks));
    completion to = {.columns = &complete,
                     .coder = coder,
                     .changes = changes,
                     .block = block,
                     .listed = list};
    put_all(&to);
    complete_blocks(&to, blocks);
    lg__payload_coder_free(allocator, coder);
    listed.count = to.count;
    lg__vector_trim(allocator, &listed);
    out->block = block;
    out->listed = listed;
    out->payloads = complete.payload;
    out->payloads.listed = listed.data;
    return true;
}

void
lg__payloads_give(lg_graph *graph, const lg__payload_arrays *made)
{
    lg__array *array = &graph->array[LG__EDGE_PAYLOAD];
    const uint64_t edges = graph->columns.edge_count;
    *array = (lg__array){NULL, edges, made->listed.data,
                         made->listed.capacity * sizeof(uint32_t)};
    graph->beside[LG_NARROW_PAYLOAD] =
        (lg__array){made->block, edges, made->block, made->block_size};
    graph->columns.payload = made->payloads;
}

bool
lg__payloads_make(lg_graph *graph)
{
    const lg__array wide = graph->array[LG__EDGE_PAYLOAD];
    const lg_allocator *allocator = &graph->allocator;
    const lg__payload_changes none = {.late_count = 0};
    lg__payload_coder coder;
    lg__payload_arrays made;
    if (wide.owned == NULL || wide.owned != wide.data || wide.count < 2)
        return true;
    lg__payload_coder_open(&coder);
    if (!lg__payloads_code(allocator, &coder, &graph->columns, wide.data, 0,
                           graph->columns.node_count) ||
        !lg__payloads_complete(allocator, &coder, &graph->columns,
                               graph->type_count, &none, &made)) {
        lg__payload_coder_free(allocator, &coder);
        return false;
    }
    lg__deallocate(allocator, wide.owned, wide.owned_size);
    lg__payloads_give(graph, &made);
    return true;
}
