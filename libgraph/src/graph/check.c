// Checks every invariant that the rest of the library relies on, so that every
// accessor is safe from a hostile file.
#include "graph/graph_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>

// The segments and blocks of devices' allocators.

static lg_status
check_segments(const lg_graph *graph, lg_error *err)
{
    for (uint32_t i = 0; i < graph->segment_count; i++) {
        const lg_segment *at = &graph->segment[i];
        if (at->device == 0 || at->device > graph->device_count ||
            at->kind >= graph->string_count ||
            at->pool >= graph->string_count || at->expandable > 1 ||
            at->size > UINT64_MAX - at->address)
            return lg__check_failed(err, "a segment", i);
        if (i > 0 &&
            (at->device < at[-1].device ||
             (at->device == at[-1].device && at->address < at[-1].address)))
            return lg__check_failed(err, "a segment", i);
    }
    return LG_OK;
}

static lg_status
check_blocks(const lg_graph *graph, lg_error *err)
{
    lg_status status = check_segments(graph, err);
    if (status != LG_OK)
        return status;
    for (uint32_t i = 0; i < graph->block_count; i++) {
        const lg_block *at = &graph->block[i];
        if (at->segment >= graph->segment_count ||
            at->state > LG_BLOCK_STRANGE || at->frames >= graph->string_count ||
            at->in_flux > 1 || at->size > UINT64_MAX - at->address)
            return lg__check_failed(err, "a block", i);
        if (i > 0 &&
            (at->segment < at[-1].segment ||
             (at->segment == at[-1].segment && at->address < at[-1].address)))
            return lg__check_failed(err, "a block", i);
    }
    return LG_OK;
}

const lg_segment *
lg_graph_segments(const lg_graph *graph, size_t *count)
{
    *count = graph->segment_count;
    return graph->segment;
}

const lg_block *
lg_graph_blocks(const lg_graph *graph, size_t *count)
{
    *count = graph->block_count;
    return graph->block;
}

// Finds the first node whose edges begin behind those of the next one.
static uint64_t
find_fall(const lg_columns *columns)
{
    const uint64_t nodes = columns->node_count;
    uint32_t room[LG__COPY_ELEMENTS + 1];
    for (uint64_t at = 0; at < nodes; at += LG__COPY_ELEMENTS) {
        const uint64_t left = nodes - at;
        const size_t part =
            left < LG__COPY_ELEMENTS ? (size_t)left : LG__COPY_ELEMENTS;
        const uint32_t *first =
            lg__first_edges_some(&columns->first_edge, at, part + 1, room);
        const uint64_t fall = lg__first_fall(first, part);
        if (fall < part)
            return at + fall;
    }
    return nodes;
}

lg_status
lg__check_first_edges(const lg_columns *columns, lg_error *err)
{
    const uint32_t nodes = columns->node_count;
    if (lg_columns_first_edge(columns, 0) != 0)
        return lg__check_failed(err, "the first edge of a node", 0);
    const uint64_t fall = find_fall(columns);
    if (fall < nodes)
        return lg__check_failed(err, "the first edge of a node", fall);
    if (lg_columns_first_edge(columns, nodes) != columns->edge_count)
        return lg__check_failed(err, "the last edge", columns->edge_count);
    return LG_OK;
}

lg__edge_rules
lg__edge_rules_of(uint32_t nodes, uint32_t strings)
{
    lg__edge_rules rules = {.nodes = nodes};
    for (unsigned byte = 0; byte <= UINT8_MAX; byte++) {
        unsigned kind = byte & LG_EDGE_KIND_MASK;
        lg__edge_rule *rule = &rules.of[byte];
        uint64_t limit = kind < LG_EDGE_KIND_COUNT ? (uint64_t)1 << 32 : 0;
        if (kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_LOCAL ||
            kind == LG_EDGE_GLOBALS || kind == LG_EDGE_NATIVE)
            limit = strings;
        // LG_NONE + 1 is 0, and stands for an unknown key.
        if (kind == LG_EDGE_VALUE)
            limit = (uint64_t)nodes + 1;
        rule->limit = limit;
        rule->added = kind == LG_EDGE_VALUE;
        rule->counted = !(byte & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED));
    }
    return rules;
}

lg_status
lg__edge_failed(const lg__edge_rules *rules, uint64_t edge, uint32_t target,
                unsigned kind, lg_error *err)
{
    const char *what = target >= rules->nodes       ? "the target of an edge"
                       : rules->of[kind].limit == 0 ? "the kind of an edge"
                                                    : "the label of an edge";
    return lg__check_failed(err, what, edge);
}

