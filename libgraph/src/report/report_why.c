// Why a node is alive, as text and as JSON.
#include "report/report_private.h"
#include "report/words_findings.h"
#include "analysis/analysis_private.h"
#include "native/native_private.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/why_facts.h>
#include <leakgraph/internal/wording.h>

#include <stdlib.h>
#include <string.h>

// Writes why a node is alive, as JSON, and the sentence that helps to cut.

// Writes the members of a path.
static void
write_path(lg_json *json, const lg_graph *graph, const lg_path *path)
{
    // A path that begins at a dominator has no root.
    if (path->start == LG_STARTS_AT_ROOT)
        lg__write_root(json, "root", &path->root);
    else
        lg_json_null(json, "root");
    lg_json_count(json, "from", path->root.node);
    lg__write_hops(json, "hops", graph, path->hops, path->count);
}

// Writes the cuts. If there is none, the list is empty and the count says so.
static void
write_cuts(lg_json *json, const lg_why *why)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    const lg_cuts *cuts = &why->cuts;
    lg_json_lines(json, "cuts");
    for (size_t i = 0; i < cuts->count; i++) {
        lg_json_object(json, NULL);
        write_path(json, graph, &cuts->items[i].path);
        lg_json_count(json, "cut", cuts->items[i].hop);
        lg_json_end(json);
    }
    lg_json_end(json);
    lg_json_count(json, "cut_count", cuts->total);
    if (!cuts->is_kept) {
        lg_json_null(json, "kept");
        return;
    }
    lg_json_object(json, "kept");
    write_path(json, graph, &cuts->kept);
    lg_json_end(json);
}

// What cuts a reference of the interpreter.
static const char *const calls[] = {
    [LG_CALL_NONE] = "",
    [LG_CALL_ATEXIT] = "atexit.unregister() drops the function.",
    [LG_CALL_PROFILE] =
        "sys.setprofile(None) in the same thread drops the profile function.",
    [LG_CALL_TRACE] =
        "sys.settrace(None) in the same thread drops the trace function.",
    [LG_CALL_ASYNCGEN] = ("sys.set_asyncgen_hooks(None, None) in the same "
                          "thread drops the hooks."),
    [LG_CALL_SIGNAL] =
        "signal.signal(N, signal.SIG_DFL) drops the handler of signal N.",
    [LG_CALL_COMPLETER] = "readline.set_completer(None) drops the completer.",
    [LG_CALL_STARTUP_HOOK] = "readline.set_startup_hook(None) drops the hook.",
    [LG_CALL_INPUT_HOOK] = "readline.set_pre_input_hook(None) drops the hook.",
    [LG_CALL_DISPLAY_HOOK] =
        "readline.set_completion_display_matches_hook(None) drops the hook.",
    [LG_CALL_CODECS] = "codecs.unregister() drops a search function.",
};

// Writes which cache to clear, and what that does.
static void
format_clearing(const lg_why *why, lg_text *out)
{
    lg_string name =
        lg_node_text(lg_analysis_graph(why->analysis), why->cached);
    lg_text_add(out, why->hint == LG_HINT_CACHED
                         ? "It is a cached function. Call "
                         : "Call ");
    if (name.length > 0)
        lg_text_addf(out, "%.*s.cache_clear()", (int)name.length, name.data);
    else
        lg_text_add(out, "cache_clear() of the cached function");
    lg_text_add(out, why->hint == LG_HINT_CACHED
                         ? " to free what its cache keeps."
                     : why->hint == LG_HINT_CACHE
                         ? " to free it, with all else in that cache."
                         : " to cut the references of that cache.");
}

void
lg_why_hint_format(const lg_why *why, lg_text *out)
{
    switch (why->hint) {
    case LG_HINT_NONE:
        break;
    case LG_HINT_CALL:
        lg_text_add(out, calls[why->call]);
        break;
    case LG_HINT_CACHED:
    case LG_HINT_CACHE:
    case LG_HINT_CACHE_IN:
        format_clearing(why, out);
        break;
    case LG_HINT_CYCLE:
        lg_text_add(out, "The collector does not see all references of the "
                         "cycle that it is part of: break the cycle, too, or "
                         "it stays as garbage.");
        break;
    case LG_HINT_SHELL:
        lg_text_add(out, "IPython keeps the results of cells: %xdel with the "
                         "name of a variable drops the variables and results "
                         "that are its value, but not references of other "
                         "objects.");
        break;
    case LG_HINT_LOCALS:
        lg_text_add(out, "f_locals is a copy of a function's variables, made "
                         "for a debugger or locals(): it goes with its frame.");
        break;
    }
}

