// Sums what was allocated by line and by holder, and says it.
#include "answers/answers_private.h"
#include "growth/growth_private.h"
#include "paths/paths_private.h"
#include "table/table_private.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/internal/options.h>

#include <string.h>

// Of a sum, the biggest parts have rows, and the first always. Those beyond the
// most, or with less than a hundredth of the sum or a thousandth of all, become
// one row together.
enum { MOST_PARTS = 8, LEAST_SHARE = 100, LEAST_OF_ALL = 1000 };

static const char *const orders[] = {"line", "holder", NULL};

// Stacks of one line and one holder.
typedef struct line_part {
    lg_allocation_row row;
    uint32_t group; // of the same line, or the same place
    uint64_t rank;  // of the group: its bytes
    uint64_t most;  // bytes of the biggest stack
} line_part;

typedef struct summing {
    const lg_graph *graph;
    const lg_allocation_options *options;
    lg_allocation_stacks stacks;
    line_part *parts;
    size_t part_count;
    size_t each;
    uint64_t *sums; // of parts, each by device
    uint64_t whole; // bytes of all parts
    lg_allocations out;
} summing;

static void
add_bytes(const summing *to, uint64_t *sum, const uint64_t *bytes)
{
    for (size_t i = 0; i < to->each; i++)
        sum[i] += bytes[i];
}

static int
compare_stacks(const void *left, const void *right)
{
    const lg_allocation_stack *a = left;
    const lg_allocation_stack *b = right;
    int lines = lg__string_compare(a->line, b->line);
    if (lines != 0)
        return lines;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return lg__string_compare(a->frames, b->frames);
}

// Stacks of one line and place follow each other.
static void
add_stack(summing *to, const lg_allocation_stack *stack)
{
    line_part *last = to->parts + to->part_count;
    bool same = to->part_count > 0 && last[-1].row.place == stack->place &&
                lg__string_same(last[-1].row.line, stack->line);
    if (!same) {
        *last = (line_part){.row = {.line = stack->line,
                                    .frames = stack->frames,
                                    .place = stack->place,
                                    .node = stack->holder,
                                    .root = stack->root}};
        to->part_count++;
    }
    line_part *part = &to->parts[to->part_count - 1];
    uint64_t *sum = to->sums + (to->part_count - 1) * to->each;
    add_bytes(to, sum, stack->bytes);
    part->row.bytes = sum;
    part->row.count += stack->count;
    part->row.weight += stack->weight;
    if (part->row.root != stack->root)
        part->row.root = LG_NONE;
    if (stack->weight > part->most) {
        part->most = stack->weight;
        part->row.frames = stack->frames;
        part->row.node = stack->holder;
    }
}

static bool
make_parts(summing *to)
{
    size_t count = to->stacks.count;
    to->parts = lg__calloc(count + 1, sizeof *to->parts);
    to->sums = lg__calloc(count * to->each + 1, sizeof *to->sums);
    if (to->parts == NULL || to->sums == NULL)
        return false;
    lg__sort(to->stacks.items, count, sizeof *to->stacks.items, compare_stacks);
    for (size_t i = 0; i < count; i++)
        add_stack(to, &to->stacks.items[i]);
    return true;
}

static int
compare_lines(const void *left, const void *right)
{
    const line_part *a = left;
    const line_part *b = right;
    return lg__string_compare(a->row.line, b->row.line);
}

static int
compare_places(const void *left, const void *right)
{
    const line_part *a = left;
    const line_part *b = right;
    return a->row.place < b->row.place   ? -1
           : a->row.place > b->row.place ? 1
                                         : 0;
}

static int
biggest_first(const void *left, const void *right)
{
    const line_part *a = left;
    const line_part *b = right;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->row.weight != b->row.weight)
        return a->row.weight > b->row.weight ? -1 : 1;
    int lines = compare_lines(a, b);
    return lines != 0 ? lines : compare_places(a, b);
}

