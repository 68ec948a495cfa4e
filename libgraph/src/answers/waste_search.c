// Searches for memory that a program could do without: one search for each
// kind, in an order in which none counts again what an earlier one has counted.
// What they find goes into rows by kind and place:
//
// - numbers that are objects, and room in containers that nothing uses;
// - objects by the thousand that would take less memory as instances of a class
//   with __slots__: instances with a dict, and dicts with the same keys;
// - what views keep without showing it, and what exists twice.
#include "answers/waste_search.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// The sums of all rows, each by device.
enum { WASTE, LIBRARIES, SUMS };

// An object that needs less memory than it takes.
typedef struct candidate {
    lg_waste_kind kind;
    uint32_t node;
    uint32_t device; // the device that has its bytes
    uint64_t size;
    uint64_t waste; // 0: the object is not added
    uint64_t used;
    uint64_t of;
    bool at_most;
} candidate;

// Returns numbers by device. They are in one array, which may move until all
// rows exist.
static uint64_t *
sum_of(const lg__wasting *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

static uint64_t *
bytes_at(const lg__wasting *to, size_t row, size_t which)
{
    return to->out.bytes + (SUMS + 2 * row + which) * to->each;
}

static bool
make_room(lg__wasting *to)
{
    size_t sizes = to->each * sizeof *to->out.bytes;
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->last, sizeof *to->last, 0},
        {&to->out.bytes, 2 * sizes, SUMS * sizes},
    };
    size_t rows = to->out.total_rows;
    if (!lg__rows_room(arrays, 3, rows, &to->capacity))
        return false;
    memset(bytes_at(to, rows, 0), 0, 2 * sizes);
    return true;
}

// Returns whether the interpreter interns the text, or code refers to the node
// as a constant or docstring.
static bool
is_of_code(const lg__wasting *to, uint32_t node)
{
    uint32_t owner = lg_node_dominator(to->analysis, node);
    if (lg_columns_flags(&to->graph->columns, node) & LG_NODE_NAME)
        return true;
    if (owner != LG_NONE && lg__node_role(to->graph, owner) == LG__ROLE_TUPLE)
        owner = lg_node_dominator(to->analysis, owner);
    return owner != LG_NONE &&
           lg__node_category(to->graph, owner) == LG_CATEGORY_FUNCTION;
}

// Returns whether only native code holds the node. It is native code's own,
// unless programs make such objects.
static bool
is_kept_by_native_code(lg__wasting *to, uint32_t node)
{
    return lg__keepers_of(&to->keepers, node) == LG_NONE &&
           lg_node_is_reachable(to->analysis, node) &&
           lg__node_origin(to->graph, node, NULL) != LG__ORIGIN_PROGRAM;
}

// Returns whether a library keeps the object or, for slots, defines its class,
// which only the library can change.
static bool
is_library_table(lg__wasting *to, const candidate *saving)
{
    uint32_t node = saving->node;
    if (to->options->libraries)
        return false;
    if (saving->kind == LG_WASTE_SLOTS)
        return lg__type_is_well_known(
            to->graph, lg_columns_type(&to->graph->columns, node));
    return is_of_code(to, node) || is_kept_by_native_code(to, node) ||
           lg__library_tables_keeper(&to->tables, node,
                                     lg__keepers_of(&to->keepers, node))
                   .length > 0;
}

// Adds to a row. The object with the most waste represents the row.
static void
add_to_row(lg__wasting *to, uint32_t index, const candidate *saving)
{
    lg_waste_row *row = &to->out.rows[index];
    if (row->node == LG_NONE || saving->waste > row->weight) {
        row->node = saving->node;
        row->weight =
            saving->waste; // so far this is the waste of the row's node
    }
    row->count++;
    row->at_most |= saving->at_most;
    row->of += saving->of;
    bytes_at(to, index, 0)[saving->device] += saving->size;
    bytes_at(to, index, 1)[saving->device] += saving->waste;
    sum_of(to, WASTE)[saving->device] += saving->waste;
    switch (saving->kind) {
    case LG_WASTE_EQUAL: // `of` is 1 + the number of the contents here
        row->used += to->last[index] != saving->used;
        to->last[index] = (uint32_t)saving->used;
        break;
    case LG_WASTE_SLOTS:
    case LG_WASTE_RECORDS:
        row->used = saving->used;
        break;
    default:
        row->used += saving->used;
    }
}