static void
write_alive(lg_json *json, const lg_why *why)
{
    lg__write_root(json, "root", &why->path.root);
    lg__write_hops(json, "path", lg_analysis_graph(why->analysis),
                   why->path.hops, why->path.count);
    lg_json_array(json, "frees");
    for (size_t i = 0; i < why->path.count; i++)
        if (why->frees[i])
            lg_json_count(json, NULL, i);
    lg_json_end(json);
    write_cuts(json, why);
    lg_text hint = {0};
    lg_why_hint_format(why, &hint);
    if (hint.length > 0)
        lg__write_formatted(json, "hint", &hint);
}

static void
write_garbage(lg_json *json, const lg_why *why)
{
    lg_cycle_reason reason = why->reason;
    lg_json_bool(json, "collectable", reason == LG_REASON_NONE);
    if (reason != LG_REASON_NONE) {
        const char *name = lg_cycle_reason_name(reason);
        lg_json_string(json, "reason", name, strlen(name));
        lg_json_count(json, "culprit", why->culprit);
    }
    lg__write_hops(json, "cycle", lg_analysis_graph(why->analysis),
                   why->cycle.items, why->cycle.count);
}

// Moves a part of a finding behind its name. Further lines start below the
// first one.
static void
move_part(lg_text *part, const char *name, lg_text *out)
{
    if (part->length > 0)
        lg_text_addf(out, "\n  %-9s", name);
    for (size_t i = 0; i < part->length; i++) {
        lg_text_add_bytes(out, part->data + i, 1);
        if (part->data[i] == '\n')
            lg_text_addf(out, "%11s", "");
    }
    out->failed |= part->failed;
    part->length = 0;
}

// Writes `Known mistake: loss-history: 12 MiB, 10 x Tensor`, with cause and fix
// below.
static void
format_finding(const lg_graph *graph, const lg_finding *finding, lg_text *out)
{
    lg_text part = {0};
    lg_text_add(out, "\nA known mistake, ");
    lg__format_mistake(graph, finding->pattern, finding->retained, out);
    lg__format_kept(graph, finding->count, finding->of_type,
                    finding->holders->example, finding->varied, out);
    lg__format_freed(graph, finding->retained, finding->freed, out);
    lg__format_advice(graph, finding, false, &part);
    move_part(&part, "cause", out);
    lg__format_evidence(graph, finding, &part);
    move_part(&part, "evidence", out);
    lg__format_advice(graph, finding, true, &part);
    move_part(&part, "fix", out);
    lg_text_add(out, "\n");
    lg_text_free(&part);
}

static void
write_advice(lg_json *json, const char *name, const lg_graph *graph,
             const lg_finding *finding, bool fix)
{
    lg_text text = {0};
    lg__format_advice(graph, finding, fix, &text);
    lg_json_string(json, name, text.data, text.length);
    lg_text_free(&text);
}

static void
write_evidence(lg_json *json, const lg_graph *graph, const lg_finding *finding)
{
    lg_text text = {0};
    lg__format_evidence(graph, finding, &text);
    if (text.length > 0)
        lg_json_string(json, "evidence", text.data, text.length);
    lg_text_free(&text);
}

// Writes `{"pattern": "loss-history", "holder": 1, ...}`, without where the
// holder is.
static void
write_finding(lg_json *json, const char *name, const lg_graph *graph,
              const lg_finding *finding)
{
    const lg_pattern *pattern = finding->pattern;
    lg_json_object(json, name);
    lg_json_string(json, "pattern", pattern->name, strlen(pattern->name));
    lg__write_node_or_null(json, "holder", finding->holders->node);
    lg__write_node_or_null(json, "example", finding->holders->example);
    lg_json_count(json, "count", finding->count);
    lg_json_bytes(json, "retained", graph, finding->retained);
    lg_json_bytes(json, "freed", graph, finding->freed);
    write_advice(json, "cause", graph, finding, false);
    write_advice(json, "fix", graph, finding, true);
    write_evidence(json, graph, finding);
    lg_json_array(json, "holders");
    for (size_t i = 0; i < finding->holder_count; i++) {
        const lg_holder *holder = &finding->holders[i];
        lg_json_object(json, NULL);
        lg_json_string(json, "pattern", holder->pattern->name,
                       strlen(holder->pattern->name));
        lg__write_node_or_null(json, "holder", holder->node);
        lg__write_node_or_null(json, "example", holder->example);
        lg_json_count(json, "count", holder->count);
        lg_json_bytes(json, "alone", graph, holder->retained);
        lg_json_end(json);
    }
    lg_json_end(json);
    lg_json_end(json);
}

