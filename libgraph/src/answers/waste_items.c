// Finds room in containers that nothing uses, and numbers that are objects.
#include "answers/waste_search.h"

#include <stdlib.h>

// What CPython 3.9 to 3.15 allocates for a container besides its items, with
// the collector's head (Objects/listobject.c, dictobject.c, setobject.c).
enum {
    LIST_HEAD = 56,
    DICT_HEAD = 64,
    SET_HEAD = 216,
    SET_SMALL = 8, // entries in the head
    SET_ENTRY = 16,
    WORD = 8,
};

enum {
    LEAST_ROOM = 64, // less is the usual growth of a list
    EMPTY_PART = 4,  // at least one in so many slots of a list is empty
    SET_GROWTH = 4,  // a set's table grows to so many times what a copy needs
};

static void
look_at_list(const lg_graph *graph, uint64_t size, lg__saving *out)
{
    uint64_t bytes = size > LIST_HEAD ? size - LIST_HEAD : 0;
    out->used = lg__count_edges(graph, out->node, LG_EDGE_INDEX);
    out->of = bytes / WORD;
    if (out->of > out->used && (out->of - out->used) * EMPTY_PART >= out->of)
        out->waste = lg__block_spent(bytes) - lg__block_spent(out->used * WORD);
}

// The layout of a dict's table: what comes before its indexes, and the bytes of
// an entry. From 3.11 on, tables with only str keys leave out their hashes.
static const struct {
    uint32_t head;
    uint32_t entry;
} tables[] = {{32, 16}, {32, 24}, {40, 24}};

enum { LEAST_TABLE = 3, MOST_TABLE = 40 }; // exponents of 2

static uint64_t
usable_of(unsigned log2)
{
    return (UINT64_C(1) << log2) * 2 / 3;
}

static uint64_t
table_bytes(size_t layout, unsigned log2)
{
    unsigned index = log2 < 8 ? 0 : log2 < 16 ? 1 : log2 < 32 ? 2 : 3;
    return tables[layout].head + (UINT64_C(1) << (log2 + index)) +
           usable_of(log2) * tables[layout].entry;
}

// Returns the exponent of a table of so many bytes; 0 if no table has that
// size, as for a dict that shares its keys.
static unsigned
table_of(uint64_t bytes, size_t *layout)
{
    for (*layout = 0; *layout < sizeof tables / sizeof *tables; ++*layout)
        for (unsigned log2 = LEAST_TABLE; log2 < MOST_TABLE; log2++)
            if (table_bytes(*layout, log2) == bytes)
                return log2;
    return 0;
}

static void
look_at_dict(const lg_graph *graph, uint64_t size, lg__saving *out)
{
    size_t layout;
    unsigned log2 = size > DICT_HEAD ? table_of(size - DICT_HEAD, &layout) : 0;
    unsigned least = LEAST_TABLE;
    if (log2 == 0)
        return;
    out->used = lg__count_edges(graph, out->node, LG_EDGE_VALUE);
    out->of = usable_of(log2);
    while (usable_of(least) < out->used)
        least++;
    uint64_t needed =
        out->used > 0 ? lg__block_spent(table_bytes(layout, least)) : 0;
    if (least < log2 || out->used == 0)
        out->waste = lg__block_spent(size - DICT_HEAD) - needed;
}

// A copy gets the first table with more than twice as many entries as items; up
// to four items fit into the head.
static void
look_at_set(const lg_graph *graph, uint64_t size, lg__saving *out)
{
    uint64_t bytes = size > SET_HEAD ? size - SET_HEAD : 0;
    uint64_t entries = SET_SMALL;
    out->used = lg__count_edges(graph, out->node, LG_EDGE_ELEMENT);
    out->of = bytes / SET_ENTRY * 3 / 5;
    while (entries <= 2 * out->used)
        entries *= 2;
    uint64_t needed = out->used <= SET_SMALL / 2 ? 0 : entries * SET_ENTRY;
    if (bytes >= SET_GROWTH * needed && bytes > 0)
        out->waste = lg__block_spent(bytes) - lg__block_spent(needed);
}

