// Strings, and which of them is the text of each node.
//
// A graph that owns the columns for that keeps a shorter form: where strings
// begin as compact numbers, which are written over the plain ones, and a bit
// for each node with a text in place of its number.
#include "graph/graph_private.h"

#include <string.h>

// The columns of texts are in order of nodes.
static void
fill(const lg_graph *graph, lg__marked_block *block, size_t blocks)
{
    uint32_t at = 0;
    for (size_t i = 0; i < blocks; i++) {
        block[i] = (lg__marked_block){.first = at};
        for (; at < graph->text_count && graph->text_node[at] / 64 == i; at++)
            block[i].has |= UINT64_C(1) << graph->text_node[at] % 64;
    }
}

static lg__marked_block *
make(const lg_graph *graph)
{
    const size_t blocks = lg__marked_blocks(graph->columns.node_count);
    lg__marked_block *made =
        lg__allocate(&graph->allocator, blocks * sizeof *made);
    if (made != NULL)
        fill(graph, made, blocks);
    return made;
}

// A copy has the texts of the graph that it borrows from.
const lg__marked_block *
lg__graph_texts(const lg_graph *graph)
{
    while (graph->whole != NULL)
        graph = graph->whole;
    lg__lazy *lazy = graph->lazy;
    if (lazy->has_texts)
        return lazy->texts;
    lg_lock_take(&lazy->lock);
    if (!lazy->has_texts) {
        lazy->texts = make(graph);
        lazy->has_texts = lazy->texts != NULL;
    }
    lg_lock_give(&lazy->lock);
    return lazy->has_texts ? lazy->texts : NULL;
}

static const lg__marked_block *
marks_of(const lg_graph *graph)
{
    while (graph->whole != NULL)
        graph = graph->whole;
    return graph->lazy->has_texts ? graph->lazy->texts : NULL;
}

// Returns the string of the node's own text; LG_NONE if it has none.
static uint32_t
node_text_id(const lg_graph *graph, uint32_t node)
{
    const lg__marked_block *marks = marks_of(graph);
    if (node >= graph->columns.node_count)
        return LG_NONE;
    if (marks != NULL)
        return lg__text_of(marks, graph->text_string, node);
    uint32_t place =
        lg__ascending_find(graph->text_node, graph->text_count, node);
    return place == LG_NONE ? LG_NONE : graph->text_string[place];
}

lg_string
lg_node_text(const lg_graph *graph, lg_node node)
{
    return lg_graph_string(graph, node_text_id(graph, node));
}

lg_string
lg_graph_string(const lg_graph *graph, uint32_t id)
{
    if (id >= graph->string_count)
        return (lg_string){"", 0};
    const uint64_t start = lg__string_begin(graph, id);
    return (lg_string){graph->string_bytes + start,
                       (uint32_t)(lg__string_begin(graph, id + 1) - start)};
}

// Returns the last block before which no more than `count` nodes have a text.
static size_t
block_before(const lg__marked_block *marks, size_t blocks, uint64_t count)
{
    size_t low = 0;
    size_t high = blocks - 1;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        if (marks[middle].first <= count)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void
write_marked(const lg__marked_block *marks, size_t block, uint64_t skipped,
             uint64_t count, uint32_t *out)
{
    uint64_t left = marks[block].has;
    for (; skipped > 0; skipped--)
        left &= left - 1;
    while (count-- > 0) {
        while (left == 0)
            left = marks[++block].has;
        *out++ = (uint32_t)(64 * block) + (uint32_t)__builtin_ctzll(left);
        left &= left - 1;
    }
}

void
lg__text_nodes_write(const lg_graph *graph, uint64_t from, uint64_t count,
                     uint32_t *out)
{
    const lg__marked_block *marks = marks_of(graph);
    const size_t blocks = lg__marked_blocks(graph->columns.node_count);
    if (count == 0)
        return;
    if (graph->text_node != NULL) {
        memcpy(out, graph->text_node + from, (size_t)count * sizeof *out);
        return;
    }
    const size_t block = block_before(marks, blocks, from);
    write_marked(marks, block, from - marks[block].first, count, out);
}

void
lg__strings_begin(const lg_graph *graph, uint64_t from, uint64_t count,
                  uint64_t *out)
{
    for (uint64_t i = 0; i < count; i++)
        out[i] = lg__string_begin(graph, (uint32_t)(from + i));
}

static bool
is_owned(const lg__array *array)
{
    return array->count > 0 && array->owned != NULL &&
           array->owned == array->data;
}

// Writes the places of strings in four bytes each, where they had eight.
static bool
shorten_strings(lg_graph *graph)
{
    lg__array *array = &graph->array[LG__STRING_OFFSET];
    const size_t count = (size_t)array->count;
    if (!is_owned(array) || graph->array[LG__STRING_BYTES].count > UINT32_MAX ||
        array->owned_size < lg__compact_room(count))
        return true;
    const uint64_t *wide = array->owned;
    char *low = array->owned;
    for (size_t i = 0; i < count; i++) {
        const uint64_t place = wide[i];
        memcpy(low + i * sizeof(uint32_t), &place, sizeof(uint32_t));
    }
    lg__vector numbers = {array->owned, count, array->owned_size, 1};
    *array = (lg__array){.count = count};
    graph->string_offset = NULL;
    return lg__compact_take(&graph->allocator, &numbers, count,
                            &graph->string_place);
}

static bool
mark_texts(lg_graph *graph)
{
    lg__array *array = &graph->array[LG__TEXT_NODE];
    const size_t blocks = lg__marked_blocks(graph->columns.node_count);
    if (!is_owned(array) ||
        array->count * sizeof(uint32_t) < blocks * sizeof(lg__marked_block))
        return true;
    if (lg__graph_texts(graph) == NULL)
        return false;
    lg__deallocate(&graph->allocator, array->owned, array->owned_size);
    *array = (lg__array){.count = array->count};
    graph->text_node = NULL;
    return true;
}

bool
lg__texts_shorten(lg_graph *graph)
{
    return shorten_strings(graph) && mark_texts(graph);
}

void
lg__texts_free(lg_graph *graph)
{
    const size_t blocks = lg__marked_blocks(graph->columns.node_count);
    if (graph->whole == NULL)
        lg__compact_free(&graph->allocator, &graph->string_place);
    if (graph->lazy->has_texts)
        lg__deallocate(&graph->allocator, graph->lazy->texts,
                       blocks * sizeof(lg__marked_block));
}
