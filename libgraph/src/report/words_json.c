// Nodes, hops, roots and sizes as JSON.
#include "report/words.h"

void
lg__json_vector(const lg_graph *graph, lg__vector_on *on, const void *context,
                lg_text *out)
{
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++) {
        lg_text_add(out, i > 0 ? ", " : "{");
        lg__text_add_json_string(out, lg_graph_device_name(graph, i));
        lg_text_addf(out, ": %llu", (unsigned long long)on(context, i));
    }
    lg_text_add(out, "}");
}

void
lg__json_bytes(lg_bytes bytes, lg_text *out)
{
    lg_text_addf(out, "{\"host\": %llu, \"device\": %llu}",
                 (unsigned long long)bytes.host,
                 (unsigned long long)bytes.device);
}

void
lg__json_formatted(lg_text *said, lg_text *out)
{
    lg_text_add_json(out, said->data ? said->data : "", said->length);
    out->failed |= said->failed;
    lg_text_free(said);
}

void
lg__json_node(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_text title = {0};
    lg_text_addf(out, "\"node\": %u, \"type\": ", node);
    lg__text_add_json_string(
        out, lg_graph_type(graph, graph->columns.type[node]).name);
    lg_text_add(out, ", \"title\": ");
    lg_node_title(graph, node, false, &title);
    lg__json_formatted(&title, out);
}

void
lg__json_hops(const lg_graph *graph, const lg_hop *hops, size_t count,
              lg_text *out)
{
    lg_text_add(out, "[");
    for (size_t i = 0; i < count; i++) {
        lg_text label = {0};
        lg_text_addf(out, "%s{\"source\": %u, \"target\": %u, \"label\": ",
                     i > 0 ? ", " : "", hops[i].source, hops[i].target);
        lg_hop_label(graph, &hops[i], &label);
        lg__json_formatted(&label, out);
        lg_text_add(out, "}");
    }
    lg_text_add(out, "]");
}

void
lg__json_root(const lg_root *root, lg_text *out)
{
    lg_text_addf(
        out, "{\"kind\": \"%s\", \"name\": ", lg_root_kind_name(root->kind));
    lg__text_add_json_string(out, root->name);
    lg_text_addf(out, ", \"node\": %u}", root->node);
}

void
lg__write_string(lg_json *json, const char *name, lg_string string)
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
lg__write_retained(lg_json *json, const char *name, const lg_analysis *analysis,
                   lg__retained_on *on, uint32_t which)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_json_object(json, name);
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++) {
        lg_string device = lg_graph_device_name(graph, i);
        lg_json_name(json, device.data, device.length);
        lg_json_count(json, NULL, on(analysis, which, i));
    }
    lg_json_end(json);
}

void
lg__write_each(lg_json *json, const char *name, const lg_graph *graph,
               const uint64_t *bytes)
{
    lg_json_object(json, name);
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++) {
        lg_string device = lg_graph_device_name(graph, i);
        lg_json_name(json, device.data, device.length);
        lg_json_count(json, NULL, bytes[i]);
    }
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
