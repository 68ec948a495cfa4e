// Adds up tensors by kind, device, dtype or shape.
#include "bytes/bytes_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
    lg_string key;
    lg_string shape;
    const lg_tensor_row *row;
} member;

static int
by_key(const void *left, const void *right)
{
    const member *a = left;
    const member *b = right;
    int order = lg__string_compare(a->shape, b->shape);
    return order != 0 ? order : lg__string_compare(a->key, b->key);
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_tensor_sum *a = left;
    const lg_tensor_sum *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    int order = lg__string_compare(a->shape, b->shape);
    return order != 0 ? order : lg__string_compare(a->key, b->key);
}

static member
member_of(const lg_graph *graph, const lg_tensor_row *row, lg_tensor_group by)
{
    member made = {.row = row, .key = {"", 0}, .shape = {"", 0}};
    const char *kind = lg_tensor_kind_name(row->kind);
    if (by == LG_TENSORS_BY_KIND)
        made.key = (lg_string){kind, (uint32_t)strlen(kind)};
    else if (by == LG_TENSORS_BY_DEVICE)
        made.key = lg_graph_device_name(graph, row->device);
    else
        made.key = lg__tensor_fact(graph, row, "dtype");
    if (by == LG_TENSORS_BY_SHAPE)
        made.shape = lg__tensor_fact(graph, row, "shape");
    return made;
}

// Sums members by key. Members of one key are adjacent, so each sum covers a
// range.
static void
sum_up(const member *members, size_t count, uint32_t devices,
       lg_tensor_sums *out)
{
    for (size_t i = 0; i < count; i++) {
        out->rows[i] = *members[i].row;
        if (i == 0 || by_key(&members[i], &members[i - 1]) != 0) {
            out->items[out->count] = (lg_tensor_sum){
                .key = members[i].key,
                .shape = members[i].shape,
                .items = &out->rows[i],
                .bytes = &out->bytes[out->count * devices],
            };
            out->count++;
        }
        size_t last = out->count - 1;
        out->items[last].count++;
        out->items[last].total += members[i].row->bytes;
        out->bytes[last * devices + members[i].row->device] +=
            members[i].row->bytes;
    }
    qsort(out->items, out->count, sizeof *out->items, biggest_first);
}

lg_status
lg_tensors_sum(const lg_graph *graph, const lg_tensor_rows *rows,
               lg_tensor_group by, lg_tensor_sums *out, lg_error *err)
{
    size_t count = rows->total;
    uint32_t devices = lg_graph_device_count(graph) + 1;
    if (by == LG_TENSORS_EACH || (unsigned)by > LG_TENSORS_BY_SHAPE)
        return lg_error_set(err, LG_EINVAL,
                            "tensors are grouped by kind, device, dtype or "
                            "shape");
    member *members = lg__alloc((count + 1) * sizeof *members);
    lg_tensor_sums sums = {
        .items = lg__alloc((count + 1) * sizeof *sums.items),
        .rows = lg__alloc((count + 1) * sizeof *sums.rows),
        .bytes = lg__calloc((count + 1) * devices, sizeof *sums.bytes)};
    bool enough = members && sums.items && sums.rows && sums.bytes;
    if (enough) {
        for (size_t i = 0; i < count; i++)
            members[i] = member_of(graph, &rows->items[i], by);
        qsort(members, count, sizeof *members, by_key);
        sum_up(members, count, devices, &sums);
        *out = sums;
    } else {
        lg_tensor_sums_free(&sums);
    }
    lg__free(members);
    return enough ? LG_OK : lg__error_memory(err);
}

void
lg_tensor_sums_free(lg_tensor_sums *sums)
{
    lg__free(sums->items);
    lg__free(sums->rows);
    lg__free(sums->bytes);
    *sums = (lg_tensor_sums){0};
}
