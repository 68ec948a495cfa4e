// Lays out tensors added up by kind, device, dtype or shape.
#include "report/report_tensors.h"

const char *
lg__tensor_group_name(lg_tensor_group group)
{
    static const char *const names[] = {"", "kind", "device", "dtype", "shape"};
    return names[group];
}

static void
format_key(const lg_tensor_sum *of, lg_text *out)
{
    if (of->key.length == 0)
        lg_text_add(out, "unknown");
    lg__text_add_string(out, of->key);
}

static void
format_shape(const lg_tensor_sum *of, lg_text *out)
{
    format_key(of, out);
    if (of->key.length == 0)
        return;
    lg_text_add(out, "[");
    lg__text_add_string(out, of->shape);
    lg_text_add(out, "]");
}

enum { TOTAL, SHARE, STORAGES, KEY, BYTES, COLUMNS };

static lg_table *
make_table(const lg_graph *graph, lg_tensor_group group)
{
    bool vectors = group != LG_TENSORS_BY_DEVICE && graph->device_count > 0;
    const lg__column columns[COLUMNS] = {
        [TOTAL] = {NULL, "bytes", .type = LG_COLUMN_BYTES, .faces = LG__SHOWN,
                   .least = 11},
        [SHARE] = {NULL, "share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [STORAGES] = {"storages", .type = LG_COLUMN_COUNT, .gap = 2,
                      .least = 8},
        [KEY] = {lg__tensor_group_name(group), .gap = 2,
                 .least = vectors ? 25 : 0},
        [BYTES] = {"bytes", "where", .type = LG_COLUMN_SIZE, .flush = LG__LEFT,
                   .gap = 1, .faces = vectors ? 0 : LG__IN_HTML | LG__IN_DATA},
    };
    return lg__table_new(graph, (lg__layout){.noun = "group"}, columns,
                         COLUMNS);
}

static void
put_group(lg__tensor_report *to, const lg_tensor_sum *of, lg_tensor_group group)
{
    lg_text key = {0};
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_count(table, TOTAL, of->total);
    lg__put_share(table, SHARE, of->total, to->tensors.rows.bytes);
    lg__put_count(table, STORAGES, of->count);
    if (group == LG_TENSORS_BY_SHAPE)
        format_shape(of, &key);
    else
        format_key(of, &key);
    lg__put_formatted(table, KEY, &key);
    lg__put_each(table, BYTES, of->bytes);
}

lg_status
lg__tabulate_tensor_groups(lg__tensor_report *to, lg_tensor_group group,
                           size_t limit, lg_error *err)
{
    lg_tensor_sums sums;
    to->table = make_table(to->graph, group);
    lg_status status =
        lg_tensors_sum(to->graph, &to->tensors.rows, group, &sums, err);
    if (status != LG_OK)
        return status;
    size_t shown = limit > 0 && limit < sums.count ? limit : sums.count;
    lg__table_set_count(to->table, sums.count);
    for (size_t i = 0; i < shown; i++)
        put_group(to, &sums.items[i], group);
    lg_tensor_sums_free(&sums);
    return LG_OK;
}
