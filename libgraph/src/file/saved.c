// Writes and reads analyses. A saved analysis is as hostile as the rest of a
// file: the reader checks that the tree is a tree and that the components are
// disjoint, and recomputes the sums.
#include "file/file_private.h"

#include <leakgraph/analysis.h>

#include <stdlib.h>
#include <string.h>

static lg__array
borrow(const void *data, uint64_t count)
{
    return (lg__array){.data = data, .count = count};
}

lg_status
lg__analysis_arrays(const lg_analysis *analysis, const lg_graph *graph,
                    lg__array arrays[LG__ARRAY_COUNT],
                    uint64_t binding[LG__ANALYSIS_WORDS], uint32_t **dominators,
                    lg_error *err)
{
    if (analysis->graph != graph)
        return lg_error_set(err, LG_EINVAL,
                            "the analysis to be saved is of another graph");
    uint32_t components = analysis->component_count;
    const uint32_t nodes = graph->columns.node_count;
    *dominators = lg__alloc(((size_t)nodes + 1) * sizeof **dominators);
    if (*dominators == NULL)
        return lg__error_memory(err);
    lg__compact_copy(&analysis->dominators, 0, nodes, *dominators);
    arrays[LG__DOMINATOR] = borrow(*dominators, nodes);
    arrays[LG__COMPONENT_FIRST] =
        borrow(analysis->component_first, (uint64_t)components + 1);
    arrays[LG__COMPONENT_NODE] =
        borrow(analysis->component_node, analysis->component_first[components]);
    arrays[LG__COMPONENT_HOST] = borrow(analysis->component_host, components);
    arrays[LG__COMPONENT_DEVICE] = borrow(analysis->component_device.data,
                                          analysis->component_device.count);
    arrays[LG__COLLECTIVE] =
        borrow(analysis->collective.data, analysis->collective.count);
    binding[1] = LG__ANALYSIS_POLICY;
    arrays[LG__ANALYSIS] = borrow(binding, LG__ANALYSIS_WORDS);
    return LG_OK;
}

static lg_status
damaged(const char *what, uint64_t where, lg_error *err)
{
    return lg_error_set(err, LG_EFORMAT,
                        "the saved analysis is damaged: %s is out of range or "
                        "order (at %llu)",
                        what, (unsigned long long)where);
}

static lg_status
check_binding(const lg_graph *graph, lg_error *err)
{
    const lg__array *saved = &graph->array[LG__ANALYSIS];
    const uint64_t *binding = saved->data;
    if (saved->count == 0)
        return lg_error_set(err, LG_ENOTFOUND,
                            "no analysis was saved with this snapshot");
    if (saved->count < LG__ANALYSIS_WORDS || binding[0] != graph->checksum)
        return lg_error_set(err, LG_EFORMAT,
                            "the saved analysis is of another graph");
    if (binding[1] != LG__ANALYSIS_POLICY)
        return lg_error_set(err, LG_ENOTFOUND,
                            "another version of leakgraph made the saved "
                            "analysis: run leakgraph analyze again");
    return LG_OK;
}

static lg_status
copy(const lg__array *saved, size_t element, void *out_pointer, lg_error *err)
{
    size_t size = (size_t)saved->count * element;
    void *block = lg__alloc(size + element);
    if (block == NULL)
        return lg__error_memory(err);
    memcpy(block, saved->data, size);
    memcpy(out_pointer, &block, sizeof block);
    return LG_OK;
}

static lg_status
read_dominators(lg_analysis *analysis, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    const lg__array *saved = &graph->array[LG__DOMINATOR];
    uint32_t nodes = graph->columns.node_count;
    if (saved->count != nodes)
        return damaged("the number of dominators", saved->count, err);
    if (!lg__dominators_open(analysis))
        return lg__error_memory(err);
    if (nodes > 0)
        memcpy(analysis->dominator, saved->data, nodes * sizeof(uint32_t));
    for (uint32_t node = 0; node < nodes; node++)
        if (analysis->dominator[node] > nodes + 1)
            return damaged("the dominator of a node", node, err);
    return lg__retained_children(analysis, err);
}

// Writes the descendants of a root to the order from `count` on, each after its
// dominator. Returns the new count. Each node is in the list of one dominator,
// and the roots are in none. So this meets no node twice, whatever a file says,
// and no loop.
static uint32_t
descend(const lg_analysis *analysis, uint32_t root, uint32_t *order,
        uint32_t count)
{
    uint32_t next = count;
    for (uint32_t node = root;; node = order[next++]) {
        count += lg__children_copy(analysis, lg__children_of(analysis, node),
                                   order + count);
        if (next == count)
            return count;
    }
}

// Recomputes the sums. If neither root leads to a node, the tree has a loop.
static lg_status
sum_tree(lg_analysis *analysis, lg_error *err)
{
    uint32_t nodes = analysis->graph->columns.node_count;
    uint32_t *order = lg__alloc(((size_t)nodes + 1) * sizeof *order);
    if (order == NULL)
        return lg__error_memory(err);
    uint32_t live = descend(analysis, nodes, order, 0);
    for (uint32_t i = 0; i < live; i++)
        analysis->policy.mark[order[i]] |= LG__MARK_LIVE;
    uint32_t all = descend(analysis, nodes + 1, order, live);
    lg_status status = all == nodes
                           ? lg__retained_sum(analysis, order, err)
                           : damaged("the tree of dominators", all, err);
    lg__free(order);
    return status;
}

