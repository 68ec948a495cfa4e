// Finds the frames that allocated each object, and the place that holds it.
//
// Each object gets a number for its line, and then an object that stands for
// it: the highest one above it that it can reach through dominators of the same
// line. The place of that object is the holder. Climbing takes amortised
// constant time, because each object on the way then knows its end.
//
// If another line allocated the table of an object's items, the bytes of the
// table are that line's, and the object itself holds them. The same holds for a
// buffer that an object has got since it was made.
#include "answers/answers_private.h"
#include "growth/growth_private.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/facts.h>

#include <string.h>

#define TABLE_BYTES "table bytes"
#define BETWEEN " < "

// Which frames a fact has, by its key: those that allocated the object itself,
// the table of its items, or its buffer.
typedef enum fact_kind { OTHER_FACT, OF_OBJECT, OF_TABLE, OF_BUFFER } fact_kind;

// Frames that a node has for one of these, as a string of the graph.
typedef struct traced_fact {
    uint32_t node;
    uint32_t frames;
} traced_fact;

typedef struct traced_facts {
    traced_fact *items; // by node
    size_t count;
} traced_facts;

// Frames as a string of the graph, and their line.
typedef struct traced_line {
    uint32_t frames;
    uint32_t line; // from 1
    lg_string text;
} traced_line;

// An object that was traced, but for its table, or a table.
typedef struct traced_node {
    uint32_t frames;
    uint32_t line;
    uint32_t place;
    uint32_t node;
    uint32_t top; // the object that stands for it
    uint64_t bytes;
} traced_node;

typedef struct tracing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_scope *scope;
    uint32_t *frames; // [node] string of the graph; 0: none
    uint32_t *top;    // [node] 1 + the object that stands for it; 0: not known
    uint32_t *root;   // [node] 1 + the highest that dominates it; 0: not known
    uint32_t *line;   // [string] its line, from 1
    uint32_t *place;  // [node]
    traced_facts tables, buffers;
    size_t next_table; // the first that is not of an earlier node
    traced_line *lines;
    size_t line_count;
    traced_node *nodes;
    size_t node_count;
    size_t each;
    lg_allocation_stacks out;
} tracing;

lg_string
lg_allocation_frame(lg_string *frames)
{
    const size_t gap = sizeof BETWEEN - 1;
    lg_string frame = *frames;
    uint32_t at = 0;
    while (at < frames->length &&
           (frames->length - at < gap ||
            memcmp(frames->data + at, BETWEEN, gap) != 0))
        at++;
    frame.length = at;
    at += at < frames->length ? (uint32_t)gap : 0;
    frames->data += at;
    frames->length -= at;
    return frame;
}

// Returns whether the frame is of a file that is not installed. Libraries make
// code without a file, such as the methods of a dataclass; people type it.
static bool
is_of_program(lg_string frame)
{
    static const char *const typed[] = {"<stdin>", "<ipython-input-",
                                        "<string>"};
    if (lg__is_metadata(frame) || lg_path_is_installed(frame))
        return false;
    if (frame.data[0] != '<')
        return true;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (frame.length >= strlen(typed[i]) &&
            memcmp(frame.data, typed[i], strlen(typed[i])) == 0)
            return true;
    return false;
}

static lg_string
line_of(lg_string frames)
{
    lg_string first = {"", 0};
    while (frames.length > 0) {
        lg_string frame = lg_allocation_frame(&frames);
        if (is_of_program(frame))
            return frame;
        if (first.length == 0)
            first = frame;
    }
    return first;
}

static fact_kind
kind_of_fact(const lg_graph *graph, uint32_t i)
{
    static const char *const keys[] = {[OF_OBJECT] = "allocation",
                                       [OF_TABLE] = "table allocation",
                                       [OF_BUFFER] = "buffer allocation"};
    lg_string key = lg_graph_string(graph, graph->fact_key[i]);
    for (fact_kind kind = OF_OBJECT; kind <= OF_BUFFER; kind++)
        if (lg__string_is(key, keys[kind]))
            return kind;
    return OTHER_FACT;
}

bool
lg_graph_has_allocations(const lg_graph *graph)
{
    for (uint32_t i = 0; i < graph->fact_count; i++)
        if (kind_of_fact(graph, i) != OTHER_FACT)
            return true;
    for (uint32_t i = 0; i < graph->block_count; i++)
        if (graph->block[i].frames != 0)
            return true;
    return false;
}

// Gives the buffers of a node frames unless they have some.
static void
give_buffers(tracing *to, uint32_t node, uint32_t frames)
{
    const lg_columns *columns = &to->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if ((lg_columns_flags(columns, target) & LG_NODE_BUFFER) &&
            to->frames[target] == 0)
            to->frames[target] = frames;
    }
}

// Gives buffers without frames those of what refers to them first.
static void
spread_to_buffers(tracing *to)
{
    const lg_columns *columns = &to->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (to->frames[node] != 0 &&
            !(lg_columns_flags(columns, node) & LG_NODE_BUFFER))
            give_buffers(to, node, to->frames[node]);
}

