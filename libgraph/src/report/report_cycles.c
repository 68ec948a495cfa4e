// Writes cycles as a table: for programs a row for each, for people a row for
// each group, with its hops and what to cut.
#include "report/report_private.h"

#include <inttypes.h>
#include <xxhash.h>

enum { TYPES_SHOWN = 4 };

typedef struct cycle_text {
    const lg_graph *graph;
    const lg_cycles *cycles;
    size_t index; // index of the cycle that represents its group
} cycle_text;

static const lg_cycle *
cycle_of(const cycle_text *to)
{
    return &to->cycles->items[to->index];
}

static const lg_cycle_group *
group_of(const cycle_text *to)
{
    return &to->cycles->groups[cycle_of(to)->group];
}

static void
format_count(uint64_t count, const char *one, const char *many, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? one : many);
}

static void
format_members(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    format_count(cycle->objects, " object (", " objects (", out);
    for (size_t i = 0; i < cycle->type_count && i < TYPES_SHOWN; i++) {
        const lg_cycle_type *type = &cycle->types[i];
        lg_text_add(out, i > 0 ? ", " : "");
        if (type->count > 1) {
            lg_text_add_count(out, type->count);
            lg_text_add(out, " ");
        }
        lg__text_add_string(out, lg_graph_type(graph, type->type).name);
    }
    if (cycle->type_count > TYPES_SHOWN)
        lg_text_addf(out, ", %zu more type%s", cycle->type_count - TYPES_SHOWN,
                     cycle->type_count - TYPES_SHOWN == 1 ? "" : "s");
    lg_text_add(out, ")");
}

static bool
is_library(const lg_cycle *cycle)
{
    return cycle->library.length > 0;
}

// Writes the headline of a cycle, or of some cycles of one library.
static void
format_title(const lg_graph *graph, const lg_cycle *cycle, size_t count,
             const uint64_t *retained, lg_text *out)
{
    lg_text_addf(out, "%s · ", lg_cycle_kind_name(cycle->kind));
    if (is_library(cycle)) {
        format_count(count, " cycle of ", " cycles of ", out);
        lg__text_add_string(out, cycle->library);
    } else {
        format_members(graph, cycle, out);
    }
    lg_text_add(out, count == 1 ? " · retains " : " · retain ");
    lg__format_each(graph, retained, out);
}

void
lg_cycle_headline(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    format_title(graph, cycle, 1, cycle->retained, out);
}

// Writes ` 1. held · 4 objects (2 app.Child, list) · retains 3.00 MiB`.
static void
format_headline(const cycle_text *to, lg_text *out)
{
    const lg_cycle *cycle = cycle_of(to);
    const lg_cycle_group *group = group_of(to);
    lg_text_addf(out, "%2zu. ", to->index + 1);
    if (is_library(cycle))
        format_title(to->graph, cycle, group->count, group->retained, out);
    else
        lg_cycle_headline(to->graph, cycle, out);
}

static uint32_t
owner_type(const lg_graph *graph, uint32_t node)
{
    return lg_columns_type(&graph->columns, lg__graph_seen_node(graph, node));
}

// Writes that objects of other types have references of this name, too.
static void
format_other_types(const lg_graph *graph, const lg_cycle_cut *cut, lg_text *out)
{
    uint32_t own = owner_type(graph, cut->hop.source);
    uint32_t other = own;
    for (size_t i = 0; i < cut->alike; i++) {
        uint32_t type = owner_type(graph, lg_edge_source(graph, cut->edges[i]));
        if (type == own || type == other)
            continue;
        if (other != own) {
            lg_text_add(out, " and other types");
            return;
        }
        lg_text_add(out, ", also of ");
        lg__text_add_string(out,
                            lg__last_part(lg_graph_type(graph, type).name));
        other = type;
    }
}

static void
format_alike(const lg_graph *graph, const lg_cycle_cut *cut, lg_text *out)
{
    if (cut->alike == 0)
        return;
    lg_text_add(out, "and ");
    if (cut->alike == 1)
        lg_text_add(out, "one");
    else
        lg_text_add_count(out, cut->alike);
    lg_text_add(out, " more like it");
    format_other_types(graph, cut, out);
    lg_text_add(out, "\n");
}

