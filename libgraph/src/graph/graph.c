// Answers questions about a graph.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

const lg_columns *
lg_graph_columns(const lg_graph *graph)
{
    return &graph->columns;
}

bool
lg_graph_is_partial(const lg_graph *graph)
{
    return graph->partial;
}

uint64_t
lg_node_size(const lg_graph *graph, lg_node node)
{
    uint32_t size = lg_columns_size(&graph->columns, node);
    if (size != UINT32_MAX)
        return size;
    return graph
        ->big_size[lg__ascending_find(graph->big_node, graph->big_count, node)];
}

uint32_t
lg_graph_device_count(const lg_graph *graph)
{
    return graph->device_count;
}

lg_string
lg_graph_device_name(const lg_graph *graph, uint32_t device)
{
    if (device == 0)
        return (lg_string){"host", 4};
    uint32_t id = device <= graph->device_count ? graph->device_name[device - 1]
                                                : LG_NONE;
    return lg_graph_string(graph, id);
}

static lg_status
unknown_device(const lg_graph *graph, const char *name, lg_error *err)
{
    lg_text known = {0};
    for (uint32_t i = 0; i <= graph->device_count; i++) {
        lg_string device = lg_graph_device_name(graph, i);
        lg_text_add(&known, i > 0 ? ", '" : "'");
        lg_text_add_bytes(&known, device.data, device.length);
        lg_text_add(&known, "'");
    }
    lg_status status = lg_error_set(
        err, LG_ENOTFOUND, "the snapshot has no device '%.100s'; it has %s",
        name, known.failed ? "others" : known.data);
    lg_text_free(&known);
    return status;
}

lg_status
lg_graph_device_find(const lg_graph *graph, const char *name, uint32_t *out,
                     lg_error *err)
{
    if (strcmp(name, "cpu") == 0)
        name = "host";
    for (uint32_t i = 0; i <= graph->device_count; i++) {
        if (lg__string_is(lg_graph_device_name(graph, i), name)) {
            *out = i;
            return LG_OK;
        }
    }
    return unknown_device(graph, name, err);
}

uint32_t
lg_node_device(const lg_graph *graph, lg_node node)
{
    uint32_t place =
        lg__ascending_find(graph->device_node, graph->placed_count, node);
    return place == LG_NONE ? 0 : graph->device_id[place];
}

int64_t
lg_node_unexplained(const lg_graph *graph, lg_node node)
{
    const lg_columns *columns = &graph->columns;
    const unsigned countless = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    if (graph->partial || (lg_columns_flags(columns, node) & countless) ||
        lg_columns_refcount(columns, node) == UINT32_MAX)
        return 0;
    return (int64_t)lg_columns_refcount(columns, node) -
           (int64_t)lg_columns_found(columns, node);
}

lg_node
lg_edge_source(const lg_graph *graph, lg_edge edge)
{
    const lg_columns *columns = &graph->columns;
    return lg__edge_source_between(columns, edge, 0, columns->node_count - 1);
}

uint32_t
lg_graph_type_count(const lg_graph *graph)
{
    return graph->type_count;
}

lg_type
lg_graph_type(const lg_graph *graph, uint32_t id)
{
    uint32_t first = graph->type_first_base[id];
    return (lg_type){
        .name = lg_graph_string(graph, graph->type_name[id]),
        .node = graph->type_node[id],
        .mro = graph->type_base + first,
        .mro_count = graph->type_first_base[id + 1] - first,
        .category = (lg_category)graph->type_trait[id].category,
    };
}

uint32_t
lg_graph_root_count(const lg_graph *graph)
{
    return graph->root_count;
}

lg_root
lg_graph_root(const lg_graph *graph, uint32_t index)
{
    return (lg_root){
        .node = graph->root_node[index],
        .kind = (lg_root_kind)graph->root_kind[index],
        .name = lg_graph_string(graph, graph->root_name[index]),
    };
}

