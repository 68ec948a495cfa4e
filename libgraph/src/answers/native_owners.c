// Gathers native memory in rows, by who holds it: objects of one place, the
// variables of a library, stacks, and nobody.
#include "answers/answers_private.h"
#include "growth/growth_private.h"
#include "native/native_private.h"
#include "table/table_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// The sums of the answer, each by device.
enum { ALL, LOST, OBJECTS, CACHED, IN_USE, SUMS };

static const char *const holders[] = {"objects", "shared", "variables",
                                      "stacks",  "locals", "elsewhere",
                                      "lost",    NULL};

const char *
lg_native_holder_name(lg_native_holder holder)
{
    return (unsigned)holder < LG_BLOCKS_HOLDER_COUNT ? holders[holder]
                                                     : "unknown";
}

typedef struct gathering {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg_native_options *options;
    const lg__folds *folds;
    lg_places *places;
    uint32_t *place;          // [node]
    uint32_t *row_of;         // [place] 1 + the row; 0: none
    uint32_t *row_at;         // [node] the same of what is no object
    uint8_t *counted;         // [node] whether its row counts it as a holder
    uint64_t *held;           // [node] native bytes of the holder alone
    uint64_t *largest;        // [row] blocks of `what`
    uint8_t *worth;           // [node] by what it is held
    lg__native_claim *claims; // [row]
    size_t each;
    size_t capacity;
    lg_native out;
} gathering;

static lg_native_holder
kind_of(const lg_graph *graph, uint32_t node)
{
    static const struct {
        const char *type;
        lg_native_holder holder;
    } kinds[] = {
        {LG__NATIVE_VARIABLES, LG_BLOCKS_VARIABLES},
        {LG__NATIVE_STACKS, LG_BLOCKS_STACKS},
        {LG__NATIVE_LOCALS, LG_BLOCKS_LOCALS},
        {LG__NATIVE_ELSEWHERE, LG_BLOCKS_ELSEWHERE},
        {LG__NATIVE_LOST, LG_BLOCKS_LOST},
    };
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (lg__string_is(type, kinds[i].type))
            return kinds[i].holder;
    return LG_BLOCKS_OBJECTS;
}

// Returns who holds a native node: the first dominator that is no block. A node
// that no single one dominates is its own holder, or that of what it dominates.
static uint32_t
holder_of(const gathering *to, uint32_t node)
{
    for (;;) {
        uint32_t up = lg_node_dominator(to->analysis, node);
        if (up == LG_NONE)
            return node;
        node = up;
        if (!lg__node_is_native(to->graph, node) ||
            kind_of(to->graph, node) != LG_BLOCKS_OBJECTS)
            return lg__seen_node(to->folds, node);
    }
}

static uint64_t *
sum_of(const gathering *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

static uint64_t *
bytes_at(const gathering *to, size_t row)
{
    return to->out.bytes + (SUMS + row) * to->each;
}

static lg_native_holder
holder_kind(const gathering *to, uint32_t holder)
{
    if (!lg__node_is_native(to->graph, holder))
        return LG_BLOCKS_OBJECTS;
    lg_native_holder kind = kind_of(to->graph, holder);
    return kind == LG_BLOCKS_OBJECTS ? LG_BLOCKS_SHARED : kind;
}

static bool
begin_row(gathering *to, uint32_t holder, uint32_t *row)
{
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->largest, sizeof *to->largest, 0},
        {&to->claims, sizeof *to->claims, 0},
        {&to->out.bytes, to->each * sizeof *to->out.bytes,
         SUMS * to->each * sizeof *to->out.bytes},
    };
    size_t rows = to->out.total_rows;
    if (!lg__rows_room(arrays, 4, rows, &to->capacity))
        return false;
    memset(bytes_at(to, rows), 0, to->each * sizeof *to->out.bytes);
    to->largest[rows] = 0;
    to->claims[rows] = (lg__native_claim){0};
    to->out.rows[rows] =
        (lg_native_row){.holder = holder_kind(to, holder), .node = holder};
    *row = (uint32_t)++to->out.total_rows;
    return true;
}

// All that several holders share is one row.
static uint32_t *
row_for(gathering *to, uint32_t holder)
{
    lg_native_holder kind = holder_kind(to, holder);
    if (kind == LG_BLOCKS_OBJECTS)
        return &to->row_of[to->place[holder]];
    return &to->row_at[kind == LG_BLOCKS_SHARED ? to->graph->columns.node_count
                                                : holder];
}