// Writes the cuts after the first one, and what is not listed.
static void
format_more(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    for (size_t i = 1; i < cycle->cut_count; i++) {
        lg_text_add(out, "and ");
        lg__format_cut(graph, cycle, &cycle->cuts[i], out);
        lg_text_add(out, "\n");
        format_alike(graph, &cycle->cuts[i], out);
    }
    if (cycle->more > 0) {
        lg_text_add(out, cycle->more_least ? "and at least " : "and ");
        format_count(cycle->more, " other reference\n", " other references\n",
                     out);
    }
}

// Writes what to cut, or why nothing can be cut.
static void
format_cuts(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (cycle->cut_count == 0) {
        if (cycle->left != LG_CUT_NONE)
            lg_text_addf(out, "nothing to cut: %s\n",
                         lg__cut_words(cycle->left));
        return;
    }
    lg_text_add(out, "cut ");
    lg_cycle_advice(graph, cycle, out);
    lg_text_add(out, "\n");
    format_alike(graph, &cycle->cuts[0], out);
    format_more(graph, cycle, out);
    if (cycle->cut_count > 1 || cycle->cuts[0].alike > 0 || cycle->more > 0) {
        lg__text_cut(out, out->length > 0 ? out->length - 1 : 0);
        lg_text_add(out, cycle->left == LG_CUT_NONE
                             ? ": cut them all to leave no cycle\n"
                             : ": cut them all to leave no other cycle\n");
    }
    if (cycle->left != LG_CUT_NONE)
        lg_text_addf(out, "a cycle is left: %s\n", lg__cut_words(cycle->left));
}

// Writes the path from the root to a held cycle.
static void
format_holder(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (cycle->path.start != LG_STARTS_NOWHERE)
        lg_path_label(graph, &cycle->path, out);
    else
        lg_text_add(out, "the interpreter");
}

static void
format_keeper(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    switch (cycle->kind) {
    case LG_CYCLE_COLLECTABLE:
        lg_text_add(out, "the next gc.collect() frees it");
        break;
    case LG_CYCLE_UNCOLLECTABLE:
        lg_text_add(out, "gc.collect() cannot free it: ");
        lg__format_reason(graph, cycle->reason, cycle->culprit, out);
        break;
    default:
        lg_text_add(out, "held by ");
        format_holder(graph, cycle, out);
    }
}

static void
format_group(const cycle_text *to, lg_text *out)
{
    const lg_cycle_group *group = group_of(to);
    if (group->count == 1)
        return;
    lg_text_add(out, to->cycles->grouped < to->cycles->total ? "\nand at least "
                                                             : "\nand ");
    lg_text_add_count(out, group->count - 1);
    lg_text_add(out, " more like it; together they retain ");
    lg__format_each(to->graph, group->retained, out);
}

// Writes what holds the cycle, or why it was not freed yet, and how many
// similar ones there are.
static void
format_kept(const cycle_text *to, lg_text *out)
{
    format_keeper(to->graph, cycle_of(to), out);
    format_group(to, out);
}

// Writes the lines about some cycles of one library.
static void
format_library(const lg_graph *graph, const lg_cycle *cycle, size_t count,
               lg_text *out)
{
    lg_text_add(out,
                "the library's own structure, where there is nothing to cut");
    if (cycle->kind == LG_CYCLE_COLLECTABLE) {
        lg_text_add(out, count == 1 ? "; the next gc.collect() frees it"
                                    : "; the next gc.collect() frees them");
        return;
    }
    lg_text_add(out, "\n");
    format_keeper(graph, cycle, out);
}

void
lg_cycle_explanation(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (is_library(cycle)) {
        format_library(graph, cycle, 1, out);
        return;
    }
    format_cuts(graph, cycle, out);
    format_keeper(graph, cycle, out);
}

