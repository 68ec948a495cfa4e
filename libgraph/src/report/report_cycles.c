// Writes cycles as a table: for programs a row for each, for people a row for
// each group, with its hops and what to cut.
#include "report/cycle_text.h"
#include "report/report_private.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_cycles *cycles;
    lg_table *table;
} report;

// Writes how many passed the filter by kind, whatever the limit.
static void
format_summary(const lg_cycles *cycles, lg_text *out)
{
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
    if (cycles->total > cycles->count) {
        lg_text_add(out, "; the biggest ");
        lg_text_add_count(out, cycles->count);
        lg_text_add(out, " shown");
    }
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
        lg_text_add(out, " left out: min_bytes=0 or --min-bytes 0 shows them");
    }
    lg_text_add(out, "\n");
}

enum {
    HEADLINE,
    BODY,
    NUMBER,
    KIND,
    REASON,
    CULPRIT,
    LIBRARY,
    RETAINED,
    OBJECTS,
    TYPES,
    NODE,
    CYCLE,
    HOPS,
    CUT,
    CUTS,
    MORE,
    MORE_LEAST,
    LEFT,
    ADVICE,
    WHAT_TO_CUT,
    HELD_BY,
    WHAT_KEEPS_IT,
    GROUP,
    KEY,
    IS_LEAK,
    NODES,
    COLUMNS,
};