static void
add_to_row(gathering *to, uint32_t index, uint32_t holder, uint32_t node)
{
    lg_native_row *row = &to->out.rows[index];
    uint64_t bytes = lg_node_size(to->graph, node);
    uint64_t blocks = lg_node_blocks(to->graph, node);
    to->held[holder] += bytes;
    row->count += !to->counted[holder];
    to->counted[holder] = 1;
    row->blocks += blocks;
    to->claims[index].bytes[to->worth[node]] += bytes;
    bytes_at(to, index)[0] += bytes;
    sum_of(to, ALL)[0] += bytes;
    if (row->holder == LG_BLOCKS_LOST)
        sum_of(to, LOST)[0] += bytes;
    if (to->held[holder] > to->held[row->node])
        row->node = holder;
    if (bytes > to->largest[index]) {
        to->largest[index] = bytes;
        row->what =
            lg_graph_type(to->graph, lg_columns_type(&to->graph->columns, node))
                .name;
        row->library = lg_node_fact_text(to->graph, node, LG__FACT_LIBRARY);
    }
}

static bool
gather(gathering *to)
{
    for (uint32_t node = 0; node < to->graph->columns.node_count; node++) {
        if (!lg__node_is_native(to->graph, node) ||
            lg_node_blocks(to->graph, node) == 0)
            continue;
        uint32_t holder = holder_of(to, node);
        if (!lg_scope_has(to->options->scope, holder))
            continue;
        uint32_t *row = row_for(to, holder);
        if (*row == 0 && !begin_row(to, holder, row))
            return false;
        add_to_row(to, *row - 1, holder, node);
    }
    return true;
}

static int
most_first(const void *left, const void *right)
{
    const lg_native_row *a = left;
    const lg_native_row *b = right;
    if (*a->bytes != *b->bytes)
        return *a->bytes > *b->bytes ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Says whether the capture has listed native memory and, if not, why.
static void
read_state(const lg_graph *graph, lg_native *out)
{
    static const char before[] = "not inspected: ";
    const lg_string state = lg_graph_info_find(graph, LG__INFO_NATIVE);
    const uint32_t skipped =
        lg__string_begins(state, before) ? sizeof before - 1 : 0;
    out->inspected = lg__string_is(state, LG__INFO_INSPECTED);
    out->reason = out->inspected ? (lg_string){"", 0}
                                 : (lg_string){state.data + skipped,
                                               state.length - skipped};
}

void
lg__advise_native(const lg_graph *graph, lg_text *out)
{
    lg_native state;
    read_state(graph, &state);
    if (state.reason.length == 0) {
        lg_text_add(out, "a snapshot with native=True (--native) says who "
                         "holds the other allocations\n");
        return;
    }
    lg_text_add(out, "who holds the other allocations is not known: ");
    lg__text_add_string(out, state.reason);
    lg_text_add(out, "\n");
}

static void
end_rows(gathering *to)
{
    lg_native *out = &to->out;
    sum_of(to, OBJECTS)[0] = lg__info_number(to->graph, LG__INFO_OBJECTS);
    sum_of(to, CACHED)[0] = lg__info_number(to->graph, LG__INFO_CACHED);
    sum_of(to, IN_USE)[0] = lg__info_number(to->graph, LG__INFO_IN_USE);
    read_state(to->graph, out);
    out->all = sum_of(to, ALL);
    out->lost = sum_of(to, LOST);
    out->objects = sum_of(to, OBJECTS);
    out->cached = sum_of(to, CACHED);
    out->in_use = sum_of(to, IN_USE);
    for (size_t i = 0; i < out->total_rows; i++) {
        out->rows[i].bytes = bytes_at(to, i);
        out->rows[i].by = lg__native_claim_level(&to->claims[i]);
    }
    if (out->total_rows > 0)
        qsort(out->rows, out->total_rows, sizeof *out->rows, most_first);
    out->count = to->options->limit > 0 && to->options->limit < out->total_rows
                     ? to->options->limit
                     : out->total_rows;
}

static lg_status
find_where(gathering *to, lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++)
        status = lg__where_find(&finder, to->analysis, to->out.rows[i].node,
                                to->monitor, &to->out.rows[i].where, err);
    lg__finder_free(&finder);
    return status;
}

static lg_status
search(gathering *to, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    to->folds = lg__graph_folds(to->graph);
    to->row_at = lg__calloc(nodes, sizeof *to->row_at);
    to->counted = lg__calloc(nodes, 1);
    to->held = lg__calloc(nodes, sizeof *to->held);
    to->out.bytes = lg__calloc(SUMS * to->each, sizeof *to->out.bytes);
    to->worth = lg__native_worth(to->graph);
    if (!to->folds || !to->row_at || !to->counted || !to->held || !to->worth ||
        !to->out.bytes)
        return lg__error_memory(err);
    lg_status status = lg__places_walk(to->analysis, to->monitor, &to->places,
                                       &to->place, err);
    if (status != LG_OK)
        return status;
    to->row_of =
        lg__calloc((size_t)lg_places_count(to->places) + 1, sizeof *to->row_of);
    if (to->row_of == NULL || !gather(to))
        return lg__error_memory(err);
    end_rows(to);
    return find_where(to, err);
}

