// Native memory joins a graph: runs the steps.
#include "native/native_private.h"

#include <leakgraph/internal/facts.h>

#include <string.h>

static void
open_vertices(lg__native *native)
{
    native->vertices = native->nodes + native->blocks + native->holders + 1;
    native->way.element = sizeof(lg__way_kind);
}

// The steps need much memory, so what later ones do not use is given back: what
// words were weighed by, once the paths are known, and the paths, once blocks
// are groups.

// Words are weighed without the best paths.
static void
forget_paths(lg__native *native)
{
    lg__native_drop(native, native->path);
    lg__native_drop(native, native->entrance);
    native->path = NULL;
    native->entrance = NULL;
}

static void
drop_evidence(lg__native *native)
{
    lg__table_drop(&native->allocator, &native->handles);
    lg__table_drop(&native->allocator, &native->shared);
    lg__vector_free(&native->allocator, &native->way);
    lg__native_drop(native, native->class_shown);
    lg__native_drop(native, native->fields_end);
    lg__native_drop(native, native->classed);
}

static void
drop_paths(lg__native *native)
{
    lg__word_rows_free(&native->allocator, &native->words);
    lg__vector_free(&native->allocator, &native->outer);
    lg__compact_free(&native->allocator, &native->first_word);
    lg__native_drop(native, native->block_of.bytes);
    forget_paths(native);
    lg__native_drop(native, native->met);
    lg__native_drop(native, native->kind.bytes);
    lg__native_drop(native, native->grouped);
}

static uint64_t
hash(uint64_t so_far, const void *data, size_t bytes)
{
    const char *at = data;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
        so_far = (so_far ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        so_far ^= so_far >> 29;
    }
    return so_far;
}

// Returns a number of all that the next round starts from.
static uint64_t
hash_of_round(const lg__native *native)
{
    const lg__vector *rows = &native->words.bytes;
    const lg__vector *ways = &native->way;
    uint64_t state = hash(ways->count, ways->data, ways->count * ways->element);
    state = hash(state, native->kind.bytes,
                 native->kind.width * (size_t)native->blocks);
    state = hash(state, native->mark, native->blocks);
    return hash(state, rows->data, rows->count);
}

// Words and kinds depend on each other: kinds come from the best paths, and
// paths from what words of one kind have in common. A round makes known one
// more step of a path through structs that are one of a kind, and three lead
// from a connection of SQLite to its pages. A round that ends as the one before
// is the last, because all others would end so.
static bool
weigh_in_rounds(lg__native *native)
{
    bool enough = lg__native_weigh(native) && lg__native_widest(native);
    uint64_t before = 0;
    for (int round = 0; round < LG__NATIVE_ROUNDS && enough; round++) {
        const uint64_t now = hash_of_round(native);
        if (round > 0 && now == before)
            break;
        before = now;
        forget_paths(native);
        enough = lg__native_refine(native) && lg__native_weigh(native) &&
                 lg__native_widest(native);
    }
    return enough;
}

// All nodes of a list or a tree are of one kind, once the best paths are known.
static void
join_again(lg__native *native)
{
    for (uint32_t block = 0; block < native->blocks; block++)
        if (lg__block_is_plain(native, block))
            lg__kind_set(native, block,
                         lg__kind_again(native, lg__kind_of(native, block)));
}

// Returns what words say of an object that has so many references which nothing
// explains, and to which so many words of blocks lead.
static uint8_t
telling(const lg__native *native, uint32_t node, int64_t missing, uint32_t seen)
{
    if (missing <= 0 || native->told[node] == LG__HELD_OUTSIDE)
        return 0;
    if (seen == 0)
        return lg__block_of_node(native, node) != LG_NONE &&
                       native->told[node] == 0
                   ? LG__FORGOTTEN
                   : 0;
    return seen < missing ? 0 : seen == missing ? LG__TOLD_EXACTLY : LG__TOLD;
}

static void
count_words_to_objects(const lg__native *native, uint32_t block, uint32_t *seen)
{
    lg__word_walk at = lg__walk_words(native, block);
    if (native->mark[block] & LG__BLOCK_NEW)
        return;
    while (lg__word_walk_next(&at)) {
        uint32_t target = at.word.target;
        uint32_t node = native->memory->blocks[target].node;
        if (node != LG_NONE && !(native->mark[target] & LG__BLOCK_OWN))
            seen[node]++;
    }
}

