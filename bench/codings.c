// Numbers of a few bytes each, in the order of the references. They are read
// one after the other from the beginning of a block.
#include "codings.h"

#include "packed_parts.h"
#include "passes.h"

#include <stdio.h>
#include <stdlib.h>

// Gives the nodes of a window numbers by shape, and in one shape as before.
static void
number_window(const uint32_t *shape, uint32_t begin, uint32_t end,
              uint32_t shape_count, uint32_t *number)
{
    uint32_t *first = packed_allocate(shape_count + 1, sizeof *first);
    for (uint32_t node = begin; node < end; node++)
        first[shape[node] + 1]++;
    for (uint32_t i = 0; i < shape_count; i++)
        first[i + 1] += first[i];
    for (uint32_t node = begin; node < end; node++)
        number[node] = begin + first[shape[node]]++;
    free(first);
}

static uint32_t *
numbers_of(const lg_columns *columns, uint32_t window)
{
    shapes known = {0};
    uint32_t nodes = columns->node_count;
    uint32_t *shape = packed_allocate(nodes, sizeof *shape);
    uint32_t *number = packed_allocate(nodes, sizeof *number);
    for (uint32_t node = 0; node < nodes; node++)
        shape[node] = shapes_find(&known, columns, node);
    for (uint32_t node = 0; node < nodes; node += window)
        number_window(shape, node,
                      nodes - node < window ? nodes : node + window,
                      known.count, number);
    shapes_free(&known);
    free(shape);
    return number;
}

static void *
moved(const void *old, const uint32_t *number, uint32_t count, size_t size)
{
    char *out = packed_allocate(count, size);
    for (uint32_t node = 0; node < count; node++)
        memcpy(out + number[node] * size, (const char *)old + node * size,
               size);
    return out;
}

static void
move_edges(const lg_columns *from, const uint32_t *number, lg_columns *to)
{
    uint32_t nodes = from->node_count;
    uint32_t *first = packed_allocate(nodes + 1, sizeof *first);
    uint32_t *target = packed_allocate(from->edge_count, sizeof *target);
    uint32_t *payload = packed_allocate(from->edge_count, sizeof *payload);
    uint8_t *kind = packed_allocate(from->edge_count, sizeof *kind);
    for (uint32_t node = 0; node < nodes; node++)
        first[number[node] + 1] =
            (uint32_t)(lg_columns_first_edge(from, node + 1) -
                       lg_columns_first_edge(from, node));
    for (uint32_t node = 0; node < nodes; node++)
        first[node + 1] += first[node];
    for (uint32_t node = 0; node < nodes; node++) {
        uint64_t at = first[number[node]];
        for (uint64_t edge = lg_columns_first_edge(from, node);
             edge < lg_columns_first_edge(from, node + 1); edge++, at++) {
            bool names = (lg_columns_kind(from, edge) & LG_EDGE_KIND_MASK) ==
                         LG_EDGE_VALUE;
            target[at] = number[lg_columns_target(from, edge)];
            kind[at] = lg_columns_kind(from, edge);
            payload[at] = names && lg_columns_payload(from, edge) < nodes
                              ? number[lg_columns_payload(from, edge)]
                              : lg_columns_payload(from, edge);
        }
    }
    to->first_edge = (lg_first_edges){.wide = first};
    to->target = (lg_edge_targets){target, UINT32_MAX};
    to->payload = (lg_payloads){.wide = payload};
    to->kind = (lg_edge_kinds){kind, 0};
}

static const void *
moved_narrow(const lg_columns *columns, lg_narrow_name name,
             const uint32_t *number)
{
    const uint32_t nodes = columns->node_count;
    const size_t element = name == LG_NARROW_ADDRESS ? 8
                           : name == LG_NARROW_FLAGS ? 2
                                                     : 4;
    void *wide = packed_allocate(nodes, element);
    lg_columns_write(columns, name, 0, nodes, wide);
    const void *out = moved(wide, number, nodes, element);
    free(wide);
    return out;
}

lg_columns
codings_sorted(const lg_columns *columns, uint32_t window)
{
    uint32_t *number = numbers_of(columns, window);
    lg_columns out = *columns;
    out.shape = (lg_shapes){.number = NULL};
    out.address = (lg_addresses){
        .wide = moved_narrow(columns, LG_NARROW_ADDRESS, number)};
    out.type = lg_type_ids_wide(moved_narrow(columns, LG_NARROW_TYPE, number));
    out.size =
        (lg_narrow){.wide = moved_narrow(columns, LG_NARROW_SIZE, number)};
    out.refcount =
        (lg_narrow){.wide = moved_narrow(columns, LG_NARROW_REFCOUNT, number)};
    out.found =
        (lg_narrow){.wide = moved_narrow(columns, LG_NARROW_FOUND, number)};
    out.node_flags = moved_narrow(columns, LG_NARROW_FLAGS, number);
    move_edges(columns, number, &out);
    free(number);
    return out;
}

void
codings_free(lg_columns *columns)
{
    const void *all[] = {columns->address.wide,    columns->type.numbers,
                         columns->size.wide,       columns->refcount.wide,
                         columns->found.wide,      columns->node_flags,
                         columns->first_edge.wide, columns->target.word,
                         columns->payload.wide,    columns->kind.byte};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free((void *)(uintptr_t)all[i]);
}

// What a target is written as the difference to.
typedef enum guess {
    BEFORE,  // the target of the reference before it
    SOURCE,  // its source
    CONTEXT, // the last target in its slot of its shape, in this block
} guess;

// Whether each number has its length in its own bits, or there is a code of two
// bits in a row of its own: for 0, 1, 2 or 4 bytes.
typedef enum coding { VARINT, CODES } coding;

