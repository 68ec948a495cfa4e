// Who retains the most, as a table.
#include "answers/answers_private.h"
#include "report/where.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    uint32_t by;    // what rows are ranked by
    uint64_t total; // all there is of that
    size_t width;   // of the first column
    lg__where where;
    const lg_monitor *monitor;
    lg_text text;
} report;

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
        if (to->by == 0 || to->by == device + 1)
            sum += whole_on(to->analysis, which, device);
    return sum;
}

static void
add_total(report *to, const char *what)
{
    lg_text_addf(&to->text, "\n%s out of ", what);
    lg__format_retained(to->analysis, whole_on, EVERYTHING, &to->text);
    if (whole(to, GARBAGE) > 0) {
        lg_text_add(&to->text, ", of which garbage is ");
        lg__format_retained(to->analysis, whole_on, GARBAGE, &to->text);
    }
    lg_text_add(&to->text, "\n");
}

// The first column is as wide as its widest cell.
static void
widen(report *to, lg_text *cell)
{
    size_t width = lg__text_width(cell, 0);
    to->text.failed |= cell->failed;
    to->width = width > to->width ? width : to->width;
    cell->length = 0;
}

static void
add_heading(report *to, const char *rest)
{
    for (size_t i = strlen("retained"); i < to->width; i++)
        lg_text_add(&to->text, " ");
    lg_text_addf(&to->text, "retained    share%s\n", rest);
}

static lg_status
object_row(report *to, uint32_t node, lg_error *err)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    lg__format_retained(to->analysis, lg_node_retained_on, node, &cell);
    lg__format_right(&cell, to->width, out);
    lg__format_share(lg__top_weight(to->analysis, node, to->by), to->total,
                     &cell);
    lg__format_right(&cell, 9, out);
    lg_text_free(&cell);
    lg_text_add(out, "  ");
    size_t start = out->length;
    lg_node_title(to->graph, node, false, out);
    lg_text_addf(out, " #%u", node);
    lg__text_pad(out, start, 34);
    lg_text_add(out, " ");
    lg_status status =
        lg__where_format(&to->where, node, to->monitor, out, err);
    lg_text_add(out, "\n");
    return status;
}

static lg_status
objects_text(report *to, const lg__gathered *nodes, lg_error *err)
{
    lg_status status = LG_OK;
    lg_text cell = {0};
    for (size_t i = 0; i < nodes->count; i++) {
        lg__format_retained(to->analysis, lg_node_retained_on, nodes->items[i],
                            &cell);
        widen(to, &cell);
    }
    lg_text_free(&cell);
    add_heading(to, "  object                             held by");
    for (size_t i = 0; i < nodes->count && status == LG_OK; i++)
        status = object_row(to, nodes->items[i], err);
    add_total(to, "objects that retain the most, none of them twice,");
    return status;
}

static lg_status
objects_json(report *to, const lg__gathered *nodes, lg_error *err)
{
    lg_status status = LG_OK;
    lg_text *out = &to->text;
    lg_text_add(out, "{\"group\": \"object\", \"rows\": [");
    for (size_t i = 0; i < nodes->count && status == LG_OK; i++) {
        uint32_t node = nodes->items[i];
        lg_text where = {0};
        lg_text_add(out, i > 0 ? ",\n  {" : "\n  {");
        lg__json_node(to->graph, node, out);
        lg_text_addf(out, ", \"size\": %llu, \"retained\": ",
                     (unsigned long long)lg_node_size(to->graph, node));
        lg__json_retained(to->analysis, lg_node_retained_on, node, out);
        status = lg__where_format(&to->where, node, to->monitor, &where, err);
        lg_text_add(out, ", \"held_by\": ");
        lg__json_formatted(&where, out);
        lg_text_add(out, "}");
    }
    return status;
}

