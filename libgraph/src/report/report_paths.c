// Merged paths as an indented tree with counts and bytes.
#include "paths/paths_private.h"
#include "report/words.h"

#include <leakgraph/report.h>

#include <stdlib.h>

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_merged_paths paths;
    lg__pruned pruned;
    lg_bytes together; // retained by all
    uint64_t targets;
    uint32_t *depth; // [paths.count]
    uint32_t *row;   // [paths.count] of those shown
    bool *open;      // [depth] more siblings follow
    uint32_t rows;
    lg_text text;
} report;

// What stands for an item, or for several: how many, and what they hold.
typedef struct line {
    uint32_t parent; // item
    uint32_t depth;
    bool last; // of its siblings
    uint64_t targets;
    lg_bytes bytes;
} line;

static uint32_t
end_of_siblings(const report *to, uint32_t item)
{
    uint32_t parent = to->paths.items[item].parent;
    return parent == LG_NONE ? (uint32_t)to->paths.count
                             : to->pruned.end[parent];
}

static line
line_of(const report *to, uint32_t item)
{
    const lg_merged *merged = &to->paths.items[item];
    return (line){.parent = merged->parent,
                  .depth = to->depth[item],
                  .last = to->pruned.end[item] == end_of_siblings(to, item),
                  .targets = merged->targets,
                  .bytes = merged->bytes};
}

// The siblings from an item on, all folded; how many they are.
static uint32_t
fold_rest(const report *to, uint32_t item, line *out)
{
    uint32_t count = 0;
    uint32_t end = end_of_siblings(to, item);
    *out = line_of(to, item);
    *out = (line){.parent = out->parent, .depth = out->depth, .last = true};
    for (uint32_t i = item; i < end; i = to->pruned.end[i]) {
        out->targets += to->paths.items[i].targets;
        out->bytes.host += to->paths.items[i].bytes.host;
        out->bytes.device += to->paths.items[i].bytes.device;
        count++;
    }
    return count;
}

// How many items in a row are passed, from one on.
static uint32_t
count_passed(const report *to, uint32_t item)
{
    uint32_t count = 0;
    while (item + count < to->paths.count &&
           to->pruned.state[item + count] == LG__PRUNE_PASSED)
        count++;
    return count;
}

static void
set_depths(report *to)
{
    const uint8_t *state = to->pruned.state;
    for (uint32_t i = 0; i < to->paths.count; i++) {
        uint32_t parent = to->paths.items[i].parent;
        if (parent == LG_NONE)
            to->depth[i] = 0;
        else
            to->depth[i] =
                to->depth[parent] + !(state[i] == LG__PRUNE_PASSED &&
                                      state[parent] == LG__PRUNE_PASSED);
    }
}

/* ---------------------------------------------------------------- words --- */

// Labels that differ are told as one.
void
lg_merged_label(const lg_graph *graph, const lg_merged *item, lg_text *out)
{
    uint64_t last = item->hop.edges[item->hop.edge_count - 1];
    switch (item->varied ? lg__edge_kind(graph, last) : LG_EDGE_KIND_COUNT) {
    case LG_EDGE_INDEX:
    case LG_EDGE_VALUE:
        lg_text_add(out, "[*]");
        return;
    case LG_EDGE_ELEMENT:
        lg_text_add(out, "elements");
        return;
    case LG_EDGE_KEY:
        lg_text_add(out, "keys");
        return;
    case LG_EDGE_FRAME:
        lg_text_add(out, "frames");
        return;
    case LG_EDGE_STACK:
        lg_text_add(out, "temporaries");
        return;
    case LG_EDGE_REFERENCE:
        lg_text_add(out, "references");
        return;
    default:
        lg_hop_label(graph, &item->hop, out);
    }
}

// Objects that nothing but native code is known to hold.
static bool
is_native(const report *to, const lg_merged *item)
{
    return item->root != LG_NONE &&
           lg__root_rank(to->graph, item->root) == LG__RANK_NATIVE;
}