static lg_status
check_components(const lg_analysis *analysis, uint64_t members, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    const uint32_t *first = analysis->component_first;
    uint32_t nodes = graph->columns.node_count;
    for (uint32_t k = 0; k < analysis->component_count; k++) {
        if (first[k + 1] <= first[k] || first[k + 1] > members)
            return damaged("the first node of a component", k, err);
        for (uint32_t i = first[k]; i < first[k + 1]; i++)
            if (analysis->component_node[i] >= nodes ||
                (i > first[k] && analysis->component_node[i] <=
                                     analysis->component_node[i - 1]))
                return damaged("a node of a component", i, err);
    }
    if (first[0] != 0 || first[analysis->component_count] != members)
        return damaged("the first node of a component", 0, err);
    return LG_OK;
}

static lg_status
check_component_devices(const lg_analysis *analysis, lg_error *err)
{
    const lg__on_device *entries = analysis->component_device.data;
    for (size_t i = 0; i < analysis->component_device.count; i++) {
        const lg__on_device *at = &entries[i];
        bool ascends = i == 0 || at[-1].device < at->device ||
                       (at[-1].device == at->device && at[-1].node < at->node);
        if (at->device == 0 || at->device > analysis->graph->device_count ||
            at->node >= analysis->component_count || !ascends)
            return damaged("the device of a component", i, err);
    }
    return LG_OK;
}

static lg_status
list_members(lg_analysis *analysis, uint64_t members, lg_error *err)
{
    analysis->member = lg__alloc((members + 1) * sizeof *analysis->member);
    if (analysis->member == NULL)
        return lg__error_memory(err);
    lg__components_list(analysis);
    for (uint64_t i = 1; i < members; i++)
        if (analysis->member[i].node == analysis->member[i - 1].node)
            return damaged("a node of two components", analysis->member[i].node,
                           err);
    return LG_OK;
}

static lg_status
read_components(lg_analysis *analysis, lg_error *err)
{
    const lg__array *array = analysis->graph->array;
    uint64_t components = array[LG__COMPONENT_HOST].count;
    uint64_t members = array[LG__COMPONENT_NODE].count;
    uint32_t nodes = analysis->graph->columns.node_count;
    if (components > nodes || members > nodes ||
        array[LG__COMPONENT_FIRST].count != components + 1)
        return damaged("the number of components", components, err);
    analysis->component_count = (uint32_t)components;
    lg_status status =
        copy(&array[LG__COMPONENT_FIRST], 4, &analysis->component_first, err);
    if (status == LG_OK)
        status =
            copy(&array[LG__COMPONENT_NODE], 4, &analysis->component_node, err);
    if (status == LG_OK)
        status =
            copy(&array[LG__COMPONENT_HOST], 8, &analysis->component_host, err);
    if (status == LG_OK && array[LG__COMPONENT_DEVICE].count > 0) {
        lg__vector *vector = &analysis->component_device;
        status = copy(&array[LG__COMPONENT_DEVICE], sizeof(lg__on_device),
                      &vector->data, err);
        if (status == LG_OK)
            vector->count = vector->capacity =
                (size_t)array[LG__COMPONENT_DEVICE].count;
    }
    if (status == LG_OK)
        status = check_components(analysis, members, err);
    if (status == LG_OK)
        status = check_component_devices(analysis, err);
    return status == LG_OK ? list_members(analysis, members, err) : status;
}

static lg_status
read_collective(lg_analysis *analysis, lg_error *err)
{
    const lg__array *array = &analysis->graph->array[LG__COLLECTIVE];
    const lg__collective *entries = array->data;
    for (uint64_t i = 0; i < array->count; i++) {
        if (entries[i].node >= analysis->graph->columns.node_count ||
            (i > 0 && entries[i].node <= entries[i - 1].node) ||
            lg_node_component(analysis, entries[i].by) == LG_NONE)
            return damaged("what a component holds collectively", i, err);
    }
    if (array->count == 0)
        return LG_OK;
    lg__vector *vector = &analysis->collective;
    lg_status status = copy(array, sizeof *entries, &vector->data, err);
    if (status == LG_OK)
        vector->count = vector->capacity = (size_t)array->count;
    return status;
}

bool
lg_analysis_is_saved(const lg_graph *graph)
{
    return check_binding(graph, NULL) == LG_OK;
}

lg_status
lg_analysis_load(const lg_graph *graph, lg_analysis **out, lg_error *err)
{
    lg_analysis *analysis = NULL;
    lg_status status = check_binding(graph, err);
    if (status == LG_OK)
        status = lg__analysis_begin(graph, &analysis, err);
    if (status == LG_OK)
        status = lg__policy_new(graph, NULL, &analysis->policy, err);
    if (status == LG_OK)
        status = read_dominators(analysis, err);
    if (status == LG_OK)
        status = sum_tree(analysis, err);
    if (status == LG_OK) {
        lg__dominators_close(analysis);
        status = read_components(analysis, err);
    }
    if (status == LG_OK)
        status = read_collective(analysis, err);
    if (status == LG_OK)
        status = lg__collective_index(analysis, err);
    if (status == LG_OK)
        *out = analysis;
    else
        lg_analysis_free(analysis);
    return status;
}
