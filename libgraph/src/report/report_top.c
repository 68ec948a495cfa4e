// Who retains the most, as a table.
#include "answers/answers_private.h"
#include "report/table.h"
#include "report/where.h"

#include <stdlib.h>
#include <string.h>

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    uint32_t device; // what rows are ranked by
    uint64_t total;  // all there is of that
    lg__where where;
    const lg_monitor *monitor;
    lg_table *table;
} report;

enum { RETAINED, SHARE, SIZE, OBJECT, HELD_BY }; // of objects
enum { COUNT = SHARE + 1, GROUP_SIZE, NAME };    // of groups

enum { EVERYTHING, REACHABLE, GARBAGE };

// Of one of these.
static uint64_t
whole_on(const lg_analysis *analysis, uint32_t which, uint32_t device)
{
    uint32_t root = analysis->graph->columns.node_count;
    uint64_t bytes = 0;
    if (which != GARBAGE)
        bytes += lg__dominated_on(analysis, root, device);
    if (which != REACHABLE)
        bytes += lg__dominated_on(analysis, root + 1, device);
    return bytes;
}

static uint64_t
whole(const report *to, uint32_t which)
{
    uint64_t sum = 0;
    for (uint32_t device = 0; device <= to->graph->device_count; device++)
        if (to->device == LG_NONE || to->device == device)
            sum += whole_on(to->analysis, which, device);
    return sum;
}

static void
say_total(report *to, const char *what)
{
    lg_text said = {0};
    lg_text_addf(&said, "\n%s; total ", what);
    lg__format_retained(to->analysis, whole_on, EVERYTHING, &said);
    if (whole(to, GARBAGE) > 0) {
        lg_text_add(&said, ", of which garbage is ");
        lg__format_retained(to->analysis, whole_on, GARBAGE, &said);
    }
    lg_text_add(&said, "\n");
    lg__table_format_below(to->table, &said);
}

static void
put_facts(report *to, const char *group)
{
    static const lg__column facts[] = {
        {.name = "group"},
        {"reachable", .type = LG_COLUMN_SIZE},
        {"garbage", .type = LG_COLUMN_SIZE},
    };
    lg_table *known = lg__table_facts(to->table, facts, 3);
    lg__put_literal(known, 0, group);
    lg__put_retained(known, 1, to->analysis, whole_on, REACHABLE);
    lg__put_retained(known, 2, to->analysis, whole_on, GARBAGE);
}

static uint64_t
own_on(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return lg_node_device(analysis->graph, node) == device
               ? lg_node_size(analysis->graph, node)
               : 0;
}

static lg_status
put_object(report *to, uint32_t node, lg_error *err)
{
    lg_text where = {0};
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_retained(table, RETAINED, to->analysis, lg_node_retained_on, node);
    lg__put_share(table, SHARE, lg__top_weight(to->analysis, node, to->device),
                  to->total);
    lg__put_retained(table, SIZE, to->analysis, own_on, node);
    lg__put_node(table, OBJECT, to->graph, node);
    lg_status status =
        lg__where_format(&to->where, node, to->monitor, &where, err);
    lg__put_formatted(table, HELD_BY, &where);
    return status;
}

static lg_status
tabulate_objects(report *to, size_t limit, lg_error *err)
{
    static const lg__column columns[] = {
        [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
        [SHARE] = {"share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [SIZE] = {"size", .type = LG_COLUMN_SIZE,
                  .faces = LG__IN_HTML | LG__IN_DATA},
        [OBJECT] = {"node", "object", .type = LG_COLUMN_NODE, .gap = 2,
                    .least = 34},
        [HELD_BY] = {"held_by", "held by", .type = LG_COLUMN_PATH, .gap = 1},
    };
    lg__gathered nodes = {0};
    lg_status status =
        lg__top_objects(to->analysis, to->device, limit, &nodes, err);
    if (status != LG_OK)
        return status;
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, 5);
    for (size_t i = 0; i < nodes.count && status == LG_OK; i++)
        status = put_object(to, nodes.items[i], err);
    put_facts(to, "object");
    say_total(to, "each byte counted once");
    free(nodes.items);
    return status;
}

static bool
begins_with(lg_string name, lg_string module)
{
    return module.length > 0 && module.length < name.length &&
           name.data[module.length] == '.' &&
           memcmp(name.data, module.data, module.length) == 0;
}

// A type's module: the longest name of a module that it begins with; for want
// of one all but its last part. Builtins are bare.
static lg_string
module_of(const lg_graph *graph, uint32_t type)
{
    lg_string name = lg_graph_type(graph, type).name;
    lg_string best = {name.data, 0};
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind == LG_ROOT_MODULE && root.name.length > best.length &&
            begins_with(name, root.name))
            best.length = root.name.length;
    }
    uint32_t dot = name.length;
    while (best.length == 0 && dot > 0 && name.data[dot - 1] != '.')
        dot--;
    if (best.length == 0 && dot > 1)
        best.length = dot - 1;
    return best.length > 0 ? best : (lg_string){"builtins", 8};
}