static bool
add_fact(traced_facts *facts, traced_fact fact)
{
    if (!lg__array_room(&facts->items, facts->count, sizeof fact))
        return false;
    facts->items[facts->count++] = fact;
    return true;
}

// Reads all facts once. Those of tables and of buffers wait in lists.
static bool
sort_facts(tracing *to)
{
    const lg_graph *graph = to->graph;
    bool enough = true;
    for (uint32_t i = 0; i < graph->fact_count && enough; i++) {
        traced_fact fact = {graph->fact_node[i], graph->fact_value[i]};
        fact_kind kind = kind_of_fact(graph, i);
        if (kind == OF_OBJECT)
            to->frames[fact.node] = fact.frames;
        else if (kind != OTHER_FACT)
            enough =
                add_fact(kind == OF_TABLE ? &to->tables : &to->buffers, fact);
    }
    return enough;
}

static bool
find_frames(tracing *to)
{
    const lg_graph *graph = to->graph;
    if (!sort_facts(to))
        return false;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (to->frames[node] == 0 && lg_node_device(graph, node) != 0)
            to->frames[node] = lg__buffer_block_frames(graph, node);
    for (size_t i = 0; i < to->buffers.count; i++)
        give_buffers(to, to->buffers.items[i].node,
                     to->buffers.items[i].frames);
    spread_to_buffers(to);
    return true;
}

static int
compare_texts(const void *left, const void *right)
{
    const traced_line *a = left;
    const traced_line *b = right;
    return lg__string_compare(a->text, b->text);
}

static bool
add_line(tracing *to, uint32_t frames)
{
    if (frames == 0 || to->line[frames] != 0)
        return true;
    if (!lg__array_room(&to->lines, to->line_count, sizeof *to->lines))
        return false;
    to->line[frames] = 1;
    to->lines[to->line_count++] = (traced_line){
        .frames = frames, .text = line_of(lg_graph_string(to->graph, frames))};
    return true;
}

static bool
add_lines(tracing *to)
{
    const lg_graph *graph = to->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (!add_line(to, to->frames[node]))
            return false;
    for (size_t i = 0; i < to->tables.count; i++)
        if (!add_line(to, to->tables.items[i].frames))
            return false;
    return true;
}

// Numbers the lines in the order of their texts, so that neither addresses nor
// the order of the capture decide.
static bool
number_lines(tracing *to)
{
    if (!add_lines(to))
        return false;
    lg__sort(to->lines, to->line_count, sizeof *to->lines, compare_texts);
    uint32_t number = 0;
    for (size_t i = 0; i < to->line_count; i++) {
        number +=
            i == 0 || compare_texts(&to->lines[i - 1], &to->lines[i]) != 0;
        to->lines[i].line = number;
        to->line[to->lines[i].frames] = number;
    }
    return true;
}

static uint32_t
line_at(const tracing *to, uint32_t node)
{
    return to->frames[node] != 0 ? to->line[to->frames[node]] : 0;
}

static uint32_t
find_top(tracing *to, uint32_t node)
{
    const lg_analysis *analysis = to->analysis;
    uint32_t line = line_at(to, node);
    uint32_t top = node;
    while (to->top[top] == 0) {
        uint32_t above = lg__dominator_of(analysis, top);
        if (above >= to->graph->columns.node_count ||
            line_at(to, above) != line)
            break;
        top = above;
    }
    top = to->top[top] != 0 ? to->top[top] - 1 : top;
    for (uint32_t at = node; to->top[at] == 0;
         at = lg__dominator_of(analysis, at)) {
        to->top[at] = top + 1;
        if (at == top)
            break;
    }
    return top;
}

// Returns the highest object that dominates a node. Each object on the way then
// knows it, too. So over all calls each is passed twice at most.
static uint32_t
find_root(tracing *to, uint32_t node)
{
    const lg_analysis *analysis = to->analysis;
    uint32_t root = node;
    while (to->root[root] == 0 &&
           lg__dominator_of(analysis, root) < to->graph->columns.node_count)
        root = lg__dominator_of(analysis, root);
    root = to->root[root] != 0 ? to->root[root] - 1 : root;
    for (uint32_t at = node; to->root[at] == 0;
         at = lg__dominator_of(analysis, at)) {
        to->root[at] = root + 1;
        if (at == root)
            break;
    }
    return root;
}

static int
compare_nodes(const void *left, const void *right)
{
    const traced_node *a = left;
    const traced_node *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->frames != b->frames)
        return a->frames < b->frames ? -1 : 1;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// The table of a node, which comes after that of the node before; no bytes if
// the line of the object allocated it.
static traced_node
table_of(tracing *to, uint32_t node)
{
    traced_node table = {.node = node, .top = node, .place = to->place[node]};
    const traced_facts *tables = &to->tables;
    while (to->next_table < tables->count &&
           tables->items[to->next_table].node < node)
        to->next_table++;
    if (to->next_table < tables->count &&
        tables->items[to->next_table].node == node)
        table.frames = tables->items[to->next_table].frames;
    table.line = table.frames != 0 ? to->line[table.frames] : 0;
    if (table.line != 0 && table.line != line_at(to, node))
        table.bytes = lg_node_fact_number(to->graph, node, TABLE_BYTES, 0);
    return table;
}

