// Formats the holder of a tensor's storage: the path from a root.
#include "report/report_tensors.h"

#include <stdlib.h>

enum { LONGEST_CHAIN = 8 };

// The path from a root to the storage, without its last step, which leads from
// the nearest tensor to the storage.
static lg_status
nearest_way(const lg__tensor_report *to, uint32_t buffer, lg_path *out,
            lg_error *err)
{
    bool folded = to->tree.walk.fold[buffer].owner != LG_NONE;
    lg_status status = lg__roottree_path(&to->tree, buffer, out, err);
    if (status == LG_OK && !folded)
        out->count -= out->count > 0;
    return status;
}

// The path by the node that gives the tensor its kind: a parameter's model, and
// not its optimizer.
static lg_status
proper_way(const lg__tensor_report *to, uint32_t tensor, lg_path *out,
           lg_error *err)
{
    uint32_t chain[LONGEST_CHAIN] = {tensor};
    size_t count = 1;
    const uint32_t *via = to->storages.via;
    while (count < LONGEST_CHAIN && via[chain[count - 1]] != 0) {
        chain[count] = via[chain[count - 1]] - 1;
        count++;
    }
    lg_path path;
    lg_status status =
        count == 1 ? LG_ENOTFOUND
                   : lg__roottree_path(&to->tree, chain[count - 1], &path, err);
    if (status != LG_OK)
        return status;
    lg_hop *hops = realloc(path.hops, (path.count + count) * sizeof *path.hops);
    if (hops == NULL) {
        lg_path_free(&path);
        return lg__error_memory(err);
    }
    path.hops = hops;
    while (--count > 0)
        hops[path.count++] =
            lg__hop_between(&to->tree.walk, chain[count], chain[count - 1]);
    *out = path;
    return LG_OK;
}

lg_status
lg__tensor_holder_format(const lg__tensor_report *to, const lg_tensor_row *row,
                         lg_text *out, lg_error *err)
{
    lg_path path;
    lg_status status = LG_ENOTFOUND;
    if (row->tensor != LG_NONE)
        status = proper_way(to, row->tensor, &path, err);
    if (status == LG_ENOTFOUND)
        status = nearest_way(to, row->buffer, &path, err);
    if (status == LG_ENOTFOUND) {
        lg__where where = {.analysis = to->analysis};
        if (to->analysis != NULL && row->tensor != LG_NONE)
            return lg__where_format(&where, row->tensor, NULL, out, err);
        lg_text_add(out, "garbage");
        return LG_OK;
    }
    if (status != LG_OK)
        return status;
    lg_path_label(to->graph, &path, out);
    lg_path_free(&path);
    return LG_OK;
}