// An object is told if words of blocks account for all references to it that no
// object explains; exactly, if there are no more such words than references. It
// is forgotten if no word leads to it. Words of a block that nobody has written
// since it was free are none.
static bool
tell(lg__native *native)
{
    uint32_t *seen = lg__native_take_zero(native, native->nodes, 4);
    if (seen == NULL)
        return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        count_words_to_objects(native, block, seen);
    for (uint32_t node = 0; node < native->nodes; node++) {
        int64_t missing = lg_node_unexplained(native->graph, node);
        native->told[node] = telling(native, node, missing, seen[node]);
    }
    lg__native_drop(native, seen);
    return true;
}

static bool
judge(lg__native *native)
{
    bool enough = lg__block_index_open(native) && lg__native_occupy(native) &&
                  lg__native_words(native) && lg__native_kinds(native) &&
                  lg__native_arrays(native) && tell(native);
    open_vertices(native);
    enough = enough && weigh_in_rounds(native);
    if (enough)
        join_again(native);
    drop_evidence(native);
    enough = enough && lg__native_dominate(native) && lg__native_fold(native);
    drop_paths(native);
    return enough;
}

// Links use the highest bit of a vertex.
static lg_status
check_memory(const lg_graph *graph, const lg_native_memory *memory,
             lg_error *err)
{
    uint64_t vertices = (uint64_t)graph->columns.node_count +
                        memory->block_count + memory->range_count;
    if (memory->failure != NULL)
        return lg_error_set(err, LG_EINVAL, "no native memory is listed: %s",
                            memory->failure);
    return vertices < LG__GROUP_BIT - 2
               ? LG_OK
               : lg_error_set(err, LG_ELIMIT,
                              "the process has too many blocks of memory for "
                              "native=True: leave it out");
}

static lg_status
run(lg_graph *graph, lg_native_memory *memory, lg_graph *out, lg_error *err)
{
    lg__native native = {
        .graph = graph,
        .source = graph,
        .memory = memory,
        .allocator = out->allocator,
        .nodes = graph->columns.node_count,
        .blocks = (uint32_t)memory->block_count,
    };
    native.allocator.release = NULL;
    lg_status status = check_memory(graph, memory, err);
    if (status == LG_OK)
        status = lg__policy_new(graph, &native.allocator, &native.policy, err);
    if (status == LG_OK && !judge(&native))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__native_join(&native, out, err);
    lg__native_close(&native);
    return status;
}

lg_status
lg_graph_with_native(lg_graph *graph, lg_native_memory *memory,
                     const lg_allocator *allocator, lg_graph **out,
                     lg_error *err)
{
    lg_allocator own = allocator != NULL ? *allocator : lg_allocator_default();
    lg_graph *made = NULL;
    lg_status status = lg__graph_new(&own, &made, err);
    if (status == LG_OK)
        status = run(graph, memory, made, err);
    lg_graph_free(graph);
    if (status == LG_OK)
        *out = made;
    else
        lg_graph_free(made);
    return status;
}

bool
lg__edge_is_weighed(const lg_graph *graph, lg_edge edge, lg_native_level *out)
{
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return false;
    for (int level = 0; level <= LG_LEVEL_EXACT; level++)
        if (lg__string_is(label, lg__level_names[level])) {
            *out = (lg_native_level)level;
            return true;
        }
    return false;
}

lg_native_level
lg_edge_level(const lg_graph *graph, lg_edge edge)
{
    lg_native_level level;
    return lg__edge_is_weighed(graph, edge, &level) ? level : LG_LEVEL_EXACT;
}

uint64_t
lg_node_blocks(const lg_graph *graph, lg_node node)
{
    return lg__node_is_native(graph, node)
               ? lg_node_fact_number(graph, node, LG__FACT_BLOCKS, 0)
               : 0;
}

bool
lg__node_is_block(const lg_graph *graph, uint32_t node)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    return lg__node_is_native(graph, node) &&
           !lg__string_begins(type, LG__NATIVE_HIDDEN);
}
