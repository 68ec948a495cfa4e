// Writes what the snapshot knows about itself.
#include "file/file_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

// Adds up the sizes of all nodes, on all devices.
static uint64_t
size_of_all(const lg_graph *graph)
{
    uint64_t total = 0;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        total += lg_columns_size(&graph->columns, node);
    for (uint32_t i = 0; i < graph->big_count; i++)
        total += graph->big_size[i] - UINT32_MAX;
    return total;
}

// Adds up the sizes of all nodes on one device (0: the host).
static uint64_t
size_on(const void *context, uint32_t device)
{
    const lg_graph *graph = context;
    uint64_t there = 0;
    uint64_t elsewhere = 0;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint64_t size = lg_node_size(graph, graph->device_node[i]);
        if (graph->device_id[i] == device)
            there += size;
        else
            elsewhere += size;
    }
    return device == 0 ? size_of_all(graph) - elsewhere : there;
}

static uint32_t
native_root_count(const lg_graph *graph)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->root_count; i++)
        count += graph->root_kind[i] == LG_ROOT_NATIVE;
    return count;
}

enum { NAME, VALUE };

static const lg__column columns[] = {
    [NAME] = {.least = 16},
    [VALUE] = {.gap = 2, .type = LG_COLUMN_TEXT},
};

static void
put_line(lg_table *table, const char *name, lg_text *value)
{
    lg__table_row(table);
    lg__put_literal(table, NAME, name);
    lg__put_formatted(table, VALUE, value);
}

static void
put_counts(lg_table *table, lg_table *facts, const lg_graph *graph)
{
    const struct {
        const char *name;
        uint64_t count;
    } lines[] = {
        {"objects", graph->columns.node_count},
        {"references", graph->columns.edge_count},
        {"types", graph->type_count},
        {"roots", graph->root_count - native_root_count(graph)},
        {"held natively", native_root_count(graph)},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        lg_text value = {0};
        lg_text_add_count(&value, lines[i].count);
        put_line(table, lines[i].name, &value);
        lg__put_count(facts, i, lines[i].count);
    }
}

// Adds what gc.freeze() froze, if anything.
static void
put_frozen(lg_table *table, lg_table *facts, size_t column,
           const lg_graph *graph)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    lg_text value = {0};
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        if (!(lg_columns_flags(&graph->columns, node) & LG_NODE_FROZEN))
            continue;
        count++;
        bytes += lg_node_size(graph, node);
    }
    if (count == 0)
        return;
    lg__put_count(facts, column, count);
    lg_text_add_count(&value, count);
    lg_text_add(&value, " objects, ");
    lg_text_add_size(&value, bytes);
    put_line(table, "frozen", &value);
}

enum { SIZE = 5, PARTIAL, FROZEN, INFO };

// Adds a value, and bytes in units, too: the memory of the process and of
// devices.
static void
put_value(lg_table *table, lg_string name, lg_string value)
{
    static const char *const kinds[] = {"memory.", "device."};
    lg_text said = {0};
    uint64_t bytes = 0;
    bool is_bytes = lg__decimal_read(value, &bytes) && bytes >= 1024;
    lg__text_add_string(&said, value);
    for (size_t i = 0; is_bytes && i < 2; i++) {
        size_t length = strlen(kinds[i]);
        if (name.length < length || memcmp(name.data, kinds[i], length))
            continue;
        lg_text_add(&said, "  ");
        lg_text_add_size(&said, bytes);
    }
    lg__put_formatted(table, VALUE, &said);
}

static void
put_infos(lg_table *table, lg_table *facts, const lg_graph *graph)
{
    lg_text above = {0};
    lg_string *pairs =
        lg__alloc((2 * (size_t)graph->info_count + 1) * sizeof *pairs);
    lg_table *part = lg__table_part(
        table, (lg__layout){.bare = true, .shown_in = LG__SHOWN}, columns, 2);
    for (uint32_t i = 0; pairs != NULL && i < graph->info_count; i++) {
        lg_graph_info(graph, i, &pairs[2 * i], &pairs[2 * i + 1]);
        lg__table_row(part);
        lg__put_string(part, NAME, pairs[2 * i]);
        put_value(part, pairs[2 * i], pairs[2 * i + 1]);
    }
    lg_text_add(&above, "\n");
    lg__table_format_above(part, &above);
    lg__put_pairs(facts, INFO, pairs, graph->info_count);
    lg__free(pairs);
}

lg_status
lg_tabulate_info(const lg_graph *graph, lg_table **out, lg_error *err)
{
    static const lg__column known[] = {
        {"objects", .type = LG_COLUMN_COUNT},
        {"references", .type = LG_COLUMN_COUNT},
        {"types", .type = LG_COLUMN_COUNT},
        {"roots", .type = LG_COLUMN_COUNT},
        {"native_roots", .type = LG_COLUMN_COUNT},
        [SIZE] = {"shallow_size", .type = LG_COLUMN_SIZE},
        [PARTIAL] = {"partial", .type = LG_COLUMN_BOOL},
        [FROZEN] = {"frozen", .type = LG_COLUMN_COUNT, .optional = true},
        [INFO] = {"info", .type = LG_COLUMN_RECORD},
    };
    lg_text size = {0};
    lg_table *table = lg__table_new(
        graph, (lg__layout){.bare = true, .shown_in = LG__SHOWN}, columns, 2);
    lg_table *facts =
        lg__table_facts(table, known, sizeof known / sizeof *known);
    put_counts(table, facts, graph);
    lg__format_vector(graph, size_on, graph, &size);
    put_line(table, "shallow size", &size);
    lg__put_vector(facts, SIZE, size_on, graph);
    lg__put_bool(facts, PARTIAL, graph->partial);
    put_frozen(table, facts, FROZEN, graph);
    put_infos(table, facts, graph);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_info(const lg_graph *graph, lg_format format, lg_text *out,
               lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_info(graph, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

lg_status
lg_report_info_file(const char *path, unsigned flags, lg_format format,
                    const lg_monitor *monitor, lg_text *out, lg_error *err)
{
    lg_graph *graph = NULL;
    lg_status status = lg__graph_load_brief(path, flags, monitor, &graph, err);
    if (status == LG_OK)
        status = lg_report_info(graph, format, out, err);
    lg_graph_free(graph);
    return status;
}

uint64_t
lg_report_info_objects(const char *path, unsigned flags)
{
    lg_graph *graph = NULL;
    uint64_t objects = 0;
    if (!lg__graph_load_brief(path, flags, NULL, &graph, NULL))
        objects = graph->columns.node_count;
    lg_graph_free(graph);
    return objects;
}