static bool
begin_row(lg__wasting *to, const candidate *saving, uint32_t *row)
{
    uint32_t type = lg_columns_type(&to->graph->columns, saving->node);
    if (!make_room(to))
        return false;
    to->last[to->out.total_rows] = 0;
    to->out.rows[to->out.total_rows++] =
        (lg_waste_row){.kind = saving->kind,
                       .node = LG_NONE,
                       .type = lg_graph_type(to->graph, type).name};
    *row = (uint32_t)to->out.total_rows;
    return true;
}

// Adds an object to the row of its kind and place, or, if `row` is given, to
// the row with index *row - 1. If *row is 0, makes a row and sets *row. Leaves
// out what is out of scope; objects of libraries have no row. Returns false
// when memory ran out.
static bool
add_saving(lg__wasting *to, const candidate *saving, uint32_t *row)
{
    uint32_t seen = lg__seen_node(to->folds, saving->node);
    if (saving->waste == 0 || !lg_scope_has(to->options->scope, seen))
        return true;
    if (is_library_table(to, saving)) {
        sum_of(to, LIBRARIES)[saving->device] += saving->waste;
        to->out.library_objects++;
        return true;
    }
    if (row == NULL)
        row = &to->row_at[(size_t)saving->kind * lg_places_count(to->places) +
                          to->place[saving->node]];
    if (*row == 0 && !begin_row(to, saving, row))
        return false;
    add_to_row(to, *row - 1, saving);
    return true;
}

