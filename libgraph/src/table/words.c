// Nodes, hops, paths and sizes in words and as JSON.
#include "table/words.h"
#include "graph/graph_private.h"
#include "paths/paths_private.h"
#include "analysis/analysis_private.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>

#include <string.h>

void
lg__format_step(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    size_t start = out->length;
    lg_node_title(graph, node, false, out);
    if (!out->failed && memchr(type.data, '.', type.length) != NULL &&
        out->length - start < type.length) {
        lg_text_add(out, " · ");
        lg__text_add_string(out, type);
    }
    lg_text_addf(out, " #%u", node);
}

void
lg__format_vector(const lg_graph *graph, lg__vector_on *on, const void *context,
                  lg_text *out)
{
    bool any = false;
    for (uint32_t i = 1; i <= lg_graph_device_count(graph); i++)
        lg__text_add_part(out, on(context, i), lg_graph_device_name(graph, i),
                          &any);
    lg__text_add_host(out, on(context, 0), lg_graph_device_name(graph, 0), any);
}

typedef struct own {
    const lg_graph *graph;
    uint32_t node;
} own;

static uint64_t
own_on(const void *context, uint32_t device)
{
    const own *of = context;
    return lg_node_bytes_on(of->graph, of->node, device);
}

void
lg_node_bytes_format(const lg_graph *graph, lg_node node, lg_text *out)
{
    const own of = {graph, node};
    lg__format_vector(graph, own_on, &of, out);
}

uint64_t
lg__retainer_on(const void *context, uint32_t device)
{
    const lg__retainer *of = context;
    return of->on(of->analysis, of->which, device);
}

void
lg__format_retained(const lg_analysis *analysis, lg__retained_on *on,
                    uint32_t which, lg_text *out)
{
    const lg__retainer of = {analysis, on, which};
    lg__format_vector(lg_analysis_graph(analysis), lg__retainer_on, &of, out);
}

static uint64_t
item_on(const void *context, uint32_t device)
{
    const uint64_t *bytes = context;
    return bytes[device];
}

void
lg__format_each(const lg_graph *graph, const uint64_t *bytes, lg_text *out)
{
    lg__format_vector(graph, item_on, bytes, out);
}

void
lg_unexplained_format(uint64_t count, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " reference" : " references");
    lg_text_add(out, " leakgraph cannot see");
}

static void
format_culprit(const lg_graph *graph, uint32_t culprit, lg_text *out)
{
    if (culprit == LG_NONE) {
        lg_text_add(out, "it");
        return;
    }
    lg__format_node(graph, culprit, out);
    lg_text_addf(out, " #%u", culprit);
}

void
lg__format_reason(const lg_graph *graph, lg_cycle_reason reason,
                  uint32_t culprit, lg_text *out)
{
    int64_t unseen =
        culprit == LG_NONE ? 0 : lg_node_unexplained(graph, culprit);
    switch (reason) {
    case LG_REASON_UNTRAVERSED:
        lg_text_add(out, "the collector does not see what ");
        format_culprit(graph, culprit, out);
        lg_text_add(out, " refers to");
        return;
    case LG_REASON_FROZEN:
        format_culprit(graph, culprit, out);
        lg_text_add(out, " was frozen with gc.freeze()");
        return;
    case LG_REASON_UNTRACKED:
        lg_text_add(out, "the collector does not track ");
        format_culprit(graph, culprit, out);
        if (culprit != LG_NONE &&
            lg_columns_flags(&graph->columns, culprit) & LG_NODE_IMMORTAL)
            lg_text_add(out, ", which is immortal");
        return;
    default:
        lg_text_add(out, "native code holds ");
        format_culprit(graph, culprit, out);
        if (unseen > 0) {
            lg_text_add(out, " (");
            lg_unexplained_format((uint64_t)unseen, out);
            lg_text_add(out, ")");
        }
    }
}

void
lg__format_share(uint64_t part, uint64_t whole, lg_text *out)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    unsigned thousandths = (unsigned)(share * 1000 + 0.5);
    lg_text_addf(out, "%u.%u %%", thousandths / 10, thousandths % 10);
}

void
lg__format_repeats(size_t count, lg_text *out)
{
    if (count == 0)
        return;
    lg_text_add(out, "   and ");
    lg_text_add_count(out, count);
    lg_text_add(out, " more just like it\n");
}

// From this share and this number of bytes on, it is worth a line, because a
// reader would miss it elsewhere.
enum { SPENT_SHARE = 20, SPENT_LEAST = 64 << 10 };

bool
lg__spent_matters(uint64_t spent, uint64_t retained)
{
    uint64_t more = spent - retained;
    return more >= SPENT_LEAST && more >= retained / SPENT_SHARE;
}

void
lg__format_spent(const lg_why *why, lg_text *out)
{
    if (!lg__spent_matters(why->spent,
                           lg_node_retained_on(why->analysis, why->node, 0)))
        return;
    lg_text_add(out, "Allocators spend ");
    lg_text_add_size(out, why->spent);
    lg_text_add(out, " on that, because they round up.\n");
}

// Nodes, hops, roots and sizes as JSON.

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
    write_string(
        json, "type",
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name);
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
