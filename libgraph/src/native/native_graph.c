// The graph that has the blocks of native memory as nodes, with their names.
#include "native/native_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Names blocks: by the class that their first word shows, by the library to
// which they or their holders point, and by their size.

// Writes `libsqlite3` of "/usr/lib/libsqlite3.so.0.8.6".
static void
library_name(const char *file, char out[LG__NAME_MOST])
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    const char *end = strstr(name, ".cpython-");
    if (end == NULL)
        end = strstr(name, ".abi3");
    if (end == NULL)
        end = strstr(name, ".so");
    size_t length = end != NULL ? (size_t)(end - name) : strlen(name);
    snprintf(out, LG__NAME_MOST, "%.*s", (int)length, name);
}

typedef struct class_name {
    char type[LG__NAME_MOST];
    char library[LG__NAME_MOST];
} class_name;

// The classes that first words show. Many groups are of one class, and to find
// a symbol takes long.
typedef struct class_names {
    lg__key_table known; // by word: 1: no class; else the number of the name,
                         // from 2 on
    lg__vector name;     // class_name
} class_names;

static bool
find_class(const lg_native_memory *memory, uint64_t word, class_name *out)
{
    static const char prefix[] = "vtable for ";
    lg_native_symbol symbol;
    if (memory->symbol == NULL ||
        !memory->symbol(memory->context, word, &symbol) ||
        strncmp(symbol.name, prefix, sizeof prefix - 1) != 0)
        return false;
    snprintf(out->type, sizeof out->type, "%s",
             symbol.name + sizeof prefix - 1);
    library_name(symbol.library, out->library);
    return true;
}

// Returns the name of the class that a word shows, or NULL, also when memory
// ran out.
static const class_name *
class_of(const lg__native *native, class_names *names, uint64_t word)
{
    class_name found;
    uint32_t *known = lg__key_table_at(&native->allocator, &names->known,
                                       lg__native_key(word, 0, 0));
    if (known != NULL && *known == 0) {
        class_name *place =
            find_class(native->memory, word, &found)
                ? lg__vector_extend(&native->allocator, &names->name, 1)
                : NULL;
        *known = place != NULL ? (uint32_t)names->name.count + 1 : 1;
        if (place != NULL)
            *place = found;
    }
    return known != NULL && *known > 1
               ? (const class_name *)names->name.data + *known - 2
               : NULL;
}

// Writes the class of a block by the symbol of its first word.
static bool
name_class(const lg__native *native, class_names *names,
           const lg_native_block *block, lg__native_name *out)
{
    const class_name *class = class_of(native, names, lg__block_word(block, 0));
    if (class == NULL)
        return false;
    memcpy(out->type, class->type, sizeof out->type);
    memcpy(out->library, class->library, sizeof out->library);
    return true;
}

// Finds the library to which the words of a block point.
static bool
library_of_words(const lg__native *native, const lg_native_block *block,
                 char out[LG__NAME_MOST])
{
    enum { MOST_WORDS = 64 };
    for (uint64_t at = 0; at < lg_block_bytes(block) && at < 8 * MOST_WORDS;
         at += 8) {
        const lg_native_range *range =
            lg__range_find(native->memory, lg__block_word(block, at));
        if (range == NULL || range->kind > LG_RANGE_CODE ||
            *range->name == '\0' || lg__range_is_system(range))
            continue;
        library_name(range->name, out);
        return true;
    }
    return false;
}

// Writes `sqlite3` of the type sqlite3.Connection.
static void
library_of_node(const lg__native *native, uint32_t node,
                char out[LG__NAME_MOST])
{
    lg_string type =
        lg_graph_type(native->graph,
                      lg_columns_type(&native->graph->columns, node))
            .name;
    uint32_t length = type.length;
    while (length > 0 && type.data[length - 1] != '.')
        length--;
    snprintf(out, LG__NAME_MOST, "%.*s", length > 0 ? (int)length - 1 : 0,
             type.data);
}