static int
most_first(const void *left, const void *right)
{
    const lg_waste_row *a = left;
    const lg_waste_row *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Sorts the rows, most bytes first, once all are there.
static void
end_rows(lg__wasting *to)
{
    lg_waste *out = &to->out;
    out->waste = sum_of(to, WASTE);
    out->libraries = sum_of(to, LIBRARIES);
    for (size_t i = 0; i < out->total_rows; i++) {
        lg_waste_row *row = &out->rows[i];
        row->size = bytes_at(to, i, 0);
        row->waste = bytes_at(to, i, 1);
        row->weight = lg_bytes_sum(row->waste, to->each);
    }
    if (out->total_rows > 0)
        qsort(out->rows, out->total_rows, sizeof *out->rows, most_first);
    out->count = to->options->limit > 0 && to->options->limit < out->total_rows
                     ? to->options->limit
                     : out->total_rows;
}

// Sorts `count` nodes by their keys, which are below `keys`: those of a key go
// from first[key] to first[key + 1]. Without `nodes`, all nodes of the graph.
// The counts stand two places ahead. So first[key + 1] is where the members of
// a key begin until they are put, and where the next key's begin afterwards.
static bool
sort_by(const lg_type_ids *key, const uint32_t *nodes, uint32_t count,
        uint32_t keys, uint32_t **first, uint32_t **members)
{
    *first = lg__calloc((size_t)keys + 2, sizeof **first);
    *members = lg__alloc(((size_t)count + 1) * sizeof **members);
    if (*first == NULL || *members == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        (*first)[lg_type_ids_at(key, i) + 2]++;
    for (uint32_t i = 2; i < keys + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t i = 0; i < count; i++)
        (*members)[(*first)[lg_type_ids_at(key, i) + 1]++] =
            nodes ? nodes[i] : i;
    return true;
}

// What CPython 3.9 to 3.15 allocates for a container besides its items, with
// the collector's head (Objects/listobject.c, dictobject.c, setobject.c).
enum {
    LIST_HEAD = 56,
    DICT_HEAD = 64,
    SET_HEAD = 216,
    SET_SMALL = 8, // entries in the head
    SET_ENTRY = 16,
    SLOT = 8,
};

enum {
    LEAST_ROOM = 64, // less is the usual growth of a list
    EMPTY_PART = 4,  // at least one of this number of slots of a list is empty
    SET_GROWTH = 4,  // how many times what a copy needs a set's table grows to
};

static void
look_at_list(const lg_graph *graph, uint64_t size, candidate *out)
{
    uint64_t bytes = size > LIST_HEAD ? size - LIST_HEAD : 0;
    out->used = lg__count_edges(graph, out->node, LG_EDGE_INDEX);
    out->of = bytes / SLOT;
    if (out->of > out->used && (out->of - out->used) * EMPTY_PART >= out->of)
        out->waste = lg__block_spent(bytes) - lg__block_spent(out->used * SLOT);
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

// Returns the exponent of a table of that many bytes; 0 if no table has that
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
look_at_dict(const lg_graph *graph, uint64_t size, candidate *out)
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
look_at_set(const lg_graph *graph, uint64_t size, candidate *out)
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
look_at_room(const lg__wasting *to, uint32_t node, candidate *out)
{
    uint64_t size = lg_node_size(to->graph, node);
    if (to->counted[node] || lg__fold_owner(to->folds, node) != LG_NONE)
        return false;
    *out = (candidate){.kind = LG_WASTE_ROOM,
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

static lg_status
find_room(lg__wasting *to, lg_error *err)
{
    bool enough = true;
    candidate saving;
    for (uint32_t node = 0; node < to->graph->columns.node_count && enough;
         node++)
        if (look_at_room(to, node, &saving))
            enough = add_saving(to, &saving, NULL);
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
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t item = lg_columns_target(columns, edge);
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
        lg__block_spent(ARRAY_HEAD) + lg__block_spent(count * SLOT);
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_INDEX)
            spent +=
                spent_on_number(to, node, lg_columns_target(columns, edge));
    if (spent < needed + LEAST_GAIN)
        return true;
    to->counted[node] = 1;
    const candidate saving = {.kind = LG_WASTE_BOXED,
                              .node = node,
                              .size = spent,
                              .waste = spent - needed,
                              .used = count};
    return add_saving(to, &saving, NULL);
}

static lg_status
find_boxed(lg__wasting *to, lg_error *err)
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

enum {
    MANY = 1000,
    MOST_NAMES = 64, // nobody writes a class with more __slots__
    HEAD = 32, // bytes of an instance with __slots__, with the collector's head
    WORD = 8,
};

// Returns the bytes that an object with these slots takes, with the collector's
// part.
static uint64_t
slotted_spent(uint64_t slots)
{
    return lg__block_spent(HEAD + slots * WORD);
}

// The names of the attributes of all instances of a class.
typedef struct names {
    uint32_t type;
    size_t count;
    uint64_t hash[MOST_NAMES];
    uint32_t *seen_string; // [string] 1 + the last class that had the name
    uint32_t *seen_key;    // [node] likewise for a key
} names;

static void
add_hash(names *to, uint64_t hash)
{
    for (size_t i = 0; i < to->count && i < MOST_NAMES; i++)
        if (to->hash[i] == hash)
            return;
    if (to->count < MOST_NAMES)
        to->hash[to->count] = hash;
    to->count++;
}

static uint64_t
hash_string(lg_string text)
{
    return XXH3_64bits(text.data, text.length);
}

// Identifies a key by its text, or by itself if it has none, as in a snapshot
// without keys.
static uint64_t
hash_key(const lg_graph *graph, uint32_t key)
{
    lg_string text = lg_node_text(graph, key);
    return text.length > 0 ? hash_string(text) : XXH3_64bits(&key, sizeof key);
}

static void
add_attribute(const lg_graph *graph, names *to, uint32_t string)
{
    lg_string text = lg_graph_string(graph, string);
    if (to->seen_string[string] == to->type + 1)
        return;
    to->seen_string[string] = to->type + 1;
    if (text.length > 1 && text.data[0] == '.')
        text = (lg_string){text.data + 1, text.length - 1};
    add_hash(to, hash_string(text));
}

static void
add_key(const lg_graph *graph, names *to, uint32_t key)
{
    if (key == LG_NONE || to->seen_key[key] == to->type + 1)
        return;
    to->seen_key[key] = to->type + 1;
    add_hash(to, hash_key(graph, key));
}

static void
add_keys_of(const lg_graph *graph, names *to, uint32_t dict)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE)
            add_key(graph, to, lg_columns_payload_from(columns, dict, edge));
}

// Returns the instance's own namespace if it is a node; else LG_NONE.
static uint32_t
dict_of(const lg__wasting *to, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_DICT &&
            lg__fold_owner(to->folds, lg_columns_target(columns, edge)) == node)
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

static void
add_names_of(const lg__wasting *to, names *all, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t dict = dict_of(to, node);
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_ATTRIBUTE)
            add_attribute(to->graph, all,
                          lg_columns_payload_from(columns, node, edge));
    if (dict != LG_NONE)
        add_keys_of(to->graph, all, dict);
}

// Returns whether a class names something in its own namespace.
static bool
class_names(const lg_graph *graph, uint32_t type, const char *name)
{
    const lg_columns *columns = &graph->columns;
    const lg_string wanted = {name, (uint32_t)strlen(name)};
    uint32_t node = graph->type_node[type];
    if (node == LG_NONE)
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_DICT &&
            lg__dict_value(graph, lg_columns_target(columns, edge), wanted) !=
                LG_NONE)
            return true;
    return false;
}