static const lg__column columns[COLUMNS] = {
    [HEADLINE] = {.faces = LG__IN_TEXT},
    [BODY] = {.faces = LG__IN_TEXT, .below = "     "},
    [NUMBER] = {NULL, "#", .type = LG_COLUMN_COUNT, .faces = LG__IN_HTML},
    [KIND] = {"kind", .faces = LG__IN_DATA | LG__IN_HTML},
    [REASON] = {"reason", .faces = LG__IN_DATA},
    [CULPRIT] = {"culprit", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [LIBRARY] = {"library", .faces = LG__IN_DATA},
    [IS_LEAK] = {"is_leak", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE,
                  .faces = LG__IN_DATA | LG__IN_HTML},
    [OBJECTS] = {"objects", .type = LG_COLUMN_COUNT,
                 .faces = LG__IN_DATA | LG__IN_HTML},
    [TYPES] = {"types", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [CYCLE] = {"cycle", "the shortest cycle", .type = LG_COLUMN_PATH,
               .faces = LG__IN_DATA | LG__IN_HTML},
    [HOPS] = {"hops", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [CUT] = {"cut", .type = LG_COLUMN_NUMBER, .faces = LG__IN_DATA},
    [CUTS] = {"cuts", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [MORE] = {"more", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [MORE_LEAST] = {"more_least", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
    [LEFT] = {"left", .faces = LG__IN_DATA},
    [ADVICE] = {"advice", .faces = LG__IN_DATA},
    [WHAT_TO_CUT] = {NULL, "cut", .faces = LG__IN_HTML},
    [HELD_BY] = {"held_by", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
    [WHAT_KEEPS_IT] = {NULL, "what keeps it", .faces = LG__IN_HTML},
    [GROUP] = {"group", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [KEY] = {"key", .faces = LG__IN_DATA},
    [NODES] = {"nodes", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
};

static void
put_types(report *to, const lg_cycle *cycle)
{
    static const lg__column inner[] = {
        {.name = "type"},
        {"count", .type = LG_COLUMN_COUNT},
    };
    lg_table *list = lg__put_table(to->table, TYPES, inner, 2);
    for (size_t i = 0; i < cycle->type_count; i++) {
        lg__table_row(list);
        lg__put_string(list, 0,
                       lg_graph_type(to->graph, cycle->types[i].type).name);
        lg__put_count(list, 1, cycle->types[i].count);
    }
}

static void
put_hop(report *to, lg_table *list, const lg_hop *hop)
{
    lg_text label = {0};
    lg_hop_label(to->graph, hop, &label);
    lg__table_row(list);
    lg__put_node(list, 0, to->graph, hop->source);
    lg__put_node(list, 1, to->graph, hop->target);
    lg__put_formatted(list, 2, &label);
}

static void
put_paths(report *to, const lg_cycle *cycle)
{
    static const lg__column inner[] = {
        {"source", .type = LG_COLUMN_NODE}, {"target", .type = LG_COLUMN_NODE},
        {"label", .type = LG_COLUMN_PATH},  {.name = "reason"},
        {"alike", .type = LG_COLUMN_COUNT},
    };
    lg_table *hops = lg__put_table(to->table, HOPS, inner, 3);
    for (size_t i = 0; i < cycle->shortest.count; i++)
        put_hop(to, hops, &cycle->shortest.items[i]);
    lg_table *cuts = lg__put_table(to->table, CUTS, inner, 5);
    for (size_t i = 0; i < cycle->cut_count; i++) {
        put_hop(to, cuts, &cycle->cuts[i].hop);
        lg__put_literal(cuts, 3, cycle->cuts[i].reason);
        lg__put_count(cuts, 4, cycle->cuts[i].alike);
    }
    if (cycle->cut_count > 0)
        lg__put_number(to->table, CUT, (int64_t)cycle->cut);
    lg__put_count(to->table, MORE, cycle->more);
    lg__put_bool(to->table, MORE_LEAST, cycle->more_least);
    if (cycle->left != NULL)
        lg__put_literal(to->table, LEFT, cycle->left);
}

static void
put_members(report *to, const lg_cycle *cycle)
{
    lg_component component =
        lg_analysis_component(to->analysis, cycle->component);
    uint64_t *nodes =
        lg__wide_alloc(((size_t)component.count + 1) * sizeof *nodes);
    if (nodes == NULL) {
        if (to->table != NULL)
            to->table->failed = true;
        return;
    }
    for (uint32_t i = 0; i < component.count; i++)
        nodes[i] = component.nodes[i];
    lg__put_numbers(to->table, NODES, nodes, component.count);
    lg__wide_free(nodes);
    lg__put_node(to->table, NODE, to->graph, cycle->node);
}

// Puts the text for people.
static void
put_words(report *to, size_t index)
{
    const lg__cycle_text text = {to->graph, to->cycles, index};
    lg_text headline = {0};
    lg_text body = {0};
    lg_text cuts = {0};
    lg_text kept = {0};
    lg__cycle_format_headline(&text, &headline);
    lg__cycle_format_body(&text, &body);
    lg__cycle_format_cuts(to->graph, &to->cycles->items[index], &cuts);
    lg__cycle_format_kept(&text, &kept);
    lg__put_formatted(to->table, HEADLINE, &headline);
    lg__put_formatted(to->table, BODY, &body);
    lg__put_formatted(to->table, WHAT_TO_CUT, &cuts);
    lg__put_formatted(to->table, WHAT_KEEPS_IT, &kept);
}

static void
put_cycle(report *to, size_t index)
{
    const lg_cycle *cycle = &to->cycles->items[index];
    lg_table *table = to->table;
    lg_text text = {0};
    lg_text advice = {0};
    lg_text holder = {0};
    lg_text key = {0};
    lg__table_row(table);
    if (to->cycles->groups[cycle->group].first != index)
        lg__table_hide_row(table);
    lg_cycle_label(to->graph, cycle, &text);
    lg_cycle_advice(to->graph, cycle, &advice);
    if (cycle->kind == LG_CYCLE_HELD)
        lg__cycle_format_holder(to->graph, cycle, &holder);
    lg__put_count(table, NUMBER, index + 1);
    lg__put_literal(table, KIND, lg_cycle_kind_name(cycle->kind));
    if (cycle->kind == LG_CYCLE_UNCOLLECTABLE)
        lg__put_literal(table, REASON, lg_cycle_reason_name(cycle->reason));
    lg__put_node(table, CULPRIT, to->graph, cycle->culprit);
    lg__put_string(table, LIBRARY, cycle->library);
    lg__put_bool(table, IS_LEAK, cycle->is_leak);
    lg__put_each(table, RETAINED, cycle->retained);
    lg__put_count(table, OBJECTS, cycle->objects);
    lg__put_formatted(table, CYCLE, &text);
    lg__put_formatted(table, ADVICE, &advice);
    lg__put_formatted(table, HELD_BY, &holder);
    lg__put_count(table, GROUP, to->cycles->groups[cycle->group].first);
    lg_text_addf(&key, "%016" PRIx64, cycle->key);
    lg__put_formatted(table, KEY, &key);
    put_types(to, cycle);
    put_paths(to, cycle);
    put_members(to, cycle);
    put_words(to, index);
}

static void
put_facts(report *to)
{
    static const lg__column facts[] = {
        {"count", .type = LG_COLUMN_COUNT},
        {"total", .type = LG_COLUMN_COUNT},
        {"leaks", .type = LG_COLUMN_COUNT},
        {"kinds", .type = LG_COLUMN_RECORD},
        {"known", .type = LG_COLUMN_COUNT},
        {"smaller", .type = LG_COLUMN_COUNT},
    };
    static const lg__column kinds[] = {
        {"collectable", .type = LG_COLUMN_COUNT},
        {"held", .type = LG_COLUMN_COUNT},
        {"uncollectable", .type = LG_COLUMN_COUNT},
    };
    lg_table *known = lg__table_facts(to->table, facts, 6);
    lg__put_count(known, 0, to->cycles->count);
    lg__put_count(known, 1, to->cycles->total);
    lg__put_count(known, 2, to->cycles->leaks);
    lg__put_count(known, 4, to->cycles->known);
    lg__put_count(known, 5, to->cycles->smaller);
    lg_table *counts = lg__put_table(known, 3, kinds, 3);
    lg__table_row(counts);
    for (size_t kind = 0; kind < 3; kind++)
        lg__put_count(counts, kind, to->cycles->of_kind[kind]);
}

lg_status
lg_tabulate_cycles(const lg_analysis *analysis, const lg_cycles *cycles,
                   lg_table **out, lg_error *err)
{
    lg_text above = {0};
    report to = {.analysis = analysis,
                 .graph = lg_analysis_graph(analysis),
                 .cycles = cycles};
    to.table =
        lg__table_new(to.graph, (lg__layout){.rows = "cycles", .blocks = true},
                      columns, COLUMNS);
    format_summary(cycles, &above);
    lg__table_format_above(to.table, &above);
    for (size_t i = 0; i < cycles->count; i++)
        put_cycle(&to, i);
    put_facts(&to);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_cycles(const lg_analysis *analysis, const lg_cycles *cycles,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_cycles(analysis, cycles, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

/* ---------------------------------------------------------- the question */

static lg_status
ask_cycles(const lg_ask *ask, lg_table **out, lg_error *err)
{
    lg_cycles cycles;
    lg_status status = lg_analysis_cycles(ask->analysis, ask->options,
                                          ask->monitor, &cycles, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_cycles(ask->analysis, &cycles, out, err);
    lg_cycles_free(&cycles);
    return status;
}

static const char *const kinds[] = {"collectable", "held", "uncollectable",
                                    NULL};
static const lg_cycle_options usual = LG_CYCLE_OPTIONS_INIT;

static const lg_option options[] = {
    LG__LIMIT(lg_cycle_options, "the biggest first"),
    {"kind", LG_OPTION_SET, kinds, NULL, "only cycles of these kinds",
     offsetof(lg_cycle_options, kinds)},
    {"holding", LG_OPTION_TEXT, NULL, NULL,
     "only cycles that retain an object of this type, `tensor` or `figure`",
     offsetof(lg_cycle_options, holding)},
    {"min_bytes", LG_OPTION_BYTES, NULL, NULL,
     "only cycles that retain as much: 4096, 64KiB",
     offsetof(lg_cycle_options, min_bytes)},
    {"by", LG_OPTION_DEVICE, NULL, "retained",
     "the size to sort by: `retained` on the host and all devices together, "
     "`host`, or a device: `cuda:0`",
     offsetof(lg_cycle_options, device)},
    LG__MINE(lg_cycle_options),
    LG__MODULE(lg_cycle_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_cycles};

const lg_question lg__ask_cycles = {
    .name = "cycles",
    .title = "Reference cycles",
    .help = "find reference cycles, and what to cut",
    .about = "Lists reference cycles with what they retain, whether the "
             "collector would free them, and the reference to cut.",
    .order = "the biggest first",
    .example = NULL,
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