lg_status
lg__check_edges(const lg_graph *graph, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    lg_status status = lg__check_first_edges(columns, err);
    if (status != LG_OK)
        return status;
    lg__edge_rules rules =
        lg__edge_rules_of(columns->node_count, graph->string_count);
    uint64_t edge = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        for (const uint64_t end = lg_columns_first_edge(columns, node + 1);
             edge < end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            unsigned kind = lg_columns_kind(columns, edge);
            if (!lg__edge_is_sound(
                    &rules, target, kind,
                    lg_columns_payload_from(columns, node, edge)))
                return lg__edge_failed(&rules, edge, target, kind, err);
        }
    return LG_OK;
}

static lg_status
check_ids(const uint32_t *ids, uint64_t count, uint32_t limit, bool may_be_none,
          const char *what, lg_error *err)
{
    for (uint64_t i = lg__first_at_least(ids, 0, count, limit); i < count;
         i = lg__first_at_least(ids, i + 1, count, limit))
        if (!may_be_none || ids[i] != LG_NONE)
            return lg__check_failed(err, what, i);
    return LG_OK;
}

static lg_status
check_types_of_nodes(const lg_graph *graph, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    uint32_t room[LG__COPY_ELEMENTS];
    for (uint64_t at = 0; at < columns->node_count; at += LG__COPY_ELEMENTS) {
        const uint64_t left = columns->node_count - at;
        const size_t part =
            left < LG__COPY_ELEMENTS ? (size_t)left : LG__COPY_ELEMENTS;
        const uint32_t *types =
            lg__type_ids_some(&columns->type, at, part, room);
        const uint64_t wrong =
            lg__first_at_least(types, 0, part, graph->type_count);
        if (wrong < part)
            return lg__check_failed(err, "the type of a node", at + wrong);
    }
    return LG_OK;
}

static lg_status
check_ascending(const uint32_t *ids, uint32_t count, const char *what,
                lg_error *err)
{
    for (uint32_t i = 1; i < count; i++)
        if (ids[i] <= ids[i - 1])
            return lg__check_failed(err, what, i);
    return LG_OK;
}

static lg_status
check_types(const lg_graph *graph, lg_error *err)
{
    const uint32_t *first = graph->type_first_base;
    uint64_t bases = graph->array[LG__TYPE_BASE].count;
    if (first[0] != 0 || first[graph->type_count] != bases)
        return lg__check_failed(err, "the base of a type", bases);
    for (uint32_t type = 0; type < graph->type_count; type++)
        if (first[type + 1] <= first[type] || first[type + 1] > bases ||
            graph->type_base[first[type]] != type)
            return lg__check_failed(err, "the base of a type", type);
    return LG_OK;
}

static uint32_t
next_large_shape(const lg_columns *columns, uint32_t node)
{
    while (node < columns->node_count &&
           lg_columns_size(columns, node) != UINT32_MAX)
        node++;
    return node;
}

// Returns the first node from one on whose size does not fit its column; the
// number of nodes if there is none. A narrow column lists them.
static uint64_t
next_large_size(const lg_columns *columns, uint64_t from)
{
    const lg_narrow *sizes = &columns->size;
    if (columns->shape.number != NULL)
        return next_large_shape(columns, (uint32_t)from);
    if (sizes->wide != NULL)
        return lg__first_at_least(sizes->wide, from, columns->node_count,
                                  UINT32_MAX);
    uint32_t at =
        lg__ascending_place(sizes->node, sizes->listed, (uint32_t)from);
    while (at < sizes->listed && sizes->value[at] != UINT32_MAX)
        at++;
    return at < sizes->listed ? sizes->node[at] : columns->node_count;
}

// The overflow table must have exactly the sizes that do not fit their column.
static lg_status
check_sizes(const lg_graph *graph, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    uint32_t next = 0;
    for (uint64_t node = next_large_size(columns, 0);
         node < columns->node_count;
         node = next_large_size(columns, node + 1)) {
        if (next == graph->big_count || graph->big_node[next] != node)
            return lg__check_failed(err, "the size of a node", node);
        next++;
    }
    return next == graph->big_count
               ? LG_OK
               : lg__check_failed(err, "a large size", next);
}

static lg_status
check_devices(const lg_graph *graph, lg_error *err)
{
    for (uint32_t i = 0; i < graph->placed_count; i++)
        if (graph->device_id[i] == 0 ||
            graph->device_id[i] > graph->device_count)
            return lg__check_failed(err, "the device of a node", i);
    return check_ascending(graph->device_node, graph->placed_count,
                           "a device's node", err);
}

