// Which blocks are part of the graph already: those of objects and of storages,
// and the tables that objects count in their own size.
#include "native/native_private.h"

#include <leakgraph/internal/facts.h>

#include <string.h>

typedef struct layout_of {
    const char *name;
    lg__object_layout layout;
} layout_of;

// Types of which the graph has every reference. A word of their struct that
// points to a block leads to a table of their own, such as the items of a list.
static const layout_of layouts[] = {
    {"_thread.lock", LG__LAYOUT_LEAF},
    {"_thread.RLock", LG__LAYOUT_LEAF},
    {"bool", LG__LAYOUT_DATA},
    {"builtin_function_or_method", LG__LAYOUT_KNOWN},
    {"bytearray", LG__LAYOUT_DATA},
    {"bytes", LG__LAYOUT_DATA},
    {"cell", LG__LAYOUT_KNOWN},
    {"classmethod", LG__LAYOUT_KNOWN},
    {"classmethod_descriptor", LG__LAYOUT_KNOWN},
    {"code", LG__LAYOUT_KNOWN},
    {"collections.deque", LG__LAYOUT_KNOWN},
    {"collections.OrderedDict", LG__LAYOUT_KNOWN},
    {"complex", LG__LAYOUT_DATA},
    {"dict", LG__LAYOUT_KNOWN},
    {"float", LG__LAYOUT_DATA},
    {"frame", LG__LAYOUT_KNOWN},
    {"frozenset", LG__LAYOUT_KNOWN},
    {"function", LG__LAYOUT_KNOWN},
    {"generator", LG__LAYOUT_KNOWN},
    {"getset_descriptor", LG__LAYOUT_KNOWN},
    {"instancemethod", LG__LAYOUT_KNOWN},
    {"int", LG__LAYOUT_DATA},
    {"list", LG__LAYOUT_KNOWN},
    {"mappingproxy", LG__LAYOUT_KNOWN},
    {"member_descriptor", LG__LAYOUT_KNOWN},
    {"method", LG__LAYOUT_KNOWN},
    {"method_descriptor", LG__LAYOUT_KNOWN},
    {"NoneType", LG__LAYOUT_DATA},
    {"numpy.dtype", LG__LAYOUT_KNOWN},
    {"numpy.float64", LG__LAYOUT_DATA},
    {"numpy.ndarray", LG__LAYOUT_KNOWN},
    {"property", LG__LAYOUT_KNOWN},
    {"range", LG__LAYOUT_KNOWN},
    {"re.Pattern", LG__LAYOUT_KNOWN},
    {"ReferenceType", LG__LAYOUT_KNOWN},
    {"set", LG__LAYOUT_KNOWN},
    {"slice", LG__LAYOUT_KNOWN},
    {"staticmethod", LG__LAYOUT_KNOWN},
    {"str", LG__LAYOUT_DATA},
    {"tuple", LG__LAYOUT_KNOWN},
    {"type", LG__LAYOUT_KNOWN},
    {"types.GenericAlias", LG__LAYOUT_KNOWN},
    {"types.UnionType", LG__LAYOUT_KNOWN},
    {"weakref", LG__LAYOUT_KNOWN},
    {"weakref.ReferenceType", LG__LAYOUT_KNOWN},
    {"wrapper_descriptor", LG__LAYOUT_KNOWN},
};

lg__object_layout
lg__type_layout(const lg_graph *graph, uint32_t type)
{
    lg_string name = lg_graph_string(graph, graph->type_name[type]);
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (lg__string_is(name, layouts[i].name))
            return layouts[i].layout;
    return LG__LAYOUT_UNKNOWN;
}

enum { HEAD = 16 };

// Larger memory of ctypes has data.
enum { MOST_POINTERS = 1 << 20 };

// Structs and arrays of ctypes are memory of C, and their pointers hold blocks
// as those of any other do. A storage of another library has numbers.
static bool
is_memory_of_c(const lg_graph *graph, uint32_t type)
{
    return lg__string_is(lg_graph_string(graph, graph->type_name[type]),
                         "ctypes.memory");
}