// Writes the answer of lg_node_why.
static void
write_why(lg_json *json, const char *name, const lg_why *why, const char *note)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    lg_json_object(json, name);
    lg__write_node(json, graph, why->node);
    lg_json_bool(json, "reachable", !why->garbage);
    lg__write_retained(json, "retained", why->analysis, lg_node_retained_on,
                       why->node);
    lg_json_count(json, "spent", why->spent);
    lg_json_integer(json, "unseen", lg_node_unexplained(graph, why->node));
    lg__write_node_or_null(json, "dominator", why->dominator);
    if (note != NULL)
        lg_json_string(json, "note", note, strlen(note));
    (why->garbage ? write_garbage : write_alive)(json, why);
    lg_json_array(json, "findings");
    for (size_t i = 0; i < why->findings.count; i++)
        write_finding(json, NULL, graph, &why->findings.items[i]);
    lg_json_end(json);
    lg_json_end(json);
}

// Writes why a node is alive: the path from a root, with the hops underlined
// that would free the node; its dominator; and the references to cut.

// Hops to show at both ends of a path.
enum { HEAD = 12, TAIL = 12 };

typedef struct report {
    const lg_why *why;
    const lg_analysis *analysis;
    const lg_graph *graph;
    const char *note;
    lg_text text;
} report;

static void
format_retained(report *to, uint32_t node)
{
    lg_text_add(&to->text, "retains ");
    lg__format_retained(to->analysis, lg_node_retained_on, node, &to->text);
}

static void
format_numbered(report *to, uint32_t node)
{
    lg_node_title(to->graph, node, false, &to->text);
    lg_text_addf(&to->text, " #%u", node);
}

static void
format_root_kind(report *to)
{
    static const char *const words[] = {
        "an imported module (sys.modules)",
        "a running thread",
        "the interpreter itself",
        "a static or immortal object",
        "native code",
        "given",
    };
    lg_text_add(&to->text, words[to->why->path.root.kind]);
}

// Returns whether the node is a module or a named class. Native code holds all
// of these, which tells the reader nothing.
static bool
is_implicit_root(const report *to, uint32_t node)
{
    return (to->analysis->policy.mark[node] & LG__MARK_IMPLICIT_ROOT) != 0;
}

static void
add_node(report *to, uint32_t node, bool last)
{
    lg_text *out = &to->text;
    int64_t unseen = lg_node_unexplained(to->graph, node);
    lg_text_add(out, last ? "╰→ " : "├─ ");
    lg__format_step(to->graph, node, out);
    if (lg__node_category(to->graph, node) != LG_CATEGORY_ROOT) {
        lg_text_add(out, "  ");
        format_retained(to, node);
    }
    lg_text_add(out, "\n");
    if (unseen > 0 && !is_implicit_root(to, node)) {
        lg_text_add(out, last ? "     " : "│    ");
        lg_text_add(out, "held by native code (");
        lg_unexplained_format((uint64_t)unseen, out);
        lg_text_add(out, ")\n");
    }
}

static void
add_hop(report *to, size_t index)
{
    lg_text *out = &to->text;
    lg_text_add(out, "│    ↓ ");
    size_t start = out->length;
    lg_hop_label(to->graph, &to->why->path.hops[index], out);
    size_t width = lg__text_width(out, start);
    lg_text_add(out, "\n");
    if (!to->why->frees[index])
        return;
    lg_text_add(out, "│      ");
    while (width-- > 0)
        lg_text_add(out, "~");
    lg_text_add(out, "\n");
}

// Returns the hop in the middle of a long path to show, because it frees the
// node and no hop at the ends does; SIZE_MAX if there is none.
static size_t
hop_to_show(const report *to)
{
    size_t hidden = SIZE_MAX;
    for (size_t i = 0; i < to->why->path.count; i++) {
        bool is_hidden = i >= HEAD && i + TAIL < to->why->path.count;
        if (to->why->frees[i] && !is_hidden)
            return SIZE_MAX;
        if (to->why->frees[i])
            hidden = i;
    }
    return hidden;
}