// The library of a group that points to none is that of its holder.
static void
find_library(const lg__native *native, const lg__group *group,
             char out[LG__NAME_MOST])
{
    enum { MOST_ABOVE = 8 };
    const lg_native_block *blocks = native->memory->blocks;
    *out = '\0';
    for (int i = 0; i < MOST_ABOVE; i++) {
        if (library_of_words(native, &blocks[group->example], out))
            return;
        if (!(group->parent & LG__GROUP_BIT))
            break;
        group = (const lg__group *)native->group.data +
                (group->parent & ~LG__GROUP_BIT);
    }
    uint32_t holder = group->parent - native->nodes - native->blocks;
    if (group->parent < native->nodes)
        library_of_node(native, group->parent, out);
    else if (!(group->parent & LG__GROUP_BIT) && holder < native->holders)
        library_name(native->holder[holder]->name, out);
}

// Writes the type of an object that the graph lacks.
static bool
name_hidden(const lg__native *native, uint32_t block, lg__native_name *out)
{
    const lg_native_memory *memory = native->memory;
    const lg_native_block *at = &memory->blocks[block];
    if (!(native->mark[block] & LG__BLOCK_HIDDEN))
        return false;
    uint64_t word = lg__block_word(at, lg_block_lead(at) + 8);
    for (uint32_t type = 0; type < memory->type_count; type++) {
        if (memory->types[type].address != word)
            continue;
        lg_string name = lg_graph_type(native->graph, type).name;
        snprintf(out->type, sizeof out->type, LG__NATIVE_HIDDEN "%.*s",
                 (int)name.length, name.data);
        return true;
    }
    return false;
}

// Writes the beginning of the longest text in a block, behind what an object
// has there first.
static void
find_text(const lg_native_block *block, char out[LG__NAME_MOST])
{
    enum { HEAD = 16, LEAST = 4, SEARCHED = 4096, SHOWN = 40 };
    const char *bytes = (const char *)(uintptr_t)lg_block_address(block);
    const uint64_t end =
        lg_block_bytes(block) < SEARCHED ? lg_block_bytes(block) : SEARCHED;
    uint64_t longest = LEAST - 1;
    uint64_t run = 0;
    for (uint64_t at = lg_block_lead(block) + HEAD; at < end; at++) {
        run = bytes[at] >= ' ' && bytes[at] < 0x7f ? run + 1 : 0;
        if (run <= longest)
            continue;
        longest = run;
        snprintf(out, LG__NAME_MOST, "%.*s%s", run < SHOWN ? (int)run : SHOWN,
                 bytes + at + 1 - run, run > SHOWN ? "..." : "");
    }
}

// Writes `816-byte block of libsqlite3`: a type has one name, however many
// blocks a node stands for.
static void
name_by_size(const lg__native *native, const lg__group *group,
             lg__native_name *out)
{
    const lg_native_block *block = &native->memory->blocks[group->example];
    find_library(native, group, out->library);
    snprintf(out->type, sizeof out->type, "%" PRIu64 "-byte block%s%.200s",
             lg__native_spent(block), *out->library != '\0' ? " of " : "",
             out->library);
}

static void
name_group(const lg__native *native, class_names *names, uint32_t number,
           lg__native_name *out)
{
    const lg__group *group = (const lg__group *)native->group.data + number;
    const lg_native_block *block = &native->memory->blocks[group->example];
    bool typed = native->mark[group->example] & LG__BLOCK_TYPED;
    *out = (lg__native_name){.type = ""};
    if (!name_hidden(native, group->example, out) &&
        !(typed && name_class(native, names, block, out)))
        name_by_size(native, group, out);
    if (group->parent == lg__native_lost(native) &&
        lg__string_is(lg_graph_info_find(native->graph, "previews"), "yes"))
        find_text(block, out->example);
    if (group->blocks > 1)
        snprintf(out->text, sizeof out->text, "(%" PRIu64 ")", group->blocks);
}

// Makes the graph that has the native memory: the arrays of the graph before,
// with a node for each group and for each holder that is no object, and with
// the links merged into the references.

