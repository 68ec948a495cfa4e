// Why a node is alive: the way from a root to it, with the hops that would free
// it underlined; who dominates it; and everything that must be cut.
#include "answers/answers_private.h"
#include "report/words.h"

#include <string.h>

// Hops of a path shown at its ends, and lines of merged paths.
enum { HEAD = 12, TAIL = 12, PATHS_SHOWN = 20 };

typedef lg__why report;

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
    lg_text_add(&to->text, words[to->path.root.kind]);
}

// That native code holds a module or a named class is no news.
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
        lg__format_unseen(unseen, out);
        lg_text_add(out, ")\n");
    }
}

static void
add_hop(report *to, size_t index)
{
    lg_text *out = &to->text;
    lg_text_add(out, "│    ↓ ");
    size_t start = out->length;
    lg_hop_label(to->graph, &to->path.hops[index], out);
    size_t width = lg__text_width(out, start);
    lg_text_add(out, "\n");
    if (!to->suspect[index])
        return;
    lg_text_add(out, "│      ");
    while (width-- > 0)
        lg_text_add(out, "~");
    lg_text_add(out, "\n");
}

static void
add_path(report *to)
{
    lg_text *out = &to->text;
    const lg_path *path = &to->path;
    lg_text_add(out, "\n┬───\n│ GC root: ");
    format_root_kind(to);
    lg_text_add(out, "\n│\n");
    add_node(to, path->root.node, path->count == 0);
    for (size_t i = 0; i < path->count; i++) {
        if (path->count > HEAD + TAIL + 1 && i == HEAD) {
            lg_text_add(out, "┊  ");
            lg_text_add_count(out, path->count - HEAD - TAIL);
            lg_text_add(out, " more\n");
            i = path->count - TAIL;
        }
        add_hop(to, i);
        add_node(to, path->hops[i].target, i + 1 == path->count);
    }
}

static void
add_dominator(report *to)
{
    lg_text *out = &to->text;
    uint32_t dominator = lg_node_dominator(to->analysis, to->node);
    if (dominator == LG_NONE)
        return;
    if (to->walk.fold[dominator].owner != LG_NONE)
        dominator = to->walk.fold[dominator].owner;
    lg_text_add(out, "Everything that keeps it goes through ");
    format_numbered(to, dominator);
    lg_text_add(out, ", which ");
    format_retained(to, dominator);
    lg_text_add(out, ".\n");
}

static void
add_cuts(report *to)
{
    lg_text *out = &to->text;
    lg_text_addf(out, "%s%zu%s ways, which share no object:\n",
                 to->suspects > 0 ? "From there on it is kept in "
                                  : "To free it, cut each of these ",
                 to->cuts.count, to->cuts.more ? " and more" : "");
    for (size_t i = 0; i < to->cuts.count; i++) {
        const lg_path *path = &to->cuts.items[i];
        lg_text_addf(out, "  %zu. ", i + 1);
        if (path->root.kind == LG_ROOT_NATIVE && path->count == 0) {
            lg_text_add(out, "native code (");
            lg__format_unseen(lg_node_unexplained(to->graph, to->node), out);
            lg_text_add(out, ")\n");
            continue;
        }
        lg_path_label(to->graph, path, out);
        lg_text_add(out, "\n");
    }
}

static void
add_shortest_cycle(report *to)
{
    lg_text *out = &to->text;
    if (to->round_trip.count == 0)
        return;
    lg_component component = lg_analysis_component(to->analysis, to->component);
    lg_text_add(out, "\n");
    if (to->in_component == to->node) {
        lg_text_add(out, "It is");
    } else {
        lg_text_add(out, "It goes with ");
        format_numbered(to, to->in_component);
        lg_text_add(out, ", which is");
    }
    lg_text_add(out, " part of a cycle: ");
    uint32_t seen = lg__count_seen(to->graph, &component);
    if (seen > 1) {
        lg_text_add_count(out, seen);
        lg_text_add(out, " objects are tangled, and retain ");
    } else {
        lg_text_add(out, "it retains ");
    }
    lg__format_retained(to->analysis, lg_component_retained_on, to->component,
                        out);
    lg_text_add(out, "\n");
    lg__format_cycle(to->graph, &to->round_trip, to->cut, "  ", out);
}

static void
add_alive(report *to)
{
    lg_text *out = &to->text;
    add_path(to);
    lg_text_add(out, "\n");
    if (to->suspects == 1)
        lg_text_add(out,
                    "Cut the reference underlined with ~~~ and it goes.\n");
    else if (to->suspects > 1)
        lg_text_add(out, "Cut any one of the references underlined with ~~~ "
                         "and it goes.\n");
    add_dominator(to);
    if (to->path.root.kind == LG_ROOT_NATIVE)
        lg_text_add(out, "Only native code keeps it: an extension module, or a "
                         "part of the interpreter that leakgraph does not "
                         "read.\n");
    if (to->cuts.count > 1)
        add_cuts(to);
    if (to->in_component == to->node)
        add_shortest_cycle(to);
}

static void
add_garbage(report *to)
{
    lg_text *out = &to->text;
    lg_cycle_reason reason =
        (lg_cycle_reason)to->uncollectable.reason[to->node];
    lg_text_add(out, "\nNo root reaches it: it is garbage. ");
    if (reason == LG_REASON_NONE) {
        lg_text_add(out, "The next gc.collect() frees it.\n");
    } else {
        lg_text_add(out, "gc.collect() cannot free it: ");
        lg__format_reason(to->graph, reason,
                          to->uncollectable.culprit[to->node], out);
        lg_text_add(out, ".\n");
    }
    add_dominator(to);
    add_shortest_cycle(to);
}