// Brings the parts of a group together, the biggest group first.
static void
group_parts(summing *to)
{
    int (*compare)(const void *, const void *) =
        to->options->by == LG_ALLOCATIONS_BY_LINE ? compare_lines
                                                  : compare_places;
    line_part *parts = to->parts;
    uint32_t group = 0;
    lg__sort(parts, to->part_count, sizeof *parts, compare);
    for (size_t begin = 0, end; begin < to->part_count; begin = end, group++) {
        uint64_t sum = 0;
        for (end = begin;
             end < to->part_count && compare(&parts[begin], &parts[end]) == 0;
             end++)
            sum += parts[end].row.weight;
        for (size_t i = begin; i < end; i++) {
            parts[i].group = group;
            parts[i].rank = sum;
        }
    }
    to->out.total_rows = group;
    lg__sort(parts, to->part_count, sizeof *parts, biggest_first);
}

// Adds a row without bytes; there is room for two for each part.
static lg_allocation_row *
add_row(summing *to, lg_allocation_row row)
{
    lg_allocation_row *added = &to->out.rows[to->out.count];
    uint64_t *bytes = to->out.memory + (to->out.count + 1) * to->each;
    *added = row;
    added->bytes = bytes;
    added->count = added->weight = 0;
    to->out.count++;
    return added;
}

static void
add_to_row(summing *to, const lg_allocation_row *row, const line_part *part)
{
    size_t at = (size_t)(row - to->out.rows);
    lg_allocation_row *sum = &to->out.rows[at];
    add_bytes(to, to->out.memory + (at + 1) * to->each, part->row.bytes);
    sum->count += part->row.count;
    sum->weight += part->row.weight;
    if (sum->root != part->row.root)
        sum->root = LG_NONE;
}

// Takes what the parts of a group do not have in common off a row.
static lg_allocation_row
common_row(const summing *to, const line_part *part, uint32_t depth)
{
    lg_allocation_row row = part->row;
    row.depth = depth;
    if (to->options->by == LG_ALLOCATIONS_BY_LINE) {
        row.place = LG_NONE;
        row.node = LG_NONE;
    } else {
        row.line = (lg_string){"", 0};
        row.frames = (lg_string){"", 0};
    }
    return row;
}

// The biggest part comes first, so all behind a small one are small, too, and
// the row for them stands for two at least.
static void
add_group(summing *to, const line_part *parts, size_t count)
{
    lg_allocation_row *rest = NULL;
    if (count == 1) {
        add_to_row(to, add_row(to, parts[0].row), parts);
        return;
    }
    lg_allocation_row *sum = add_row(to, common_row(to, parts, 0));
    sum->others = count;
    for (size_t i = 0; i < count; i++) {
        lg_allocation_row row = parts[i].row;
        bool small = i >= MOST_PARTS ||
                     parts[i].row.weight < parts[i].rank / LEAST_SHARE ||
                     parts[i].row.weight < to->whole / LEAST_OF_ALL;
        small = small && i > 0 && (rest != NULL || i + 1 < count);
        row.depth = 1;
        if (!small)
            add_to_row(to, add_row(to, row), &parts[i]);
        else if (rest == NULL)
            rest = add_row(to, common_row(to, &parts[i], 1));
        add_to_row(to, sum, &parts[i]);
        if (small) {
            rest->others++;
            add_to_row(to, rest, &parts[i]);
        }
    }
}

static bool
make_rows(summing *to)
{
    size_t room = 2 * to->part_count + 1;
    size_t groups = 0;
    to->out.rows = lg__calloc(room, sizeof *to->out.rows);
    to->out.memory = lg__calloc((room + 1) * to->each, sizeof(uint64_t));
    if (to->out.rows == NULL || to->out.memory == NULL)
        return false;
    to->out.bytes = to->out.memory;
    for (size_t i = 0; i < to->part_count; i++)
        to->whole += to->parts[i].row.weight;
    for (size_t begin = 0, end; begin < to->part_count; begin = end, groups++) {
        for (end = begin; end < to->part_count &&
                          to->parts[end].group == to->parts[begin].group;
             end++)
            add_bytes(to, to->out.memory, to->parts[end].row.bytes);
        if (to->options->limit == 0 || groups < to->options->limit)
            add_group(to, to->parts + begin, end - begin);
    }
    return true;
}