typedef struct graph_draft {
    lg__native *native;
    lg_allocator allocator;            // of the new graph
    lg__vector table[LG__ARRAY_COUNT]; // of columns of nodes, what is added
    lg__strings strings;
    lg_columns columns; // what payloads are coded by
    lg__payload_coder coder;
    lg__payload_arrays payloads;
    lg__vector payload;   // of nodes that are not coded yet
    size_t dropped;       // bytes of targets of the graph before
    lg__vector explained; // u32, nodes whose references have been found
    uint32_t *node_of; // [holders + 1] of holders, and of what is lost; LG_NONE
    uint32_t groups;   // the node of the first group
    uint32_t level[LG_LEVEL_EXACT + 1]; // strings
    lg__key_table types; // of new types, by the string of their name
    class_names classes;
    bool enough;
} graph_draft;

static void *
extend(graph_draft *draft, enum lg__array_name name, size_t count)
{
    lg__vector *table = &draft->table[name];
    void *place = draft->enough
                      ? lg__vector_extend(&draft->allocator, table, count)
                      : NULL;
    draft->enough = draft->enough && (place != NULL || count == 0);
    return place;
}

static void
push(graph_draft *draft, enum lg__array_name name, uint32_t value)
{
    uint32_t *place = extend(draft, name, 1);
    if (place != NULL)
        *place = value;
}

static void
push_wide(graph_draft *draft, enum lg__array_name name, uint64_t value)
{
    uint64_t *place = extend(draft, name, 1);
    if (place != NULL)
        *place = value;
}

// Whether an array has what the graph before has, and then what is added.
static bool
is_copied(enum lg__array_name name)
{
    return name > LG__EDGE_KIND && name != LG__ROOT_NODE &&
           name != LG__ROOT_KIND && name != LG__ROOT_NAME &&
           name != LG__STRING_OFFSET && name != LG__STRING_BYTES;
}

static void
copy_array(graph_draft *draft, enum lg__array_name name, size_t skip)
{
    const lg_graph *source = draft->native->graph;
    size_t count = (size_t)source->array[name].count - skip;
    draft->enough = draft->enough &&
                    lg__vector_reserve(&draft->allocator, &draft->table[name],
                                       draft->table[name].count + count);
    void *place = extend(draft, name, count);
    if (place != NULL)
        lg__array_copy(source, name, skip, count, place);
}

static void
copy_arrays(graph_draft *draft)
{
    for (int i = 0; i < LG__ARRAY_COUNT; i++)
        draft->table[i].element = lg__element_in_memory((enum lg__array_name)i);
    draft->enough = lg__strings_open(&draft->allocator, &draft->strings,
                                     &draft->table[LG__STRING_OFFSET],
                                     &draft->table[LG__STRING_BYTES]);
    copy_array(draft, LG__STRING_OFFSET, 1);
    copy_array(draft, LG__STRING_BYTES, 0);
    for (int i = 0; i < LG__ARRAY_ANALYSIS; i++)
        if (is_copied((enum lg__array_name)i))
            copy_array(draft, (enum lg__array_name)i, 0);
}

static uint32_t
intern(graph_draft *draft, const char *text)
{
    uint32_t id = draft->enough
                      ? lg__strings_intern(&draft->allocator, &draft->strings,
                                           text, strlen(text))
                      : LG_NONE;
    draft->enough = id != LG_NONE;
    return draft->enough ? id : 0;
}

// Returns the type with that name among the new ones, or adds it.
static uint32_t
add_type(graph_draft *draft, const char *name)
{
    uint32_t string = intern(draft, name);
    uint32_t *known = lg__key_table_at(&draft->native->allocator, &draft->types,
                                       lg__native_key(string, 0, 0));
    draft->enough = draft->enough && known != NULL;
    if (!draft->enough)
        return 0;
    if (*known != 0)
        return *known;
    uint32_t type = (uint32_t)draft->table[LG__TYPE_NAME].count;
    push(draft, LG__TYPE_NAME, string);
    push(draft, LG__TYPE_NODE, LG_NONE);
    push(draft, LG__TYPE_BASE, type);
    push(draft, LG__TYPE_FIRST_BASE,
         (uint32_t)draft->table[LG__TYPE_BASE].count);
    return *known = type;
}

static uint32_t
nodes_so_far(const graph_draft *draft)
{
    return draft->native->nodes + (uint32_t)draft->table[LG__ADDRESS].count;
}

