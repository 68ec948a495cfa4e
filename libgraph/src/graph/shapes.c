// Shapes are numbered in the order in which nodes have them. Numbers take the
// place of flags, in the block of these, and those of nodes before are flags
// again if there are too many shapes.
#include "graph/shapes.h"

#include "graph/graph_private.h"

#include <string.h>

enum {
    FIRST_BITS = 10,
    AT_ONCE = 64, // nodes
};

// The shapes that are known so far. What tells one from others has its type in
// the upper 16 bits, flags in the next 16, and its size.
typedef struct shape_table {
    size_t most;    // shapes
    lg__vector key; // u64, by number
    uint16_t *slot; // by open addressing: a number plus 1, or 0
    uint32_t bits;  // there are 1 << bits slots; 0: none
} shape_table;

static inline uint64_t
key_of(uint32_t type, uint32_t size, unsigned flags)
{
    return (uint64_t)type << 48 | (uint64_t)flags << 32 | size;
}

static uint32_t
type_of(uint64_t key)
{
    return (uint32_t)(key >> 48);
}

static uint16_t
flags_of(uint64_t key)
{
    return (uint16_t)(key >> 32);
}

static void
free_table(const lg_allocator *allocator, shape_table *table)
{
    const size_t size = table->slot == NULL ? 0 : sizeof *table->slot;
    lg__vector_free(allocator, &table->key);
    lg__deallocate(allocator, table->slot, size << table->bits);
}

// Returns the slot that has the number of a shape, or is free for it.
static inline uint16_t *
slot_of(const shape_table *table, uint64_t key)
{
    const uint64_t *keys = table->key.data;
    const size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at =
        (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits));
    while (table->slot[at] != 0 && keys[table->slot[at] - 1] != key)
        at = (at + 1) & mask;
    return &table->slot[at];
}

static bool
grow(const lg_allocator *allocator, shape_table *table)
{
    const uint32_t bits = table->bits == 0 ? FIRST_BITS : table->bits + 1;
    const size_t size = sizeof *table->slot << bits;
    uint16_t *slots = lg__allocate(allocator, size);
    if (slots == NULL)
        return false;
    memset(slots, 0, size);
    lg__deallocate(allocator, table->slot, size / 2);
    table->slot = slots;
    table->bits = bits;
    const uint64_t *keys = table->key.data;
    for (size_t i = 0; i < table->key.count; i++)
        *slot_of(table, keys[i]) = (uint16_t)(i + 1);
    return true;
}

static bool
add(const lg_allocator *allocator, shape_table *table, uint64_t key,
    uint32_t *out)
{
    const size_t count = table->key.count;
    *out = LG_NONE;
    if (count == table->most)
        return true;
    if (2 * (count + 1) > (size_t)1 << table->bits && !grow(allocator, table))
        return false;
    uint64_t *place = lg__vector_extend(allocator, &table->key, 1);
    if (place == NULL)
        return false;
    *slot_of(table, key) = (uint16_t)(count + 1);
    *place = key;
    *out = (uint32_t)count;
    return true;
}

// Stores the number of a shape, which is a new one if the shape is; LG_NONE if
// there is none for it. Returns false when memory ran out.
static bool
number_of(const lg_allocator *allocator, shape_table *table, uint64_t key,
          uint32_t *out)
{
    const uint16_t known = table->bits == 0 ? 0 : *slot_of(table, key);
    *out = known - 1U;
    return known != 0 || add(allocator, table, key, out);
}

