// Shows retained bytes on the nodes of a view. Devices come first, because they
// are scarce.

#include "view/view_private.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>

uint64_t
lg__bytes_total(lg_bytes bytes)
{
    uint64_t total = bytes.host + bytes.devices;
    return total < bytes.host ? UINT64_MAX : total;
}

static void
add_part(lg_text *out, uint64_t bytes, lg_string place, bool *first)
{
    if (!*first)
        lg_text_add(out, " · ");
    *first = false;
    lg_text_add_size(out, bytes);
    lg_text_add(out, " ");
    lg_text_add_bytes(out, place.data, place.length);
}

static void
add_host(lg_text *out, const lg_graph *graph, lg_bytes bytes, bool first)
{
    if (!bytes.devices)
        lg_text_add_size(out, bytes.host);
    // Next to gigabytes on a device, a few objects need no mention.
    else if (bytes.host >= bytes.devices / 1000 && bytes.host)
        add_part(out, bytes.host, lg_graph_device_name(graph, 0), &first);
}

void
lg__bytes_add(lg_text *out, const lg_graph *graph, lg_bytes bytes)
{
    static const lg_string several = {"on devices", 10};
    bool first = true;
    if (bytes.devices) {
        bool one = lg_graph_device_count(graph) == 1;
        add_part(out, bytes.devices,
                 one ? lg_graph_device_name(graph, 1) : several, &first);
    }
    add_host(out, graph, bytes, first);
}

void
lg__each_add(lg_text *out, const lg_graph *graph, const uint64_t *bytes)
{
    lg_bytes sum = {.host = bytes[0]};
    bool first = true;
    for (uint32_t on = 1; on <= lg_graph_device_count(graph); on++) {
        sum.devices += bytes[on];
        if (bytes[on])
            add_part(out, bytes[on], lg_graph_device_name(graph, on), &first);
    }
    add_host(out, graph, sum, first);
}

void
lg__own_set(lg__view_node *node, const lg_graph *graph, lg_bytes bytes)
{
    node->size = lg__bytes_total(bytes);
    lg_text_free(&node->own);
    if (bytes.devices)
        lg__bytes_add(&node->own, graph, bytes);
}

void
lg__retained_label_add(lg_text *out, const lg_analysis *analysis, uint32_t node)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t devices = lg_graph_device_count(graph);
    bool first = true;
    for (uint32_t device = 1; device <= devices; device++) {
        uint64_t bytes = lg_node_retained_on(analysis, node, device);
        if (bytes)
            add_part(out, bytes, lg_graph_device_name(graph, device), &first);
    }
    add_host(out, graph, lg_node_retained(analysis, node), first);
}

static void
weigh(lg_view *view, const lg_analysis *analysis, lg__view_node *node)
{
    uint64_t *bytes = lg__view_make_retained(view, node);
    for (uint32_t on = 0; bytes && on <= view->device_count; on++)
        bytes[on] = lg_node_retained_on(analysis, node->node, on);
    node->weight = lg__bytes_total(lg_node_retained(analysis, node->node));
    lg__retained_label_add(&node->retained_label, analysis, node->node);
}

void
lg__view_weigh(lg_view *view, const lg_analysis *analysis)
{
    if (!analysis)
        return;
    view->weighed = true;
    for (size_t i = 0; i < view->node_count; i++) {
        lg__view_node *node = &view->nodes[i];
        if (node->kind == LG__VIEW_OBJECT && node->node != LG_NONE &&
            !node->retained_label.length)
            weigh(view, analysis, node);
    }
}

bool
lg_view_is_quick(const lg_graph *graph)
{
    return !lg_graph_is_partial(graph) &&
           lg_graph_columns(graph)->node_count <= LG_VIEW_QUICK_NODES;
}