lg_status
lg_analysis_native(const lg_analysis *analysis, const lg_native_options *given,
                   const lg_monitor *monitor, lg_native *out, lg_error *err)
{
    lg_native_options options = LG_NATIVE_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_native_options", err);
    if (status != LG_OK)
        return status;
    gathering to = {
        .analysis = analysis,
        .graph = analysis->graph,
        .monitor = monitor,
        .options = &options,
        .each = (size_t)analysis->graph->device_count + 1,
    };
    status = search(&to, err);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_native_free(&to.out);
    lg_places_free(to.places);
    lg__places_of_free(to.place, analysis);
    lg__free(to.row_of);
    lg__free(to.row_at);
    lg__free(to.counted);
    lg__free(to.held);
    lg__free(to.largest);
    lg__free(to.claims);
    lg__free(to.worth);
    return status;
}

void
lg_native_free(lg_native *native)
{
    for (size_t i = 0; i < native->count; i++)
        lg_where_free(&native->rows[i].where);
    lg__free(native->rows);
    lg__free(native->bytes);
    *native = (lg_native){0};
}

static void
format_holder(const lg_graph *graph, const lg_native_row *row, lg_text *out)
{
    if (row->holder == LG_BLOCKS_SHARED) {
        lg_text_add(out, "several holders");
        return;
    }
    if (row->holder != LG_BLOCKS_OBJECTS) {
        lg_node_title(graph, row->node, true, out);
        return;
    }
    if (row->count > 1) {
        lg_text_add_count(out, row->count);
        lg_text_add(out, " ");
    }
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, row->node)).name;
    lg_text_add_bytes(out, type.data, type.length);
}

