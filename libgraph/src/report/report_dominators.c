// The dominator tree as an indented tree of shares.
#include "analysis/analysis_private.h"
#include "paths/paths_private.h"
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

// A list of a million links dominates itself link by link: depth has an end.
enum { DEPTH_SHOWN = 24, ROWS_SHOWN = 400 };

typedef struct step {
    uint32_t node;
    uint32_t above; // LG_NONE: one of the two roots
    uint32_t depth;
} step;

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__walk walk;
    uint64_t total;
    uint64_t least; // bytes worth a row
    step *stack;
    size_t count;
    size_t capacity;
    size_t rows;
    lg_table *table;
} report;

static bool
push(report *to, step one)
{
    if (to->count == to->capacity) {
        size_t capacity = to->capacity ? to->capacity * 2 : 64;
        step *stack = realloc(to->stack, capacity * sizeof *stack);
        if (stack == NULL)
            return false;
        to->stack = stack;
        to->capacity = capacity;
    }
    to->stack[to->count++] = one;
    return true;
}

typedef struct weighed {
    uint64_t bytes;
    uint32_t node;
} weighed;

static int
smallest_first(const void *left, const void *right)
{
    const weighed *a = left;
    const weighed *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return a->node > b->node ? -1 : a->node < b->node;
}

// Pushes what is worth a row below a node, so that the biggest comes first.
static bool
push_below(report *to, uint32_t node, uint32_t depth)
{
    lg__gathered below = {0};
    bool going = lg__gather_dominated(to->analysis, to->walk.fold, node,
                                      to->least, &below);
    weighed *items = going ? malloc((below.count + 1) * sizeof *items) : NULL;
    going = items != NULL;
    for (size_t i = 0; i < below.count && going; i++)
        items[i] = (weighed){lg__freed_by(to->analysis, below.items[i]),
                             below.items[i]};
    if (going)
        qsort(items, below.count, sizeof *items, smallest_first);
    uint32_t above = node < to->graph->columns.node_count ? node : LG_NONE;
    for (size_t i = 0; i < below.count && going; i++)
        going = push(to, (step){items[i].node, above, depth});
    free(items);
    free(below.items);
    return going;
}

// The hop from a member of a cycle of garbage, for which another one stands.
static lg_hop
find_member_hop(const report *to, uint32_t bundle, uint32_t node)
{
    const lg__reverse *reverse = &to->walk.reverse;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        uint32_t source = reverse->edge[i].source;
        if (lg_node_component(to->analysis, source) != bundle)
            continue;
        if (to->walk.fold[source].owner != LG_NONE)
            source = to->walk.fold[source].owner;
        lg_hop hop = lg__hop_between(&to->walk, source, node);
        if (hop.edge_count > 0)
            return hop;
    }
    return (lg_hop){0};
}

// A direct reference from the dominator is named: `.x`, or `Other.x` of another
// member of its cycle.
static void
format_reference(const report *to, const step *at, lg_text *out)
{
    if (at->above == LG_NONE)
        return;
    lg_hop hop = lg__hop_between(&to->walk, at->above, at->node);
    uint32_t bundle = lg__garbage_component_of(to->analysis, at->above);
    if (hop.edge_count == 0 && bundle != LG_NONE) {
        hop = find_member_hop(to, bundle, at->node);
        if (hop.edge_count > 0) {
            lg__format_node(to->graph, hop.source, out);
            lg__format_label(to->graph, &hop, out);
        }
    } else if (hop.edge_count > 0) {
        lg_hop_label(to->graph, &hop, out);
    }
}