const char *
lg_root_kind_name(lg_root_kind kind)
{
    static const char *const names[] = {"module", "thread", "interpreter",
                                        "static", "native", "given"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

uint32_t
lg_graph_info_count(const lg_graph *graph)
{
    return graph->info_count;
}

void
lg_graph_info(const lg_graph *graph, uint32_t index, lg_string *key,
              lg_string *value)
{
    *key = lg_graph_string(graph, graph->info_key[index]);
    *value = lg_graph_string(graph, graph->info_value[index]);
}

bool
lg__string_same(lg_string a, lg_string b)
{
    return a.length == b.length &&
           (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool
lg__string_is(lg_string string, const char *expected)
{
    size_t length = strlen(expected);
    return string.length == length &&
           (length == 0 || memcmp(string.data, expected, length) == 0);
}

lg_string
lg__string_of(const char *text)
{
    return (lg_string){text, (uint32_t)strlen(text)};
}

bool
lg__string_begins(lg_string string, const char *start)
{
    size_t length = strlen(start);
    return string.length >= length &&
           (length == 0 || memcmp(string.data, start, length) == 0);
}

bool
lg__string_fits(lg_string text, lg_string pattern)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < pattern.length; i++) {
        uint32_t begin = at;
        while (pattern.data[i] == '*' && at < text.length &&
               isdigit((unsigned char)text.data[at]))
            at++;
        if (at > begin)
            continue;
        if (at == text.length || text.data[at++] != pattern.data[i])
            return false;
    }
    return at == text.length;
}

bool
lg__string_contains(lg_string string, const char *part)
{
    size_t length = strlen(part);
    const char *at = string.data;
    const char *end = at + string.length;
    if (length == 0)
        return true;
    while ((size_t)(end - at) >= length) {
        at = memchr(at, part[0], (size_t)(end - at) - length + 1);
        if (at == NULL)
            return false;
        if (memcmp(at, part, length) == 0)
            return true;
        at++;
    }
    return false;
}

size_t
lg__string_find_any_case(lg_string string, const char *part, size_t length,
                         size_t from)
{
    for (size_t at = from; at + length <= string.length; at++)
        if (strncasecmp(string.data + at, part, length) == 0)
            return at;
    return SIZE_MAX;
}

int
lg__string_compare(lg_string a, lg_string b)
{
    uint32_t shorter = a.length < b.length ? a.length : b.length;
    int order = a.data == b.data ? 0 : memcmp(a.data, b.data, shorter);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

bool
lg__node_is_a(const lg_graph *graph, uint32_t node, const char *type)
{
    lg_type about =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node));
    for (uint32_t i = 0; i < about.mro_count; i++)
        if (lg__string_is(lg_graph_type(graph, about.mro[i]).name, type))
            return true;
    return false;
}

bool
lg__type_is_task(const lg_graph *graph, uint32_t type)
{
    lg_string name = lg_graph_type(graph, type).name;
    return lg__string_is(name, "_asyncio.Task") ||
           lg__string_is(name, "asyncio.tasks.Task");
}

bool
lg__node_is_task(const lg_graph *graph, uint32_t node)
{
    return lg__type_is_task(graph, lg_columns_type(&graph->columns, node));
}

lg_string
lg_graph_info_find(const lg_graph *graph, const char *key)
{
    for (uint32_t i = 0; i < graph->info_count; i++)
        if (lg__string_is(lg_graph_string(graph, graph->info_key[i]), key))
            return lg_graph_string(graph, graph->info_value[i]);
    return (lg_string){"", 0};
}

bool
lg__monitor_goes_on(const lg_monitor *monitor, const char *phase, double done,
                    lg_error *err)
{
    if (monitor == NULL || monitor->tick == NULL ||
        monitor->tick(monitor->context, phase, done))
        return true;
    lg_error_set(err, LG_ECANCELLED, "cancelled while %s", phase);
    return false;
}

uint32_t
lg__dict_value(const lg_graph *graph, uint32_t dict, lg_string name)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t key = lg_columns_payload_from(columns, dict, edge);
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE && key != LG_NONE &&
            lg__string_same(lg_node_text(graph, key), name))
            return lg_columns_target(columns, edge);
    }
    return LG_NONE;
}

uint64_t
lg__count_edges(const lg_graph *graph, uint32_t node, lg_edge_kind kind)
{
    const lg_columns *columns = &graph->columns;
    uint64_t count = 0;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        count += lg__edge_kind(graph, edge) == (unsigned)kind;
    return count;
}

uint32_t
lg__node_attribute(const lg_graph *graph, uint32_t node, const char *name)
{
    const lg_columns *columns = &graph->columns;
    const lg_string wanted = {name, (uint32_t)strlen(name)};
    uint32_t found = LG_NONE;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end && found == LG_NONE;
         edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__edge_kind(graph, edge) == LG_EDGE_DICT)
            found = lg__dict_value(graph, target, wanted);
        else if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
                 lg__string_same(
                     lg_graph_string(
                         graph, lg_columns_payload_from(columns, node, edge)),
                     wanted))
            found = target;
    }
    return found;
}
