// Counts the objects and bytes of each type, and describes the table of them.
#include "answers/answers_private.h"
#include "table/table_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>

static int
compare_names(const lg_type_row *a, const lg_type_row *b)
{
    int order = lg__string_compare(a->name, b->name);
    if (order == 0)
        order = a->type < b->type ? -1 : a->type > b->type;
    return order;
}

static int
by_type(const void *left, const void *right)
{
    return compare_names(left, right);
}

static int
by_size(const void *left, const void *right)
{
    const lg_type_row *a = left;
    const lg_type_row *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return compare_names(a, b);
}

static int
by_count(const void *left, const void *right)
{
    const lg_type_row *a = left;
    const lg_type_row *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return compare_names(a, b);
}

static void
count_node(const lg_graph *graph, lg_node node, lg_types *to)
{
    uint32_t type = lg_columns_type(&graph->columns, node);
    uint32_t device = lg_node_device(graph, node);
    uint64_t bytes = lg_node_size(graph, node);
    lg_type_row *row = &to->rows[type];
    row->count++;
    row->bytes += bytes;
    row->spent += device == 0 ? lg_node_spent(graph, node) : 0;
    to->sizes[type * ((size_t)graph->device_count + 1) + device] += bytes;
}

static void
count_nodes(const lg_graph *graph, const lg_type_options *options, lg_types *to)
{
    size_t count =
        options->nodes ? options->node_count : graph->columns.node_count;
    for (size_t i = 0; i < count; i++) {
        lg_node node = options->nodes ? options->nodes[i] : (lg_node)i;
        if (lg_scope_has(options->scope, node))
            count_node(graph, node, to);
    }
}

// Makes a row for each type, and one more vector of sizes for their sum.
static bool
begin_rows(const lg_graph *graph, lg_types *to)
{
    size_t devices = (size_t)graph->device_count + 1;
    to->rows = lg__calloc(graph->type_count + 1, sizeof *to->rows);
    to->sizes =
        lg__calloc((graph->type_count + 1) * devices, sizeof *to->sizes);
    if (to->rows == NULL || to->sizes == NULL)
        return false;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        to->rows[type].type = type;
        to->rows[type].name = lg_graph_string(graph, graph->type_name[type]);
        to->rows[type].size = to->sizes + type * devices;
    }
    to->size = to->sizes + graph->type_count * devices;
    return true;
}

// Adds up all rows, and moves those of types that have objects to the front.
static void
add_up(const lg_graph *graph, lg_types *to)
{
    uint64_t *sum = to->sizes + (to->size - to->sizes);
    for (uint32_t type = 0; type < graph->type_count; type++) {
        const lg_type_row row = to->rows[type];
        if (row.count == 0)
            continue;
        to->rows[to->total++] = row;
        to->objects += row.count;
        to->spent += row.spent;
        for (uint32_t on = 0; on <= graph->device_count; on++)
            sum[on] += row.size[on];
    }
}

lg_status
lg_graph_types(const lg_graph *graph, const lg_type_options *given,
               lg_types *out, lg_error *err)
{
    static int (*const orders[])(const void *, const void *) = {
        [LG_SORT_SIZE] = by_size,
        [LG_SORT_COUNT] = by_count,
        [LG_SORT_TYPE] = by_type,
    };
    lg_type_options options = LG_TYPE_OPTIONS_INIT;
    lg_types made = {0};
    lg_status status = lg_options_read(&options, given, "lg_type_options", err);
    if (status != LG_OK)
        return status;
    if (!begin_rows(graph, &made)) {
        lg_types_free(&made);
        return lg__error_memory(err);
    }
    count_nodes(graph, &options, &made);
    add_up(graph, &made);
    qsort(made.rows, made.total, sizeof *made.rows, orders[options.by]);
    made.count = options.limit > 0 && options.limit < made.total ? options.limit
                                                                 : made.total;
    *out = made;
    return LG_OK;
}

