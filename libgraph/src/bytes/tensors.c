// Lists tensors by storage, biggest first.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

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
                                  : lg_node_fact(graph, row->tensor, key);
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
