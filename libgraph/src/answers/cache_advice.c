// Says which cache to clear.
#include "answers/answers_private.h"

#include <leakgraph/why.h>

static void
add_call(const lg_graph *graph, uint32_t function, lg_text *out)
{
    lg_string name = lg_node_text(graph, function);
    if (name.length > 0) {
        lg_text_addf(out, "%.*s", (int)name.length, name.data);
        lg_text_add(out, ".cache_clear()");
    } else {
        lg_text_add(out, "cache_clear() of the cached function");
    }
}

// Returns whether the edge of a cached function leads into its cache.
static bool
leads_into_cache(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    return kind == LG_EDGE_KEY || kind == LG_EDGE_VALUE ||
           kind == LG_EDGE_INDEX ||
           lg__string_is(lg__edge_name(graph, edge), "cache");
}

// Returns the last cached function on the path whose cache the path goes
// through, or LG_NONE.
static uint32_t
function_on(const lg_graph *graph, const lg_path *path)
{
    for (size_t i = path->count; i-- > 0;)
        if (lg__node_is_a(graph, path->hops[i].source, LG__LRU_CACHE) &&
            leads_into_cache(graph, path->hops[i].edges[0]))
            return path->hops[i].source;
    return LG_NONE;
}

static bool
dominates(const lg_analysis *analysis, uint32_t above, uint32_t node)
{
    while (node != LG_NONE && node != above)
        node = lg_node_dominator(analysis, node);
    return node == above;
}

void
lg__cache_advice_format(const lg_why *why, lg_text *out)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    uint32_t function = function_on(graph, &why->path);
    for (size_t i = 0; i < why->cuts.count && function == LG_NONE; i++)
        function = function_on(graph, &why->cuts.items[i].path);
    if (lg__node_is_a(graph, why->node, LG__LRU_CACHE)) {
        lg_text_add(out, "It is a cached function. Call ");
        add_call(graph, why->node, out);
        lg_text_add(out, " to free what its cache keeps.");
    } else if (function != LG_NONE) {
        lg_text_add(out, "Call ");
        add_call(graph, function, out);
        lg_text_add(out, dominates(why->analysis, function, why->node)
                             ? " to free it, with all else in that cache."
                             : " to cut the references of that cache.");
    }
}