// A subclass has the struct of its base, and its own fields behind it.
static lg__extent
extent_of(const lg__native *native, uint32_t type)
{
    const lg_graph *graph = native->graph;
    const lg_native_memory *memory = native->memory;
    lg__extent found = {is_memory_of_c(graph, type) ? 0 : HEAD,
                        UINT64_MAX,
                        false,
                        false,
                        false,
                        false};
    if (type < memory->type_count && memory->types[type].fixed > 0)
        found.end = memory->types[type].fixed;
    uint32_t end = graph->type_first_base[type + 1];
    for (uint32_t i = graph->type_first_base[type]; i < end; i++) {
        uint32_t base = graph->type_base[i];
        lg__object_layout layout = lg__type_layout(graph, base);
        if (layout == LG__LAYOUT_UNKNOWN)
            continue;
        found.leaf = layout == LG__LAYOUT_LEAF;
        if (found.leaf)
            return found;
        uint64_t fixed =
            base < memory->type_count ? memory->types[base].fixed : 0;
        found.own = base == type || fixed == 0 ? found.end : fixed;
        found.data = layout == LG__LAYOUT_DATA;
        lg_string name = lg_graph_string(graph, graph->type_name[base]);
        found.number = lg__string_is(name, "int");
        found.deque = lg__string_is(name, "collections.deque");
        return found;
    }
    return found;
}