// Names of groups, and the group of each type.
typedef struct groups {
    lg_string *name;   // [count]
    uint32_t *of_type; // [type]
    uint32_t count;
} groups;

typedef struct named {
    lg_string name;
    uint32_t type;
} named;

static int
compare_names(lg_string a, lg_string b)
{
    int order =
        memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int
by_name(const void *left, const void *right)
{
    const named *a = left;
    const named *b = right;
    int order = compare_names(a->name, b->name);
    return order != 0 ? order : (a->type > b->type) - (a->type < b->type);
}

static void
free_groups(groups *all)
{
    free(all->name);
    free(all->of_type);
}

// Types of one name are one group.
static lg_status
list_groups(const lg_graph *graph, lg_group by, groups *out, lg_error *err)
{
    size_t types = (size_t)graph->type_count + 1;
    groups all = {malloc(types * sizeof(lg_string)),
                  malloc(types * sizeof(uint32_t)), 0};
    named *names = malloc(types * sizeof *names);
    if (!all.name || !all.of_type || !names) {
        free(names);
        free_groups(&all);
        return lg__error_memory(err);
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        names[type] =
            (named){by == LG_GROUP_TYPE ? lg_graph_type(graph, type).name
                                        : module_of(graph, type),
                    type};
    qsort(names, graph->type_count, sizeof *names, by_name);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (i == 0 || compare_names(names[i].name, names[i - 1].name) != 0)
            all.name[all.count++] = names[i].name;
        all.of_type[names[i].type] = all.count - 1;
    }
    free(names);
    *out = all;
    return LG_OK;
}

static void
put_group(report *to, const lg__top_group *row, lg_string name)
{
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_share(table, SHARE, row->rank, to->total);
    lg__put_count(table, COUNT, row->count);
    lg__put_each(table, GROUP_SIZE, row->size);
    lg__put_string(table, NAME, name);
}

static void
put_groups(report *to, const groups *all, const lg__top_list *rows,
           lg_group group)
{
    bool by_type = group == LG_GROUP_TYPE;
    const lg__column columns[] = {
        [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
        [SHARE] = {"share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [COUNT] = {"count", "objects", .type = LG_COLUMN_COUNT, .least = 12},
        [GROUP_SIZE] = {"size", .type = LG_COLUMN_SIZE,
                        .faces = LG__IN_HTML | LG__IN_DATA},
        [NAME] = {by_type ? "type" : "module",
                  by_type ? "type" : "module of the type", .gap = 2},
    };
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, 5);
    for (size_t i = 0; i < rows->count; i++)
        put_group(to, &rows->items[i], all->name[rows->items[i].group]);
    put_facts(to, by_type ? "type" : "module");
    say_total(to, "freed with all objects of the group");
}

static lg_status
tabulate_groups(report *to, lg_group group, size_t limit, lg_error *err)
{
    groups all = {0};
    lg__top_list rows = {0};
    lg_status status = list_groups(to->graph, group, &all, err);
    if (status != LG_OK)
        return status;
    status = lg__top_groups(to->analysis, all.of_type, all.count, to->device,
                            limit, to->monitor, &rows, err);
    if (status == LG_OK)
        put_groups(to, &all, &rows, group);
    lg__top_list_free(&rows);
    free_groups(&all);
    return status;
}

lg_status
lg_tabulate_top(const lg_analysis *analysis, lg_group group, uint32_t device,
                size_t limit, const lg_monitor *monitor, lg_table **out,
                lg_error *err)
{
    report to = {.analysis = analysis,
                 .graph = analysis->graph,
                 .device = device,
                 .where = {.analysis = analysis},
                 .monitor = monitor};
    if (device != LG_NONE && device > analysis->graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", device);
    to.total = whole(&to, EVERYTHING);
    limit = limit > 0 ? limit : SIZE_MAX;
    lg_status status = group == LG_GROUP_OBJECT
                           ? tabulate_objects(&to, limit, err)
                           : tabulate_groups(&to, group, limit, err);
    lg__where_free(&to.where);
    if (status == LG_OK)
        return lg__table_finish(to.table, out, err);
    lg_table_free(to.table);
    return status;
}

lg_status
lg_report_top(const lg_analysis *analysis, lg_group group, uint32_t device,
              size_t limit, const lg_monitor *monitor, lg_format format,
              lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status =
        lg_tabulate_top(analysis, group, device, limit, monitor, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