static bool
add_node(tracing *to, traced_node node)
{
    if (!lg__array_room(&to->nodes, to->node_count, sizeof *to->nodes))
        return false;
    to->nodes[to->node_count++] = node;
    return true;
}

// Lists an object and its table.
static bool
list_node(tracing *to, uint32_t node)
{
    traced_node table = table_of(to, node);
    uint64_t size = lg_node_size(to->graph, node);
    if (table.bytes > size)
        table.bytes = size;
    if (table.bytes > 0 && !add_node(to, table))
        return false;
    if (to->frames[node] == 0)
        return true;
    uint32_t top = find_top(to, node);
    return add_node(to, (traced_node){.frames = to->frames[node],
                                      .line = line_at(to, node),
                                      .place = to->place[top],
                                      .node = node,
                                      .top = top,
                                      .bytes = size - table.bytes});
}

static bool
list_nodes(tracing *to)
{
    for (uint32_t node = 0; node < to->graph->columns.node_count; node++)
        if (lg_scope_has(to->scope, node) && !list_node(to, node))
            return false;
    lg__sort(to->nodes, to->node_count, sizeof *to->nodes, compare_nodes);
    return true;
}

static bool
begins_stack(const tracing *to, size_t at)
{
    const traced_node *node = &to->nodes[at];
    return at == 0 || node[-1].frames != node->frames ||
           node[-1].place != node->place;
}

static void
begin_stack(tracing *to, const traced_node *node)
{
    lg_string frames = lg_graph_string(to->graph, node->frames);
    to->out.items[to->out.count] = (lg_allocation_stack){
        .frames = frames,
        .line = line_of(frames),
        .place = node->place,
        .holder = node->top,
        .root = find_root(to, node->top),
        .bytes = to->out.bytes + to->out.count * to->each,
    };
    to->out.count++;
}

static bool
make_stacks(tracing *to)
{
    size_t count = 0;
    for (size_t i = 0; i < to->node_count; i++)
        count += begins_stack(to, i);
    to->out.items = lg__calloc(count + 1, sizeof *to->out.items);
    to->out.bytes = lg__calloc(count * to->each + 1, sizeof(uint64_t));
    if (to->out.items == NULL || to->out.bytes == NULL)
        return false;
    for (size_t i = 0; i < to->node_count; i++) {
        const traced_node *node = &to->nodes[i];
        if (begins_stack(to, i))
            begin_stack(to, node);
        lg_allocation_stack *stack = &to->out.items[to->out.count - 1];
        uint64_t *bytes = to->out.bytes + (to->out.count - 1) * to->each;
        bytes[lg_node_device(to->graph, node->node)] += node->bytes;
        stack->weight += node->bytes;
        stack->count++;
        if (stack->root != find_root(to, node->top))
            stack->root = LG_NONE;
    }
    return true;
}

static lg_status
search(tracing *to, const lg_monitor *monitor, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    to->frames = lg__calloc(nodes, sizeof *to->frames);
    to->top = lg__calloc(nodes, sizeof *to->top);
    to->root = lg__calloc(nodes, sizeof *to->root);
    to->line =
        lg__calloc((size_t)to->graph->string_count + 1, sizeof *to->line);
    if (to->frames == NULL || to->top == NULL || to->root == NULL ||
        to->line == NULL)
        return lg__error_memory(err);
    lg_status status = lg__places_walk(to->analysis, monitor, &to->out.places,
                                       &to->place, err);
    if (status != LG_OK)
        return status;
    return find_frames(to) && number_lines(to) && list_nodes(to) &&
                   make_stacks(to)
               ? LG_OK
               : lg__error_memory(err);
}

lg_status
lg_analysis_allocation_stacks(const lg_analysis *analysis,
                              const lg_scope *scope, const lg_monitor *monitor,
                              lg_allocation_stacks *out, lg_error *err)
{
    tracing to = {.analysis = analysis,
                  .graph = analysis->graph,
                  .scope = scope,
                  .each = (size_t)analysis->graph->device_count + 1};
    lg_status status = search(&to, monitor, err);
    lg__places_of_free(to.place, analysis);
    lg__free(to.frames);
    lg__free(to.top);
    lg__free(to.root);
    lg__free(to.line);
    lg__free(to.lines);
    lg__free(to.tables.items);
    lg__free(to.buffers.items);
    lg__free(to.nodes);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_allocation_stacks_free(&to.out);
    return status;
}

void
lg_allocation_stacks_free(lg_allocation_stacks *stacks)
{
    lg__free(stacks->items);
    lg__free(stacks->bytes);
    lg_places_free(stacks->places);
    *stacks = (lg_allocation_stacks){0};
}
