// What is known of a snapshot.
#include "report.h"

static uint64_t
total_size(const lg_graph *graph)
{
    uint64_t total = 0;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        total += lg_node_size(graph, node);
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
add_line(lg_text *out, lg_string key, lg_string value)
{
    size_t start = out->length;
    lg__text_add_string(out, key);
    lg__text_pad(out, start, 18);
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
    lg_text_add_size(out, total_size(graph));
    lg_text_add(out, "\n\n");
    for (uint32_t i = 0; i < graph->info_count; i++)
        add_line(out, lg_graph_string(graph, graph->info_key[i]),
                 lg_graph_string(graph, graph->info_value[i]));
}

static void
info_json(const lg_graph *graph, lg_text *out)
{
    lg_text_addf(
        out,
        "{\"objects\": %u, \"references\": %llu, \"types\": %u, "
        "\"roots\": %u, \"native_roots\": %u, "
        "\"shallow_size\": %llu, \"partial\": %s, \"info\": {",
        graph->columns.node_count,
        (unsigned long long)graph->columns.edge_count, graph->type_count,
        graph->root_count - native_root_count(graph), native_root_count(graph),
        (unsigned long long)total_size(graph),
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