// C code refers to these without holding memory by them, and a word that does
// so by chance would tie the graph together.
static bool
is_furniture(const lg__native *native, uint32_t type)
{
    static const char *const names[] = {
        "module",  "function",          "builtin_function_or_method",
        "code",    "method_descriptor", "getset_descriptor",
        "NoneType"};
    lg_string name =
        lg_graph_string(native->graph, native->graph->type_name[type]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return lg__type_layout(native->graph, type) == LG__LAYOUT_DATA;
}

// A storage may be a part of a block, or of several. Its size may have more
// than its interval.
static void
occupy_storage(lg__native *native, uint32_t node)
{
    const lg_graph *graph = native->graph;
    lg_native_block *blocks = native->memory->blocks;
    uint64_t address = lg_columns_address(&graph->columns, node);
    uint64_t bytes =
        lg_node_fact_number(graph, node, "bytes", lg_node_size(graph, node));
    uint64_t end = address + bytes;
    bool refers = bytes <= MOST_POINTERS &&
                  is_memory_of_c(graph, lg_columns_type(&graph->columns, node));
    uint32_t block = lg__block_find(&native->index, address);
    for (; block < native->blocks && lg_block_address(&blocks[block]) < end;
         block++) {
        if (blocks[block].node != LG_NONE)
            continue;
        blocks[block].node = node;
        native->mark[block] |= LG__BLOCK_OWN;
        if (refers)
            lg__id_set(native->block_of, node, block);
        else
            native->mark[block] |= LG__BLOCK_SILENT;
    }
}

static void
occupy_node(lg__native *native, uint32_t node)
{
    lg_native_block *blocks = native->memory->blocks;
    uint64_t address = lg_columns_address(&native->graph->columns, node);
    uint32_t block = lg__block_find(&native->index, address);
    if (block == LG_NONE || blocks[block].node != LG_NONE ||
        address - lg_block_address(&blocks[block]) > LG_BLOCK_MOST_LEAD)
        return;
    blocks[block].node = node;
    lg_block_set_lead(&blocks[block],
                      address - lg_block_address(&blocks[block]));
    lg__id_set(native->block_of, node, block);
}

// The parts of a deque are a list, linked by the word behind the items of each.
// What lies in the unused places of the first and the last part is left over. A
// part that has an owner ends the list, so this ends even if the words form a
// ring.
static void
occupy_parts(lg__native *native, uint32_t node, uint32_t part)
{
    enum { ITEMS = 64, RIGHT = 8 * (ITEMS + 1) };
    lg_native_block *blocks = native->memory->blocks;
    while (part != LG_NONE && blocks[part].node == LG_NONE) {
        blocks[part].node = node;
        native->mark[part] |= LG__BLOCK_OWN | LG__BLOCK_SILENT;
        part = lg__block_find(&native->index,
                              lg__block_word(&blocks[part], RIGHT));
    }
}

// Gives the object the tables to which these words of its block lead.
static void
occupy_tables(lg__native *native, uint32_t node, uint64_t from, uint64_t to)
{
    enum { MOST_LEAD = 64 };
    lg_native_block *blocks = native->memory->blocks;
    const lg_native_block *block = &blocks[lg__block_of_node(native, node)];
    uint64_t end = lg_block_bytes(block) & ~(uint64_t)7;
    bool deque =
        native->extent[lg_columns_type(&native->graph->columns, node)].deque;
    for (uint64_t at = from; at < to && at < end; at += 8) {
        uint64_t word = lg__word_at(lg_block_address(block) + at);
        uint32_t table = lg__block_find(&native->index, word);
        if (table == LG_NONE || blocks[table].node != LG_NONE ||
            word - lg_block_address(&blocks[table]) >= MOST_LEAD)
            continue;
        if (deque) {
            occupy_parts(native, node, table);
            continue;
        }
        blocks[table].node = node;
        native->mark[table] |= LG__BLOCK_OWN | LG__BLOCK_SILENT;
    }
}

// An object of data whose size fits into its block has no tables. What its
// words lead to then is what the memory was before, as with fields of short
// texts.
static bool
may_have_tables(const lg__native *native, uint32_t node,
                const lg__extent *extent)
{
    const lg_native_block *block =
        &native->memory->blocks[lg__block_of_node(native, node)];
    return extent->own > HEAD &&
           !(extent->data &&
             lg_block_lead(block) + lg_node_size(native->graph, node) <=
                 lg_block_bytes(block));
}

// The first field of a lock points to a semaphore, which fills a part of its
// block. The rest is what was there before.
static void
silence_leaf(lg__native *native, uint32_t node)
{
    const lg_native_block *at =
        &native->memory->blocks[lg__block_of_node(native, node)];
    uint32_t leaf = lg__block_find(
        &native->index, lg__block_word(at, lg_block_lead(at) + HEAD));
    if (leaf != LG_NONE && native->memory->blocks[leaf].node == LG_NONE)
        native->mark[leaf] |= LG__BLOCK_SILENT;
}

// Before an object may lie its collector's head, and before that pointers to
// its dict, its values and its weak references.
static void
occupy_for(lg__native *native, uint32_t node, const lg__extent *extent)
{
    enum { COLLECTOR_HEAD = 16 };
    uint32_t block = lg__block_of_node(native, node);
    uint64_t lead = lg_block_lead(&native->memory->blocks[block]);
    if (lead > COLLECTOR_HEAD)
        occupy_tables(native, node, 0, lead - COLLECTOR_HEAD);
    if (may_have_tables(native, node, extent))
        occupy_tables(native, node, lead + HEAD,
                      extent->own < UINT64_MAX - lead ? lead + extent->own
                                                      : UINT64_MAX);
    if (extent->leaf)
        silence_leaf(native, node);
    if (extent->data || extent->own >= extent->end)
        native->mark[block] |= LG__BLOCK_SILENT;
}

static bool
is_storage(const lg_graph *graph, uint32_t node)
{
    return lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER;
}

static bool
occupy_all(lg__native *native)
{
    const lg_columns *columns = &native->graph->columns;
    const uint32_t types = native->graph->type_count;
    native->extent = lg__native_take(native, types, sizeof *native->extent);
    native->furniture = lg__native_take(native, types, 1);
    if (native->extent == NULL || native->furniture == NULL)
        return false;
    for (uint32_t type = 0; type < types; type++) {
        native->extent[type] = extent_of(native, type);
        native->furniture[type] = is_furniture(native, type);
    }
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg_columns_address(columns, node) != 0 &&
            !is_storage(native->graph, node))
            occupy_node(native, node);
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg_columns_address(columns, node) != 0 &&
            is_storage(native->graph, node) &&
            lg_node_device(native->graph, node) == 0)
            occupy_storage(native, node);
    for (uint32_t node = 0; node < native->nodes; node++)
        if (lg__block_of_node(native, node) != LG_NONE)
            occupy_for(native, node,
                       &native->extent[lg_columns_type(columns, node)]);
    return true;
}

// Returns the type of the object that lies so far behind the beginning of a
// block, plus 1; or 0. The words may be what an object has left that was there
// before: then its count of references, which has 32 bits, is none, or its
// collector's head is in use by others. An object that the collector tracks is
// in the graph.
static uint32_t
type_of_object(const lg_native_block *at, const lg__key_table *types,
               uint64_t lead)
{
    uint64_t references = lg__block_word(at, lead);
    uint64_t type = lg__block_word(at, lead + 8);
    if (type == 0 || (uint32_t)references == 0 ||
        (uint16_t)(references >> 32) != 0 ||
        (lead > 0 && lg__block_word(at, 0) != 0))
        return 0;
    return lg__key_table_find(types, type);
}