static void
add_gap(report *to, size_t hops)
{
    if (hops == 0)
        return;
    lg_text_add(&to->text, "┊  ");
    lg_text_add_count(&to->text, hops);
    lg_text_add(&to->text, " more\n");
}

static void
add_step(report *to, size_t index)
{
    add_hop(to, index);
    add_node(to, to->why->path.hops[index].target,
             index + 1 == to->why->path.count);
}

static void
add_middle(report *to)
{
    size_t end = to->why->path.count - TAIL;
    size_t shown = hop_to_show(to);
    if (shown == SIZE_MAX) {
        add_gap(to, end - HEAD);
        return;
    }
    add_gap(to, shown - HEAD);
    add_step(to, shown);
    add_gap(to, end - shown - 1);
}

static void
add_path(report *to)
{
    lg_text *out = &to->text;
    bool is_long = to->why->path.count > HEAD + TAIL + 1;
    lg_text_add(out, "\n┬───\n│ GC root: ");
    format_root_kind(to);
    lg_text_add(out, "\n│\n");
    add_node(to, to->why->path.root.node, to->why->path.count == 0);
    for (size_t i = 0; i < to->why->path.count; i++) {
        if (is_long && i == HEAD) {
            add_middle(to);
            i = to->why->path.count - TAIL;
        }
        add_step(to, i);
    }
}

static bool
is_lost_memory(const lg_graph *graph, uint32_t node)
{
    return lg__string_is(
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name,
        LG__NATIVE_LOST);
}

static void
add_dominator(report *to)
{
    lg_text *out = &to->text;
    if (to->why->dominator == LG_NONE ||
        is_lost_memory(to->graph, to->why->dominator))
        return;
    lg_text_add(out, "Every path to it goes through ");
    format_numbered(to, to->why->dominator);
    lg_text_add(out, ", which ");
    format_retained(to, to->why->dominator);
    lg_text_add(out, ".\n");
}

static void
add_cut(report *to, size_t index)
{
    const lg_cut *cut = &to->why->cuts.items[index];
    lg_path lead = cut->path;
    lead.count = cut->hop + 1;
    lg_text_addf(&to->text, "  %zu. ", index + 1);
    lg_path_label(to->graph, &lead, &to->text);
    lg_text_add(&to->text, "\n");
}

static void
add_cuts(report *to)
{
    lg_text *out = &to->text;
    const lg_cuts *cuts = &to->why->cuts;
    bool spared =
        cuts->count > 0 && cuts->items[0].path.start == LG_STARTS_AT_NODE;
    lg_text_add(out,
                cuts->is_kept ? "Apart from that, cutting " : "To free it");
    if (spared && !cuts->is_kept) {
        lg_text_add(out, " and keep ");
        format_numbered(to, cuts->items[0].path.root.node);
    }
    if (cuts->total == 1)
        lg_text_add(out, cuts->is_kept ? "this reference frees it:\n"
                                       : ", cut this reference:\n");
    else
        lg_text_addf(out, "%seach of these %llu references%s:\n",
                     cuts->is_kept ? "" : ", cut ",
                     (unsigned long long)cuts->total,
                     cuts->is_kept ? " frees it" : "");
    for (size_t i = 0; i < cuts->count; i++)
        add_cut(to, i);
    if (cuts->total > cuts->count)
        lg_text_addf(out, "  and %llu more\n",
                     (unsigned long long)(cuts->total - cuts->count));
}

// Returns whether the path lasts only as long as a call.
static bool
ends_with_call(const report *to, const lg_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (lg__edge_kind(to->graph, path->hops[i].edges[0]) == LG_EDGE_STACK)
            return true;
    return false;
}

// Writes the path that no program can cut.
static void
add_kept(report *to)
{
    lg_text *out = &to->text;
    const lg_path *kept = &to->why->cuts.kept;
    bool native = kept->root.kind == LG_ROOT_NATIVE;
    if (!to->why->cuts.is_kept || to->why->frees_count > 0)
        return;
    if (native && kept->count == 0) {
        lg_text_add(out, "Native code keeps it (");
        lg_unexplained_format(
            (uint64_t)lg_node_unexplained(to->graph, to->why->node), out);
        lg_text_add(out, ").\n");
    } else if (kept->count > 0) {
        lg_text_add(out, native ? "Only native code can release this path: "
                         : ends_with_call(to, kept)
                             ? "No program can cut this path before the call "
                               "returns: "
                             : "No program can cut this path: ");
        lg_path_label(to->graph, kept, out);
        lg_text_add(out, "\n");
    }
}

