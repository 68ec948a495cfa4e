// Says what a snapshot knows of a mistake besides what the holder keeps.
#include "findings/weak_entries.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/facts.h>

#include <string.h>

static void
add_number(lg_text *out, uint64_t count, const char *one, const char *many)
{
    if (count == 0)
        lg_text_add(out, "no");
    else
        lg_text_add_count(out, count);
    lg_text_addf(out, " %s", count == 1 ? one : many);
}

// Writes how often calls of a cached function found their result.
static void
format_hits(const lg_graph *graph, uint32_t cache, lg_text *out)
{
    uint64_t misses = lg_node_fact_number(graph, cache, "misses", 0);
    uint64_t hits = lg_node_fact_number(graph, cache, "hits", UINT64_MAX);
    if (hits == UINT64_MAX || misses == 0)
        return;
    lg_text_add(out, "The cache had ");
    add_number(out, misses, "miss", "misses");
    lg_text_add(out, " and ");
    add_number(out, hits, "hit", "hits");
    lg_text_add(out, hits == 0 ? ": its keys never repeat." : ".");
}

enum { LEVELS = 4 }; // most containers between a variable and what it keeps

// Returns the first edge into the node from a variable of a function, or else
// from a container; UINT64_MAX if there is none.
static uint64_t
edge_into(const lg_graph *graph, const lg__reverse *reverse, uint32_t node)
{
    uint64_t found = UINT64_MAX;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        lg_category category = lg__node_category(graph, source);
        if (lg__edge_kind(graph, edge) == LG_EDGE_LOCAL)
            return edge;
        if (category == LG_CATEGORY_CONTAINER && found == UINT64_MAX)
            found = edge;
    }
    return found;
}

// Writes which variable of which function has the example.
static void
format_variable(const lg_graph *graph, uint32_t example, lg_text *out)
{
    lg__reverse reverse;
    if (!lg__graph_reverse(graph, &reverse)) {
        out->failed = true;
        return;
    }
    for (int level = 0; level < LEVELS; level++) {
        uint64_t edge = edge_into(graph, &reverse, example);
        if (edge == UINT64_MAX)
            return;
        example = lg_edge_source(graph, edge);
        if (lg__edge_kind(graph, edge) != LG_EDGE_LOCAL)
            continue;
        lg_string name =
            lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
        lg_string frame = lg_node_text(graph, example);
        lg_text_addf(out, "An example is in local %.*s of %.*s.",
                     (int)name.length, name.data, (int)frame.length,
                     frame.data);
        return;
    }
}

// Returns the edge to the value of an entry that has the weak reference, or
// UINT64_MAX.
static uint64_t
entry_with(const lg_graph *graph, const lg__reverse *reverse,
           uint32_t reference)
{
    const lg_columns *columns = &graph->columns;
    for (uint64_t i = lg__first_in(reverse, reference);
         i < lg__first_in(reverse, reference + 1); i++) {
        uint32_t dict = lg__in_source(reverse, i);
        const lg_edge_range edges = lg_columns_edges(columns, dict);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE &&
                (lg_columns_payload(columns, edge) == reference ||
                 lg_columns_target(columns, edge) == reference))
                return edge;
    }
    return UINT64_MAX;
}

// Returns the edge to the value of an entry whose weak half is the node, or
// UINT64_MAX.
static uint64_t
entry_of(const lg_graph *graph, const lg__reverse *reverse, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    uint64_t found = UINT64_MAX;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1) && found == UINT64_MAX; i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK)
            found = entry_with(graph, reverse, source);
    }
    return found;
}

// Writes the labels of the edges of a way: `['request'].body`.
static void
format_labels(const lg_graph *graph, const lg__way *way, lg_text *out)
{
    for (uint32_t i = 0; i < way->length; i++) {
        lg_hop hop = {.source = lg_edge_source(graph, way->edges[i]),
                      .target =
                          lg_columns_target(&graph->columns, way->edges[i]),
                      .edges = {way->edges[i]},
                      .edge_count = 1};
        if (lg__edge_kind(graph, way->edges[i]) != LG_EDGE_DICT)
            lg_hop_label(graph, &hop, out);
    }
}

// Writes how the value of an entry leads to its own key, or the other way
// round, for the entry of the example.
static void
format_way(const lg_graph *graph, const lg_holder *holder, lg_text *out)
{
    lg__reverse reverse;
    lg__weak_entry entry;
    lg__way way;
    if (!lg__graph_reverse(graph, &reverse)) {
        out->failed = true;
        return;
    }
    uint64_t edge = entry_of(graph, &reverse, holder->example);
    if (edge == UINT64_MAX || !lg__weak_entry_read(graph, edge, &entry) ||
        !lg__way_find(graph, entry.strong, entry.weak, &way))
        return;
    const char *strong = entry.by_key ? "value" : "key";
    lg_text_addf(out, "For example, %s%s", strong, way.length > 0 ? "" : " it");
    format_labels(graph, &way, out);
    lg_text_addf(out, " is the %s.", entry.by_key ? "key" : "value");
}

