// Finds the shape of a node.
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>

enum { LEAST_ROOM = 1 << 12, MOST_OTHERS = 16 };

// The labels of a node, before it is known whether there is such a shape.
typedef struct reading {
    const lg_columns *columns;
    uint64_t begin;
    uint64_t end;
    packed_label *labels;
    packed_shape shape;
} reading;

static packed_label
label(unsigned kind, packed_mode mode, uint32_t number)
{
    return kind | (packed_label)mode << 8 | (packed_label)number << 32;
}

static bool
names_next(const reading *from, uint64_t edge)
{
    const lg_columns *columns = from->columns;
    return (lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK) ==
               LG_EDGE_VALUE &&
           edge + 1 < from->end &&
           lg_columns_payload(columns, edge) ==
               lg_columns_target(columns, edge + 1);
}

static packed_label
own_label(const reading *from, uint64_t edge)
{
    unsigned kind = lg_columns_kind(from->columns, edge);
    return names_next(from, edge)
               ? label(kind, PACKED_NEXT, 0)
               : label(kind, PACKED_CONSTANT,
                       lg_columns_payload(from->columns, edge));
}

// Returns the label that an edge and the one a unit behind have in common.
static packed_label
common_label(const reading *from, uint64_t edge, unsigned unit)
{
    packed_label own = own_label(from, edge);
    uint32_t payload = lg_columns_payload(from->columns, edge);
    if (lg_columns_payload(from->columns, edge + unit) == payload + 1 &&
        !names_next(from, edge))
        return label(lg_columns_kind(from->columns, edge), PACKED_RISING,
                     payload);
    return own;
}

// Returns whether an edge has that label. Rising numbers rise by the index.
static bool
fits(const reading *from, uint64_t edge, packed_label wanted, int64_t index)
{
    unsigned mode = wanted >> 8 & 0xff;
    if (mode != PACKED_RISING)
        return own_label(from, edge) == wanted;
    return lg_columns_kind(from->columns, edge) == (wanted & 0xff) &&
           lg_columns_payload(from->columns, edge) ==
               (uint32_t)((wanted >> 32) + (uint64_t)index);
}

// Tries labels that repeat after `unit` edges, from the middle to both ends.
static bool
read_unit(reading *of, unsigned unit)
{
    uint64_t middle = of->begin + (of->end - of->begin) / 2;
    uint64_t low = middle;
    uint64_t high = middle;
    packed_label wanted[2];
    for (unsigned i = 0; i < unit; i++)
        wanted[i] = common_label(of, middle + i, unit);
    for (unsigned i = 0; high < of->end; high++, i = (i + 1) % unit)
        if (!fits(of, high, wanted[i], (int64_t)((high - middle) / unit)))
            break;
    high -= (high - middle) % unit;
    for (bool same = true; same && low >= of->begin + unit;) {
        for (unsigned i = 0; i < unit && same; i++)
            same = fits(of, low - unit + i, wanted[i],
                        -(int64_t)((middle - low) / unit) - 1);
        low -= same ? unit : 0;
    }
    uint32_t others = (uint32_t)(low - of->begin + of->end - high);
    if (others > MOST_OTHERS)
        return false;
    of->shape.unit = (uint8_t)unit;
    of->shape.slots = others;
    of->shape.behind = (uint8_t)(of->end - high);
    for (unsigned i = 0; i < unit; i++)
        of->labels[others + i] =
            (wanted[i] >> 8 & 0xff) == PACKED_RISING
                ? wanted[i] - ((packed_label)((middle - low) / unit) << 32)
                : wanted[i];
    return true;
}

// Lists the labels of the slots: the edges before the items and behind them.
static void
read_slots(reading *of)
{
    uint32_t before = of->shape.slots - of->shape.behind;
    for (uint32_t i = 0; i < before; i++)
        of->labels[i] = own_label(of, of->begin + i);
    for (uint32_t i = before; i < of->shape.slots; i++)
        of->labels[i] = own_label(of, of->end - of->shape.slots + i);
}