// Returns whether instances have a dict and nothing else that a class with
// __slots__ would lack: they have no builtin base but object. Builtin classes
// do not name their module.
static bool
is_plain(const lg_graph *graph, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    bool has_dict = false;
    for (uint32_t i = 0; i < about.mro_count; i++) {
        uint32_t base = about.mro[i];
        has_dict |= class_names(graph, base, "__dict__");
        if (!class_names(graph, base, "__module__") &&
            !lg__string_is(lg_graph_type(graph, base).name, "object"))
            return false;
    }
    return has_dict;
}

static uint64_t
spent_on_instance(const lg__wasting *to, uint32_t node)
{
    uint32_t dict = dict_of(to, node);
    return lg_node_spent(to->graph, node) +
           (dict != LG_NONE ? lg_node_spent(to->graph, dict) : 0);
}

static bool
add_instance(lg__wasting *to, uint32_t node, size_t count, uint32_t *row)
{
    uint64_t needed = slotted_spent(count);
    uint64_t spent = spent_on_instance(to, node);
    uint32_t dict = dict_of(to, node);
    const candidate saving = {.kind = LG_WASTE_SLOTS,
                              .node = node,
                              .size = spent,
                              .waste = spent > needed ? spent - needed : 0,
                              .used = count,
                              .at_most = true};
    if (dict != LG_NONE)
        to->counted[dict] = 1;
    return add_saving(to, &saving, row);
}

// Looks at all instances of a class.
static bool
look_at_class(lg__wasting *to, names *all, const uint32_t *members,
              size_t count)
{
    uint32_t row = 0;
    bool enough = true;
    all->count = 0;
    for (size_t i = 0; i < count && all->count <= MOST_NAMES; i++)
        add_names_of(to, all, members[i]);
    if (all->count == 0 || all->count > MOST_NAMES)
        return true;
    for (size_t i = 0; i < count && enough; i++)
        enough = add_instance(to, members[i], all->count, &row);
    return enough;
}

static lg_status
find_slots(lg__wasting *to, lg_error *err)
{
    const lg_graph *graph = to->graph;
    uint32_t *first = NULL;
    uint32_t *members = NULL;
    names all = {.seen_string = lg__calloc((size_t)graph->string_count + 1,
                                           sizeof(uint32_t)),
                 .seen_key = lg__calloc((size_t)graph->columns.node_count + 1,
                                        sizeof(uint32_t))};
    bool enough = all.seen_string != NULL && all.seen_key != NULL &&
                  sort_by(&graph->columns.type, NULL, graph->columns.node_count,
                          graph->type_count, &first, &members);
    for (uint32_t type = 0; enough && type < graph->type_count; type++) {
        size_t count = first[type + 1] - first[type];
        all.type = type;
        if (count >= MANY && to->layout[type] == 0 && is_plain(graph, type))
            enough = look_at_class(to, &all, members + first[type], count);
    }
    lg__free(first);
    lg__free(members);
    lg__free(all.seen_string);
    lg__free(all.seen_key);
    return enough ? LG_OK : lg__error_memory(err);
}