// Writes all lines below the headline.
static void
format_body(const cycle_text *to, lg_text *out)
{
    const lg_cycle *cycle = cycle_of(to);
    if (is_library(cycle)) {
        format_library(to->graph, cycle, group_of(to)->count, out);
        return;
    }
    if (cycle->shortest.count > 0)
        lg__format_cycle(to->graph, &cycle->shortest, cycle->cut, "", out);
    lg_cycle_explanation(to->graph, cycle, out);
    format_group(to, out);
}

static void
write_reason(const lg_ask *ask, const void *answer, const void *row,
             lg_text *out)
{
    const lg_cycle *cycle = row;
    (void)ask, (void)answer;
    if (cycle->kind == LG_CYCLE_UNCOLLECTABLE)
        lg_text_add(out, lg_cycle_reason_name(cycle->reason));
}

static void
write_cycle(const lg_ask *ask, const void *answer, const void *row,
            lg_text *out)
{
    (void)answer;
    lg_cycle_label(ask->graph, row, out);
}

static void
write_left(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    const lg_cycle *cycle = row;
    (void)ask, (void)answer;
    lg_text_add(out, lg__cut_words(cycle->left));
}

static void
write_advice(const lg_ask *ask, const void *answer, const void *row,
             lg_text *out)
{
    (void)answer;
    lg_cycle_advice(ask->graph, row, out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *row,
              lg_text *out)
{
    const lg_cycle *cycle = row;
    (void)answer;
    if (cycle->kind == LG_CYCLE_HELD)
        format_holder(ask->graph, cycle, out);
}

static void
write_key(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    (void)ask, (void)answer;
    lg_text_addf(out, "%016" PRIx64, ((const lg_cycle *)row)->key);
}

static size_t
first_like(const lg_cycles *cycles, const lg_cycle *cycle)
{
    return cycles->groups[cycle->group].first;
}

static void
put_group(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)field;
    lg__put_count(table, column, first_like(answer, row));
}

static void
put_nodes(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    lg_component component = lg_analysis_component(
        ask->analysis, ((const lg_cycle *)row)->component);
    const lg_nodes nodes = {.items = (lg_node *)(uintptr_t)component.nodes,
                            .count = component.count};
    (void)answer, (void)field;
    lg__put_nodes(table, column, &nodes);
}

static void
write_type(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    (void)answer;
    lg__text_add_string(
        out,
        lg_graph_type(ask->graph, ((const lg_cycle_type *)row)->type).name);
}

static const lg_field type_fields[] = {
    {"type", NULL, "module and qualified name", .write = write_type},
    {"count", NULL, "number of objects", LG_COLUMN_COUNT,
     .offset = offsetof(lg_cycle_type, count), .of = LG_FIELD_SHORT},
    {0},
};

static void
put_types(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    const lg_cycle *cycle = row;
    const lg__rows rows = {cycle->types, cycle->type_count,
                           sizeof *cycle->types};
    lg__put_list(ask, answer, field, &rows, table, column);
}

// A row is a hop, or begins with one.
static void
write_label(const lg_ask *ask, const void *answer, const void *row,
            lg_text *out)
{
    (void)answer;
    lg_hop_label(ask->graph, row, out);
}

static void
write_why_cut(const lg_ask *ask, const void *answer, const void *row,
              lg_text *out)
{
    (void)ask, (void)answer;
    lg_text_add(out, lg__cut_words(((const lg_cycle_cut *)row)->reason));
}

static void
write_nothing(const lg_ask *ask, const void *answer, const void *row,
              lg_text *out)
{
    (void)ask, (void)answer, (void)row, (void)out;
}

#define OF_HOP                                                                 \
    {"label", NULL, "as Python would write it: `.x`, `[0]`", LG_COLUMN_PATH,   \
     .write = write_label},                                                    \
        {"source", NULL, "node that holds", LG_COLUMN_NODE,                    \
         .offset = offsetof(lg_hop, source)},                                  \
    {                                                                          \
        "target", NULL, "node that is held", LG_COLUMN_NODE,                   \
            .offset = offsetof(lg_hop, target)                                 \
    }

