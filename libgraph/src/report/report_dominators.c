// The dominator tree as an indented tree of shares.
#include "analysis/analysis_private.h"
#include "paths/paths_private.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

// A list of a million links dominates itself link by link: depth has an end.
enum { DEPTH_SHOWN = 24, ROWS_SHOWN = 400 };

typedef struct step {
    uint32_t node;
    uint32_t above; // LG_NONE: one of the two roots
    uint32_t depth;
    bool last; // of its siblings
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
    bool open[DEPTH_SHOWN + 1]; // [depth] more siblings follow
    lg_text text;
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
        going = push(to, (step){items[i].node, above, depth, i == 0});
    free(items);
    free(below.items);
    return going;
}

static void
add_indent(report *to, const step *at)
{
    for (uint32_t depth = 1; depth < at->depth; depth++)
        lg_text_add(&to->text, to->open[depth] ? "│  " : "   ");
    if (at->depth > 0)
        lg_text_add(&to->text, at->last ? "└─ " : "├─ ");
    to->open[at->depth] = !at->last;
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

static void
add_name(report *to, const step *at)
{
    size_t start = to->text.length;
    format_reference(to, at, &to->text);
    if (to->text.length > start)
        lg_text_add(&to->text, "  ");
    lg_node_title(to->graph, at->node, false, &to->text);
    lg_text_addf(&to->text, " #%u", at->node);
    lg__format_garbage_component(to->analysis, at->node, &to->text);
}

static void
add_sizes(report *to, uint32_t node)
{
    lg_text cell = {0};
    lg__format_retained(to->analysis, lg_node_retained_on, node, &to->text);
    lg_text_add(&to->text, "\t");
    lg__format_share(lg__freed_by(to->analysis, node), to->total, &cell);
    lg__format_right(&cell, 9, &to->text);
    lg_text_add(&to->text, "  ");
    lg_text_free(&cell);
}

static void
add_row(report *to, const step *at)
{
    add_sizes(to, at->node);
    add_indent(to, at);
    add_name(to, at);
    lg_text_add(&to->text, "\n");
}

static void
json_row(report *to, const step *at)
{
    lg_text *out = &to->text;
    lg_text label = {0};
    lg_text_add(out, to->rows > 1 ? ",\n  {" : "\n  {");
    lg__json_node(to->graph, at->node, out);
    lg_text_addf(out, ", \"depth\": %u, \"dominator\": ", at->depth);
    if (at->above == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", at->above);
    format_reference(to, at, &label);
    if (label.length > 0) {
        lg_text_add(out, ", \"label\": ");
        lg__json_formatted(&label, out);
    }
    lg_text_add(out, ", \"retained\": ");
    lg__json_retained(to->analysis, lg_node_retained_on, at->node, out);
    lg_text_add(out, "}");
}

// Everything below one of the two roots, or below a node; the row of the node
// itself was pushed.
static bool
add_rows(report *to, lg_format format)
{
    bool going = true;
    while (to->count > 0 && going) {
        step at = to->stack[--to->count];
        if (to->rows++ >= ROWS_SHOWN)
            continue;
        if (format == LG_FORMAT_JSON)
            json_row(to, &at);
        else
            add_row(to, &at);
        if (at.depth < DEPTH_SHOWN)
            going = push_below(to, at.node, at.depth + 1);
    }
    return going;
}

static bool
add_root(report *to, const char *title, lg_bytes bytes, uint32_t root,
         lg_format format)
{
    lg_text cell = {0};
    if (bytes.host + bytes.device == 0)
        return true;
    if (format == LG_FORMAT_TEXT) {
        lg__format_bytes(to->graph, bytes, &to->text);
        lg_text_add(&to->text, "\t");
        lg__format_share(bytes.host + bytes.device, to->total, &cell);
        lg__format_right(&cell, 9, &to->text);
        lg_text_addf(&to->text, "  %s\n", title);
        lg_text_free(&cell);
    }
    return push_below(to, root, 1) && add_rows(to, format);
}

static bool
fill(report *to, uint32_t node, double min_share, lg_format format)
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
    lg_text_add(&to->text, format == LG_FORMAT_JSON
                               ? "{\"rows\": ["
                               : "    retained\t    share  object\n");
    if (node != LG_NONE)
        return push(to, (step){node, LG_NONE, 0, true}) && add_rows(to, format);
    return add_root(to, "everything that the roots reach", reached, nodes,
                    format) &&
           add_root(to, "garbage", garbage, nodes + 1, format);
}

static void
add_end(report *to, double min_share, lg_format format)
{
    size_t left_out = to->rows > ROWS_SHOWN ? to->rows - ROWS_SHOWN : 0;
    if (format == LG_FORMAT_JSON) {
        lg_text_addf(&to->text, "\n], \"left_out\": %zu}\n", left_out);
        return;
    }
    lg_text_add(&to->text, "\neach object with what is freed with it; what "
                           "retains less than ");
    lg__format_share((uint64_t)(min_share * 1000 + 0.5), 1000, &to->text);
    lg_text_add(&to->text, " is left out");
    if (left_out > 0) {
        lg_text_add(&to->text, ", and ");
        lg_text_add_count(&to->text, left_out);
        lg_text_add(&to->text, " more");
    }
    lg_text_add(&to->text, "\n");
}

lg_status
lg_report_dominators(const lg_analysis *analysis, uint32_t node,
                     double min_share, lg_format format, lg_text *out,
                     lg_error *err)
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
    bool filled = to.walk.fold != NULL &&
                  lg__graph_reverse(to.graph, &to.walk.reverse) &&
                  fill(&to, node, min_share, format);
    free(to.stack);
    if (!filled) {
        lg_text_free(&to.text);
        return lg__error_memory(err);
    }
    add_end(&to, min_share, format);
    return lg__report_finish(&to.text, out, err);
}