// A dict, and the two halves of a hash of its keys.
typedef struct record {
    uint32_t low;
    uint32_t high;
    uint32_t node;
} record;

// Returns the sum of the hashes of the keys, which does not depend on their
// order. *count is 0 if a key is no str, or if there are too many for a class.
static uint64_t
hash_keys(const lg__wasting *to, uint32_t dict, size_t *count)
{
    const lg_columns *columns = &to->graph->columns;
    uint64_t sum = 0;
    *count = 0;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_VALUE)
            continue;
        const uint32_t key = lg_columns_payload_from(columns, dict, edge);
        if (key == LG_NONE || lg__layout_of(to, key) != LG__LAYOUT_STR ||
            *count == MOST_NAMES) {
            *count = 0;
            return 0;
        }
        sum += hash_key(to->graph, key);
        ++*count;
    }
    return sum + *count;
}

static bool
collect_records(lg__wasting *to, lg__vector *out)
{
    const lg_allocator allocator = lg_allocator_default();
    for (uint32_t node = 0; node < to->graph->columns.node_count; node++) {
        size_t count = 0;
        if (lg__layout_of(to, node) != LG__LAYOUT_DICT ||
            lg__fold_owner(to->folds, node) != LG_NONE)
            continue;
        uint64_t hash = hash_keys(to, node, &count);
        record *place = count ? lg__vector_extend(&allocator, out, 1) : NULL;
        if (count > 0 && place == NULL)
            return false;
        if (place != NULL)
            *place = (record){(uint32_t)hash, (uint32_t)(hash >> 32), node};
    }
    return true;
}

static int
compare_records(const void *left, const void *right)
{
    const record *a = left;
    const record *b = right;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool
add_records(lg__wasting *to, const record *items, size_t count)
{
    uint32_t row = 0;
    size_t keys;
    bool enough = true;
    hash_keys(to, items[0].node, &keys);
    for (size_t i = 0; i < count && enough; i++) {
        uint64_t spent = lg_node_spent(to->graph, items[i].node);
        uint64_t needed = slotted_spent(keys);
        const candidate saving = {.kind = LG_WASTE_RECORDS,
                                  .node = items[i].node,
                                  .size = spent,
                                  .waste = spent > needed ? spent - needed : 0,
                                  .used = keys,
                                  .at_most = true};
        to->counted[items[i].node] = 1;
        enough = add_saving(to, &saving, &row);
    }
    return enough;
}

static lg_status
find_records(lg__wasting *to, lg_error *err)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__vector list = {.element = sizeof(record)};
    bool enough = collect_records(to, &list);
    const record *items = list.data;
    if (enough && list.count > 0)
        lg__sort(list.data, list.count, sizeof *items, compare_records);
    for (size_t begin = 0, end; begin < list.count && enough; begin = end) {
        for (end = begin + 1; end < list.count &&
                              items[end].low == items[begin].low &&
                              items[end].high == items[begin].high;)
            end++;
        if (end - begin >= MANY)
            enough = add_records(to, items + begin, end - begin);
    }
    lg__vector_free(&allocator, &list);
    return enough ? LG_OK : lg__error_memory(err);
}

// Less is not worth a row, and malloc keeps it anyway.
enum { LEAST_MEMORY = 4096 };

// Returns the bytes of an object and of the memory that it owns on the host.
static uint64_t
spent_with_memory(const lg_graph *graph, uint32_t node, bool *owns)
{
    const lg_columns *columns = &graph->columns;
    uint64_t bytes = lg_node_spent(graph, node);
    const lg_edge_range edges = lg_columns_edges(columns, node);
    *owns = false;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (!(lg_columns_flags(columns, target) & LG_NODE_BUFFER) ||
            lg_node_device(graph, target) != 0)
            continue;
        bytes += lg_node_spent(graph, target);
        *owns = true;
    }
    return bytes;
}