static lg_status
check_root_kinds(const lg_graph *graph, lg_error *err)
{
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] > LG_ROOT_GIVEN)
            return lg__check_failed(err, "the kind of a root", i);
    return LG_OK;
}

static lg_status
check_facts(const lg_graph *graph, lg_error *err)
{
    for (uint32_t i = 0; i < graph->fact_count; i++) {
        uint32_t node = graph->fact_node[i];
        uint32_t key = graph->fact_key[i];
        if (node >= graph->columns.node_count || key >= graph->string_count ||
            graph->fact_value[i] >= graph->string_count)
            return lg__check_failed(err, "a fact", i);
        if (i > 0 && (node < graph->fact_node[i - 1] ||
                      (node == graph->fact_node[i - 1] &&
                       key <= graph->fact_key[i - 1])))
            return lg__check_failed(err, "a fact", i);
    }
    return LG_OK;
}

lg_status
lg__check_tables(const lg_graph *graph, lg_error *err)
{
    uint32_t nodes = graph->columns.node_count;
    uint32_t strings = graph->string_count;
    const uint32_t texts = graph->text_node != NULL ? graph->text_count : 0;
    uint32_t types = graph->type_count;
    const struct {
        const uint32_t *ids;
        uint64_t count;
        uint32_t limit;
        bool may_be_none;
        const char *what;
    } columns[] = {
        {graph->text_node, texts, nodes, false, "a text's node"},
        {graph->text_string, graph->text_count, strings, false, "a text"},
        {graph->type_name, types, strings, false, "the name of a type"},
        {graph->type_node, types, nodes, true, "the node of a type"},
        {graph->type_base, graph->array[LG__TYPE_BASE].count, types, false,
         "the base of a type"},
        {graph->root_node, graph->root_count, nodes, false, "a root's node"},
        {graph->root_name, graph->root_count, strings, false, "a root's name"},
        {graph->info_key, graph->info_count, strings, false, "an info key"},
        {graph->info_value, graph->info_count, strings, false, "an info text"},
        {graph->device_node, graph->placed_count, nodes, false,
         "a device's node"},
        {graph->device_name, graph->device_count, strings, false,
         "a device's name"},
        {graph->equal_node, graph->equal_count, nodes, false,
         "a node of equal contents"},
        {graph->equal_group, graph->equal_count, graph->equal_count, false,
         "a group of equal contents"},
    };
    lg_status status = check_types_of_nodes(graph, err);
    for (size_t i = 0; i < sizeof columns / sizeof *columns && !status; i++)
        status = check_ids(columns[i].ids, columns[i].count, columns[i].limit,
                           columns[i].may_be_none, columns[i].what, err);
    if (status == LG_OK)
        status = check_ascending(graph->text_node, texts, "a text's node", err);
    if (status == LG_OK)
        status = check_ascending(graph->equal_node, graph->equal_count,
                                 "a node of equal contents", err);
    if (status == LG_OK)
        status = check_types(graph, err);
    if (status == LG_OK)
        status = check_sizes(graph, err);
    if (status == LG_OK)
        status = check_devices(graph, err);
    if (status == LG_OK)
        status = check_facts(graph, err);
    if (status == LG_OK)
        status = check_blocks(graph, err);
    return status == LG_OK ? check_root_kinds(graph, err) : status;
}

lg_status
lg__check_strings(const lg_graph *graph, lg_error *err)
{
    const uint64_t total = graph->array[LG__STRING_BYTES].count;
    uint64_t end = lg__string_begin(graph, graph->string_count);
    if (lg__string_begin(graph, 0) != 0 || end != total)
        return lg__check_failed(err, "a string", 0);
    for (uint32_t id = 0; id < graph->string_count; id++) {
        const uint64_t begin = lg__string_begin(graph, id);
        end = lg__string_begin(graph, id + 1);
        if (end < begin || end > total || end - begin > UINT32_MAX)
            return lg__check_failed(err, "a string", id);
        if (!lg__utf8_is_clean(graph->string_bytes + begin,
                               (size_t)(end - begin)))
            return lg_error_set(err, LG_EFORMAT,
                                "string %u is not UTF-8, or has control "
                                "characters or others that nobody sees",
                                id);
    }
    return LG_OK;
}

lg_status
lg_graph_check(const lg_graph *graph, lg_error *err)
{
    lg_status status = lg__check_strings(graph, err);
    if (status == LG_OK)
        status = lg__check_tables(graph, err);
    if (status == LG_OK)
        status = lg__check_edges(graph, err);
    return status;
}