static void
format_item(const report *to, const lg_merged *item, lg_text *out)
{
    if (is_native(to, item))
        lg_text_add(out, "native code: ");
    if (item->nodes == 1) {
        lg__format_step(to->graph, item->node, out);
        return;
    }
    lg_text_add_count(out, item->nodes);
    lg_text_add(out, " ");
    lg__text_add_string(out, lg_graph_type(to->graph, item->type).name);
}

/* ----------------------------------------------------------------- text --- */

static void
add_sizes(report *to, const line *at)
{
    lg_text cell = {0};
    lg__format_bytes(to->graph, at->bytes, &to->text);
    lg_text_add(&to->text, "\t");
    lg_text_add_count(&cell, at->targets);
    lg__format_right(&cell, 10, &to->text);
    lg_text_add(&to->text, "  ");
    lg_text_free(&cell);
    for (uint32_t depth = 1; depth < at->depth; depth++)
        lg_text_add(&to->text, to->open[depth] ? "│  " : "   ");
    if (at->depth > 0)
        lg_text_add(&to->text, at->last ? "└─ " : "├─ ");
    to->open[at->depth] = !at->last;
}

static void
text_item(report *to, uint32_t index)
{
    const lg_merged *item = &to->paths.items[index];
    line at = line_of(to, index);
    add_sizes(to, &at);
    if (item->parent != LG_NONE) {
        lg_merged_label(to->graph, item, &to->text);
        lg_text_add(&to->text, "  ");
    }
    format_item(to, item, &to->text);
    lg_text_add(&to->text, "\n");
}

static void
text_others(report *to, const line *at, uint32_t count, const char *what)
{
    add_sizes(to, at);
    lg_text_add_count(&to->text, count);
    lg_text_addf(&to->text, " %s\n", what);
}

static void
add_head(report *to)
{
    lg_text *out = &to->text;
    lg_text_add_count(out, to->targets);
    lg_text_add(out,
                to->targets == 1 ? " object retains " : " objects retain ");
    lg__format_bytes(to->graph, to->together, out);
    if (to->targets > 1)
        lg_text_add(out, " together");
    if (to->paths.unreachable > 0) {
        lg_text_add(out, "; no root reaches ");
        if (to->paths.unreachable == to->targets)
            lg_text_add(out, to->targets == 1 ? "it" : "any of them");
        else
            lg_text_add_count(out, to->paths.unreachable);
        lg_text_add(out, to->paths.unreachable == 1 ? ", which is garbage"
                                                    : ", which are garbage");
    }
    lg_text_add(out, "\n");
    if (to->paths.count > 0)
        lg_text_add(out,
                    "\n    retained\t   objects  how the roots reach them\n");
}

static void
add_end(report *to)
{
    if (to->paths.count > 0)
        lg_text_add(&to->text, "\neach branch shows what its objects retain, "
                               "each byte counted once\n");
}

/* ----------------------------------------------------------------- json --- */