// Returns whether nothing owns the place that stands for what several have: it
// has no name, and fewer steps than the path.
static bool
is_loose(const lg_places *places, uint32_t place, const lg_path *path)
{
    size_t steps = 0;
    lg_place top = lg_places_at(places, place);
    for (; top.parent != LG_NONE; steps++)
        top = lg_places_at(places, top.parent);
    return top.kind == LG_PLACE_ROOT && top.label.length == 0 &&
           steps < path->count;
}

// Returns whether the path is one of several: it passes by an owner, or
// nothing owns what it leads to.
static bool
is_shared(const lg_analysis *analysis, const lg_places *places,
          const lg_allocation_row *row)
{
    const lg_path *path = &row->where.path;
    if (row->where.kind != LG_WHERE_PATH || path->count == 0)
        return false;
    for (size_t i = 0; i < path->count; i++) {
        lg_node owner = lg_node_owner(analysis, path->hops[i].target);
        const lg_node source = path->hops[i].source;
        if (owner != LG_NONE && owner != source &&
            !lg__passes_over(analysis->graph, owner, source))
            return true;
    }
    return is_loose(places, row->place, path);
}

static lg_status
find_where(summing *to, const lg_analysis *analysis, const lg_monitor *monitor,
           lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++) {
        lg_allocation_row *row = &to->out.rows[i];
        row->where = (lg_where){.dominator = LG_NONE};
        if (row->node == LG_NONE)
            continue;
        status = lg__where_find(&finder, analysis, row->node, monitor,
                                &row->where, err);
        row->where.in_modules =
            row->root == LG_NONE &&
            lg__place_is_in_modules(to->stacks.places, row->place);
        row->shared = is_shared(analysis, to->stacks.places, row);
    }
    lg__finder_free(&finder);
    return status;
}

static lg_status
sum_stacks(summing *to, const lg_analysis *analysis, const lg_monitor *monitor,
           lg_error *err)
{
    lg_status status = lg_analysis_allocation_stacks(
        analysis, to->options->scope, monitor, &to->stacks, err);
    if (status != LG_OK)
        return status;
    if (!make_parts(to))
        return lg__error_memory(err);
    group_parts(to);
    if (!make_rows(to))
        return lg__error_memory(err);
    return find_where(to, analysis, monitor, err);
}

lg_status
lg_analysis_allocations(const lg_analysis *analysis,
                        const lg_allocation_options *given,
                        const lg_monitor *monitor, lg_allocations *out,
                        lg_error *err)
{
    lg_allocation_options options = LG_ALLOCATION_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_allocation_options", err);
    if (status != LG_OK)
        return status;
    summing to = {.graph = analysis->graph,
                  .options = &options,
                  .each = (size_t)analysis->graph->device_count + 1};
    to.out.by = options.by;
    to.out.traced = lg_graph_has_allocations(analysis->graph);
    if (to.out.traced)
        status = sum_stacks(&to, analysis, monitor, err);
    else if ((to.out.memory = lg__calloc(to.each, sizeof(uint64_t))))
        to.out.bytes = to.out.memory;
    else
        status = lg__error_memory(err);
    lg_allocation_stacks_free(&to.stacks);
    lg__free(to.parts);
    lg__free(to.sums);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_allocations_free(&to.out);
    return status;
}

void
lg_allocations_free(lg_allocations *allocations)
{
    for (size_t i = 0; i < allocations->count; i++)
        lg_where_free(&allocations->rows[i].where);
    lg__free(allocations->rows);
    lg__free(allocations->memory);
    *allocations = (lg_allocations){0};
}

static void
write_others(const lg_allocation_row *row, const char *one, const char *many,
             lg_text *out)
{
    lg_text_add_count(out, row->others);
    lg_text_add(out, row->depth > 0 ? " other " : " ");
    lg_text_add(out, row->others == 1 ? one : many);
}

// What all parts below a sum share stands beside the sum alone.
static void
write_line(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_allocation_row *row = of;
    bool by_line =
        ((const lg_allocations *)answer)->by == LG_ALLOCATIONS_BY_LINE;
    (void)ask;
    if (by_line && row->depth > 0)
        return;
    if (row->line.length > 0)
        lg__text_add_string(out, row->line);
    else
        write_others(row, "line", "lines", out);
}

static void
write_path(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_allocation_row *row = of;
    (void)answer;
    if (row->node != LG_NONE)
        lg__where_write_row(ask, row->node, row->count, &row->where, out);
}