static uint64_t
hash_of(const reading *of)
{
    const packed_shape *shape = &of->shape;
    uint64_t hash = (uint64_t)shape->type << 32 | shape->flags;
    hash ^= (uint64_t)shape->slots << 16 | (uint64_t)shape->unit << 48 |
            (uint64_t)shape->behind << 56;
    for (uint32_t i = 0; i < shape->slots + shape->unit; i++)
        hash =
            (hash ^ of->labels[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ hash >> 32;
}

static bool
is_same(const shapes *in, const reading *of, const packed_shape *shape)
{
    const packed_label *labels = (const packed_label *)(void *)in->labels.data;
    return shape->hash == of->shape.hash && shape->type == of->shape.type &&
           shape->flags == of->shape.flags && shape->slots == of->shape.slots &&
           shape->unit == of->shape.unit && shape->behind == of->shape.behind &&
           memcmp(labels + shape->first_label, of->labels,
                  (shape->slots + shape->unit) * sizeof *labels) == 0;
}

static void
grow(shapes *in)
{
    in->room = in->room ? 2 * in->room : LEAST_ROOM;
    in->shape = realloc(in->shape, in->room / 2 * sizeof *in->shape);
    free(in->table);
    in->table = calloc(in->room, sizeof *in->table);
    if (in->shape == NULL || in->table == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    for (uint32_t i = 0; i < in->count; i++) {
        uint32_t place = (uint32_t)in->shape[i].hash & (in->room - 1);
        while (in->table[place] != 0)
            place = (place + 1) & (in->room - 1);
        in->table[place] = i + 1;
    }
}

static uint32_t
add(shapes *in, reading *of, uint32_t place)
{
    uint32_t labels = of->shape.slots + of->shape.unit;
    uint32_t numbers = of->shape.slots + PACKED_SLOT;
    of->shape.first_label = (uint32_t)(in->labels.count / sizeof(uint64_t));
    of->shape.first_usual = (uint32_t)(in->usual.count / sizeof(uint64_t));
    memcpy(bytes_extend(&in->labels, labels * sizeof(uint64_t)), of->labels,
           labels * sizeof(uint64_t));
    memset(bytes_extend(&in->usual, numbers * sizeof(uint64_t)), 0xff,
           numbers * sizeof(uint64_t));
    in->shape[in->count] = of->shape;
    in->table[place] = ++in->count;
    return in->count - 1;
}

static uint32_t
find(shapes *in, reading *of)
{
    if (in->count >= in->room / 2)
        grow(in);
    of->shape.hash = hash_of(of);
    uint32_t place = (uint32_t)of->shape.hash & (in->room - 1);
    for (; in->table[place] != 0; place = (place + 1) & (in->room - 1))
        if (is_same(in, of, &in->shape[in->table[place] - 1]))
            return in->table[place] - 1;
    return add(in, of, place);
}

uint32_t
shapes_find(shapes *in, const lg_columns *columns, uint32_t node)
{
    reading of = {
        .columns = columns,
        .begin = lg_columns_first_edge(columns, node),
        .end = lg_columns_first_edge(columns, node + 1),
        .shape = {.type = lg_columns_type(columns, node),
                  .flags = (uint16_t)lg_columns_flags(columns, node)},
    };
    uint64_t degree = of.end - of.begin;
    in->scratch.count = 0;
    bytes_extend(&in->scratch, (degree + 2) * sizeof(packed_label));
    of.labels = (packed_label *)(void *)in->scratch.data;
    if (degree <= PACKED_SLOTS || (!read_unit(&of, 1) && !read_unit(&of, 2)))
        of.shape.slots = (uint32_t)degree;
    read_slots(&of);
    return find(in, &of);
}

void
shapes_free(shapes *in)
{
    free(in->shape);
    free(in->table);
    free(in->labels.data);
    free(in->usual.data);
    free(in->scratch.data);
    *in = (shapes){0};
}