static lg_status
report_objects(report *to, size_t limit, lg_format format, lg_error *err)
{
    lg__gathered nodes = {0};
    lg_status status =
        lg__top_objects(to->analysis, to->by, limit, &nodes, err);
    if (status == LG_OK)
        status = format == LG_FORMAT_JSON ? objects_json(to, &nodes, err)
                                          : objects_text(to, &nodes, err);
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
groups_text(report *to, const groups *all, const lg__top_list *rows,
            lg_group group)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    for (size_t i = 0; i < rows->count; i++) {
        lg__format_each(to->graph, rows->items[i].retained, &cell);
        widen(to, &cell);
    }
    add_heading(to, group == LG_GROUP_TYPE
                        ? "     objects  type"
                        : "     objects  module of the type");
    for (size_t i = 0; i < rows->count; i++) {
        const lg__top_group *row = &rows->items[i];
        lg__format_each(to->graph, row->retained, &cell);
        lg__format_right(&cell, to->width, out);
        lg__format_share(row->rank, to->total, &cell);
        lg__format_right(&cell, 9, out);
        lg_text_add_count(&cell, row->count);
        lg__format_right(&cell, 12, out);
        lg_text_add(out, "  ");
        lg__text_add_string(out, all->name[row->group]);
        lg_text_add(out, "\n");
    }
    lg_text_free(&cell);
    add_total(to, "what goes with all objects of the group,");
}

static void
groups_json(report *to, const groups *all, const lg__top_list *rows,
            lg_group group)
{
    lg_text *out = &to->text;
    const char *name = group == LG_GROUP_TYPE ? "type" : "module";
    lg_text_addf(out, "{\"group\": \"%s\", \"rows\": [", name);
    for (size_t i = 0; i < rows->count; i++) {
        const lg__top_group *row = &rows->items[i];
        lg_text_addf(out, "%s\n  {\"%s\": ", i > 0 ? "," : "", name);
        lg__text_add_json_string(out, all->name[row->group]);
        lg_text_addf(out, ", \"count\": %llu, \"size\": %llu, \"retained\": ",
                     (unsigned long long)row->count,
                     (unsigned long long)row->size);
        lg__json_each(to->graph, row->retained, out);
        lg_text_add(out, "}");
    }
}

static lg_status
report_groups(report *to, lg_group group, size_t limit, lg_format format,
              lg_error *err)
{
    groups all = {0};
    lg__top_list rows = {0};
    lg_status status = list_groups(to->graph, group, &all, err);
    if (status != LG_OK)
        return status;
    status = lg__top_groups(to->analysis, all.of_type, all.count, to->by, limit,
                            to->monitor, &rows, err);
    if (status == LG_OK && format == LG_FORMAT_JSON)
        groups_json(to, &all, &rows, group);
    else if (status == LG_OK)
        groups_text(to, &all, &rows, group);
    lg__top_list_free(&rows);
    free_groups(&all);
    return status;
}

lg_status
lg_report_top(const lg_analysis *analysis, lg_group group, uint32_t by,
              size_t limit, const lg_monitor *monitor, lg_format format,
              lg_text *out, lg_error *err)
{
    report to = {.analysis = analysis,
                 .graph = analysis->graph,
                 .by = by,
                 .width = 12,
                 .where = {.analysis = analysis},
                 .monitor = monitor};
    if (by > analysis->graph->device_count + 1)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", by - 1);
    to.total = whole(&to, EVERYTHING);
    lg_status status = group == LG_GROUP_OBJECT
                           ? report_objects(&to, limit, format, err)
                           : report_groups(&to, group, limit, format, err);
    lg__where_free(&to.where);
    if (status != LG_OK) {
        lg_text_free(&to.text);
        return status;
    }
    if (format == LG_FORMAT_JSON) {
        lg_text_add(&to.text, "\n], \"reachable\": ");
        lg__json_retained(analysis, whole_on, REACHABLE, &to.text);
        lg_text_add(&to.text, ", \"garbage\": ");
        lg__json_retained(analysis, whole_on, GARBAGE, &to.text);
        lg_text_add(&to.text, "}\n");
    }
    return lg__report_finish(&to.text, out, err);
}