static void
write_holder(const lg_ask *ask, const void *answer, const void *of,
             lg_text *out)
{
    const lg_allocation_row *row = of;
    bool by_line =
        ((const lg_allocations *)answer)->by == LG_ALLOCATIONS_BY_LINE;
    if (!by_line && row->depth > 0)
        return;
    if (row->node == LG_NONE)
        write_others(row, "holder", "holders", out);
    write_path(ask, answer, row, out);
    lg_text_add(out, row->shared ? " and others" : "");
}

// The index of the option.
enum { LIMIT = 0 };

// Returns whether people see a row only in the line that counts such rows. What
// is below a row goes with it.
static bool
is_little(const lg_ask *ask, const lg_allocations *of, size_t row)
{
    size_t each = (size_t)ask->graph->device_count + 1;
    while (of->rows[row].depth > 0)
        row--;
    return lg__row_is_little(ask, LIMIT, row, of->rows[row].weight,
                             lg_bytes_sum(of->bytes, each));
}

// Counts the lines or holders that people do not see, and what they have.
static size_t
count_left_out(const lg_ask *ask, const lg_allocations *of, uint64_t *bytes)
{
    size_t shown = 0;
    *bytes = lg_bytes_sum(of->bytes, (size_t)ask->graph->device_count + 1);
    for (size_t i = 0; i < of->count; i++) {
        if (of->rows[i].depth > 0 || is_little(ask, of, i))
            continue;
        shown++;
        *bytes -= of->rows[i].weight;
    }
    return of->total_rows - shown;
}

// Says in one line how much the rows have that people do not see.
static void
add_left_out(const lg_ask *ask, const lg_allocations *of, lg_text *out)
{
    uint64_t bytes;
    size_t more = count_left_out(ask, of, &bytes);
    bool by_line = of->by == LG_ALLOCATIONS_BY_LINE;
    if (more == 0)
        return;
    lg_text_addf(out, "... and %zu more %s%s: ", more,
                 by_line ? "line" : "holder", more == 1 ? "" : "s");
    lg_text_add_size(out, bytes);
    lg_text_add(out, "\n");
}

static void
add_below(const lg_ask *ask, const void *answer, lg_table *table)
{
    const lg_allocations *allocations = answer;
    lg_text below = {0};
    if (!allocations->traced)
        lg_text_add(&below,
                    "The snapshot knows no lines: take one with leakgraph run "
                    "--allocations SCRIPT, or let tracemalloc run (python -X "
                    "tracemalloc=8), and take it with allocations=True.\n");
    else if (allocations->count == 0)
        lg_text_add(&below, "tracemalloc knows the line of no object here.\n");
    else {
        add_left_out(ask, allocations, &below);
        lg_text_add(&below, "\nThe lines are known of ");
        lg__format_each(ask->graph, allocations->bytes, &below);
        lg_text_add(&below, ".\n");
    }
    lg__table_format_below(table, &below);
}

static lg_status
ask_allocations(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_analysis_allocations(ask->analysis, ask->options, ask->monitor,
                                   answer, err);
}

static void
free_allocations(void *answer)
{
    lg_allocations_free(answer);
}

static void
finish_row(const lg_ask *ask, const void *answer, size_t row, lg_table *table)
{
    const lg_allocations *allocations = answer;
    lg__table_set_depth(table, allocations->rows[row].depth);
    if (is_little(ask, allocations, row))
        lg__table_hide_row(table);
}

static const lg_option options[] = {
    LG__LIMIT(lg_allocation_options, "the most bytes first"),
    {"by", LG_OPTION_CHOICE, orders, NULL,
     "what the rows add up: a line, or what one holder has",
     offsetof(lg_allocation_options, by)},
    LG__MINE(lg_allocation_options),
    LG__MODULE(lg_allocation_options),
    {0},
};

#define ROW(member) .offset = offsetof(lg_allocation_row, member)