static uint32_t
add_node(graph_draft *draft, const char *type, const char *text, uint64_t bytes)
{
    uint32_t node = nodes_so_far(draft);
    push_wide(draft, LG__ADDRESS, 0);
    push(draft, LG__TYPE, add_type(draft, type));
    push(draft, LG__SIZE, bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX);
    push(draft, LG__REFCOUNT, 0);
    push(draft, LG__FOUND, 0);
    uint16_t *flags = extend(draft, LG__NODE_FLAGS, 1);
    if (flags != NULL)
        *flags = LG_NODE_SYNTHETIC | LG_NODE_NATIVE;
    if (bytes >= UINT32_MAX) {
        push(draft, LG__BIG_NODE, node);
        push_wide(draft, LG__BIG_SIZE, bytes);
    }
    if (*text != '\0') {
        push(draft, LG__TEXT_NODE, node);
        push(draft, LG__TEXT_STRING, intern(draft, text));
    }
    return node;
}

static void
add_fact(graph_draft *draft, uint32_t node, const char *key, const char *value)
{
    push(draft, LG__FACT_NODE, node);
    push(draft, LG__FACT_KEY, intern(draft, key));
    push(draft, LG__FACT_VALUE, intern(draft, value));
}

// Marks the holders to which a link leads or from which one comes.
static void
find_used_holders(const graph_draft *draft)
{
    const lg__native *native = draft->native;
    const lg__link *links = native->link.data;
    const uint32_t first = native->nodes + native->blocks;
    memset(draft->node_of, 0xff, 4 * ((size_t)native->holders + 1));
    for (size_t i = 0; i < native->link.count; i++)
        if (links[i].source == lg__native_lost(native))
            draft->node_of[native->holders] = 0;
        else if (links[i].source >= first && !(links[i].source & LG__GROUP_BIT))
            draft->node_of[links[i].source - first] = 0;
}

static const char *
holder_type(const lg_native_range *range)
{
    static const char *const types[LG_RANGE_KIND_COUNT] = {
        [LG_RANGE_DATA] = LG__NATIVE_VARIABLES,
        [LG_RANGE_STACK] = LG__NATIVE_STACKS,
        [LG_RANGE_LOCAL] = LG__NATIVE_LOCALS,
        [LG_RANGE_OTHER] = LG__NATIVE_ELSEWHERE,
    };
    return types[range->kind];
}

static void
add_holders(graph_draft *draft)
{
    const lg__native *native = draft->native;
    find_used_holders(draft);
    for (uint32_t i = 0; i < native->holders; i++) {
        char name[LG__NAME_MOST];
        const lg_native_range *range = native->holder[i];
        if (draft->node_of[i] == LG_NONE)
            continue;
        library_name(range->kind == LG_RANGE_DATA ? range->name : "", name);
        draft->node_of[i] = add_node(draft, holder_type(range), name, 0);
    }
    if (draft->node_of[native->holders] != LG_NONE)
        draft->node_of[native->holders] =
            add_node(draft, LG__NATIVE_LOST, "", 0);
}

// Makes room for the groups, because an array that grows may double for a few
// more.
static void
reserve_groups(graph_draft *draft)
{
    enum { MOST_FACTS = 3 };
    const size_t count = draft->native->group.count;
    lg__vector *table = draft->table;
    for (int i = LG__ADDRESS; i <= LG__NODE_FLAGS; i++)
        draft->enough =
            draft->enough && lg__vector_reserve(&draft->allocator, &table[i],
                                                table[i].count + count);
    for (int i = LG__FACT_NODE; i <= LG__FACT_VALUE; i++)
        draft->enough = draft->enough &&
                        lg__vector_reserve(&draft->allocator, &table[i],
                                           table[i].count + MOST_FACTS * count);
}

