// What is known of a snapshot.
#include "report/words.h"

// The sizes of all nodes on one device.
static uint64_t
size_on(const void *context, uint32_t device)
{
    const lg_graph *graph = context;
    uint64_t total = 0;
    uint32_t placed = 0;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t at = 0;
        if (placed < graph->placed_count && graph->device_node[placed] == node)
            at = graph->device_id[placed++];
        if (at == device)
            total += lg_node_size(graph, node);
    }
    return total;
}

static uint32_t
native_root_count(const lg_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->root_count; i++)
        count += graph->root_kind[i] == LG_ROOT_NATIVE;
    return count;
}

static void
add_line(lg_text *out, lg_string key, lg_string value, size_t width)
{
    size_t start = out->length;
    lg__text_add_string(out, key);
    lg__text_pad(out, start, width);
    lg__text_add_string(out, value);
    lg_text_add(out, "\n");
}

static void
add_count_line(lg_text *out, const char *key, uint64_t count)
{
    size_t start = out->length;
    lg_text_add(out, key);
    lg__text_pad(out, start, 18);
    lg_text_add_count(out, count);
    lg_text_add(out, "\n");
}

static size_t
widest_key(const lg_graph *graph)
{
    size_t width = 16;
    for (uint32_t i = 0; i < graph->info_count; i++) {
        lg_string key = lg_graph_string(graph, graph->info_key[i]);
        if (key.length > width && key.length < 60)
            width = key.length;
    }
    return width;
}

static void
info_text(const lg_graph *graph, lg_text *out)
{
    add_count_line(out, "objects", graph->columns.node_count);
    add_count_line(out, "references", graph->columns.edge_count);
    add_count_line(out, "types", graph->type_count);
    add_count_line(out, "roots", graph->root_count - native_root_count(graph));
    add_count_line(out, "held natively", native_root_count(graph));
    size_t start = out->length;
    lg_text_add(out, "shallow size");
    lg__text_pad(out, start, 18);
    lg__format_vector(graph, size_on, graph, out);
    lg_text_add(out, "\n\n");
    size_t width = widest_key(graph) + 2;
    for (uint32_t i = 0; i < graph->info_count; i++)
        add_line(out, lg_graph_string(graph, graph->info_key[i]),
                 lg_graph_string(graph, graph->info_value[i]), width);
}

static void
info_json(const lg_graph *graph, lg_text *out)
{
    lg_text_addf(
        out,
        "{\"objects\": %u, \"references\": %llu, \"types\": %u, "
        "\"roots\": %u, \"native_roots\": %u, "
        "\"shallow_size\": ",
        graph->columns.node_count,
        (unsigned long long)graph->columns.edge_count, graph->type_count,
        graph->root_count - native_root_count(graph), native_root_count(graph));
    lg__json_vector(graph, size_on, graph, out);
    lg_text_addf(out, ", \"partial\": %s, \"info\": {",
                 graph->partial ? "true" : "false");
    for (uint32_t i = 0; i < graph->info_count; i++) {
        lg_text_add(out, i > 0 ? ", " : "");
        lg__text_add_json_string(out,
                                 lg_graph_string(graph, graph->info_key[i]));
        lg_text_add(out, ": ");
        lg__text_add_json_string(out,
                                 lg_graph_string(graph, graph->info_value[i]));
    }
    lg_text_add(out, "}}\n");
}

lg_status
lg_report_info(const lg_graph *graph, lg_format format, lg_text *out,
               lg_error *err)
{
    lg_text report = {0};
    if (format == LG_FORMAT_JSON)
        info_json(graph, &report);
    else
        info_text(graph, &report);
    return lg__report_finish(&report, out, err);
}