static const lg_field hop_fields[] = {
    OF_HOP,
    {"reason", NULL, "what cutting it does; of a cycle, `cuts` say that",
     .write = write_nothing},
    {0},
};

static const lg_field cut_fields[] = {
    OF_HOP,
    {"reason", NULL, "why it is the one to cut", .write = write_why_cut},
    {"alike", NULL, "number of references like it that must be cut, too",
     LG_COLUMN_COUNT, .offset = offsetof(lg_cycle_cut, alike)},
    {0},
};

static void
put_hops(const lg_ask *ask, const void *answer, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    const lg_hops *hops = &((const lg_cycle *)row)->shortest;
    const lg__rows rows = {hops->items, hops->count, sizeof *hops->items};
    lg__put_list(ask, answer, field, &rows, table, column);
}

static void
put_cuts(const lg_ask *ask, const void *answer, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    const lg_cycle *cycle = row;
    const lg__rows rows = {cycle->cuts, cycle->cut_count, sizeof *cycle->cuts};
    lg__put_list(ask, answer, field, &rows, table, column);
}

static size_t
index_of(const lg_cycles *cycles, const lg_cycle *cycle)
{
    return (size_t)(cycle - cycles->items);
}

static cycle_text
text_of(const lg_ask *ask, const void *answer, const void *row)
{
    return (cycle_text){ask->graph, answer, index_of(answer, row)};
}

static void
write_headline(const lg_ask *ask, const void *answer, const void *row,
               lg_text *out)
{
    const cycle_text text = text_of(ask, answer, row);
    format_headline(&text, out);
}

static void
write_body(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    const cycle_text text = text_of(ask, answer, row);
    format_body(&text, out);
}

static void
write_what_to_cut(const lg_ask *ask, const void *answer, const void *row,
                  lg_text *out)
{
    (void)answer;
    format_cuts(ask->graph, row, out);
}

static void
write_what_keeps_it(const lg_ask *ask, const void *answer, const void *row,
                    lg_text *out)
{
    const cycle_text text = text_of(ask, answer, row);
    format_kept(&text, out);
}

static void
put_rank(const lg_ask *ask, const void *answer, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)field;
    lg__put_count(table, column, index_of(answer, row) + 1);
}

// People see one cycle of each group.
static void
hide_alike(const lg_ask *ask, const void *answer, size_t row, lg_table *table)
{
    const lg_cycles *cycles = answer;
    (void)ask;
    if (first_like(cycles, &cycles->items[row]) != row)
        lg__table_hide_row(table);
}

// Writes how many cycles the rows stand for, if those are not all: people see
// one of each group, which has members behind the limit, too.
static void
write_shown(const lg_cycles *cycles, lg_text *out)
{
    uint64_t rows = 0, shown = 0;
    for (size_t i = 0; i < cycles->count; i++)
        if (first_like(cycles, &cycles->items[i]) == i) {
            rows++;
            shown += cycles->groups[cycles->items[i].group].count;
        }
    if (shown >= cycles->total)
        return;
    lg_text_add(out, "; the biggest ");
    lg_text_add_count(out, shown);
    lg_text_add(out, " shown");
    if (shown > rows)
        lg_text_add(out, ", those alike as one");
}

// Writes how many passed the filter by kind, whatever the limit.
static void
write_above(const lg_ask *ask, const void *answer, lg_text *out)
{
    const lg_cycles *cycles = answer;
    const char *before = ": ";
    lg_text_add_count(out, cycles->total);
    lg_text_add(out, cycles->total == 1 ? " cycle" : " cycles");
    for (int kind = 0; kind < 3; kind++) {
        if (cycles->of_kind[kind] == 0)
            continue;
        lg_text_add(out, before);
        lg_text_add_count(out, cycles->of_kind[kind]);
        lg_text_addf(out, " %s", lg_cycle_kind_name((lg_cycle_kind)kind));
        before = ", ";
    }
    write_shown(cycles, out);
    if (cycles->known > 0) {
        lg_text_add(out, "; ");
        lg_text_add_count(out, cycles->known);
        lg_text_add(out, " more known to the baseline");
    }
    if (cycles->smaller > 0) {
        lg_text_add(out, "; ");
        lg_text_add_count(out, cycles->smaller);
        lg_text_add(out, " held of less than ");
        lg_text_add_size(out, cycles->least);
        lg_text_add(out, " left out");
        lg__add_remedy(ask, ": min_bytes=0 or --min-bytes 0 shows them",
                       ": with min_bytes 0, you see them, too", out);
    }
    lg_text_add(out, "\n");
}