enum { NODE, DEPTH, DOMINATOR, LABEL, RETAINED, SHARE, OBJECT, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [DEPTH] = {"depth", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [DOMINATOR] = {"dominator", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [LABEL] = {"label", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
    [SHARE] = {NULL, "share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
               .least = 9},
    [OBJECT] = {NULL, "object", .faces = LG__SHOWN, .gap = 2,
                .tree = LG__BRANCHED},
};

static void
put_row(report *to, const step *at)
{
    lg_table *table = to->table;
    lg_text label = {0};
    lg_text object = {0};
    lg__table_row(table);
    lg__table_set_depth(table, at->depth);
    lg__put_node(table, NODE, to->graph, at->node);
    lg__put_count(table, DEPTH, at->depth);
    lg__put_node(table, DOMINATOR, to->graph, at->above);
    format_reference(to, at, &object);
    format_reference(to, at, &label);
    if (object.length > 0)
        lg_text_add(&object, "  ");
    lg_node_title(to->graph, at->node, false, &object);
    lg_text_addf(&object, " #%u", at->node);
    lg__format_garbage_component(to->analysis, at->node, &object);
    lg__put_formatted(table, LABEL, &label);
    lg__put_formatted(table, OBJECT, &object);
    lg__put_retained(table, RETAINED, to->analysis, lg_node_retained_on,
                     at->node);
    lg__put_share(table, SHARE, lg__freed_by(to->analysis, at->node),
                  to->total);
}

// Everything below one of the two roots, or below a node; the row of the node
// itself was pushed.
static bool
put_rows(report *to)
{
    bool going = true;
    while (to->count > 0 && going) {
        step at = to->stack[--to->count];
        if (to->rows++ >= ROWS_SHOWN)
            continue;
        put_row(to, &at);
        if (at.depth < DEPTH_SHOWN)
            going = push_below(to, at.node, at.depth + 1);
    }
    return going;
}

static bool
put_root(report *to, const char *title, uint32_t root)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i <= to->graph->device_count; i++)
        bytes += lg__dominated_on(to->analysis, root, i);
    if (bytes == 0)
        return true;
    lg__table_heading_row(to->table);
    lg__put_retained(to->table, RETAINED, to->analysis, lg__dominated_on, root);
    lg__put_share(to->table, SHARE, bytes, to->total);
    lg__put_literal(to->table, OBJECT, title);
    return push_below(to, root, 1) && put_rows(to);
}

static bool
fill(report *to, uint32_t node, double min_share)
{
    lg_bytes reached = lg_analysis_reachable_bytes(to->analysis);
    lg_bytes garbage = lg_analysis_garbage_bytes(to->analysis);
    uint32_t nodes = to->graph->columns.node_count;
    to->total = node == LG_NONE ? reached.host + reached.device + garbage.host +
                                      garbage.device
                                : lg__freed_by(to->analysis, node);
    to->least = (uint64_t)((double)to->total * min_share);
    if (to->least == 0)
        to->least = 1;
    if (node != LG_NONE)
        return push(to, (step){node, LG_NONE, 0}) && put_rows(to);
    return put_root(to, "everything that the roots reach", nodes) &&
           put_root(to, "garbage", nodes + 1);
}

static void
put_end(report *to, double min_share)
{
    static const lg__column facts[] = {{"left_out", .type = LG_COLUMN_COUNT}};
    size_t left_out = to->rows > ROWS_SHOWN ? to->rows - ROWS_SHOWN : 0;
    lg_text below = {0};
    lg__put_count(lg__table_facts(to->table, facts, 1), 0, left_out);
    lg_text_add(&below, "\neach object shows what is freed with it; "
                        "objects that retain less than ");
    lg__format_share((uint64_t)(min_share * 1000 + 0.5), 1000, &below);
    lg_text_add(&below, " are left out");
    if (left_out > 0) {
        lg_text_add(&below, ", and ");
        lg_text_add_count(&below, left_out);
        lg_text_add(&below, " more");
    }
    lg_text_add(&below, "\n");
    lg__table_format_below(to->table, &below);
}

lg_status
lg_tabulate_dominators(const lg_analysis *analysis, uint32_t node,
                       double min_share, lg_table **out, lg_error *err)
{
    report to = {.analysis = analysis, .graph = analysis->graph};
    if (node != LG_NONE && node >= to.graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    if (!(min_share >= 0 && min_share <= 1))
        return lg_error_set(err, LG_EINVAL,
                            "the least share must be from 0 to 1");
    to.walk = (lg__walk){.graph = to.graph,
                         .fold = lg__graph_folds(to.graph),
                         .everything = true};
    if (to.walk.fold != NULL && node != LG_NONE &&
        to.walk.fold[node].owner != LG_NONE)
        node = to.walk.fold[node].owner;
    to.table = lg__table_new(to.graph, (lg__layout){0}, columns, COLUMNS);
    bool filled = to.walk.fold != NULL &&
                  lg__graph_reverse(to.graph, &to.walk.reverse) &&
                  fill(&to, node, min_share);
    free(to.stack);
    if (!filled) {
        lg_table_free(to.table);
        return lg__error_memory(err);
    }
    put_end(&to, min_share);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_dominators(const lg_analysis *analysis, uint32_t node,
                     double min_share, lg_format format, lg_text *out,
                     lg_error *err)
{
    lg_table *table = NULL;
    lg_status status =
        lg_tabulate_dominators(analysis, node, min_share, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