static void
write_holder(const lg_ask *ask, const void *answer, const void *of,
             lg_text *out)
{
    const lg_native_row *row = of;
    (void)answer;
    lg__native_claim_add_words(row->by, out);
    format_holder(ask->graph, row, out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *of,
              lg_text *out)
{
    const lg_native_row *row = of;
    (void)answer;
    if (row->holder != LG_BLOCKS_OBJECTS)
        return;
    lg__where_write_row(ask, row->node, row->count, &row->where, out);
}

static void
add_sum(const char *before, const uint64_t *bytes, const char *after,
        lg_text *out)
{
    lg_text_add(out, before);
    lg_text_add_size(out, *bytes);
    lg_text_add(out, after);
}

static void
format_below(const lg_native *native, lg_text *out)
{
    if (!native->inspected && native->reason.length > 0) {
        lg_text_add(out, "Native memory was not inspected: ");
        lg_text_add_bytes(out, native->reason.data, native->reason.length);
        lg_text_add(out, ".\n");
        return;
    }
    if (!native->inspected) {
        lg_text_add(out, "The snapshot has no native memory: take it with "
                         "native=True or --native.\n");
        return;
    }
    add_sum("\nC code has ", native->all,
            " in blocks of its own, as far as pointers tell", out);
    if (*native->lost > 0)
        add_sum(", of which nothing holds ", native->lost, "", out);
    add_sum(".\nmalloc has ", native->in_use, " in use", out);
    add_sum(", of which objects, their tables and storages take ",
            native->objects, ".\n", out);
    if (*native->cached > 0)
        add_sum("Threads keep ", native->cached,
                " for reuse, which the program has freed.\n", out);
}

static void
add_below(const lg_ask *ask, const void *native, lg_table *table)
{
    lg_text below = {0};
    (void)ask;
    format_below(native, &below);
    lg__table_format_below(table, &below);
}

static lg_status
ask_native(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_analysis_native(ask->analysis, ask->options, ask->monitor, answer,
                              err);
}

static void
free_native(void *answer)
{
    lg_native_free(answer);
}

static const lg_option options[] = {
    LG__LIMIT(lg_native_options, "the most bytes first"),
    LG__MINE(lg_native_options),
    LG__MODULE(lg_native_options),
    {0},
};

#define ROW(member) .offset = offsetof(lg_native_row, member)

static const lg_field fields[] = {
    {"bytes", "native", "what they hold in blocks of C code", LG_COLUMN_SIZE,
     ROW(bytes), .look = {.least = 12}},
    {"blocks", NULL, "number of those blocks", LG_COLUMN_COUNT, ROW(blocks),
     .look = {.gap = 2, .least = 8}},
    {"holder", NULL,
     "who holds them: `objects` of one place, `shared` by several holders, "
     "`variables` of a library, `stacks`, `locals` of threads, `elsewhere` in "
     "memory that nobody lists, or nobody: `lost`",
     LG_COLUMN_TEXT, ROW(holder), .words = holders, .look = {.in = LG_IN_DATA}},
    {NULL, "holder", NULL, LG_COLUMN_TEXT, .write = write_holder,
     .look = {.gap = 2, .least = 24}},
    {"count", NULL, "number of holders", LG_COLUMN_COUNT, ROW(count),
     .look = {.in = LG_IN_DATA}},
    {"node", NULL, "the holder that holds the most", LG_COLUMN_NODE, ROW(node),
     .look = {.in = LG_IN_DATA}},
    {"title", NULL, "that holder in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .look = {.in = LG_IN_DATA}},
    {"what", NULL, "what most of the bytes are", LG_COLUMN_TEXT, ROW(what),
     .look = {.gap = 2}},
    {"library", NULL, "the library that most of the bytes are of, or None",
     LG_COLUMN_TEXT, ROW(library), .optional = true,
     .look = {.in = LG_IN_DATA}},
    {"by", NULL,
     "how sure that is: the weakest references by which half of the bytes "
     "are held",
     LG_COLUMN_TEXT, ROW(by), .words = lg__level_names,
     .look = {.in = LG_IN_DATA}},
    {"held_by", "held by",
     "the path to the holder from a root, or None; with `[*]` for several "
     "objects",
     LG_COLUMN_PATH, .write = write_held_by, .optional = true,
     .look = {.gap = 2}},
    {0},
};

#define FACT(member) .offset = offsetof(lg_native, member)

static const lg_field facts[] = {
    {"inspected", NULL, "whether the capture listed native memory",
     LG_COLUMN_BOOL, FACT(inspected)},
    {"reason", NULL, "why it did not, if it was asked to; or None",
     LG_COLUMN_TEXT, FACT(reason), .optional = true},
    {"total", NULL, "all blocks that C code has for itself", LG_COLUMN_SIZE,
     FACT(all)},
    {"lost", NULL, "the part of that to which nothing points", LG_COLUMN_SIZE,
     FACT(lost)},
    {"objects", NULL,
     "blocks of malloc that are objects, their tables or storages",
     LG_COLUMN_SIZE, FACT(objects)},
    {"cached", NULL, "freed, and kept by threads for reuse", LG_COLUMN_SIZE,
     FACT(cached)},
    {"in_use", NULL, "in use in malloc, by its own account", LG_COLUMN_SIZE,
     FACT(in_use)},
    {0},
};

static const lg_native_options usual = LG_NATIVE_OPTIONS_INIT;
static const void *const every[] = {&usual, NULL};

// What no place has is told by what people call it.
static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_native_row *row = of;
    const char *kind = holders[row->holder];
    bool placed = row->holder == LG_BLOCKS_OBJECTS;
    lg_text holder = {0};
    (void)answer;
    if (!placed)
        format_holder(ask->graph, row, &holder);
    *out = (lg_thing){.kind = LG_THING_ROW,
                      .node = placed ? row->node : LG_NONE,
                      .name = lg__string_of(kind),
                      .number = XXH3_64bits(holder.data, holder.length),
                      .count = row->blocks,
                      .bytes = lg_bytes_sum(
                          row->bytes, (size_t)ask->graph->device_count + 1)};
    bool known = !holder.failed;
    lg_text_free(&holder);
    return known;
}

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_native),
    .ask = ask_native,
    .free = free_native,
    .row_size = sizeof(lg_native_row),
    .rows = offsetof(lg_native, rows),
    .count = offsetof(lg_native, count),
    .total = offsetof(lg_native, total_rows),
    .thing = is_about,
    .every = every,
    .counted = "Δ blocks",
    .bare = true,
    .below = add_below,
};

const lg_question lg__ask_native = {
    .name = "native",
    .title = "Native memory and who holds it",
    .help = "find who holds the memory of C code",
    .about = "Lists who holds the blocks that C code has allocated, as far as "
             "pointers tell: objects of one place, variables of a library, "
             "stacks, or nobody. Needs a snapshot taken with native=True or "
             "--native. Bytes are lower bounds.",
    .order = "the most bytes first",
    .example = "--mine --limit 5",
    .result = "Native",
    .row = "NativeRow",
    .needs = LG_NEEDS_ANALYSIS | LG_NEEDS_NATIVE,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
