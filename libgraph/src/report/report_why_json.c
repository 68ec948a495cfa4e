// Why a node is alive, as JSON.
#include "report/words.h"

#include <string.h>

static void
json_path(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    lg_text_add(out, "{\"root\": ");
    // A path that begins at the dominator has no root.
    if (path->root.kind == LG_ROOT_GIVEN)
        lg_text_add(out, "null");
    else
        lg__json_root(&path->root, out);
    lg_text_addf(out, ", \"from\": %u, \"hops\": ", path->root.node);
    lg__json_hops(graph, path->hops, path->count, out);
}

// Without a cut there is nothing to list, which the count says.
static void
json_cuts(const lg_why *why, lg_text *out)
{
    const lg_cuts *cuts = &why->cuts;
    lg_text_add(out, "],\n \"cuts\": [");
    for (size_t i = 0; i < cuts->count; i++) {
        lg_text_add(out, i > 0 ? ",\n  " : "\n  ");
        json_path(lg_analysis_graph(why->analysis), &cuts->items[i].path, out);
        lg_text_addf(out, ", \"cut\": %u}", cuts->items[i].hop);
    }
    lg_text_addf(out, "],\n \"cut_count\": %llu, \"kept\": ",
                 (unsigned long long)cuts->total);
    if (cuts->is_kept) {
        json_path(lg_analysis_graph(why->analysis), &cuts->kept, out);
        lg_text_add(out, "}");
    } else {
        lg_text_add(out, "null");
    }
}

static void
json_alive(const lg_why *why, lg_text *out)
{
    lg_text_add(out, ",\n \"root\": ");
    lg__json_root(&why->path.root, out);
    lg_text_add(out, ",\n \"path\": ");
    lg__json_hops(lg_analysis_graph(why->analysis), why->path.hops,
                  why->path.count, out);
    lg_text_add(out, ",\n \"frees\": [");
    const char *between = "";
    for (size_t i = 0; i < why->path.count; i++) {
        if (!why->frees[i])
            continue;
        lg_text_addf(out, "%s%zu", between, i);
        between = ", ";
    }
    json_cuts(why, out);
}

static void
json_garbage(const lg_why *why, lg_text *out)
{
    lg_cycle_reason reason = why->reason;
    lg_text_addf(out, ",\n \"collectable\": %s",
                 reason == LG_REASON_NONE ? "true" : "false");
    if (reason != LG_REASON_NONE)
        lg_text_addf(out, ", \"reason\": \"%s\", \"culprit\": %u",
                     lg__reason_name(reason), why->culprit);
    lg_text_add(out, ",\n \"cycle\": ");
    lg__json_hops(lg_analysis_graph(why->analysis), why->cycle.items,
                  why->cycle.count, out);
}

void
lg__json_why(const lg_why *why, const char *note, lg_text *out)
{
    lg_text_add(out, "{");
    lg__json_node(lg_analysis_graph(why->analysis), why->node, out);
    lg_text_addf(out, ",\n \"reachable\": %s", why->garbage ? "false" : "true");
    lg_text_add(out, ", \"retained\": ");
    lg__json_retained(why->analysis, lg_node_retained_on, why->node, out);
    lg_text_addf(out, ", \"unseen\": %lld, \"dominator\": ",
                 (long long)lg_node_unexplained(
                     lg_analysis_graph(why->analysis), why->node));
    if (why->dominator == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", why->dominator);
    if (note != NULL) {
        lg_text_add(out, ", \"note\": ");
        lg_text_add_json(out, note, strlen(note));
    }
    if (why->garbage)
        json_garbage(why, out);
    else
        json_alive(why, out);
    lg_text_add(out, ",\n \"findings\": [");
    for (size_t i = 0; i < why->findings.count; i++) {
        lg_text_add(out, i > 0 ? ", " : "");
        lg__json_finding(lg_analysis_graph(why->analysis),
                         &why->findings.items[i], out);
    }
    lg_text_add(out, "]}\n");
}