// Reads the sizes of some nodes.
static void
read_sizes(const lg_columns *columns, uint32_t from, uint32_t count,
           uint32_t sizes[AT_ONCE])
{
    uint16_t low[AT_ONCE] = {0};
    uint16_t listed = 0;
    if (columns->size.wide == NULL)
        memcpy(low, (const uint16_t *)columns->size.low + from,
               count * sizeof *low);
    for (uint32_t i = 0; i < AT_ONCE; i++) {
        sizes[i] = low[i];
        listed |= low[i] >= UINT16_MAX - 1;
    }
    if (!listed && columns->size.wide == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = lg_columns_size(columns, from + i);
}

// Reads what tells the shapes of some nodes from others.
static void
read_keys(const lg_columns *columns, const uint16_t *flags, uint32_t from,
          uint32_t count, uint64_t keys[AT_ONCE])
{
    uint32_t room[AT_ONCE];
    uint32_t sizes[AT_ONCE];
    uint16_t some[AT_ONCE] = {0};
    const uint32_t *types =
        lg__type_ids_some(&columns->type, from, count, room);
    read_sizes(columns, from, count, sizes);
    memcpy(some, flags + from, count * sizeof *some);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = key_of(types[i], sizes[i], some[i]);
}

// Writes the numbers of shapes that are known. Returns how many are, up to the
// first other one.
static uint32_t
number_known(const shape_table *table, const uint64_t *keys, uint32_t count,
             uint16_t *numbers)
{
    uint16_t some[AT_ONCE];
    uint32_t done = 0;
    for (; done < count && table->bits > 0; done++) {
        const uint16_t known = *slot_of(table, keys[done]);
        if (known == 0)
            break;
        some[done] = (uint16_t)(known - 1);
    }
    memcpy(numbers, some, done * sizeof *some);
    return done;
}

// Writes the numbers of shapes as long as there are some, and stores how many
// that are. Returns false when memory ran out.
static bool
number_some(const lg_allocator *allocator, shape_table *table,
            const uint64_t *keys, uint32_t count, uint16_t *numbers,
            uint32_t *done)
{
    uint32_t number = 0;
    for (*done = 0;;) {
        const uint32_t at = *done;
        *done += number_known(table, keys + at, count - at, numbers + at);
        if (*done == count)
            return true;
        const bool enough = number_of(allocator, table, keys[*done], &number);
        if (!enough || number == LG_NONE)
            return enough;
        numbers[(*done)++] = (uint16_t)number;
    }
}

// Replaces flags by numbers as long as there are some. Returns false when
// memory ran out.
static bool
number_nodes(const lg_graph *graph, shape_table *table, uint16_t *flags,
             uint32_t *numbered)
{
    const uint32_t nodes = graph->columns.node_count;
    uint64_t keys[AT_ONCE];
    uint32_t count = 0;
    uint32_t done = 0;
    bool enough = true;
    for (*numbered = 0; *numbered < nodes && done == count; *numbered += done) {
        const uint32_t left = nodes - *numbered;
        count = left < AT_ONCE ? left : AT_ONCE;
        read_keys(&graph->columns, flags, *numbered, count, keys);
        enough = number_some(&graph->allocator, table, keys, count,
                             flags + *numbered, &done);
    }
    return enough;
}

static void
restore_flags(const shape_table *table, uint16_t *flags, uint32_t numbered)
{
    const uint64_t *keys = table->key.data;
    for (uint32_t node = 0; node < numbered; node++)
        flags[node] = flags_of(keys[flags[node]]);
}

static void
free_array(const lg_graph *graph, lg__array *array)
{
    lg__deallocate(&graph->allocator, array->owned, array->owned_size);
    *array = (lg__array){.count = array->count};
}

// Gives the graph what each shape says, beside its sizes, and forgets what the
// columns of nodes say.
static bool
give_shapes(lg_graph *graph, const shape_table *table)
{
    const uint64_t *keys = table->key.data;
    const size_t count = table->key.count;
    const size_t size = count * (2 * sizeof(uint32_t) + sizeof(uint16_t));
    uint32_t *types = lg__allocate(&graph->allocator, size);
    if (types == NULL)
        return false;
    uint32_t *sizes = types + count;
    uint16_t *flags = (uint16_t *)(sizes + count);
    for (size_t i = 0; i < count; i++) {
        types[i] = type_of(keys[i]);
        sizes[i] = (uint32_t)keys[i];
        flags[i] = flags_of(keys[i]);
    }
    free_array(graph, &graph->array[LG__TYPE]);
    free_array(graph, &graph->array[LG__SIZE]);
    free_array(graph, &graph->beside[LG_NARROW_SIZE]);
    graph->beside[LG_NARROW_SIZE] = (lg__array){types, count, types, size};
    graph->columns.shape = (lg_shapes){NULL, sizes, flags};
    graph->columns.type.of = types;
    return true;
}

// Numbers lie where sizes were, so that they stay as long as these are needed.
static bool
give_numbers(lg_graph *graph)
{
    lg_columns *columns = &graph->columns;
    lg__array *flags = &graph->array[LG__NODE_FLAGS];
    lg__array *numbers = &graph->array[LG__SIZE];
    *numbers = *flags;
    *flags = (lg__array){.count = numbers->count};
    const bool kept = lg__array_keep_front(
        graph, numbers, (size_t)numbers->count * sizeof(uint16_t));
    columns->shape.number = numbers->owned;
    columns->type =
        (lg_type_ids){numbers->owned, 1, UINT16_MAX, columns->type.of};
    columns->size = (lg_narrow){.wide = NULL};
    columns->node_flags = NULL;
    return kept;
}

static bool
owns_columns(const lg_graph *graph)
{
    const lg__array *array = graph->array;
    return graph->columns.node_count > 0 && array[LG__TYPE].owned != NULL &&
           array[LG__SIZE].owned != NULL &&
           array[LG__NODE_FLAGS].owned != NULL &&
           graph->type_count <= LG__SHAPE_TYPES;
}

bool
lg__shapes_make(lg_graph *graph)
{
    const size_t most = graph->columns.node_count / LG__SHAPED;
    shape_table table = {.most = most < LG__SHAPES ? most : LG__SHAPES,
                         .key.element = sizeof(uint64_t)};
    uint32_t numbered = 0;
    if (!owns_columns(graph))
        return true;
    uint16_t *flags = graph->array[LG__NODE_FLAGS].owned;
    bool enough = number_nodes(graph, &table, flags, &numbered);
    const bool all = enough && numbered == graph->columns.node_count;
    if (all && (enough = give_shapes(graph, &table)))
        enough = give_numbers(graph);
    else
        restore_flags(&table, flags, numbered);
    free_table(&graph->allocator, &table);
    return enough;
}
