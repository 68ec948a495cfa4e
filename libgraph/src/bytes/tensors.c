// Lists tensors by storage, biggest first, and adds them up by kind, device,
// dtype or shape.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

const char *
lg_tensor_kind_name(lg_tensor_kind kind)
{
    static const char *const names[] = {
        "parameter",  "buffer",    "gradient", "optimizer state",
        "activation", "temporary", "other",
    };
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_tensor_row *a = left;
    const lg_tensor_row *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

void
lg_tensor_rows_free(lg_tensor_rows *rows)
{
    lg__free(rows->items);
    *rows = (lg_tensor_rows){0};
}

// Returns the tensor, which is what a program knows; some storages have none.
lg_node
lg__tensor_node(const lg_tensor_row *row)
{
    return row->tensor != LG_NONE ? row->tensor : row->buffer;
}

static bool
is_in_scope(const lg_scope *scope, const lg_tensor_row *row)
{
    return lg_scope_has(scope, lg__tensor_node(row));
}

lg_status
lg__storages_list(const lg_graph *graph, const lg_scope *scope, uint32_t device,
                  size_t limit, lg__storages *storages, lg_tensor_rows *out,
                  lg_error *err)
{
    lg__storages found;
    if (device != LG_NONE && device > graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", device);
    lg_status status = lg__storages_find(graph, &found, err);
    if (status != LG_OK)
        return status;
    lg_tensor_rows rows = {.items = found.rows};
    for (uint32_t i = 0; i < found.count; i++) {
        if ((device != LG_NONE && found.rows[i].device != device) ||
            !is_in_scope(scope, &found.rows[i]))
            continue;
        rows.bytes += found.rows[i].bytes;
        rows.items[rows.total++] = found.rows[i];
    }
    qsort(rows.items, rows.total, sizeof *rows.items, biggest_first);
    rows.count = limit > 0 && limit < rows.total ? limit : rows.total;
    found.rows = NULL;
    *storages = found;
    *out = rows;
    return LG_OK;
}

lg_status
lg_graph_storages(const lg_graph *graph, uint32_t device, size_t limit,
                  lg_tensor_rows *out, lg_error *err)
{
    lg__storages storages;
    lg_status status =
        lg__storages_list(graph, NULL, device, limit, &storages, out, err);
    if (status == LG_OK)
        lg__storages_free(&storages);
    return status;
}

lg_string
lg__tensor_fact(const lg_graph *graph, const lg_tensor_row *row,
                const char *key)
{
    return row->tensor == LG_NONE ? (lg_string){"", 0}
                                  : lg_node_fact_text(graph, row->tensor, key);
}

uint64_t
lg__tensor_bytes_on(const void *rows, uint32_t device)
{
    const lg_tensor_rows *of = rows;
    uint64_t bytes = 0;
    for (size_t i = 0; i < of->total; i++)
        bytes += of->items[i].device == device ? of->items[i].bytes : 0;
    return bytes;
}

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
biggest_sum_first(const void *left, const void *right)
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
    qsort(out->items, out->count, sizeof *out->items, biggest_sum_first);
}

lg_status
lg_tensors_sum(const lg_graph *graph, const lg_tensor_rows *rows,
               lg_tensor_group by, lg_tensor_sums *out, lg_error *err)
{
    size_t count = rows->total;
    uint32_t devices = lg_graph_device_count(graph) + 1;
    if (by < LG_TENSORS_BY_KIND || (unsigned)by > LG_TENSORS_BY_SHAPE)
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
