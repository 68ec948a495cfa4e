// Cycles for people: one block each, with the way around and what to cut.
#include "report/where.h"
#include "report/words.h"

#include <leakgraph/report.h>

#include <stdlib.h>
#include <string.h>

enum { TYPES_SHOWN = 4 };

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__where *where;
    lg_text text;
} report;

typedef struct tally {
    uint32_t type;
    uint32_t count;
} tally;

static int
compare_types(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int
most_first(const void *left, const void *right)
{
    const tally *a = left;
    const tally *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->type < b->type ? -1 : a->type > b->type;
}

// The types of the members that are seen, most frequent first; 0 when memory
// ran out.
static size_t
count_types(const report *to, const lg_component *component, tally **out)
{
    uint32_t *types = malloc((component->count + 1) * sizeof *types);
    tally *tallies = malloc((component->count + 1) * sizeof *tallies);
    size_t seen = 0;
    size_t count = 0;
    *out = tallies;
    if (types == NULL || tallies == NULL) {
        free(types);
        return 0;
    }
    for (uint32_t i = 0; i < component->count; i++)
        if (lg_node_folded_into(to->graph, component->nodes[i]) == LG_NONE)
            types[seen++] = to->graph->columns.type[component->nodes[i]];
    qsort(types, seen, sizeof *types, compare_types);
    for (size_t i = 0; i < seen; i++) {
        if (i == 0 || types[i] != types[i - 1])
            tallies[count++] = (tally){types[i], 0};
        tallies[count - 1].count++;
    }
    qsort(tallies, count, sizeof *tallies, most_first);
    free(types);
    return count;
}

static void
add_members(report *to, const lg_component *component)
{
    tally *tallies;
    size_t count = count_types(to, component, &tallies);
    uint64_t objects = 0;
    for (size_t i = 0; i < count; i++)
        objects += tallies[i].count;
    to->text.failed |= count == 0 && tallies == NULL;
    lg_text_add_count(&to->text, objects);
    lg_text_add(&to->text, objects == 1 ? " object (" : " objects (");
    for (size_t i = 0; i < count && i < TYPES_SHOWN; i++) {
        lg_text_add(&to->text, i > 0 ? ", " : "");
        if (tallies[i].count > 1) {
            lg_text_add_count(&to->text, tallies[i].count);
            lg_text_add(&to->text, " ");
        }
        lg__text_add_string(&to->text,
                            lg_graph_type(to->graph, tallies[i].type).name);
    }
    if (count > TYPES_SHOWN)
        lg_text_addf(&to->text, ", %zu more type%s", count - TYPES_SHOWN,
                     count - TYPES_SHOWN == 1 ? "" : "s");
    lg_text_add(&to->text, ")");
    free(tallies);
}

static void
add_shortest_cycle(report *to, const lg_cycle *cycle)
{
    const lg_hops *round_trip = &cycle->shortest;
    if (round_trip->count == 0)
        return;
    lg__format_cycle(to->graph, round_trip, cycle->cut, "     ", &to->text);
    lg_text_add(&to->text, "     cut ");
    lg_cycle_advice(to->graph, cycle, &to->text);
    lg_text_add(&to->text, "\n");
    if (cycle->alike == 0)
        return;
    lg_text_add(&to->text, "     and ");
    if (cycle->alike == 1)
        lg_text_add(&to->text, "one");
    else
        lg_text_add_count(&to->text, cycle->alike);
    lg_text_add(&to->text, " more like it: cut them all to leave no cycle\n");
}

static lg_status
format_holder(report *to, const lg_cycle *cycle, lg_text *out, lg_error *err)
{
    lg_component component =
        lg_analysis_component(to->analysis, cycle->component);
    uint32_t node = cycle->shortest.count > 0 ? cycle->shortest.items[0].source
                                              : component.nodes[0];
    return lg__where_format(to->where, node, NULL, out, err);
}

static lg_status
add_holder(report *to, const lg_cycle *cycle, lg_error *err)
{
    lg_text *out = &to->text;
    switch (cycle->kind) {
    case LG_CYCLE_COLLECTABLE:
        lg_text_add(out, "     the next gc.collect() frees it\n");
        return LG_OK;
    case LG_CYCLE_UNCOLLECTABLE:
        lg_text_add(out, "     gc.collect() cannot free it: ");
        lg__format_reason(to->graph, cycle->reason, cycle->culprit, out);
        lg_text_add(out, "\n");
        return LG_OK;
    default:
        break;
    }
    lg_text_add(out, "     held by ");
    lg_status status = format_holder(to, cycle, out, err);
    lg_text_add(out, "\n");
    return status;
}

// Everything about a cycle but its number.
static lg_status
add_cycle(report *to, const lg_cycle *cycle, lg_error *err)
{
    lg_component component =
        lg_analysis_component(to->analysis, cycle->component);
    lg_text_addf(&to->text, "%s · ", lg_cycle_kind_name(cycle->kind));
    add_members(to, &component);
    lg_text_add(&to->text, " · retains ");
    lg__format_retained(to->analysis, lg_component_retained_on,
                        cycle->component, &to->text);
    lg_text_add(&to->text, "\n");
    add_shortest_cycle(to, cycle);
    return add_holder(to, cycle, err);
}

// All that passed the filter by kind, whatever the limit.
static void
add_summary(report *to, const lg_cycles *cycles)
{
    lg_text *out = &to->text;
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
    lg_text_add(out, "\n");
}

// Cycles that would read the same, one after the other, are shown once.
static lg_status
cycles_text(report *to, const lg_cycles *cycles, lg_error *err)
{
    lg_status status = LG_OK;
    lg_text last = {0};
    size_t repeats = 0;
    add_summary(to, cycles);
    for (size_t i = 0; i < cycles->count && status == LG_OK; i++) {
        report one = {to->analysis, to->graph, to->where, {0}};
        status = add_cycle(&one, &cycles->items[i], err);
        to->text.failed |= one.text.failed;
        if (lg__text_same(&one.text, &last)) {
            repeats++;
            lg_text_free(&one.text);
            continue;
        }
        lg__format_repeats(repeats, &to->text);
        repeats = 0;
        lg_text_addf(&to->text, "\n%2zu. ", i + 1);
        lg_text_add(&to->text, one.text.data ? one.text.data : "");
        lg_text_free(&last);
        last = one.text;
    }
    lg__format_repeats(repeats, &to->text);
    lg_text_free(&last);
    return status;
}

static void
write_members(const lg_component *component, lg_json *json)
{
    lg_json_array(json, "nodes");
    for (uint32_t i = 0; i < component->count; i++)
        lg_json_count(json, NULL, component->nodes[i]);
    lg_json_end(json);
}

static lg_status
write_cycle(report *to, const lg_cycle *cycle, lg_json *json, lg_error *err)
{
    lg_component component =
        lg_analysis_component(to->analysis, cycle->component);
    const char *kind = lg_cycle_kind_name(cycle->kind);
    const char *reason = lg__reason_name(cycle->reason);
    lg_text text = {0};
    lg_status status = LG_OK;
    lg_json_object(json, NULL);
    lg_json_string(json, "kind", kind, strlen(kind));
    if (cycle->kind == LG_CYCLE_UNCOLLECTABLE)
        lg_json_string(json, "reason", reason, strlen(reason));
    if (cycle->culprit != LG_NONE)
        lg_json_count(json, "culprit", cycle->culprit);
    lg__write_retained(json, "retained", to->analysis, lg_component_retained_on,
                       cycle->component);
    write_members(&component, json);
    lg_cycle_label(to->graph, cycle, &text);
    lg__write_formatted(json, "cycle", &text);
    lg__write_hops(json, "hops", to->graph, cycle->shortest.items,
                   cycle->shortest.count);
    lg_json_count(json, "cut", cycle->cut);
    lg_json_count(json, "alike", cycle->alike);
    lg_json_string(json, "cut_reason", cycle->cut_reason,
                   strlen(cycle->cut_reason));
    if (cycle->kind == LG_CYCLE_HELD) {
        status = format_holder(to, cycle, &text, err);
        lg__write_formatted(json, "held_by", &text);
    }
    lg_json_end(json);
    return status;
}

static lg_status
cycles_json(report *to, const lg_cycles *cycles, lg_error *err)
{
    lg_json json = {.out = &to->text};
    lg_status status = LG_OK;
    lg_json_object(&json, NULL);
    lg_json_lines(&json, "cycles");
    for (size_t i = 0; i < cycles->count && status == LG_OK; i++)
        status = write_cycle(to, &cycles->items[i], &json, err);
    lg_json_end(&json);
    lg_json_count(&json, "count", cycles->count);
    lg_json_count(&json, "total", cycles->total);
    lg_json_object(&json, "kinds");
    for (int kind = 0; kind < 3; kind++)
        lg_json_count(&json, lg_cycle_kind_name((lg_cycle_kind)kind),
                      cycles->of_kind[kind]);
    lg_json_end(&json);
    lg_json_end(&json);
    return status == LG_OK ? lg_json_finish(&json, err) : status;
}

lg_status
lg_report_cycles(const lg_analysis *analysis, const lg_cycles *cycles,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg__where where = {.analysis = analysis};
    report to = {.analysis = analysis,
                 .graph = lg_analysis_graph(analysis),
                 .where = &where};
    lg_status status = LG_OK;
    if (format == LG_FORMAT_JSON)
        status = cycles_json(&to, cycles, err);
    else
        status = cycles_text(&to, cycles, err);
    lg__where_free(&where);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