// Writes in which function of the program a thread waits.
static void
format_waiting(const lg_graph *graph, uint32_t root, lg_text *out)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, root);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t frame = lg_columns_target(columns, edge);
        if (lg__edge_kind(graph, edge) != LG_EDGE_FRAME ||
            lg__node_origin(graph, frame, NULL) != LG__ORIGIN_PROGRAM)
            continue;
        lg_string text = lg_node_text(graph, frame);
        lg_text_addf(out, "An example waits in %.*s.", (int)text.length,
                     text.data);
        return;
    }
}

// Returns the class of the object whose method a thread runs: its own, or that
// of its target's object. LG_NONE if that is a class of a library.
static uint32_t
working_class(const lg_graph *graph, uint32_t thread)
{
    uint32_t target = lg__node_attribute(graph, thread, "_target");
    uint32_t of = target != LG_NONE
                      ? lg__node_attribute(graph, target, "__self__")
                      : LG_NONE;
    uint32_t type =
        lg_columns_type(&graph->columns, of != LG_NONE ? of : thread);
    uint32_t class = graph->type_node[type];
    return class != LG_NONE &&
                   lg__node_origin(graph, class, NULL) != LG__ORIGIN_LIBRARY
               ? class
               : LG_NONE;
}

// Writes which method of the class ends its work, as its name says.
static void
format_ending(const lg_graph *graph, uint32_t thread, lg_text *out)
{
    static const char *const names[] = {"close",     "stop",   "shutdown",
                                        "terminate", "cancel", "quit"};
    uint32_t class = working_class(graph, thread);
    if (class == LG_NONE || out->length == 0)
        return;
    lg_string name = lg__last_part(lg_node_text(graph, class));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__class_attribute(graph, class, names[i]) != LG_NONE) {
            lg_text_addf(out, " %.*s has %s().", (int)name.length, name.data,
                         names[i]);
            return;
        }
}

// Returns the dict with the guards that failed, by the code that torch.compile
// compiled anew; LG_NONE if there is none.
static uint32_t
find_failures(const lg_graph *graph)
{
    static const char module[] = "torch._dynamo.utils";
    uint32_t root = lg__module_find(graph, module, sizeof module - 1);
    return root != LG_NONE ? lg__node_attribute(graph, graph->root_node[root],
                                                "guard_failures")
                           : LG_NONE;
}

// Writes which function was compiled anew the most often: each time, a guard
// of each earlier compilation had failed.
static void
format_recompiled(const lg_graph *graph, lg_text *out)
{
    const lg_columns *columns = &graph->columns;
    uint32_t failures = find_failures(graph);
    uint32_t code = LG_NONE;
    uint64_t most = 0;
    if (failures == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, failures);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t list = lg_columns_target(columns, edge);
        uint64_t count = lg_columns_first_edge(columns, list + 1) -
                         lg_columns_first_edge(columns, list);
        if (lg__edge_kind(graph, edge) != LG_EDGE_VALUE || count <= most ||
            lg_columns_payload_from(columns, failures, edge) >=
                columns->node_count)
            continue;
        most = count;
        code = lg_columns_payload_from(columns, failures, edge);
    }
    if (code == LG_NONE)
        return;
    lg_string text = lg_node_text(graph, code);
    lg_text_addf(out, "%.*s was compiled anew the most often.",
                 (int)text.length, text.data);
}

void
lg_holder_evidence_format(const lg_graph *graph, const lg_holder *holder,
                          lg_text *out)
{
    if (holder->node == LG_NONE)
        return;
    if (lg__node_is_a(graph, holder->node, LG__LRU_CACHE))
        format_hits(graph, holder->node, out);
    else if (strcmp(holder->pattern->name, "exception-traceback") == 0)
        format_variable(graph, holder->example, out);
    else if (strcmp(holder->pattern->name, "endless-threads") == 0) {
        format_waiting(graph, holder->node, out);
        format_ending(graph, holder->example, out);
    } else if (strcmp(holder->pattern->name, "compiled-code") == 0)
        format_recompiled(graph, out);
    else if (strcmp(holder->pattern->name, "weak-keys") == 0)
        format_way(graph, holder, out);
}