// Returns which of equal objects stays: a name, because the interpreter keeps
// it anyway, or else the one with the most references, because then the fewest
// must change.
static uint32_t
choose_kept(const lg_graph *graph, const uint32_t *members, uint32_t count)
{
    const lg_columns *columns = &graph->columns;
    uint32_t kept = LG_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (lg_columns_flags(columns, members[i]) &
            (LG_NODE_NAME | LG_NODE_IMMORTAL))
            return members[i];
        if (kept == LG_NONE || lg_columns_refcount(columns, members[i]) >
                                   lg_columns_refcount(columns, kept))
            kept = members[i];
    }
    return kept;
}

static bool
add_group(lg__wasting *to, uint32_t group, const uint32_t *members,
          uint32_t count)
{
    bool enough = true;
    uint32_t kept = choose_kept(to->graph, members, count);
    for (uint32_t i = 0; i < count && enough; i++) {
        candidate saving = {.kind = LG_WASTE_EQUAL,
                            .node = members[i],
                            .used = (uint64_t)group + 1};
        if (members[i] == kept || to->counted[members[i]])
            continue;
        saving.size = saving.waste =
            spent_with_memory(to->graph, members[i], &saving.at_most);
        enough = add_saving(to, &saving, NULL);
    }
    return enough;
}

static lg_status
find_equal(lg__wasting *to, lg_error *err)
{
    uint32_t *first = NULL;
    uint32_t *members = NULL;
    const lg_type_ids groups = lg_type_ids_wide(to->graph->equal_group);
    bool enough =
        sort_by(&groups, to->graph->equal_node, to->graph->equal_count,
                to->graph->equal_count, &first, &members);
    for (uint32_t i = 0; i < to->graph->equal_count && enough; i++)
        enough = add_group(to, i, members + first[i], first[i + 1] - first[i]);
    lg__free(first);
    lg__free(members);
    return enough ? LG_OK : lg__error_memory(err);
}

static bool
is_mapped(const lg_graph *graph, uint32_t memory)
{
    return lg__string_is(lg_node_fact_text(graph, memory, "memory"), "mapped");
}

static bool
add_views(lg__wasting *to, lg__views *views, uint32_t memory, uint64_t size)
{
    if (!lg__views_look(views, memory))
        return false;
    if (views->widest == LG_NONE || views->unknown || views->shown > size / 2 ||
        is_mapped(to->graph, memory))
        return true;
    // An array that only its views keep is no copy of another one.
    for (size_t i = 0; i < views->arrays.count; i++)
        to->counted[views->arrays.items[i]] = 1;
    to->counted[memory] = 1;
    const candidate saving = {.kind = LG_WASTE_VIEW,
                              .node = views->widest,
                              .device = lg_node_device(to->graph, memory),
                              .size = size,
                              .waste = size - views->shown,
                              .used = views->shown,
                              .of = size};
    return add_saving(to, &saving, NULL);
}

static lg_status
find_views(lg__wasting *to, lg_error *err)
{
    lg__views views;
    bool enough = lg__views_begin(&views, to->graph);
    for (uint32_t node = 0; node < to->graph->columns.node_count && enough;
         node++) {
        uint64_t size = lg_node_size(to->graph, node);
        if (size >= LEAST_MEMORY && lg__node_is_memory(to->graph, node))
            enough = add_views(to, &views, node, size);
    }
    lg__views_end(&views);
    return enough ? LG_OK : lg__error_memory(err);
}

lg_status
lg__waste_search(lg__wasting *to, lg_error *err)
{
    lg_status (*const searches[])(lg__wasting *, lg_error *) = {
        find_boxed, find_slots, find_records,
        find_room,  find_views, find_equal};
    lg_status status = LG_OK;
    to->out.bytes = lg__calloc(SUMS * to->each, sizeof *to->out.bytes);
    if (to->out.bytes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < sizeof searches / sizeof *searches && !status; i++) {
        status = searches[i](to, err);
        if (status == LG_OK &&
            !lg__monitor_goes_on(to->monitor, "finding waste", 0, err))
            status = LG_ECANCELLED;
    }
    if (status == LG_OK && to->keepers.failed)
        status = lg__error_memory(err);
    if (status == LG_OK)
        end_rows(to);
    return status;
}
