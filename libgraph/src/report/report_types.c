// The type table: how many of each, and how many bytes.
#include "report/table.h"

#include <stdlib.h>
#include <string.h>

// What qsort's comparison needs travels with each row.
typedef struct keyed_row {
    lg_type_row row;
    lg_string name;
} keyed_row;

static int
compare_names(const keyed_row *a, const keyed_row *b)
{
    uint32_t shorter =
        a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = memcmp(a->name.data, b->name.data, shorter);
    if (order == 0 && a->name.length != b->name.length)
        order = a->name.length < b->name.length ? -1 : 1;
    if (order == 0)
        order = a->row.type < b->row.type ? -1 : a->row.type > b->row.type;
    return order;
}

static int
by_name(const void *left, const void *right)
{
    return compare_names(left, right);
}

static int
by_bytes(const void *left, const void *right)
{
    const keyed_row *a = left;
    const keyed_row *b = right;
    if (a->row.bytes != b->row.bytes)
        return a->row.bytes > b->row.bytes ? -1 : 1;
    return compare_names(a, b);
}

static int
by_count(const void *left, const void *right)
{
    const keyed_row *a = left;
    const keyed_row *b = right;
    if (a->row.count != b->row.count)
        return a->row.count > b->row.count ? -1 : 1;
    return compare_names(a, b);
}

static keyed_row *
count_types(const lg_graph *graph)
{
    keyed_row *rows = calloc(graph->type_count, sizeof *rows);
    if (rows == NULL)
        return NULL;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        rows[type].row.type = type;
        rows[type].name = lg_graph_string(graph, graph->type_name[type]);
    }
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        lg_type_row *row = &rows[graph->columns.type[node]].row;
        row->count++;
        row->bytes += lg_node_size(graph, node);
    }
    return rows;
}

lg_status
lg_graph_type_rows(const lg_graph *graph, lg_sort sort, lg_type_row **rows,
                   size_t *count, lg_error *err)
{
    keyed_row *all = count_types(graph);
    lg_type_row *kept =
        all == NULL ? NULL : malloc(graph->type_count * sizeof *kept);
    if (kept == NULL) {
        free(all);
        return lg__error_memory(err);
    }
    qsort(all, graph->type_count, sizeof *all,
          sort == LG_SORT_NAME    ? by_name
          : sort == LG_SORT_COUNT ? by_count
                                  : by_bytes);
    size_t filled = 0;
    for (uint32_t i = 0; i < graph->type_count; i++)
        if (all[i].row.count > 0)
            kept[filled++] = all[i].row;
    free(all);
    *rows = kept;
    *count = filled;
    return LG_OK;
}

enum { OBJECTS, BYTES, TYPE, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [OBJECTS] = {"count", "objects", .type = LG_COLUMN_COUNT, .least = 12},
    [BYTES] = {"bytes", "size", .type = LG_COLUMN_BYTES, .least = 12},
    [TYPE] = {"type", .gap = 2},
};

static void
put_row(lg_table *table, uint64_t count, uint64_t bytes, lg_string name)
{
    lg__put_count(table, OBJECTS, count);
    lg__put_count(table, BYTES, bytes);
    lg__put_string(table, TYPE, name);
}

static void
put_facts(lg_table *table, size_t types, uint64_t count, uint64_t bytes)
{
    static const lg__column facts[] = {
        {"type_count", .type = LG_COLUMN_COUNT},
        {"count", .type = LG_COLUMN_COUNT},
        {"bytes", .type = LG_COLUMN_BYTES},
    };
    lg_table *known = lg__table_facts(table, facts, 3);
    lg__put_count(known, 0, types);
    lg__put_count(known, 1, count);
    lg__put_count(known, 2, bytes);
}

lg_status
lg_tabulate_types(const lg_graph *graph, lg_sort sort, size_t limit,
                  lg_table **out, lg_error *err)
{
    lg_type_row *rows;
    size_t count;
    uint64_t objects = 0;
    uint64_t bytes = 0;
    lg_status status = lg_graph_type_rows(graph, sort, &rows, &count, err);
    if (status != LG_OK)
        return status;
    lg_table *table = lg__table_new(
        graph, (lg__layout){.rows = "types", .noun = "type"}, columns, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        objects += rows[i].count;
        bytes += rows[i].bytes;
        if (limit > 0 && i >= limit)
            continue;
        lg__table_row(table);
        put_row(table, rows[i].count, rows[i].bytes,
                lg_graph_type(graph, rows[i].type).name);
    }
    free(rows);
    lg__table_set_count(table, count);
    lg__table_total_row(table);
    put_row(table, objects, bytes, (lg_string){"total", 5});
    put_facts(table, count, objects, bytes);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_types(const lg_graph *graph, lg_sort sort, size_t limit,
                lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_types(graph, sort, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