static void
add_component(report *to)
{
    lg_text *out = &to->text;
    const lg_why *why = to->why;
    if (why->cycle.count == 0)
        return;
    lg_component component =
        lg_analysis_component(to->analysis, why->component);
    lg_text_add(out, "\n");
    if (why->member == why->node) {
        lg_text_add(out, "It is");
    } else {
        lg_text_add(out, "It goes with ");
        format_numbered(to, why->member);
        lg_text_add(out, ", which is");
    }
    lg_text_add(out, " part of a cycle: ");
    uint32_t seen = lg__count_seen(to->graph, &component);
    if (seen > 1) {
        lg_text_add_count(out, seen);
        lg_text_add(out, " objects refer to each other and retain ");
    } else {
        lg_text_add(out, "it refers to itself and retains ");
    }
    lg__format_retained(to->analysis, lg_component_retained_on, why->component,
                        out);
    lg_text_add(out, "\n");
    lg__format_cycle(to->graph, &why->cycle, why->cycle_cut, "  ", out);
}

// Writes what is known of the first thing on a path from lost memory.
static void
add_lost(report *to)
{
    lg_text *out = &to->text;
    const lg_hop *hop = &to->why->path.hops[0];
    bool none = lg_edge_level(to->graph, hop->edges[0]) == LG_LEVEL_NONE;
    lg_text_add(out, none ? "Nothing at all points to "
                          : "At most a word that is left over points to ");
    if (hop->target == to->why->node)
        lg_text_add(out, "it");
    else
        format_numbered(to, hop->target);
    lg_text_add(out,
                lg__node_is_block(to->graph, hop->target)
                    ? ": C code has lost it.\n"
                    : ": C code has taken a reference and not given it back. "
                      "Look for a missing Py_DECREF in the extension that "
                      "makes such objects.\n");
    lg_string text =
        lg_node_fact_text(to->graph, hop->target, LG__FACT_EXAMPLE);
    if (text.length > 0)
        lg_text_addf(out, "A text in it: %.*s\n", (int)text.length, text.data);
}

static void
add_native(report *to)
{
    const lg_path *path = &to->why->path;
    if (path->count > 0 && is_lost_memory(to->graph, path->root.node))
        add_lost(to);
    else
        lg_text_add(&to->text,
                    "Only native code keeps it: an extension module, or a part "
                    "of the interpreter that leakgraph does not read.\n");
}

static void
add_alive(report *to)
{
    lg_text *out = &to->text;
    const lg_why *why = to->why;
    add_path(to);
    lg_text_add(out, "\n");
    if (why->frees_count == 1)
        lg_text_add(out, "Cut the reference underlined with ~~~ to free it.\n");
    else if (why->frees_count > 1)
        lg_text_add(
            out,
            "Cut any one of the references underlined with ~~~ to free it.\n");
    add_dominator(to);
    if (why->path.root.kind == LG_ROOT_NATIVE)
        add_native(to);
    else
        add_kept(to);
    if (lg_why_needs_several(why))
        add_cuts(to);
    if (why->hint != LG_HINT_NONE) {
        lg_why_hint_format(why, out);
        lg_text_add(out, "\n");
    }
    if (why->member == why->node)
        add_component(to);
}

static void
add_garbage(report *to)
{
    lg_text *out = &to->text;
    lg_text_add(out, "\nNo root reaches it: it is garbage. ");
    if (to->why->reason == LG_REASON_NONE) {
        lg_text_add(out, "The next gc.collect() frees it.\n");
    } else {
        lg_text_add(out, "gc.collect() cannot free it: ");
        lg__format_reason(to->graph, to->why->reason, to->why->culprit, out);
        lg_text_add(out, ".\n");
    }
    add_dominator(to);
    add_component(to);
}

static void
why_text(report *to)
{
    const lg_why *why = to->why;
    lg__format_step(to->graph, why->node, &to->text);
    lg_text_add(&to->text, "  ");
    format_retained(to, why->node);
    lg_text_add(&to->text, "\n");
    lg__format_spent(why, &to->text);
    if (to->note != NULL)
        lg_text_addf(&to->text, "%s\n", to->note);
    if (why->garbage)
        add_garbage(to);
    else
        add_alive(to);
    for (size_t i = 0; i < why->findings.count; i++)
        format_finding(to->graph, &why->findings.items[i], &to->text);
}

