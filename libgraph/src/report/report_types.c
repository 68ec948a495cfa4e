// Counts the objects and bytes of each type.
#include "report/report_private.h"

#include <stdlib.h>
#include <string.h>

// A row with what qsort's comparison needs.
typedef struct keyed_row {
    lg_type_row row;
    lg_string name;
} keyed_row;

static int
compare_names(const keyed_row *a, const keyed_row *b)
{
    int order = lg__string_compare(a->name, b->name);
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

// Adds each node's bytes to its type, and to each[type][device] unless that is
// NULL.
static keyed_row *
count_types(const lg_graph *graph, const lg_scope *scope, uint64_t *each)
{
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    keyed_row *rows = lg__wide_calloc(graph->type_count, sizeof *rows);
    if (rows == NULL)
        return NULL;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        rows[type].row.type = type;
        rows[type].name = lg_graph_string(graph, graph->type_name[type]);
    }
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t type = graph->columns.type[node];
        uint64_t bytes = lg_node_size(graph, node);
        if (!lg_scope_has(scope, node))
            continue;
        rows[type].row.count++;
        uint32_t device = lg_node_device(graph, node);
        rows[type].row.bytes += bytes;
        if (device == 0)
            rows[type].row.spent += lg_node_spent(graph, node);
        if (each != NULL)
            each[type * devices + device] += bytes;
    }
    return rows;
}

static lg_status
sort_types(const lg_graph *graph, const lg_scope *scope, lg_sort sort,
           uint64_t *each, lg_type_row **rows, size_t *count, lg_error *err)
{
    keyed_row *all = count_types(graph, scope, each);
    lg_type_row *kept =
        all == NULL ? NULL : malloc(graph->type_count * sizeof *kept);
    if (kept == NULL) {
        lg__wide_free(all);
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
    lg__wide_free(all);
    *rows = kept;
    *count = filled;
    return LG_OK;
}

lg_status
lg_graph_type_rows(const lg_graph *graph, lg_sort sort, lg_type_row **rows,
                   size_t *count, lg_error *err)
{
    return sort_types(graph, NULL, sort, NULL, rows, count, err);
}

enum { OBJECTS, BYTES, SPENT, TYPE, COLUMNS };

static void
put_row(lg_table *table, uint64_t count, const uint64_t *bytes, uint64_t spent,
        lg_string name)
{
    lg__put_count(table, OBJECTS, count);
    lg__put_each(table, BYTES, bytes);
    lg__put_count(table, SPENT, spent);
    lg__put_string(table, TYPE, name);
}

static void
put_facts(lg_table *table, size_t types, uint64_t count, const uint64_t *bytes,
          uint64_t spent)
{
    static const lg__column facts[] = {
        {"type_count", .type = LG_COLUMN_COUNT},
        {"count", .type = LG_COLUMN_COUNT},
        {"bytes", .type = LG_COLUMN_SIZE},
        {"spent", .type = LG_COLUMN_BYTES},
    };
    lg_table *known = lg__table_facts(table, facts, 4);
    lg__put_count(known, 0, types);
    lg__put_count(known, 1, count);
    lg__put_each(known, 2, bytes);
    lg__put_count(known, 3, spent);
}

// Shows what allocators spend if it matters for a row that people see, or for
// the whole.
static uint8_t
spent_faces(const lg_type_row *rows, size_t count, size_t limit,
            const uint64_t *each, size_t devices)
{
    uint64_t bytes = 0;
    uint64_t spent = 0;
    bool matters = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t host = each[rows[i].type * devices];
        matters |=
            (limit == 0 || i < limit) && lg__spent_matters(rows[i].spent, host);
        bytes += host;
        spent += rows[i].spent;
    }
    return matters || lg__spent_matters(spent, bytes) ? 0 : LG__IN_DATA;
}

// Adds the rows up to the limit, and the sums of all rows.
static lg_table *
fill_table(const lg_graph *graph, const lg_type_row *rows, size_t count,
           size_t limit, const uint64_t *each, uint64_t *sum)
{
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    uint64_t objects = 0;
    uint64_t spent = 0;
    const lg__column columns[COLUMNS] = {
        [OBJECTS] = {"count", "objects", .type = LG_COLUMN_COUNT, .least = 12},
        [BYTES] = {"bytes", "size", .type = LG_COLUMN_SIZE, .least = 12},
        [SPENT] = {"spent", .type = LG_COLUMN_BYTES,
                   .faces = spent_faces(rows, count, limit, each, devices),
                   .least = 12},
        [TYPE] = {"type", .gap = 2},
    };
    lg_table *table = lg__table_new(
        graph, (lg__layout){.rows = "types", .noun = "type"}, columns, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *bytes = each + rows[i].type * devices;
        objects += rows[i].count;
        spent += rows[i].spent;
        for (size_t device = 0; device < devices; device++)
            sum[device] += bytes[device];
        if (limit > 0 && i >= limit)
            continue;
        lg__table_row(table);
        put_row(table, rows[i].count, bytes, rows[i].spent,
                lg_graph_type(graph, rows[i].type).name);
    }
    lg__table_set_count(table, count);
    lg__table_total_row(table);
    put_row(table, objects, sum, spent, (lg_string){"total", 5});
    put_facts(table, count, objects, sum, spent);
    return table;
}

lg_status
lg_tabulate_types(const lg_graph *graph, const lg_scope *scope, lg_sort sort,
                  size_t limit, lg_table **out, lg_error *err)
{
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    uint64_t *sum = lg__wide_calloc(devices, sizeof *sum);
    uint64_t *each =
        lg__wide_calloc(graph->type_count * devices + 1, sizeof *each);
    lg_type_row *rows = NULL;
    size_t count;
    lg_status status =
        sum == NULL || each == NULL
            ? lg__error_memory(err)
            : sort_types(graph, scope, sort, each, &rows, &count, err);
    if (status == LG_OK)
        status = lg__table_finish(
            fill_table(graph, rows, count, limit, each, sum), out, err);
    free(rows);
    lg__wide_free(each);
    lg__wide_free(sum);
    return status;
}

lg_status
lg_report_types(const lg_graph *graph, const lg_scope *scope, lg_sort sort,
                size_t limit, lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status =
        lg_tabulate_types(graph, scope, sort, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

/* ---------------------------------------------------------- the question */

typedef struct types_options {
    lg_sort by;
    size_t limit;
    const lg_scope *scope;
} types_options;

static lg_status
ask_types(const lg_ask *ask, lg_table **out, lg_error *err)
{
    const types_options *options = ask->options;
    return lg_tabulate_types(ask->graph, options->scope, options->by,
                             options->limit, out, err);
}

static const char *const sorts[] = {"bytes", "count", "name", NULL};
static const types_options usual = {0};

static const lg_option options[] = {
    LG__LIMIT(types_options, "the biggest first"),
    {"by", LG_OPTION_CHOICE, sorts, NULL, "what to sort by",
     offsetof(types_options, by)},
    LG__MINE(types_options),
    LG__MODULE(types_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_types};

const lg_question lg__ask_types = {
    .name = "types",
    .title = "Types",
    .help = "count objects by type",
    .about = "Lists the types with the number of their objects and their "
             "shallow size.",
    .order = "the biggest first",
    .example = "--by count --limit 10",
    .needs = 0,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