static const char *const kinds[] = {"collectable", "held", "uncollectable",
                                    NULL};
static const char *const reasons[] = {"native", "untraversed", "frozen",
                                      "untracked", NULL};

#define ROW(member) .offset = offsetof(lg_cycle, member)
#define IN_TEXT .look = {.in = LG_IN_TEXT}
#define IN_HTML .look = {.in = LG_IN_HTML}
#define IN_DATA .look = {.in = LG_IN_DATA}
#define IN_DATA_AND_HTML .look = {.in = LG_IN_DATA | LG_IN_HTML}

static const lg_field fields[] = {
    {.heading = "", .write = write_headline, IN_TEXT},
    {.heading = "",
     .write = write_body,
     .look = {.in = LG_IN_TEXT, .below = "     "}},
    {.heading = "#", .type = LG_COLUMN_COUNT, .put = put_rank, IN_HTML},
    {"kind", NULL, "who would free it", .words = kinds, ROW(kind),
     IN_DATA_AND_HTML},
    {"reason", NULL, "why the collector cannot free an uncollectable one",
     .words = reasons, .write = write_reason, .optional = true, IN_DATA},
    {"culprit", NULL, "the node that the reason is about, or None",
     LG_COLUMN_NODE, ROW(culprit), .optional = true, IN_DATA},
    {"library", NULL, "the library whose own structure it is, or None",
     ROW(library), .optional = true, IN_DATA},
    {"retained", NULL, "what you would free with all of its objects",
     LG_COLUMN_SIZE, ROW(retained), IN_DATA_AND_HTML},
    {"objects", NULL, "number of its objects", LG_COLUMN_COUNT, ROW(objects),
     .of = LG_FIELD_SHORT, IN_DATA_AND_HTML},
    {"types", NULL, "their types, the most frequent first", LG_COLUMN_LIST,
     .put = put_types, .inner = type_fields, .richer = true, IN_DATA},
    {"node", NULL, "where the shortest cycle begins", LG_COLUMN_NODE, ROW(node),
     IN_DATA},
    {"cycle", "the shortest cycle", "the shortest cycle in a line",
     LG_COLUMN_PATH, .write = write_cycle, IN_DATA_AND_HTML},
    {"hops", NULL, "the steps of the shortest cycle", LG_COLUMN_LIST,
     .put = put_hops, .inner = hop_fields, .row = "Hop", IN_DATA},
    {"cuts", NULL, "what to cut to leave no cycle", LG_COLUMN_LIST,
     .put = put_cuts, .inner = cut_fields, .row = "CycleCut", IN_DATA},
    {"more", NULL, "number of references that must be cut, too",
     LG_COLUMN_COUNT, ROW(more), IN_DATA},
    {"more_least", NULL, "whether there may be even more of them",
     LG_COLUMN_BOOL, ROW(more_least), IN_DATA},
    {"left", NULL, "why some cycles stay whatever you cut, or None",
     .write = write_left, .optional = true, IN_DATA},
    {"advice", NULL,
     "what to cut first and why, or why there is nothing to cut",
     .write = write_advice, IN_DATA},
    {.heading = "cut", .write = write_what_to_cut, IN_HTML},
    {"held_by", NULL, "the path from a root to a held cycle, or None",
     LG_COLUMN_PATH, .write = write_held_by, .optional = true, IN_DATA},
    {.heading = "what keeps it", .write = write_what_keeps_it, IN_HTML},
    {"group", NULL, "index of the biggest cycle like it", LG_COLUMN_COUNT,
     .put = put_group, IN_DATA},
    {"key", NULL,
     "the same in every run: made of its kind, types and references",
     .write = write_key, IN_DATA},
    {"is_leak", NULL, "whether no root holds it, and the program can avoid it",
     LG_COLUMN_BOOL, ROW(is_leak), IN_DATA},
    {"nodes", NULL, "all its objects", LG_COLUMN_NUMBERS, .put = put_nodes,
     .richer = true, IN_DATA},
    {0},
};