static const lg_field fields[] = {
    {"size", NULL, "the shallow sizes of the objects together", LG_COLUMN_SIZE,
     ROW(bytes), .look = {.least = 12}},
    {"count", "objects", "number of objects", LG_COLUMN_COUNT, ROW(count),
     .look = {.gap = 2, .least = 8}},
    {NULL, "allocated at", NULL, LG_COLUMN_TEXT, .write = write_line,
     .look = {.gap = 2, .least = 24, .indented = true}},
    {NULL, "held by", NULL, LG_COLUMN_PATH, .write = write_holder,
     .look = {.gap = 2, .indented = true}},
    {"line", NULL,
     "the innermost line of the program that allocated them; none: several "
     "lines",
     LG_COLUMN_TEXT, ROW(line), .optional = true, .look = {.in = LG_IN_DATA}},
    {"frames", NULL,
     "all frames that allocated most of them, innermost first, with ` < ` "
     "between",
     LG_COLUMN_TEXT, ROW(frames), .optional = true, .look = {.in = LG_IN_DATA}},
    {"held_by", NULL,
     "the path to what holds them; with `[*]` for several objects; none: "
     "several holders",
     LG_COLUMN_PATH, .write = write_path, .optional = true,
     .look = {.in = LG_IN_DATA}},
    {"shared", NULL,
     "whether others hold them, too: `held_by` is one path of several",
     LG_COLUMN_BOOL, ROW(shared), .look = {.in = LG_IN_DATA}},
    {"node", NULL, "one of the objects that stand for them there",
     LG_COLUMN_NODE, ROW(node), .optional = true, .look = {.in = LG_IN_DATA}},
    {"depth", NULL, "0; 1 of a part of the sum that the last row of depth 0 is",
     LG_COLUMN_COUNT, ROW(depth), .of = LG_FIELD_SHORT,
     .look = {.in = LG_IN_DATA}},
    {"others", NULL, "number of lines or holders that the row does not name",
     LG_COLUMN_COUNT, ROW(others), .look = {.in = LG_IN_DATA}},
    {0},
};

#define FACT(member) .offset = offsetof(lg_allocations, member)

static const lg_field facts[] = {
    {"traced", NULL, "whether the snapshot knows lines", LG_COLUMN_BOOL,
     FACT(traced)},
    {"total", NULL, "the shallow sizes of all objects with a line",
     LG_COLUMN_SIZE, FACT(bytes)},
    {0},
};

static const lg_allocation_options usual = LG_ALLOCATION_OPTIONS_INIT;
static const lg_allocation_options by_holder = {.size = sizeof by_holder,
                                                .by = LG_ALLOCATIONS_BY_HOLDER};
static const void *const every[] = {&usual, &by_holder, NULL};

// A row of depth 0 is about all of a line, or all that one holder has, and a
// row below it about what both share, unless that has no row of its own.
static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_allocation_row *row = of;
    const lg_allocation_order by = ((const lg_allocations *)answer)->by;
    bool whole = row->depth == 0;
    bool has_line = !whole || by == LG_ALLOCATIONS_BY_LINE;
    bool has_holder = !whole || by == LG_ALLOCATIONS_BY_HOLDER;
    (void)ask;
    *out = (lg_thing){.kind = LG_THING_ROW,
                      .node = has_holder ? row->node : LG_NONE,
                      .name = has_line ? row->line : (lg_string){"", 0},
                      .number = (uint64_t)by,
                      .partly = !whole,
                      .count = row->count,
                      .bytes = row->weight};
    return whole || row->others == 0;
}

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_allocations),
    .ask = ask_allocations,
    .free = free_allocations,
    .row_size = sizeof(lg_allocation_row),
    .rows = offsetof(lg_allocations, rows),
    .count = offsetof(lg_allocations, count),
    .thing = is_about,
    .every = every,
    .bare = true,
    .after = finish_row,
    .below = add_below,
};

const lg_question lg__ask_allocations = {
    .name = "allocations",
    .title = "Allocated at, and held by",
    .help = "find the lines that allocated what is held",
    .about = "Lists the lines that allocated what the program holds, and who "
             "holds it. Needs a snapshot taken with allocations=True while "
             "tracemalloc traces; memory of CUDA needs only the history that "
             "PyTorch records.",
    .order = "the most bytes first",
    .example = "--by holder --limit 5",
    .result = "Allocations",
    .row = "AllocationRow",
    .needs = LG_NEEDS_ANALYSIS | LG_NEEDS_LINES,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