static bool
are_several(const lg_table *paths)
{
    return paths != NULL &&
           lg_table_cell(lg_table_facts(paths), 0, LG__PATHS_OBJECTS).count > 1;
}

static lg_status
write_text(report *to, const lg_table *paths, lg_error *err)
{
    lg_status status = LG_OK;
    if (are_several(paths)) {
        status = lg_table_text(paths, 0, &to->text, err);
        lg_text_add(&to->text, "\nThe one that retains the most:\n\n");
    }
    if (status == LG_OK)
        why_text(to);
    return status;
}

// Writes JSON, which has the same form for one object and for many.
static lg_status
write_json(report *to, const lg_table *paths, lg_error *err)
{
    lg_json json = {.out = &to->text};
    lg_json_object(&json, NULL);
    if (paths != NULL)
        lg__table_write(paths, "paths", &json);
    else
        lg_json_null(&json, "paths");
    write_why(&json, "biggest", to->why, to->note);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

lg_status
lg_report_why(const lg_why *why, const lg_table *paths, const char *note,
              lg_format format, lg_text *out, lg_error *err)
{
    report to = {.why = why,
                 .analysis = why->analysis,
                 .graph = lg_analysis_graph(why->analysis),
                 .note = note};
    lg_text allocation = {0};
    if (note == NULL) {
        lg_report_allocation(why, &allocation);
        to.note = allocation.data;
    }
    lg_status status =
        (format == LG_FORMAT_JSON ? write_json : write_text)(&to, paths, err);
    lg_text_free(&allocation);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}

// Returns whether the reader of an answer waits, and may read meanwhile what
// part of it the graph alone decides.
static bool
is_awaited(const lg_graph *graph, const lg_nodes *nodes)
{
    return nodes->count == 1 && !graph->partial &&
           graph->columns.node_count >= LG_WHY_AHEAD_NODES &&
           !lg_analysis_is_saved(graph);
}

lg_status
lg_report_why_ahead(const lg_graph *graph, const lg_nodes *nodes,
                    const lg_monitor *monitor, lg_text *out, lg_error *err)
{
    lg_path path;
    if (!is_awaited(graph, nodes))
        return LG_OK;
    lg_status status =
        lg_path_from_root(graph, nodes->items[0], monitor, &path, err);
    if (status != LG_OK)
        return status == LG_ENOTFOUND ? LG_OK : status;
    lg_text text = {0};
    if (path.count > 0 && !is_lost_memory(graph, path.root.node)) {
        lg_text_add(&text, "held by  ");
        lg_path_label(graph, &path, &text);
        lg_text_add(&text, "\n");
    }
    lg_path_free(&path);
    return lg__report_finish(&text, out, err);
}

// Why for programs: a handle with accessors.
lg_status
lg_why_new(const lg_analysis *analysis, lg_node node, const lg_monitor *monitor,
           lg_why **out, lg_error *err)
{
    lg_why *why = malloc(sizeof *why);
    if (why == NULL)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    lg_status status = lg_node_why(analysis, node, monitor, why, err);
    if (status == LG_OK)
        *out = why;
    else
        free(why);
    return status;
}

void
lg_why_free(lg_why *why)
{
    if (why != NULL)
        lg_why_clear(why);
    free(why);
}

lg_node
lg_why_node(const lg_why *why)
{
    return why->node;
}

bool
lg_why_is_garbage(const lg_why *why)
{
    return why->garbage;
}

const lg_path *
lg_why_path(const lg_why *why)
{
    return why->garbage ? NULL : &why->path;
}

bool
lg_why_frees(const lg_why *why, size_t hop)
{
    return hop < why->path.count && why->frees[hop];
}

size_t
lg_why_cut_count(const lg_why *why)
{
    return why->cuts.is_kept ? 0 : why->cuts.count;
}

const lg_path *
lg_why_cut(const lg_why *why, size_t index, size_t *hop)
{
    if (index >= lg_why_cut_count(why))
        return NULL;
    *hop = why->cuts.items[index].hop;
    return &why->cuts.items[index].path;
}

lg_status
lg_why_text(const lg_why *why, lg_text *out, lg_error *err)
{
    return lg_report_why(why, NULL, NULL, LG_FORMAT_TEXT, out, err);
}

lg_status
lg_why_json(const lg_why *why, lg_text *out, lg_error *err)
{
    return lg_report_why(why, NULL, NULL, LG_FORMAT_JSON, out, err);
}
