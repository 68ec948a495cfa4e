// Finds objects by the thousand that would take less memory as instances of a
// class with __slots__: instances with a dict, and dicts with the same keys.
#include "answers/waste_search.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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
    for (uint64_t edge = columns->first_edge[dict];
         edge < columns->first_edge[dict + 1]; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE)
            add_key(graph, to, lg_columns_payload(columns, edge));
}

// Returns the instance's own namespace if it is a node; else LG_NONE.
static uint32_t
dict_of(const lg__wasting *to, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_DICT &&
            lg__fold_owner(to->folds, columns->edge_target[edge]) == node)
            return columns->edge_target[edge];
    return LG_NONE;
}

static void
add_names_of(const lg__wasting *to, names *all, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t dict = dict_of(to, node);
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_ATTRIBUTE)
            add_attribute(to->graph, all, lg_columns_payload(columns, edge));
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
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_DICT &&
            lg__dict_value(graph, columns->edge_target[edge], wanted) !=
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
    const lg__saving saving = {.kind = LG_WASTE_SLOTS,
                               .node = node,
                               .size = spent,
                               .waste = spent > needed ? spent - needed : 0,
                               .used = count,
                               .at_most = true};
    if (dict != LG_NONE)
        to->counted[dict] = 1;
    return lg__waste_add(to, &saving, row);
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

// Sorts the nodes by type: those of a type go from first[type] to first[type +
// 1].
static bool
sort_by_type(const lg_graph *graph, uint32_t **first, uint32_t **members)
{
    const lg_columns *columns = &graph->columns;
    *first = lg__calloc((size_t)graph->type_count + 2, sizeof **first);
    *members = lg__alloc(((size_t)columns->node_count + 1) * sizeof **members);
    if (*first == NULL || *members == NULL)
        return false;
    for (uint32_t node = 0; node < columns->node_count; node++)
        (*first)[columns->type[node] + 2]++;
    for (uint32_t i = 2; i < graph->type_count + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t node = 0; node < columns->node_count; node++)
        (*members)[(*first)[columns->type[node] + 1]++] = node;
    return true;
}

lg_status
lg__waste_slots(lg__wasting *to, lg_error *err)
{
    const lg_graph *graph = to->graph;
    uint32_t *first = NULL;
    uint32_t *members = NULL;
    names all = {.seen_string = lg__calloc((size_t)graph->string_count + 1,
                                           sizeof(uint32_t)),
                 .seen_key = lg__calloc((size_t)graph->columns.node_count + 1,
                                        sizeof(uint32_t))};
    bool enough = all.seen_string != NULL && all.seen_key != NULL &&
                  sort_by_type(graph, &first, &members);
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
    for (uint64_t edge = columns->first_edge[dict];
         edge < columns->first_edge[dict + 1]; edge++) {
        uint32_t key = lg_columns_payload(columns, edge);
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_VALUE)
            continue;
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
        const lg__saving saving = {.kind = LG_WASTE_RECORDS,
                                   .node = items[i].node,
                                   .size = spent,
                                   .waste = spent > needed ? spent - needed : 0,
                                   .used = keys,
                                   .at_most = true};
        to->counted[items[i].node] = 1;
        enough = lg__waste_add(to, &saving, &row);
    }
    return enough;
}

lg_status
lg__waste_records(lg__wasting *to, lg_error *err)
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