static void
add_groups(graph_draft *draft)
{
    const lg__native *native = draft->native;
    const lg__group *groups = native->group.data;
    draft->groups = nodes_so_far(draft);
    reserve_groups(draft);
    for (size_t i = 0; i < native->group.count && draft->enough; i++) {
        lg__native_name name;
        char number[24];
        name_group(native, &draft->classes, (uint32_t)i, &name);
        uint32_t node = add_node(draft, name.type, name.text, groups[i].bytes);
        snprintf(number, sizeof number, "%" PRIu64, groups[i].blocks);
        add_fact(draft, node, LG__FACT_BLOCKS, number);
        if (*name.library != '\0')
            add_fact(draft, node, LG__FACT_LIBRARY, name.library);
        if (*name.example != '\0')
            add_fact(draft, node, LG__FACT_EXAMPLE, name.example);
        if (groups[i].blocks == 1 && draft->enough)
            ((uint64_t *)draft->table[LG__ADDRESS].data)[node - native->nodes] =
                lg_block_address(&native->memory->blocks[groups[i].example]);
    }
}

static bool
is_before(const uint32_t *node, const uint32_t *key, size_t i)
{
    return node[i] == node[i - 1] && key[i] < key[i - 1];
}

static void
swap_facts(uint32_t *column, size_t i)
{
    uint32_t other = column[i];
    column[i] = column[i - 1];
    column[i - 1] = other;
}

// Facts of one node, which are few, go by the string of the key.
static void
sort_facts(graph_draft *draft)
{
    uint32_t *key = draft->table[LG__FACT_KEY].data;
    const uint32_t *node = draft->table[LG__FACT_NODE].data;
    const size_t from = draft->native->graph->fact_count;
    for (size_t next = from + 1; next < draft->table[LG__FACT_NODE].count;
         next++)
        for (size_t i = next; i > from && is_before(node, key, i); i--) {
            swap_facts(key, i);
            swap_facts(draft->table[LG__FACT_VALUE].data, i);
        }
}

static uint32_t
node_of_end(const graph_draft *draft, uint32_t end)
{
    const lg__native *native = draft->native;
    if (end & LG__GROUP_BIT)
        return draft->groups + (end & ~LG__GROUP_BIT);
    if (end < native->nodes)
        return end;
    return end == lg__native_lost(native)
               ? draft->node_of[native->holders]
               : draft->node_of[end - native->nodes - native->blocks];
}

// Returns where to write numbers behind the others, or NULL.
static uint32_t *
append(graph_draft *draft, lg__vector *numbers, size_t count)
{
    uint32_t *place = draft->enough
                          ? lg__vector_extend(&draft->allocator, numbers, count)
                          : NULL;
    draft->enough = place != NULL;
    return place;
}

static void
add_reference(graph_draft *draft, const lg__link *link)
{
    push(draft, LG__EDGE_TARGET, link->target);
    uint8_t *kind = extend(draft, LG__EDGE_KIND, 1);
    uint32_t *payload = append(draft, &draft->payload, 1);
    if (payload == NULL)
        return;
    *payload = draft->level[link->level];
    *kind = LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED;
}

static void
copy_references(graph_draft *draft, uint32_t node)
{
    const lg_columns *columns = &draft->native->graph->columns;
    uint64_t first = lg_columns_first_edge(columns, node);
    size_t count = (size_t)(lg_columns_first_edge(columns, node + 1) - first);
    if (count == 0)
        return;
    uint32_t *target = extend(draft, LG__EDGE_TARGET, count);
    uint8_t *kind = extend(draft, LG__EDGE_KIND, count);
    uint32_t *payload = append(draft, &draft->payload, count);
    if (payload == NULL)
        return;
    lg_columns_write(columns, LG_NARROW_TARGET, first, count, target);
    lg_columns_write(columns, LG_NARROW_KIND, first, count, kind);
    for (size_t i = 0; i < count; i++)
        payload[i] = lg_columns_payload_from(columns, node, first + i);
}

// Says where the references of the nodes so far end, and the next ones begin.
static void
end_references(graph_draft *draft)
{
    const size_t count = draft->table[LG__EDGE_TARGET].count;
    draft->enough = draft->enough && count < LG_NONE;
    push(draft, LG__FIRST_EDGE, (uint32_t)count);
}

