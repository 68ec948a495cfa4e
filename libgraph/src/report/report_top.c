// Who retains the most, as a table.
#include "answers/answers_private.h"
#include "report/table.h"
#include "report/where.h"

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_top top;
    lg_table *table;
} report;

enum { RETAINED, SHARE, SIZE, OBJECT, HELD_BY }; // of objects
enum { COUNT = SHARE + 1, GROUP_SIZE, NAME };    // of groups

static uint64_t
whole_on(const void *top, uint32_t device)
{
    const lg_top *of = top;
    return of->reachable[device] + of->garbage[device];
}

// By what rows are ranked by.
static uint64_t
count_garbage(const lg_top *top)
{
    uint64_t sum = 0;
    for (uint32_t on = 0; on <= top->devices; on++)
        if (top->device == LG_NONE || top->device == on)
            sum += top->garbage[on];
    return sum;
}

static void
say_total(report *to, const char *what)
{
    lg_text said = {0};
    lg_text_addf(&said, "\n%s; total ", what);
    lg__format_vector(to->graph, whole_on, &to->top, &said);
    if (count_garbage(&to->top) > 0) {
        lg_text_add(&said, ", of which garbage is ");
        lg__format_each(to->graph, to->top.garbage, &said);
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
    lg__put_each(known, 1, to->top.reachable);
    lg__put_each(known, 2, to->top.garbage);
}

static void
put_object(report *to, const lg_top_row *row)
{
    lg_text where = {0};
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_share(table, SHARE, row->weight, to->top.total);
    lg__put_each(table, SIZE, row->size);
    lg__put_node(table, OBJECT, to->graph, row->node);
    lg__where_write(to->graph, to->analysis, row->node, &row->where, &where);
    lg__put_formatted(table, HELD_BY, &where);
}

static void
put_objects(report *to)
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
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, 5);
    for (size_t i = 0; i < to->top.count; i++)
        put_object(to, &to->top.rows[i]);
    put_facts(to, "object");
    say_total(to, "each byte counted once");
}

static void
put_group(report *to, const lg_top_row *row)
{
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_share(table, SHARE, row->weight, to->top.total);
    lg__put_count(table, COUNT, row->count);
    lg__put_each(table, GROUP_SIZE, row->size);
    lg__put_string(table, NAME, row->name);
}

static void
put_groups(report *to)
{
    bool by_type = to->top.group == LG_GROUP_TYPE;
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
    for (size_t i = 0; i < to->top.count; i++)
        put_group(to, &to->top.rows[i]);
    put_facts(to, by_type ? "type" : "module");
    say_total(to, "freed with all objects of the group");
}

lg_status
lg_tabulate_top(const lg_analysis *analysis, lg_group group, uint32_t device,
                size_t limit, const lg_monitor *monitor, lg_table **out,
                lg_error *err)
{
    report to = {.analysis = analysis, .graph = analysis->graph};
    lg_status status =
        lg_analysis_top(analysis, group, device, limit, monitor, &to.top, err);
    if (status != LG_OK)
        return status;
    (group == LG_GROUP_OBJECT ? put_objects : put_groups)(&to);
    lg_top_free(&to.top);
    return lg__table_finish(to.table, out, err);
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