// An object that the graph lacks, by the word that points to its type.
static void
reveal(lg__native *native, const lg__key_table *types, uint32_t block)
{
    lg_native_block *at = &native->memory->blocks[block];
    uint64_t lead = 0;
    uint32_t type = type_of_object(at, types, lead);
    if (type == 0 && at->kind >= LG_ALLOCATOR_PYTHON)
        type = type_of_object(at, types, lead = HEAD);
    if (type == 0)
        return;
    lg_block_set_lead(at, lead);
    native->mark[block] |= LG__BLOCK_HIDDEN | LG__BLOCK_TYPED;
    if (lg__type_layout(native->graph, type - 1) == LG__LAYOUT_DATA)
        native->mark[block] |= LG__BLOCK_SILENT;
}

static bool
reveal_all(lg__native *native)
{
    const lg_native_memory *memory = native->memory;
    lg__key_table types;
    if (!lg__key_table_open(&native->allocator, &types))
        return false;
    bool enough = true;
    uint32_t known = memory->type_count < native->graph->type_count
                         ? memory->type_count
                         : native->graph->type_count;
    for (uint32_t type = 0; type < known && enough; type++) {
        if (memory->types[type].address == 0)
            continue;
        uint32_t *entry = lg__key_table_at(&native->allocator, &types,
                                           memory->types[type].address);
        enough = entry != NULL;
        if (enough)
            *entry = type + 1;
    }
    for (uint32_t block = 0; block < native->blocks && enough; block++)
        if (memory->blocks[block].node == LG_NONE)
            reveal(native, &types, block);
    lg__key_table_free(&native->allocator, &types);
    return enough;
}

bool
lg__native_occupy(lg__native *native)
{
    native->mark = lg__native_take_zero(native, native->blocks, 1);
    if (!lg__native_take_ids(native, native->nodes, native->blocks,
                             &native->block_of) ||
        native->mark == NULL)
        return false;
    memset(native->block_of.bytes, 0xff,
           (size_t)native->nodes * native->block_of.width);
    for (uint32_t block = 0; block < native->blocks; block++) {
        native->memory->blocks[block].node = LG_NONE;
        native->memory->blocks[block].lead = 0;
    }
    return occupy_all(native) && reveal_all(native);
}

void
lg__block_searched(const lg__native *native, uint32_t block, uint64_t *from,
                   uint64_t *to)
{
    const lg_native_block *at = &native->memory->blocks[block];
    unsigned mark = native->mark[block];
    *from = mark & LG__BLOCK_HIDDEN ? lg_block_lead(at) + HEAD : 0;
    *to = mark & LG__BLOCK_SILENT ? 0 : lg_block_bytes(at) & ~(uint64_t)7;
    if (*to > 8 * (uint64_t)LG__MOST_PLACES)
        *to = 8 * (uint64_t)LG__MOST_PLACES;
    if (at->node == LG_NONE || *to == 0)
        return;
    const lg__extent *extent =
        &native->extent[lg_columns_type(&native->graph->columns, at->node)];
    *from = (lg_block_lead(at) + extent->own + 7) & ~(uint64_t)7;
    if (extent->end < *to - lg_block_lead(at))
        *to = lg_block_lead(at) + extent->end;
}

// The size that a type tells of an object may count blocks of C code, such as
// the table of a Pickler or the parts of a deque. What the size has beyond the
// object's own block is that of blocks that only the object holds, the nearest
// first; they are the object's, so that no byte counts twice.
uint64_t
lg__size_beyond(const lg__native *native, uint32_t node)
{
    enum { OBJECT_HEAD = 16 };
    uint32_t block = lg__block_of_node(native, node);
    const lg__extent *extent =
        &native->extent[lg_columns_type(&native->graph->columns, node)];
    uint64_t size = lg_node_size(native->graph, node);
    if (block == LG_NONE || extent->own != OBJECT_HEAD || extent->data ||
        size <= lg_block_bytes(&native->memory->blocks[block]))
        return 0;
    return (size - lg_block_bytes(&native->memory->blocks[block])) /
           LG__PART_UNIT;
}