// Gives back the memory of the references that the graph before has of nodes
// before one: they are copied.
static void
drop_references(graph_draft *draft, uint32_t end)
{
    const lg_graph *source = draft->native->source;
    const uint32_t nodes = source->columns.node_count;
    void *targets = source->array[LG__EDGE_TARGET].owned;
    const size_t copied =
        sizeof(uint32_t) * (size_t)lg_columns_first_edge(
                               &source->columns, end < nodes ? end : nodes);
    if (targets != NULL)
        lg__pages_drop(targets, draft->dropped, copied);
    draft->dropped = copied;
}

// Codes the payloads of all nodes before one.
static void
code_payloads(graph_draft *draft, uint32_t end)
{
    const uint64_t first =
        draft->table[LG__EDGE_TARGET].count - draft->payload.count;
    draft->enough =
        draft->enough &&
        lg__payloads_code(&draft->allocator, &draft->coder, &draft->columns,
                          draft->payload.data, first, end, NULL);
    draft->payload.count = 0;
}

// The rows of references have their last place, so that payloads are coded by
// them while they grow.
static void
open_references(graph_draft *draft, uint32_t nodes, size_t links)
{
    const size_t edges = draft->native->graph->array[LG__EDGE_TARGET].count;
    const lg_allocator *allocator = &draft->allocator;
    lg__vector *table = draft->table;
    draft->payload.element = sizeof(uint32_t);
    lg__payload_coder_open(&draft->coder);
    draft->enough =
        draft->enough &&
        lg__column_join(draft->native->graph, LG__TYPE, allocator,
                        &table[LG__TYPE]) &&
        lg__column_join(draft->native->graph, LG__NODE_FLAGS, allocator,
                        &table[LG__NODE_FLAGS]) &&
        lg__vector_reserve(allocator, &table[LG__FIRST_EDGE],
                           (size_t)nodes + 1) &&
        lg__vector_reserve(allocator, &table[LG__EDGE_TARGET], edges + links) &&
        lg__vector_reserve(allocator, &table[LG__EDGE_KIND], edges + links);
    draft->columns = (lg_columns){
        .node_count = nodes,
        .type = lg_type_ids_wide(table[LG__TYPE].data),
        .first_edge = {.wide = table[LG__FIRST_EDGE].data},
        .target = {table[LG__EDGE_TARGET].data, UINT32_MAX},
        .kind = {table[LG__EDGE_KIND].data, 0},
    };
}

static void
close_references(graph_draft *draft)
{
    static const enum lg__array_name used[] = {LG__TYPE, LG__FIRST_EDGE,
                                               LG__EDGE_TARGET,
                                               LG__EDGE_PAYLOAD, LG__EDGE_KIND};
    const lg__payload_changes none = {.late_count = 0};
    draft->columns.edge_count = draft->table[LG__EDGE_TARGET].count;
    lg__vector_free(&draft->allocator, &draft->payload);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        lg__source_drop(draft->native->source, used[i]);
    draft->enough =
        draft->enough &&
        lg__payloads_complete(&draft->allocator, &draft->coder, &draft->columns,
                              (uint32_t)draft->table[LG__TYPE_NAME].count,
                              &none, &draft->payloads);
}

static void
merge_references(graph_draft *draft, uint32_t nodes)
{
    enum { AT_ONCE = 1 << 13 };
    const lg__native *native = draft->native;
    const lg__link *links = native->link.data;
    const size_t count = native->link.count;
    size_t next = 0;
    for (uint32_t node = 0; node < nodes && draft->enough; node++) {
        end_references(draft);
        if (draft->payload.count >= AT_ONCE) {
            code_payloads(draft, node);
            drop_references(draft, node);
        }
        if (node < native->nodes)
            copy_references(draft, node);
        while (next < count && links[next].source == node)
            add_reference(draft, &links[next++]);
    }
    end_references(draft);
    code_payloads(draft, nodes);
}

static void
merge_links(graph_draft *draft)
{
    lg__native *native = draft->native;
    lg__link *links = native->link.data;
    const size_t count = native->link.count;
    const uint32_t nodes = nodes_so_far(draft);
    for (size_t i = 0; i < count; i++) {
        links[i].source = node_of_end(draft, links[i].source);
        links[i].target = node_of_end(draft, links[i].target);
    }
    draft->enough = draft->enough && lg__radix_sort(&native->allocator, links,
                                                    count, sizeof *links);
    open_references(draft, nodes, count);
    merge_references(draft, nodes);
    close_references(draft);
}