typedef struct stream {
    const lg_columns *columns;
    uint32_t block;
    shapes known;
    uint32_t *shape; // [nodes]
    uint32_t *last;  // of each context...
    uint32_t *when;  // ... in this block, from 1 on
    bytes data;
    bytes codes;
    size_t at;
    uint64_t count; // references so far
} stream;

static uint32_t *
last_of(stream *of, uint32_t node, uint32_t rank, uint32_t before)
{
    const packed_shape *shape = &of->known.shape[of->shape[node]];
    uint32_t context = shape->first_usual + PACKED_SLOT - 1 +
                       (rank < shape->slots ? rank : shape->slots);
    uint32_t block = node / of->block + 1;
    if (of->when[context] != block) {
        of->when[context] = block;
        of->last[context] = before;
    }
    return &of->last[context];
}

static uint32_t
folded(uint32_t difference)
{
    return difference << 1 ^ (uint32_t)((int32_t)difference >> 31);
}

static uint32_t
unfolded(uint32_t number)
{
    return number >> 1 ^ (~(number & 1) + 1);
}

static void
put(stream *to, coding how, uint32_t number)
{
    static const uint8_t lengths[] = {0, 1, 2, 4};
    unsigned code = number == 0        ? 0
                    : number < 1 << 8  ? 1
                    : number < 1 << 16 ? 2
                                       : 3;
    if (how == CODES) {
        if (to->count % 4 == 0)
            *bytes_extend(&to->codes, 1) = 0;
        to->codes.data[to->count / 4] |= (uint8_t)(code << to->count % 4 * 2);
        memcpy(bytes_extend(&to->data, lengths[code]), &number, lengths[code]);
    } else {
        for (; number >= 0x80; number >>= 7)
            *bytes_extend(&to->data, 1) = (uint8_t)(number | 0x80);
        *bytes_extend(&to->data, 1) = (uint8_t)number;
    }
    to->count++;
}

static inline uint32_t
get(stream *from, coding how)
{
    static const uint8_t lengths[] = {0, 1, 2, 4};
    static const uint32_t masks[] = {0, 0xff, 0xffff, UINT32_MAX};
    uint32_t number = 0;
    if (how == CODES) {
        unsigned code =
            from->codes.data[from->count / 4] >> from->count % 4 * 2 & 3;
        number =
            (uint32_t)column_word(from->data.data + from->at) & masks[code];
        from->at += lengths[code];
    } else {
        const uint8_t *at = from->data.data + from->at;
        number = *at & 0x7f;
        for (unsigned shift = 7; *at++ & 0x80; shift += 7)
            number |= (uint32_t)(*at & 0x7f) << shift;
        from->at = (size_t)(at - from->data.data);
    }
    from->count++;
    return number;
}

// Writes all targets, or reads them and returns their sum.
static inline uint64_t
pass(stream *of, coding how, guess by, bool writes)
{
    const lg_columns *columns = of->columns;
    uint32_t before = 0;
    uint64_t sum = 0;
    of->at = of->count = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint64_t first = lg_columns_first_edge(columns, node);
        uint32_t degree =
            (uint32_t)(lg_columns_first_edge(columns, node + 1) - first);
        for (uint32_t rank = 0; rank < degree; rank++) {
            uint32_t *last =
                by == CONTEXT ? last_of(of, node, rank, before) : &before;
            uint32_t guessed = by == SOURCE ? node : *last;
            if (writes) {
                before = lg_columns_target(columns, first + rank);
                put(of, how, folded(before - guessed));
            } else {
                before = guessed + unfolded(get(of, how));
                sum += before;
            }
            *last = before;
        }
    }
    return sum;
}

static void
measure(stream *of, coding how, guess by, const char *name)
{
    uint64_t sum = 0;
    of->data.count = of->codes.count = 0;
    size_t contexts = of->known.usual.count / sizeof(uint64_t);
    memset(of->when, 0, contexts * sizeof *of->when);
    pass(of, how, by, true);
    memset(of->when, 0, contexts * sizeof *of->when);
    double start = passes_now();
    uint64_t read = pass(of, how, by, false);
    double seconds = passes_now() - start;
    for (uint64_t edge = 0; edge < of->columns->edge_count; edge++)
        sum += lg_columns_target(of->columns, edge);
    if (sum != read) {
        fprintf(stderr, "%s: another sum\n", name);
        exit(1);
    }
    double nodes = of->columns->node_count;
    printf(", \"%s\": [%.4f, %.2f]", name,
           (double)(of->data.count + of->codes.count) / nodes,
           1e9 * seconds / nodes);
}

void
codings_measure(const lg_columns *columns, uint32_t block)
{
    stream of = {.columns = columns, .block = block};
    of.shape = packed_allocate(columns->node_count, sizeof *of.shape);
    for (uint32_t node = 0; node < columns->node_count; node++)
        of.shape[node] = shapes_find(&of.known, columns, node);
    size_t contexts = of.known.usual.count / sizeof(uint64_t) + 1;
    of.last = packed_allocate(contexts, sizeof *of.last);
    of.when = packed_allocate(contexts, sizeof *of.when);
    printf("{\"nodes\": %u", columns->node_count);
    measure(&of, VARINT, BEFORE, "varint, before");
    measure(&of, VARINT, SOURCE, "varint, source");
    measure(&of, VARINT, CONTEXT, "varint, slot");
    measure(&of, CODES, BEFORE, "codes, before");
    measure(&of, CODES, SOURCE, "codes, source");
    measure(&of, CODES, CONTEXT, "codes, slot");
    printf("}\n");
    free(of.shape);
    free(of.last);
    free(of.when);
    free(of.data.data);
    free(of.codes.data);
    shapes_free(&of.known);
}
