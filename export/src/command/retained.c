// What a set of objects keeps alive, and why that is not the sum of its parts.

#include "command.h"

#include <inttypes.h>
#include <string.h>

typedef struct lg_set_bytes {
    uint64_t count;
    lg_bytes own;      /* of the objects themselves */
    lg_bytes sum;      /* of what each retains */
    lg_bytes retained; /* by all together */
} lg_set_bytes;

static uint64_t
total(lg_bytes bytes)
{
    return bytes.host + bytes.device;
}

static void
add_up(const lg_analysis *analysis, const lg_nodes *nodes, lg_set_bytes *out)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    out->count = nodes->count;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t node = nodes->items[i];
        lg_bytes each = lg_node_retained(analysis, node);
        bool placed = lg_node_device(graph, node) != 0;
        *(placed ? &out->own.device : &out->own.host) +=
            lg_node_size(graph, node);
        out->sum.host += each.host;
        out->sum.device += each.device;
    }
}

static void
add_bytes(lg_text *out, const lg_graph *graph, lg_bytes bytes)
{
    if (bytes.device) {
        lg_string name = lg_graph_device_name(graph, 1);
        bool one = lg_graph_device_count(graph) == 1;
        lg_text_add_size(out, bytes.device);
        lg_text_add(out, " ");
        lg_text_add_bytes(out, one ? name.data : "on devices",
                          one ? name.length : 10);
        lg_text_add(out, " · ");
    }
    lg_text_add_size(out, bytes.host);
    lg_text_add(out, bytes.device ? " host" : "");
}

// One line: what the sum of all counts twice, or leaves out.
static void
add_difference(lg_text *out, const lg_set_bytes *set)
{
    uint64_t sum = total(set->sum), all = total(set->retained);
    if (sum == all) {
        lg_text_add(out, "the same: none lies below another, and they "
                         "share nothing\n");
    } else if (sum > all) {
        lg_text_add_size(out, sum - all);
        lg_text_add(out, " more than together: some of them lie below others, "
                         "which the sum counts twice\n");
    } else {
        lg_text_add_size(out, all - sum);
        lg_text_add(out, " less than together: what several of them share "
                         "goes only when all go\n");
    }
}

static void
print_text(const char *selector, const lg_graph *graph, const lg_set_bytes *set,
           lg_text *out)
{
    lg_text_add(out, selector);
    lg_text_add(out, ": ");
    lg_text_add_count(out, set->count);
    lg_text_add(out, set->count == 1 ? " object retains " : " objects retain ");
    add_bytes(out, graph, set->retained);
    lg_text_add(out, "\n  their own size   ");
    add_bytes(out, graph, set->own);
    lg_text_add(out, "\n");
    if (set->count == 1)
        return;
    lg_text_add(out, "  the sum of each  ");
    add_bytes(out, graph, set->sum);
    lg_text_add(out, ", ");
    add_difference(out, set);
}

static void
add_json(lg_text *out, const char *name, lg_bytes bytes)
{
    lg_text_addf(out,
                 ", \"%s\": {\"host\": %" PRIu64 ", \"device\": %" PRIu64 "}",
                 name, bytes.host, bytes.device);
}

static void
print_json(const char *selector, const lg_set_bytes *set, lg_text *out)
{
    lg_text_add(out, "{\"selector\": ");
    lg_text_add_json(out, selector, strlen(selector));
    lg_text_addf(out, ", \"count\": %" PRIu64, set->count);
    add_json(out, "retained", set->retained);
    add_json(out, "own", set->own);
    add_json(out, "sum", set->sum);
    lg_text_add(out, "}\n");
}

static int
print_set(const lg_arguments *arguments, const lg_analysis *analysis,
          const lg_nodes *nodes)
{
    lg_text text = {0};
    lg_error error = {0};
    lg_set_bytes set = {0};
    const lg_graph *graph = lg_analysis_graph(analysis);
    add_up(analysis, nodes, &set);
    if (lg_nodes_retained(analysis, nodes->items, nodes->count, lg__monitor(),
                          &set.retained, &error))
        return lg__fail(&error);
    if (arguments->json)
        print_json(arguments->words[1], &set, &text);
    else
        print_text(arguments->words[1], graph, &set, &text);
    return lg__print(&text);
}

int
lg__verb_retained(const lg_arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_nodes nodes = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    if (lg__select_all(graph, arguments->words[1], &nodes, &code) &&
        lg__analyse(graph, &analysis, &code))
        code = print_set(arguments, analysis, &nodes);
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}