#define OF_KIND(kind)                                                          \
    .type = LG_COLUMN_COUNT,                                                   \
    .offset = offsetof(lg_cycles, of_kind) + (kind) * sizeof(size_t)

static const lg_field kind_fields[] = {
    {.name = "collectable", OF_KIND(LG_CYCLE_COLLECTABLE)},
    {.name = "held", OF_KIND(LG_CYCLE_HELD)},
    {.name = "uncollectable", OF_KIND(LG_CYCLE_UNCOLLECTABLE)},
    {0},
};

static void
put_kinds(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    const lg__rows one = {row, 1, sizeof(lg_cycles)};
    lg__put_list(ask, answer, field, &one, table, column);
}

#define FACT(member) .offset = offsetof(lg_cycles, member)

static const lg_field facts[] = {
    {"total", NULL, "number of cycles before the limit", LG_COLUMN_COUNT,
     FACT(total)},
    {"leaks", NULL, "of these, those with is_leak", LG_COLUMN_COUNT,
     FACT(leaks)},
    {"kinds", NULL, "number of each kind, before the limit", LG_COLUMN_RECORD,
     .put = put_kinds, .inner = kind_fields},
    {"known", NULL,
     "number of those that the baseline lists, which are left out",
     LG_COLUMN_COUNT, FACT(known)},
    {"smaller", NULL,
     "number of held ones that only their size leaves out: `min_bytes=0` lists "
     "them",
     LG_COLUMN_COUNT, FACT(smaller)},
    {0},
};

typedef struct cycles_options {
    lg_cycle_options search; // comes first: options name its members
    lg_asked_type holding;
    lg_asked_baseline baseline;
} cycles_options;

static bool
is_chosen(void *chosen, uint32_t type)
{
    return ((const uint8_t *)chosen)[type] != 0;
}

// Adds the leaks to the baseline, whatever the limit.
static lg_status
note_leaks(const lg_ask *ask, lg_cycle_options search, lg_baseline *known,
           lg_error *err)
{
    lg_cycles cycles;
    search.limit = 0;
    lg_status status =
        lg_analysis_cycles(ask->analysis, &search, ask->monitor, &cycles, err);
    if (status != LG_OK)
        return status;
    status = lg_cycles_note(ask->graph, &cycles, known, err);
    lg_cycles_free(&cycles);
    return status;
}

static lg_status
ask_cycles(const lg_ask *ask, void *answer, lg_error *err)
{
    const cycles_options *options = ask->options;
    lg_cycle_options search = options->search;
    lg_status status = LG_OK;
    search.holding = options->holding.name;
    search.baseline = options->baseline.known;
    if (options->holding.chosen != NULL) {
        search.holding_type = is_chosen;
        search.context = (void *)(uintptr_t)options->holding.chosen;
    }
    if (options->baseline.update)
        status = note_leaks(ask, search, options->baseline.known, err);
    return status == LG_OK ? lg_analysis_cycles(ask->analysis, &search,
                                                ask->monitor, answer, err)
                           : status;
}

static void
free_cycles(void *answer)
{
    lg_cycles_free(answer);
}

static const cycles_options usual = {.search = LG_CYCLE_OPTIONS_INIT};
static const void *const every[] = {&usual, NULL};

static bool
leaves_out(const cycles_options *options)
{
    const lg_cycle_options *search = &options->search;
    return search->kinds != 0 || search->min_bytes >= 0 || search->scope ||
           options->holding.name || options->holding.chosen ||
           options->baseline.known;
}