static void
why_text(report *to)
{
    lg__format_step(to->graph, to->node, &to->text);
    lg_text_add(&to->text, "  ");
    format_retained(to, to->node);
    lg_text_add(&to->text, "\n");
    if (to->note != NULL)
        lg_text_addf(&to->text, "%s\n", to->note);
    if (to->garbage)
        add_garbage(to);
    else
        add_alive(to);
    for (size_t i = 0; i < to->findings.count; i++)
        lg__format_finding(to->graph, &to->findings.items[i], &to->text);
}

static void
json_alive(report *to)
{
    lg_text *out = &to->text;
    lg_text_add(out, ",\n \"root\": ");
    lg__json_root(&to->path.root, out);
    lg_text_add(out, ",\n \"path\": ");
    lg__json_hops(to->graph, to->path.hops, to->path.count, out);
    lg_text_add(out, ",\n \"suspects\": [");
    const char *between = "";
    for (size_t i = 0; i < to->path.count; i++) {
        if (!to->suspect[i])
            continue;
        lg_text_addf(out, "%s%zu", between, i);
        between = ", ";
    }
    lg_text_add(out, "],\n \"cuts\": [");
    for (size_t i = 0; i < to->cuts.count; i++) {
        const lg_path *path = &to->cuts.items[i];
        lg_text_add(out, i > 0 ? ",\n  {\"root\": " : "\n  {\"root\": ");
        lg__json_root(&path->root, out);
        lg_text_add(out, ", \"hops\": ");
        lg__json_hops(to->graph, path->hops, path->count, out);
        lg_text_add(out, "}");
    }
    lg_text_addf(out, "],\n \"more_cuts\": %s",
                 to->cuts.more ? "true" : "false");
}

static void
json_garbage(report *to)
{
    lg_text *out = &to->text;
    uint8_t reason = to->uncollectable.reason[to->node];
    lg_text_addf(out, ",\n \"collectable\": %s",
                 reason == LG_REASON_NONE ? "true" : "false");
    if (reason != LG_REASON_NONE)
        lg_text_addf(out, ", \"reason\": \"%s\", \"culprit\": %u",
                     lg__reason_name((lg_cycle_reason)reason),
                     to->uncollectable.culprit[to->node]);
    lg_text_add(out, ",\n \"cycle\": ");
    lg__json_hops(to->graph, to->round_trip.items, to->round_trip.count, out);
}

static void
why_json(report *to)
{
    lg_text *out = &to->text;
    uint32_t dominator = lg_node_dominator(to->analysis, to->node);
    lg_text_add(out, "{");
    lg__json_node(to->graph, to->node, out);
    lg_text_addf(out, ",\n \"reachable\": %s", to->garbage ? "false" : "true");
    lg_text_add(out, ", \"retained\": ");
    lg__json_retained(to->analysis, lg_node_retained_on, to->node, out);
    lg_text_addf(out, ", \"unseen\": %lld, \"dominator\": ",
                 (long long)lg_node_unexplained(to->graph, to->node));
    if (dominator == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", dominator);
    if (to->note != NULL) {
        lg_text_add(out, ", \"note\": ");
        lg_text_add_json(out, to->note, strlen(to->note));
    }
    if (to->garbage)
        json_garbage(to);
    else
        json_alive(to);
    lg_text_add(out, ",\n \"findings\": [");
    for (size_t i = 0; i < to->findings.count; i++) {
        lg_text_add(out, i > 0 ? ", " : "");
        lg__json_finding(to->graph, &to->findings.items[i], out);
    }
    lg_text_add(out, "]}\n");
}

static lg_status
explain(const lg_analysis *analysis, uint32_t node, const char *note,
        const lg_monitor *monitor, lg_format format, lg_text *out,
        lg_error *err)
{
    report to = {.analysis = analysis,
                 .graph = lg_analysis_graph(analysis),
                 .monitor = monitor,
                 .node = node,
                 .note = note,
                 .in_component = LG_NONE};
    lg_status status = lg__why_explain(&to, err);
    if (status == LG_OK && format == LG_FORMAT_JSON)
        why_json(&to);
    else if (status == LG_OK)
        why_text(&to);
    lg__why_free(&to);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}

static lg_status
check_nodes(const lg_graph *graph, const uint32_t *nodes, size_t count,
            lg_error *err)
{
    if (count == 0)
        return lg_error_set(err, LG_EINVAL, "there is no object to explain");
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= graph->columns.node_count)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    return LG_OK;
}

// A report ends with a newline, which one within another does not need.
static void
trim(lg_text *text)
{
    if (!text->failed && text->length > 0)
        text->data[--text->length] = '\0';
}

// JSON has one shape, whether it is about one or about many.
lg_status
lg_report_why(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
              const char *note, const lg_monitor *monitor, lg_format format,
              lg_text *out, lg_error *err)
{
    bool json = format == LG_FORMAT_JSON;
    lg_text text = {0};
    lg_status status =
        check_nodes(lg_analysis_graph(analysis), nodes, count, err);
    if (status != LG_OK)
        return status;
    if (json)
        lg_text_add(&text, "{\"paths\": ");
    if (json || count > 1)
        status = lg_report_paths(analysis, nodes, count, PATHS_SHOWN, monitor,
                                 format, &text, err);
    if (json) {
        trim(&text);
        lg_text_add(&text, ",\n\"biggest\": ");
    } else if (count > 1) {
        lg_text_add(&text, "\nThe one that retains the most:\n\n");
    }
    if (status == LG_OK)
        status = explain(analysis, lg_nodes_biggest(analysis, nodes, count),
                         note, monitor, format, &text, err);
    if (json) {
        trim(&text);
        lg_text_add(&text, "}\n");
    }
    if (status == LG_OK)
        return lg__report_finish(&text, out, err);
    lg_text_free(&text);
    return status;
}
