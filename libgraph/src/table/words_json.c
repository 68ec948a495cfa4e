// Nodes, hops, roots and sizes as JSON.
#include "table/words.h"

#include <leakgraph/internal/report.h>

#include <string.h>

static void
write_string(lg_json *json, const char *name, lg_string string)
{
    lg_json_string(json, name, string.data, string.length);
}

void
lg__write_formatted(lg_json *json, const char *name, lg_text *formatted)
{
    lg_json_string(json, name, formatted->data ? formatted->data : "",
                   formatted->length);
    json->out->failed |= formatted->failed;
    lg_text_free(formatted);
}

void
lg__write_node(lg_json *json, const lg_graph *graph, uint32_t node)
{
    lg_text title = {0};
    lg_json_count(json, "node", node);
    write_string(json, "type",
                 lg_graph_type(graph, graph->columns.type[node]).name);
    lg_node_title(graph, node, false, &title);
    lg__write_formatted(json, "title", &title);
}

void
lg__write_node_or_null(lg_json *json, const char *name, uint32_t node)
{
    if (node == LG_NONE)
        lg_json_null(json, name);
    else
        lg_json_count(json, name, node);
}

void
lg__write_root(lg_json *json, const char *name, const lg_root *root)
{
    const char *kind = lg_root_kind_name(root->kind);
    lg_json_object(json, name);
    lg_json_string(json, "kind", kind, strlen(kind));
    write_string(json, "name", root->name);
    lg_json_count(json, "node", root->node);
    lg_json_end(json);
}

static void
write_device(lg_json *json, const lg_graph *graph, uint32_t device,
             uint64_t bytes)
{
    lg_string name = lg_graph_device_name(graph, device);
    lg_json_name(json, name.data, name.length);
    lg_json_count(json, NULL, bytes);
}

void
lg__write_retained(lg_json *json, const char *name, const lg_analysis *analysis,
                   lg__retained_on *on, uint32_t which)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_json_object(json, name);
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++)
        write_device(json, graph, i, on(analysis, which, i));
    lg_json_end(json);
}

void
lg_json_bytes(lg_json *json, const char *name, const lg_graph *graph,
              const uint64_t *bytes)
{
    lg_json_object(json, name);
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++)
        write_device(json, graph, i, bytes[i]);
    lg_json_end(json);
}

void
lg__write_hops(lg_json *json, const char *name, const lg_graph *graph,
               const lg_hop *hops, size_t count)
{
    lg_json_array(json, name);
    for (size_t i = 0; i < count; i++) {
        lg_text label = {0};
        lg_json_object(json, NULL);
        lg_json_count(json, "source", hops[i].source);
        lg_json_count(json, "target", hops[i].target);
        lg_hop_label(graph, &hops[i], &label);
        lg__write_formatted(json, "label", &label);
        lg_json_end(json);
    }
    lg_json_end(json);
}