// Returns the same number for cycles of one key that roots hold in the same
// way.
static uint64_t
number_of(const lg_graph *graph, const lg_cycle *cycle)
{
    lg_text words = {0};
    lg_text_addf(&words, "%" PRIx64 " ", cycle->key);
    if (cycle->kind == LG_CYCLE_HELD)
        lg__format_folded_path(graph, &cycle->path, &words);
    uint64_t number =
        words.failed ? cycle->key : XXH3_64bits(words.data, words.length);
    lg_text_free(&words);
    return number;
}

// A row that people see is about all cycles with its number: those behind the
// limit, too, if only that leaves any out. Small ones that a root holds have no
// row.
static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_cycles *cycles = answer;
    const lg_cycle *cycle = of;
    const lg_cycle_group *group = &cycles->groups[cycle->group];
    *out = (lg_thing){.kind = LG_THING_ROW,
                      .node = LG_NONE,
                      .number = number_of(ask->graph, cycle),
                      .whole = !ask->options || !leaves_out(ask->options),
                      .partly = cycle->kind == LG_CYCLE_HELD,
                      .count = group->count,
                      .bytes = group->total};
    return cycle == &cycles->items[group->first];
}

static const lg_option options[] = {
    LG__LIMIT(lg_cycle_options, "the biggest first"),
    {"kind", LG_OPTION_SET, kinds, NULL, "only cycles of these kinds",
     offsetof(lg_cycle_options, kinds)},
    {"holding", LG_OPTION_TYPE, NULL, NULL,
     "only cycles that retain an object of this type or of a subclass, a "
     "`tensor` or a `figure`",
     offsetof(cycles_options, holding)},
    {"min_bytes", LG_OPTION_BYTES, NULL, NULL,
     "only cycles that retain as much: 4096, 64KiB; by default all collectable "
     "and uncollectable ones, and held ones that retain 1 MiB, a tensor or a "
     "figure",
     offsetof(lg_cycle_options, min_bytes)},
    {"by", LG_OPTION_DEVICE, NULL, "retained",
     "the size to sort by: `retained` on the host and all devices together, "
     "`host`, or a device: `cuda:0`",
     offsetof(lg_cycle_options, device)},
    LG__MINE(lg_cycle_options),
    LG__MODULE(lg_cycle_options),
    LG__BASELINE(cycles_options, "cycles"),
    LG__UPDATE_BASELINE(cycles_options, "leaks"),
    LG__CHECK("collectable or uncollectable cycles that are no library's own"),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_cycles),
    .ask = ask_cycles,
    .free = free_cycles,
    .row_size = sizeof(lg_cycle),
    .rows = offsetof(lg_cycles, items),
    .count = offsetof(lg_cycles, count),
    .thing = is_about,
    .every = every,
    .counted = "Δ cycles",
    .blocks = true,
    .above = write_above,
    .after = hide_alike,
};

const lg_question lg__ask_cycles = {
    .name = "cycles",
    .title = "Reference cycles",
    .help = "find reference cycles, and what to cut",
    .about =
        "Lists reference cycles with what they retain, whether the "
        "collector would free them, and the reference to cut. A "
        "collectable cycle is garbage that the collector would free now. "
        "A root reaches a held one. Neither is true of an uncollectable "
        "one: native code holds it, or the collector cannot see all of "
        "it. The report shows similar cycles once, and `limit` counts each "
        "of them. `mine` and `module` choose garbage by the classes in "
        "it.",
    .order = "the biggest first, those of libraries last",
    .example = "--holding tensor --check --min-bytes 1MiB",
    .result = "Cycles",
    .row = "Cycle",
    .leaks = "leaks",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_report_cycles(const lg_analysis *analysis, const lg_cycles *cycles,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.graph = lg_analysis_graph(analysis),
                        .analysis = analysis};
    lg_status status =
        lg_question_tabulate(&lg__ask_cycles, &ask, cycles, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