void
lg_types_free(lg_types *types)
{
    lg__free(types->rows);
    lg__free(types->sizes);
    *types = (lg_types){0};
}

// Whether what allocators spend matters for a row, or for the whole.
static bool
is_spent_shown(const lg_ask *ask, const void *answer)
{
    const lg_types *types = answer;
    bool matters = lg__spent_matters(types->spent, types->size[0]);
    (void)ask;
    for (size_t i = 0; i < types->count; i++)
        matters |=
            lg__spent_matters(types->rows[i].spent, types->rows[i].size[0]);
    return matters;
}

#define ROW(member) .offset = offsetof(lg_type_row, member)

enum { COUNT, SIZE, SPENT, TYPE, FIELDS };

static const lg_field fields[FIELDS + 1] = {
    [COUNT] = {"count", "objects", "number of objects", LG_COLUMN_COUNT,
               ROW(count), .look = {.least = 12}},
    [SIZE] = {"size", NULL, "their shallow sizes together", LG_COLUMN_SIZE,
              ROW(size), .look = {.least = 12}},
    [SPENT] = {"spent", NULL, "what allocators spend on those of the host",
               LG_COLUMN_BYTES, ROW(spent),
               .look = {.least = 12, .shown = is_spent_shown}},
    [TYPE] = {"type", NULL, "module and qualified name of the type",
              LG_COLUMN_TEXT, ROW(name), .look = {.gap = 2}},
};

#define FACT(member) .offset = offsetof(lg_types, member)

static const lg_field facts[] = {
    {"types", NULL, "number of types, before the limit", LG_COLUMN_COUNT,
     FACT(total)},
    {"objects", NULL, "number of objects of all types", LG_COLUMN_COUNT,
     FACT(objects)},
    {"size", NULL, "the shallow sizes of all of them together", LG_COLUMN_SIZE,
     FACT(size)},
    {"spent", NULL, "what allocators spend on those of the host",
     LG_COLUMN_BYTES, FACT(spent)},
    {0},
};

static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_type_row *row = of;
    (void)ask, (void)answer;
    *out = (lg_thing){.kind = LG_THING_TYPE,
                      .node = LG_NONE,
                      .name = row->name,
                      .count = row->count,
                      .bytes = row->bytes};
    return true;
}

static void
add_total(const lg_ask *ask, const void *answer, lg_table *table)
{
    const lg_types *types = answer;
    (void)ask;
    lg__table_total_row(table);
    lg__put_count(table, COUNT, types->objects);
    lg__put_each(table, SIZE, types->size);
    lg__put_count(table, SPENT, types->spent);
    lg__put_literal(table, TYPE, "total");
}

static lg_status
ask_types(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_graph_types(ask->graph, ask->options, answer, err);
}

static void
free_types(void *answer)
{
    lg_types_free(answer);
}

static const char *const sorts[] = {"size", "count", "type", NULL};
static const lg_type_options usual = LG_TYPE_OPTIONS_INIT;

static const lg_option options[] = {
    LG__LIMIT(lg_type_options, "the biggest first"),
    {"by", LG_OPTION_CHOICE, sorts, NULL, "the column to sort by",
     offsetof(lg_type_options, by)},
    LG__MINE(lg_type_options),
    LG__MODULE(lg_type_options),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_types),
    .ask = ask_types,
    .free = free_types,
    .row_size = sizeof(lg_type_row),
    .rows = offsetof(lg_types, rows),
    .count = offsetof(lg_types, count),
    .total = offsetof(lg_types, total),
    .thing = is_about,
    .noun = "type",
    .below = add_total,
};

const lg_question lg__ask_types = {
    .name = "types",
    .title = "Types",
    .help = "count objects by type",
    .about = "Lists the types with the number of their objects and their "
             "shallow size.",
    .order = "the biggest first",
    .example = "--by count --limit 10",
    .result = "Types",
    .row = "TypeRow",
    .needs = 0,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
