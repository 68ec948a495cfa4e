// The verb retained: what a set of objects keeps alive, and how that differs
// from the sum.

#include "command/command.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

/* Each array is by device: [lg_graph_device_count + 1]. */
typedef struct lg_set_bytes {
    uint64_t count;
    uint64_t *own;      /* of the objects themselves */
    uint64_t *sum;      /* sum of what each retains */
    uint64_t *retained; /* by all objects together */
} lg_set_bytes;

static uint64_t
total(const lg_graph *graph, const uint64_t *bytes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++)
        sum += bytes[i];
    return sum;
}

static void
add_up(const lg_analysis *analysis, const lg_nodes *nodes, lg_set_bytes *out)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    out->count = nodes->count;
    for (size_t i = 0; i < nodes->count; i++) {
        uint32_t node = nodes->items[i];
        out->own[lg_node_device(graph, node)] += lg_node_size(graph, node);
        for (uint32_t device = 0; device <= lg_graph_device_count(graph);
             device++)
            out->sum[device] += lg_node_retained_on(analysis, node, device);
    }
}

static void
add_bytes(lg_text *out, const lg_graph *graph, const uint64_t *bytes)
{
    bool any = false;
    for (uint32_t i = 1; i <= lg_graph_device_count(graph); i++) {
        lg_string name = lg_graph_device_name(graph, i);
        if (!bytes[i])
            continue;
        lg_text_add_size(out, bytes[i]);
        lg_text_add(out, " ");
        lg_text_add_bytes(out, name.data, name.length);
        lg_text_add(out, " · ");
        any = true;
    }
    lg_text_add_size(out, bytes[0]);
    lg_text_add(out, any ? " host" : "");
}

// Says what the sum counts twice or leaves out.
static void
add_difference(lg_text *out, const lg_graph *graph, const lg_set_bytes *set)
{
    uint64_t sum = total(graph, set->sum), all = total(graph, set->retained);
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
    add_difference(out, graph, set);
}

static lg_status
print_json(const char *selector, const lg_graph *graph, const lg_set_bytes *set,
           lg_text *out, lg_error *err)
{
    lg_json json = {.out = out};
    lg_json_object(&json, NULL);
    lg_json_string(&json, "selector", selector, strlen(selector));
    lg_json_count(&json, "count", set->count);
    lg_json_bytes(&json, "retained", graph, set->retained);
    lg_json_bytes(&json, "own", graph, set->own);
    lg_json_bytes(&json, "sum", graph, set->sum);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

static lg_status
weigh(const lg_analysis *analysis, const lg_nodes *nodes, uint64_t *bytes,
      size_t devices, lg_set_bytes *out, lg_error *err)
{
    *out = (lg_set_bytes){nodes->count, bytes, bytes + devices,
                          bytes + 2 * devices};
    add_up(analysis, nodes, out);
    return lg_nodes_retained_each(analysis, nodes->items, nodes->count,
                                  lg__monitor(), out->retained, err);
}

static int
print_set(const lg__arguments *arguments, const lg_analysis *analysis,
          const lg_nodes *nodes)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    uint64_t *bytes = calloc(3 * devices, sizeof *bytes);
    lg_text text = {0};
    lg_error error = {0};
    lg_set_bytes set = {0};
    lg_status status =
        bytes ? weigh(analysis, nodes, bytes, devices, &set, &error)
              : lg_error_set(&error, LG_ENOMEM, "memory ran out");
    if (status == LG_OK && arguments->json)
        status = print_json(arguments->words[1], graph, &set, &text, &error);
    else if (status == LG_OK)
        print_text(arguments->words[1], graph, &set, &text);
    free(bytes);
    return status ? lg__fail(&error) : lg__print(&text);
}

int
lg__verb_retained(const lg__arguments *arguments)
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
