// The type table: how many of each, and how many bytes.
#include "report/report.h"

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

static void
add_right(lg_text *out, const lg_text *cell, size_t width)
{
    for (size_t i = cell->length; i < width; i++)
        lg_text_add(out, " ");
    lg_text_add(out, cell->data ? cell->data : "");
}

static void
add_row(lg_text *out, uint64_t count, uint64_t bytes, lg_string name)
{
    lg_text cell = {0};
    lg_text_add_count(&cell, count);
    add_right(out, &cell, 12);
    lg_text_free(&cell);
    lg_text_add_size(&cell, bytes);
    add_right(out, &cell, 12);
    out->failed |= cell.failed;
    lg_text_free(&cell);
    lg_text_add(out, "  ");
    lg__text_add_string(out, name);
    lg_text_add(out, "\n");
}

static void
types_text(const lg_graph *graph, const lg_type_row *rows, size_t count,
           size_t limit, lg_text *out)
{
    const lg_string total = {"total", 5};
    uint64_t objects = 0;
    uint64_t bytes = 0;
    lg_text_add(out, "     objects        size  type\n");
    for (size_t i = 0; i < count; i++) {
        objects += rows[i].count;
        bytes += rows[i].bytes;
        if (i < limit)
            add_row(out, rows[i].count, rows[i].bytes,
                    lg_graph_type(graph, rows[i].type).name);
    }
    if (count > limit) {
        lg_text_add(out, "                          ... and ");
        lg_text_add_count(out, count - limit);
        lg_text_add(out, " more types\n");
    }
    add_row(out, objects, bytes, total);
}

static void
types_json(const lg_graph *graph, const lg_type_row *rows, size_t count,
           size_t limit, lg_text *out)
{
    uint64_t objects = 0;
    uint64_t bytes = 0;
    lg_text_add(out, "{\"types\": [");
    for (size_t i = 0; i < count; i++) {
        objects += rows[i].count;
        bytes += rows[i].bytes;
        if (i >= limit)
            continue;
        lg_text_add(out, i > 0 ? ",\n  {\"type\": " : "\n  {\"type\": ");
        lg__text_add_json_string(out, lg_graph_type(graph, rows[i].type).name);
        lg_text_addf(out, ", \"count\": %llu, \"bytes\": %llu}",
                     (unsigned long long)rows[i].count,
                     (unsigned long long)rows[i].bytes);
    }
    lg_text_addf(out,
                 "\n], \"type_count\": %zu, \"count\": %llu, "
                 "\"bytes\": %llu}\n",
                 count, (unsigned long long)objects, (unsigned long long)bytes);
}

lg_status
lg_report_types(const lg_graph *graph, lg_sort sort, size_t limit,
                lg_format format, lg_text *out, lg_error *err)
{
    lg_type_row *rows;
    size_t count;
    lg_text report = {0};
    lg_status status = lg_graph_type_rows(graph, sort, &rows, &count, err);
    if (status != LG_OK)
        return status;
    if (format == LG_FORMAT_JSON)
        types_json(graph, rows, count, limit, &report);
    else
        types_text(graph, rows, count, limit, &report);
    free(rows);
    return lg__report_finish(&report, out, err);
}