static void
json_row(report *to, const line *at)
{
    lg_text *out = &to->text;
    lg_text_add(out, to->rows > 1 ? ",\n  {" : "\n  {");
    lg_text_addf(out, "\"depth\": %u, \"parent\": ", at->depth);
    if (at->parent == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", to->row[at->parent]);
    lg_text_addf(out, ", \"objects\": %llu, \"retained\": ",
                 (unsigned long long)at->targets);
    lg__json_bytes(at->bytes, out);
}

static void
json_item(report *to, uint32_t index)
{
    const lg_merged *item = &to->paths.items[index];
    lg_text *out = &to->text;
    line at = line_of(to, index);
    lg_text said = {0};
    json_row(to, &at);
    if (item->root != LG_NONE) {
        lg_root root = lg_graph_root(to->graph, item->root);
        lg_text_add(out, ", \"root\": ");
        lg__json_root(&root, out);
    } else {
        lg_text_add(out, ", \"label\": ");
        lg_merged_label(to->graph, item, &said);
        lg__json_formatted(&said, out);
    }
    lg_text_addf(out, ", \"count\": %u, ", item->nodes);
    lg__json_node(to->graph, item->node, out);
    lg_text_add(out, "}");
}

static void
json_others(report *to, const line *at, uint32_t count, const char *what)
{
    json_row(to, at);
    lg_text_addf(&to->text, ", \"%s\": %u}", what, count);
}

/* --------------------------------------------------------------- report --- */

// What would stand for one line takes one as well.
static bool
is_last_leaf(const report *to, uint32_t item)
{
    return to->pruned.state[item] == LG__PRUNE_FOLDED &&
           to->pruned.end[item] == item + 1 &&
           end_of_siblings(to, item) == item + 1;
}

static void
add_rows(report *to, lg_format format)
{
    bool json = format == LG_FORMAT_JSON;
    const uint8_t *state = to->pruned.state;
    uint32_t next;
    for (uint32_t i = 0; i < to->paths.count; i = next) {
        line at = line_of(to, i);
        uint32_t count;
        to->row[i] = to->rows++;
        if (state[i] == LG__PRUNE_SHOWN || is_last_leaf(to, i)) {
            (json ? json_item : text_item)(to, i);
            next = i + 1;
        } else if (state[i] == LG__PRUNE_PASSED) {
            count = count_passed(to, i);
            (json ? json_others : text_others)(
                to, &at, count, json ? "passed" : "references further on");
            next = i + count;
            to->row[next - 1] = to->row[i];
        } else {
            next = end_of_siblings(to, i);
            count = fold_rest(to, i, &at);
            (json ? json_others : text_others)(to, &at, count, "more");
        }
    }
}

static void
write_text(report *to)
{
    add_head(to);
    add_rows(to, LG_FORMAT_TEXT);
    add_end(to);
}

static void
write_json(report *to)
{
    lg_text_addf(&to->text,
                 "{\"objects\": %llu, \"unreachable\": %llu, \"retained\": ",
                 (unsigned long long)to->targets,
                 (unsigned long long)to->paths.unreachable);
    lg__json_bytes(to->together, &to->text);
    lg_text_add(&to->text, ", \"rows\": [");
    add_rows(to, LG_FORMAT_JSON);
    lg_text_add(&to->text, "\n]}\n");
}

static lg_status
prepare(report *to, const uint32_t *nodes, size_t count, size_t limit,
        const lg_monitor *monitor, lg_error *err)
{
    lg_status status = lg_nodes_retained(to->analysis, nodes, count, monitor,
                                         &to->together, err);
    if (status == LG_OK)
        status = lg_paths_merged(to->analysis, nodes, count, monitor,
                                 &to->paths, err);
    if (status == LG_OK)
        status = lg__paths_prune(&to->paths, limit, &to->pruned, err);
    if (status != LG_OK)
        return status;
    to->targets = to->paths.unreachable;
    for (uint32_t i = 0; i < to->paths.count; i = to->pruned.end[i])
        to->targets += to->paths.items[i].targets;
    size_t room = to->paths.count + 1;
    to->depth = malloc(room * sizeof *to->depth);
    to->row = malloc(room * sizeof *to->row);
    to->open = calloc(room, sizeof *to->open);
    if (!to->depth || !to->row || !to->open)
        return lg__error_memory(err);
    set_depths(to);
    return LG_OK;
}

lg_status
lg_report_paths(const lg_analysis *analysis, const lg_node *nodes, size_t count,
                size_t limit, const lg_monitor *monitor, lg_format format,
                lg_text *out, lg_error *err)
{
    report to = {.analysis = analysis, .graph = lg_analysis_graph(analysis)};
    lg_status status = prepare(&to, nodes, count, limit, monitor, err);
    if (status == LG_OK && format == LG_FORMAT_JSON)
        write_json(&to);
    else if (status == LG_OK)
        write_text(&to);
    lg_merged_paths_free(&to.paths);
    lg__pruned_free(&to.pruned);
    free(to.depth);
    free(to.row);
    free(to.open);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
