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
    return (rule)rule_of[lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK];
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
    const uint32_t type = lg_columns_type(columns, node);
    if (type >= of->type_count)
        return (pattern){NULL, 0};
    const uint32_t first = of->first_place[type];
    return (pattern){of->expected + first, of->first_place[type + 1] - first};
}

static inline uint32_t
target_behind(const lg_columns *columns, uint64_t edge)
{
    return edge + 1 < columns->edge_count ? lg_columns_target(columns, edge + 1)
                                          : 0;
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
        return target_behind(columns, edge);
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
    uint32_t usual;        // edges of the usual node, or 0: there is none
    uint8_t kind[PLACES];  // of its edges, with flags; it has what is expected
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

// This is the majority vote of Boyer and Moore: if more than half of the nodes
// have one payload at a place, it is the one that remains.
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
learn_from(learned *type, const lg_edge_kinds *kind, const uint32_t *payload,
           uint64_t count)
{
    type->nodes++;
    for (uint64_t place = 0; place < count && place < PLACES; place++)
        if (rule_of[lg_edge_kinds_at(kind, place) & LG_EDGE_KIND_MASK] ==
            BY_PATTERN)
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

// Adds to a pattern, when it is complete and nothing relies on it, what a node
// of the type should have by the places of its edges.
static void
add_places(learned *type, const lg_edge_kinds *kind, uint64_t count)
{
    for (uint32_t place = 0; place < count && place < PLACES; place++) {
        if (rule_of[lg_edge_kinds_at(kind, place) & LG_EDGE_KIND_MASK] !=
            BY_PLACE)
            continue;
        type->payload[place] = place;
        if (type->places <= place)
            type->places = place + 1;
    }
}

// Keeps the kinds of a node that has what its type's pattern says, and nothing
// that the next edge should tell. Nodes like it are known at a look.
static void
keep_usual(learned *type, const lg_edge_kinds *kind, const uint32_t *payload,
           uint64_t count)
{
    if (count > type->places)
        return;
    for (uint64_t place = 0; place < count; place++) {
        const unsigned of =
            rule_of[lg_edge_kinds_at(kind, place) & LG_EDGE_KIND_MASK];
        if (of == BY_NEXT || of == BY_PAIR ||
            (of == BY_PLACE && payload[place] != place) ||
            payload[place] != type->payload[place])
            return;
    }
    for (uint64_t place = 0; place < count; place++)
        type->kind[place] = lg_edge_kinds_at(kind, place);
    type->usual = (uint32_t)count;
}

static inline bool
is_usual(const learned *type, const lg_edge_kinds *kind,
         const uint32_t *payload, uint64_t count)
{
    unsigned others = 0;
    if (count != type->usual)
        return false;
    for (uint64_t place = 0; place < count; place++)
        others |= (lg_edge_kinds_at(kind, place) ^ type->kind[place]) |
                  (payload[place] ^ type->payload[place]);
    return others == 0;
}

// Where a node's edges are, and their payloads.
typedef struct coded_node {
    const uint32_t *payload;
    uint64_t begin;
    uint64_t count;
} coded_node;

// Lists an edge. There is room.
static inline void
list_edge(lg__payload_coder *coder, uint64_t edge, uint32_t payload)
{
    lg_payload_block *block = coder->block.data;
    uint32_t *list = coder->listed.data;
    block[edge / BLOCK].listed |= UINT64_C(1) << edge % BLOCK;
    list[coder->listed.count++] = payload;
}

// Notes how many edges are listed before a block.
static inline void
begin_block(lg__payload_coder *coder, uint64_t edge)
{
    lg_payload_block *block = coder->block.data;
    block[edge / BLOCK].before = (uint32_t)coder->listed.count;
}

static void
code_edges(lg__payload_coder *coder, const lg_columns *columns,
           const coded_node *node, const pattern *known)
{
    for (uint64_t place = 0; place < node->count; place++) {
        const uint64_t edge = node->begin + place;
        if (edge % BLOCK == 0)
            begin_block(coder, edge);
        if (is_to_list(columns, known, edge, place, node->count,
                       node->payload[place]))
            list_edge(coder, edge, node->payload[place]);
    }
}

// Notes the unsound edges of a node. Those of a node like the usual one have
// the kinds and payloads of one that was looked at. Returns false when memory
// ran out.
static bool
note_doubtful(const lg_allocator *allocator, const lg__payload_doubts *doubts,
              const lg_columns *columns, const coded_node *node)
{
    for (uint64_t place = 0; place < node->count; place++) {
        const uint64_t edge = node->begin + place;
        const lg__late_edge at = {
            (uint32_t)edge, lg_columns_target(columns, edge),
            node->payload[place], lg_columns_kind(columns, edge)};
        if (lg__edge_is_sound(doubts->rules, at.target, at.kind, at.payload))
            continue;
        lg__late_edge *added = lg__vector_extend(allocator, doubts->edges, 1);
        if (added == NULL)
            return false;
        *added = at;
    }
    return true;
}

static void
code_node(lg__payload_coder *coder, const lg_columns *columns,
          const coded_node *node, learned *type)
{
    const lg_edge_kinds kinds = lg_edge_kinds_from(&columns->kind, node->begin);
    const lg_edge_kinds *kind = &kinds;
    const bool is_learned = type->nodes == LEARNED;
    if (!is_learned)
        learn_from(type, kind, node->payload, node->count);
    if (!is_learned && type->nodes == LEARNED)
        add_places(type, kind, node->count);
    if (is_learned && type->usual == 0)
        keep_usual(type, kind, node->payload, node->count);
    const pattern known = {is_learned ? type->payload : NULL, type->places};
    code_edges(coder, columns, node, &known);
}

// Codes a node like the usual one, of which no edge is listed.
static inline void
pass_node(lg__payload_coder *coder, const coded_node *node)
{
    const uint64_t first = (node->begin + BLOCK - 1) / BLOCK * BLOCK;
    if (first < node->begin + node->count)
        begin_block(coder, first);
}

bool
lg__payloads_code(const lg_allocator *allocator, lg__payload_coder *coder,
                  const lg_columns *columns, const uint32_t *payload,
                  uint64_t first, uint32_t end,
                  const lg__payload_doubts *doubts)
{
    lg__vector *listed = &coder->listed;
    if (coder->node >= end)
        return true;
    const uint64_t last = lg_columns_first_edge(columns, end);
    if (!fill_up(allocator, &coder->block, (size_t)(last / BLOCK) + 1) ||
        (listed->capacity - listed->count <
             last - lg_columns_first_edge(columns, coder->node) &&
         !lg__vector_grow(
             allocator, listed,
             (size_t)(last - lg_columns_first_edge(columns, coder->node)))))
        return false;
    uint64_t begin, behind = lg_columns_first_edge(columns, coder->node);
    for (; coder->node < end; coder->node++) {
        begin = behind;
        behind = lg_columns_first_edge(columns, coder->node + 1);
        const coded_node node = {payload + (begin - first), begin,
                                 behind - begin};
        if (node.count == 0)
            continue;
        learned *type =
            learned_of(allocator, coder, lg_columns_type(columns, coder->node));
        if (type == NULL)
            return false;
        const lg_edge_kinds kind = lg_edge_kinds_from(&columns->kind, begin);
        if (is_usual(type, &kind, node.payload, node.count)) {
            pass_node(coder, &node);
            continue;
        }
        if (doubts != NULL && !note_doubtful(allocator, doubts, columns, &node))
            return false;
        code_node(coder, columns, &node, type);
    }
    return true;
}

static uint32_t
source_of(const lg_columns *columns, uint64_t edge)
{
    const lg_payload_block *around = &columns->payload.block[edge / BLOCK];
    return lg__edge_source_between(columns, edge, around[0].source,
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

// Returns the payload that an edge of a node is expected to have.
static inline uint32_t
expected_of(const lg_columns *columns, uint32_t source, uint64_t edge)
{
    const rule of = rule_for(columns, edge);
    if (of == BY_NEXT)
        return target_behind(columns, edge);
    const uint64_t place = edge - lg_columns_first_edge(columns, source);
    if (of != BY_PATTERN)
        return of == BY_PLACE ? (uint32_t)place : (uint32_t)(place / 2);
    const pattern known = pattern_of(columns, source);
    return place < known.places ? known.expected[place] : 0;
}

uint32_t
lg_payload_of(const lg_columns *columns, lg_node source, lg_edge edge)
{
    return is_listed(&columns->payload, edge)
               ? listed_at(&columns->payload, edge)
               : expected_of(columns, source, edge);
}

uint32_t
lg_payload_at(const lg_columns *columns, lg_edge edge)
{
    return is_listed(&columns->payload, edge)
               ? listed_at(&columns->payload, edge)
           : rule_for(columns, edge) == BY_NEXT
               ? target_behind(columns, edge)
               : expected_of(columns, source_of(columns, edge), edge);
}

uint32_t
lg__payload_coded(const lg__payload_coder *coder, const lg_columns *columns,
                  uint64_t edge)
{
    const lg_payloads known = {.block = coder->block.data,
                               .listed = coder->listed.data};
    return is_listed(&known, edge) ? listed_at(&known, edge)
                                   : lg_columns_target(columns, edge + 1);
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
    uint32_t count; // of those
    size_t late;    // late edges that come before the next coded one
} completion;

// Finds the sources of blocks.
static void
find_sources(lg_payload_block *block, uint64_t blocks,
             const lg_columns *columns)
{
    const uint32_t nodes = columns->node_count;
    uint64_t next = 0;
    for (uint32_t node = 0; node < nodes; node++)
        for (const uint64_t end = lg_columns_first_edge(columns, node + 1);
             next * BLOCK < end && next < blocks; next++)
            block[next].source = node;
    for (; next < blocks; next++)
        block[next].source = nodes > 0 ? nodes - 1 : 0;
}

// Lists a payload if it differs. The numbers of edges ascend.
static void
put(completion *to, uint32_t source, uint64_t edge, uint32_t payload)
{
    const lg_columns *columns = to->columns;
    const pattern known = pattern_of(columns, source);
    if (payload == expected(columns, &known, edge,
                            edge - lg_columns_first_edge(columns, source)))
        return;
    to->block[edge / BLOCK].listed |= UINT64_C(1) << edge % BLOCK;
    to->listed[to->count++] = payload;
}

// Puts the late edges of all sources whose coded ones come before an edge.
static void
put_late(completion *to, uint64_t edge)
{
    const lg__late_edge *late = to->changes->late;
    const size_t count = to->changes->late_count;
    while (to->late < count) {
        const uint32_t source = late[to->late].source;
        const uint64_t end = lg_columns_first_edge(to->columns, source + 1);
        size_t next = to->late;
        while (next < count && late[next].source == source)
            next++;
        if (end - next > edge)
            return;
        for (; to->late < next; to->late++)
            put(to, source, end - (next - to->late), late[to->late].payload);
    }
}

// Puts an edge by the number that it was coded with. Its final number is higher
// by the late edges that come before it.
static void
put_coded(completion *to, uint64_t edge, uint32_t payload)
{
    put_late(to, edge);
    const uint64_t number = edge + to->late;
    const lg_payload_block *around = &to->block[number / BLOCK];
    put(to,
        lg__edge_source_between(to->columns, number, around[0].source,
                                around[1].source),
        number, payload);
}

// Puts the payloads that were changed before a coded edge, and returns whether
// one of them is that edge's. The last change counts. Both lists ascend, so one
// pass over each merges them.
static bool
put_changed(completion *to, size_t *next, uint64_t edge)
{
    const lg__new_payload *changed = to->changes->changed;
    const size_t count = to->changes->changed_count;
    bool met = false;
    for (; *next < count && changed[*next].edge <= edge; ++*next) {
        if (*next + 1 < count && changed[*next + 1].edge == changed[*next].edge)
            continue;
        put_coded(to, changed[*next].edge, changed[*next].payload);
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
                put_coded(to, edge, payload);
        }
    put_changed(to, &changed, UINT64_MAX);
    put_late(to, UINT64_MAX);
}

// Sets how many edges before each block are listed.
static void
count_listed(lg_payload_block *block, uint64_t blocks)
{
    uint32_t before = 0;
    for (uint64_t i = 0; i < blocks; i++) {
        block[i].before = before;
        before += (uint32_t)__builtin_popcountll(block[i].listed);
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
    find_sources(block, blocks, columns);
    put_all(&to);
    count_listed(block, blocks);
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
