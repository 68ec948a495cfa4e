// Finds the holder of each storage of torch.
#include "answers/answers_private.h"
#include "bytes/bytes_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>

enum { LONGEST_CHAIN = 8 };

typedef struct search {
    const lg_graph *graph;
    const lg_analysis *analysis; // or NULL
    lg__roottree tree;
    lg__storages storages;
    lg__finder finder;
} search;

// Finds the path from a root to the storage, without the last step, which leads
// from the nearest tensor to the storage.
static lg_status
nearest_path(const search *to, uint32_t buffer, lg_path *out, lg_error *err)
{
    bool folded = lg__fold_owner(to->tree.walk.fold, buffer) != LG_NONE;
    lg_status status = lg__roottree_path(&to->tree, buffer, out, err);
    if (status == LG_OK && !folded)
        out->count -= out->count > 0;
    return status;
}

// Finds the path through the node that gives the tensor its kind: a parameter's
// path goes through its model, not through its optimizer.
static lg_status
proper_path(const search *to, uint32_t tensor, lg_path *out, lg_error *err)
{
    uint32_t chain[LONGEST_CHAIN] = {tensor};
    size_t count = 1;
    const uint32_t *kind_from = to->storages.kind_from;
    while (count < LONGEST_CHAIN && kind_from[chain[count - 1]] != 0) {
        chain[count] = kind_from[chain[count - 1]] - 1;
        count++;
    }
    lg_path path;
    lg_status status =
        count == 1 ? LG_ENOTFOUND
                   : lg__roottree_path(&to->tree, chain[count - 1], &path, err);
    if (status != LG_OK)
        return status;
    lg_hop hops[LONGEST_CHAIN];
    for (size_t i = 1; i < count; i++)
        hops[i - 1] = lg__hop_between(&to->tree.walk, chain[count - i],
                                      chain[count - i - 1]);
    status = lg__path_extend(&path, hops, count - 1, err);
    if (status == LG_OK)
        *out = path;
    else
        lg_path_free(&path);
    return status;
}

static lg_status
find_holder(search *to, const lg_tensor_row *row, lg_where *out, lg_error *err)
{
    lg_where where = {.kind = LG_WHERE_PATH, .dominator = LG_NONE};
    lg_status status = LG_ENOTFOUND;
    if (row->tensor != LG_NONE)
        status = proper_path(to, row->tensor, &where.path, err);
    if (status == LG_ENOTFOUND)
        status = nearest_path(to, row->buffer, &where.path, err);
    if (status == LG_ENOTFOUND && to->analysis != NULL)
        return lg__where_find(&to->finder, to->analysis, lg__tensor_node(row),
                              NULL, out, err);
    if (status == LG_ENOTFOUND) {
        where.kind = LG_WHERE_GARBAGE;
        status = LG_OK;
    }
    if (status == LG_OK)
        *out = where;
    return status;
}

static lg_status
find_holders(search *to, lg_tensors *tensors, lg_error *err)
{
    size_t count = tensors->rows.count;
    tensors->held_by = lg__calloc(count + 1, sizeof *tensors->held_by);
    lg_status status = tensors->held_by ? LG_OK : lg__error_memory(err);
    if (status == LG_OK && count > 0)
        status = lg__roottree_new(to->graph, NULL, &to->tree, err);
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status =
            find_holder(to, &tensors->rows.items[i], &tensors->held_by[i], err);
    return status;
}

lg_status
lg_graph_tensors(const lg_graph *graph, const lg_analysis *analysis,
                 const lg_tensor_options *options, lg_tensors *out,
                 lg_error *err)
{
    search to = {.graph = graph, .analysis = analysis};
    lg_tensors tensors = {0};
    lg_tensor_options whole = LG_TENSOR_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_tensor_options", err);
    if (status == LG_OK)
        status =
            lg__storages_list(graph, whole.scope, whole.device, whole.limit,
                              &to.storages, &tensors.rows, err);
    if (status != LG_OK)
        return status;
    status = find_holders(&to, &tensors, err);
    lg__roottree_free(&to.tree);
    lg__finder_free(&to.finder);
    lg__storages_free(&to.storages);
    if (status == LG_OK)
        *out = tensors;
    else
        lg_tensors_free(&tensors);
    return status;
}

void
lg_tensors_free(lg_tensors *tensors)
{
    for (size_t i = 0; i < tensors->rows.count && tensors->held_by != NULL; i++)
        lg_where_free(&tensors->held_by[i]);
    lg__free(tensors->held_by);
    lg_tensor_rows_free(&tensors->rows);
    *tensors = (lg_tensors){0};
}