// Returns whether the dict is a namespace, which belongs to its owner.
static bool
look_at_room(const lg__wasting *to, uint32_t node, lg__saving *out)
{
    uint64_t size = lg_node_size(to->graph, node);
    if (to->counted[node] || lg__fold_owner(to->folds, node) != LG_NONE)
        return false;
    *out = (lg__saving){.kind = LG_WASTE_ROOM,
                        .node = node,
                        .size = lg_node_spent(to->graph, node)};
    switch (lg__layout_of(to, node)) {
    case LG__LAYOUT_LIST:
        look_at_list(to->graph, size, out);
        break;
    case LG__LAYOUT_DICT:
        look_at_dict(to->graph, size, out);
        break;
    case LG__LAYOUT_SET:
        look_at_set(to->graph, size, out);
        break;
    default:
        return false;
    }
    return out->waste >= LEAST_ROOM;
}

lg_status
lg__waste_room(lg__wasting *to, lg_error *err)
{
    bool enough = true;
    lg__saving saving;
    for (uint32_t node = 0; node < to->graph->columns.node_count && enough;
         node++)
        if (look_at_room(to, node, &saving))
            enough = lg__waste_add(to, &saving, NULL);
    return enough ? LG_OK : lg__error_memory(err);
}

// Bounds for array.array: its head, the widest int whose value surely fits an
// element, and what is worth a row.
enum { ARRAY_HEAD = 80, WIDEST_INT = 32, LEAST_NUMBERS = 64, LEAST_GAIN = 512 };

// Returns the bytes of a number that goes with its container. Counts each once.
static uint64_t
spent_on_number(lg__wasting *to, uint32_t container, uint32_t number)
{
    if (to->counted[number] ||
        lg_node_dominator(to->analysis, number) != container)
        return 0;
    to->counted[number] = 1;
    return lg_node_spent(to->graph, number);
}

// Returns whether all items are numbers of one type that an array can hold.
static bool
is_of_numbers(const lg__wasting *to, uint32_t node, uint64_t *count)
{
    const lg_columns *columns = &to->graph->columns;
    unsigned type = 0;
    *count = 0;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++) {
        uint32_t item = columns->edge_target[edge];
        unsigned layout = lg__layout_of(to, item);
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_INDEX)
            continue;
        if ((layout != LG__LAYOUT_INT && layout != LG__LAYOUT_FLOAT) ||
            (type != 0 && layout != type) ||
            (layout == LG__LAYOUT_INT &&
             lg_columns_size(columns, item) > WIDEST_INT))
            return false;
        type = layout;
        ++*count;
    }
    return *count >= LEAST_NUMBERS;
}

static bool
add_boxed(lg__wasting *to, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    uint64_t count;
    if (!is_of_numbers(to, node, &count))
        return true;
    uint64_t spent = lg_node_spent(to->graph, node);
    uint64_t needed =
        lg__block_spent(ARRAY_HEAD) + lg__block_spent(count * WORD);
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_INDEX)
            spent += spent_on_number(to, node, columns->edge_target[edge]);
    if (spent < needed + LEAST_GAIN)
        return true;
    to->counted[node] = 1;
    const lg__saving saving = {.kind = LG_WASTE_BOXED,
                               .node = node,
                               .size = spent,
                               .waste = spent - needed,
                               .used = count};
    return lg__waste_add(to, &saving, NULL);
}

lg_status
lg__waste_boxed(lg__wasting *to, lg_error *err)
{
    bool enough = true;
    for (uint32_t node = 0; node < to->graph->columns.node_count && enough;
         node++) {
        unsigned layout = lg__layout_of(to, node);
        if (layout == LG__LAYOUT_LIST || layout == LG__LAYOUT_TUPLE)
            enough = add_boxed(to, node);
    }
    return enough ? LG_OK : lg__error_memory(err);
}