static void
add_root(graph_draft *draft, uint32_t node, unsigned kind, uint32_t name)
{
    push(draft, LG__ROOT_NODE, node);
    push(draft, LG__ROOT_NAME, name);
    uint8_t *place = extend(draft, LG__ROOT_KIND, 1);
    if (place != NULL)
        *place = (uint8_t)kind;
}

// An object whose missing references are words of blocks is no root any more.
static bool
is_explained(const lg__native *native, uint32_t node)
{
    int64_t missing = lg_node_unexplained(native->graph, node);
    return lg__node_is_told(native, node) && missing > 0 &&
           native->linked[node] >= missing;
}

static void
note_explained(graph_draft *draft, uint32_t node)
{
    uint32_t *place = append(draft, &draft->explained, 1);
    if (place != NULL)
        *place = node;
}

static void
write_roots(graph_draft *draft)
{
    const lg__native *native = draft->native;
    const lg_graph *graph = native->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node = graph->root_node[i];
        if (lg__root_is_forgotten(native, i))
            continue;
        if (graph->root_kind[i] != LG_ROOT_NATIVE ||
            !is_explained(native, node))
            add_root(draft, node, graph->root_kind[i], graph->root_name[i]);
        else
            note_explained(draft, node);
    }
    for (uint32_t i = 0; i <= native->holders; i++)
        if (draft->node_of[i] != LG_NONE)
            add_root(draft, draft->node_of[i], LG_ROOT_NATIVE,
                     intern(draft, ""));
}

static void
add_number(graph_draft *draft, const char *key, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    push(draft, LG__INFO_KEY, intern(draft, key));
    push(draft, LG__INFO_VALUE, intern(draft, text));
}

// What the blocks of malloc are in which nodes of the graph lie.
static uint64_t
bytes_of_objects(const lg__native *native)
{
    uint64_t bytes = 0;
    const lg_native_block *blocks = native->memory->blocks;
    for (uint32_t i = 0; i < native->blocks; i++)
        if (blocks[i].kind <= LG_ALLOCATOR_MAPPED && blocks[i].node != LG_NONE)
            bytes += lg__native_spent(&blocks[i]);
    return bytes - native->rests;
}

// What native nodes have in blocks of Python's allocator.
static uint64_t
bytes_of_small(const lg__native *native)
{
    uint64_t bytes = 0;
    const lg__group *groups = native->group.data;
    for (size_t i = 0; i < native->group.count; i++)
        if (native->memory->blocks[groups[i].example].kind >
            LG_ALLOCATOR_MAPPED)
            bytes += groups[i].bytes;
    return bytes;
}

static void
write_info(graph_draft *draft)
{
    const lg__native *native = draft->native;
    const lg_native_account *account = &native->memory->account;
    push(draft, LG__INFO_KEY, intern(draft, LG__INFO_NATIVE));
    push(draft, LG__INFO_VALUE, intern(draft, LG__INFO_INSPECTED));
    add_number(draft, "native.blocks", native->blocks);
    add_number(draft, LG__INFO_OBJECTS, bytes_of_objects(native));
    add_number(draft, LG__INFO_SMALL, bytes_of_small(native));
    add_number(draft, LG__INFO_IN_USE, account->in_use);
    add_number(draft, LG__INFO_CACHED, account->cached);
    add_number(draft, "native.free", account->free);
    add_number(draft, "native.python", account->python);
    add_number(draft, "native.holes", account->holes);
    add_number(draft, "native.largest", account->largest);
    add_number(draft, "native.arenas", account->arenas);
}

// Frees what the graph before has copied and nobody reads any more: names are
// made by now.
static void
drop_copied(graph_draft *draft)
{
    for (int i = LG__EDGE_KIND + 1; i < LG__ARRAY_COUNT; i++)
        if (i < LG__ROOT_NODE || i > LG__ROOT_NAME)
            lg__source_drop(draft->native->source, (enum lg__array_name)i);
    for (int i = LG__FACT_NODE; i <= LG__FACT_VALUE; i++)
        lg__vector_trim(&draft->allocator, &draft->table[i]);
}

static void
write_draft(graph_draft *draft)
{
    copy_arrays(draft);
    for (int level = 0; level <= LG_LEVEL_EXACT; level++)
        draft->level[level] = intern(draft, lg__level_names[level]);
    add_holders(draft);
    add_groups(draft);
    if (draft->enough)
        sort_facts(draft);
    drop_copied(draft);
    if (draft->enough)
        merge_links(draft);
    if (draft->enough)
        write_roots(draft);
    write_info(draft);
}

// Makes the columns of nodes behind all others, when nothing else is there any
// more.
static bool
join_columns(graph_draft *draft, lg_graph *graph)
{
    lg__joined joined = {.source = draft->native->source,
                         .allocator = &draft->allocator,
                         .added = draft->table,
                         .explained = &draft->explained};
    return lg__columns_join(&joined, graph);
}

// Numbers of nodes have columns of their own.
static bool
is_made_last(int name)
{
    return name == LG__ADDRESS || name == LG__SIZE || name == LG__REFCOUNT ||
           name == LG__FOUND;
}

static void
take_arrays(graph_draft *draft, lg_graph *graph)
{
    for (int i = 0; i < LG__ARRAY_COUNT; i++) {
        graph->array[i].count = draft->columns.node_count;
        if (is_made_last(i))
            continue;
        lg__source_drop(draft->native->source, (enum lg__array_name)i);
        lg__vector_trim(&draft->allocator, &draft->table[i]);
        graph->array[i] = lg__vector_take(&draft->table[i]);
    }
    graph->array[LG__EDGE_PAYLOAD].count = draft->columns.edge_count;
}

// Hands the arrays over to the graph. What the rule knows goes before, because
// columns of nodes need its memory.
static lg_status
hand_over(graph_draft *draft, lg_graph *graph, lg_error *err)
{
    lg__native_close(draft->native);
    take_arrays(draft, graph);
    lg_status status = lg__graph_bind(graph, err);
    lg__payloads_give(graph, &draft->payloads);
    draft->payloads = (lg__payload_arrays){.block = NULL};
    if (status == LG_OK && !join_columns(draft, graph))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__check_first_edges(&graph->columns, err);
    if (status == LG_OK)
        status = lg__check_tables(graph, err);
    return status == LG_OK ? lg__graph_settle(graph, err) : status;
}

static void
free_draft(graph_draft *draft)
{
    const lg_allocator *allocator = &draft->allocator;
    lg__payload_coder_free(allocator, &draft->coder);
    lg__deallocate(allocator, draft->payloads.block,
                   draft->payloads.block_size);
    lg__vector_free(allocator, &draft->payloads.listed);
    lg__vector_free(allocator, &draft->payload);
    lg__vector_free(allocator, &draft->explained);
    for (int i = 0; i < LG__ARRAY_COUNT; i++)
        lg__vector_free(allocator, &draft->table[i]);
}

lg_status
lg__native_join(lg__native *native, lg_graph *graph, lg_error *err)
{
    graph_draft draft = {.native = native, .allocator = graph->allocator};
    draft.allocator.release = NULL;
    draft.node_of = lg__native_take(native, (size_t)native->holders + 1, 4);
    draft.classes.name.element = sizeof(class_name);
    draft.explained.element = sizeof(uint32_t);
    draft.enough = draft.node_of != NULL &&
                   lg__key_table_open(&native->allocator, &draft.types) &&
                   lg__key_table_open(&native->allocator, &draft.classes.known);
    if (draft.enough)
        write_draft(&draft);
    lg__strings_free(&draft.allocator, &draft.strings);
    if (draft.types.entries != NULL)
        lg__key_table_free(&native->allocator, &draft.types);
    if (draft.classes.known.entries != NULL)
        lg__key_table_free(&native->allocator, &draft.classes.known);
    lg__vector_free(&native->allocator, &draft.classes.name);
    lg_status status =
        draft.enough ? hand_over(&draft, graph, err) : lg__error_memory(err);
    free_draft(&draft);
    return status;
}
