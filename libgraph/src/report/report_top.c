// Writes who retains the most, as a table.
#include "answers/answers_private.h"
#include "report/report_private.h"

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_top top;
    lg_table *table;
} report;

enum { RETAINED, SPENT, SHARE, SIZE, NODE, OBJECTS, OBJECT, HELD_BY };
enum { COUNT = SHARE + 1, GROUP_SIZE, NAME }; // columns of groups instead

static uint64_t
whole_on(const void *top, uint32_t device)
{
    const lg_top *of = top;
    return of->reachable[device] + of->garbage[device];
}

// Adds up the bytes by which rows are ranked.
static uint64_t
sum(const lg_top *top, const uint64_t *bytes)
{
    uint64_t total = 0;
    for (uint32_t on = 0; on <= top->devices; on++)
        if (top->device == LG_NONE || top->device == on)
            total += bytes[on];
    return total;
}

// Shows what allocators spend if it matters for a row, or for the whole.
static uint8_t
spent_faces(const lg_top *top)
{
    bool matters =
        lg__spent_matters(top->spent, top->reachable[0] + top->garbage[0]);
    for (size_t i = 0; i < top->count; i++)
        matters |=
            lg__spent_matters(top->rows[i].spent, top->rows[i].retained[0]);
    return matters ? 0 : LG__IN_DATA;
}

static void
format_total(report *to, const char *what)
{
    lg_text said = {0};
    lg_text_addf(&said, "\n%s; total ", what);
    lg__format_vector(to->graph, whole_on, &to->top, &said);
    if (sum(&to->top, to->top.garbage) > 0) {
        lg_text_add(&said, ", of which garbage is ");
        lg__format_each(to->graph, to->top.garbage, &said);
    }
    if (spent_faces(&to->top) == 0) {
        lg_text_add(&said, "; allocators spend ");
        lg_text_add_size(&said, to->top.spent);
        lg_text_add(&said, " on that, because they round up");
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
        {"spent", .type = LG_COLUMN_BYTES},
        {"libraries", .type = LG_COLUMN_SIZE},
        {"more", .type = LG_COLUMN_SIZE},
    };
    bool adds_up = to->top.group == LG_GROUP_OBJECT;
    lg_table *known = lg__table_facts(to->table, facts, adds_up ? 6 : 4);
    lg__put_literal(known, 0, group);
    lg__put_each(known, 1, to->top.reachable);
    lg__put_each(known, 2, to->top.garbage);
    lg__put_count(known, 3, to->top.spent);
    if (adds_up) {
        lg__put_each(known, 4, to->top.libraries);
        lg__put_each(known, 5, to->top.more);
    }
}

// Adds a row below the others, for people.
static void
put_rest(report *to, const uint64_t *bytes, lg_text *what)
{
    lg__table_total_row(to->table);
    lg__put_each(to->table, RETAINED, bytes);
    lg__put_share(to->table, SHARE, sum(&to->top, bytes), to->top.total);
    lg__put_formatted(to->table, OBJECT, what);
}

static void
put_libraries(report *to)
{
    const lg_top *top = &to->top;
    lg_text what = {0};
    if (top->library_objects == 0)
        return;
    lg_text_add(&what, "what libraries keep for themselves: ");
    for (uint32_t i = 0; i < top->package_count; i++) {
        lg_text_add(&what, i > 0 ? ", " : "");
        lg_text_add_bytes(&what, top->package[i].data, top->package[i].length);
    }
    put_rest(to, top->libraries, &what);
}

static void
put_more(report *to)
{
    lg_text what = {0};
    bool any = false;
    for (uint32_t on = 0; on <= to->top.devices; on++)
        any |= to->top.more[on] > 0;
    if (!any)
        return;
    lg_text_add(&what, "everything else");
    if (to->top.more_objects > 0) {
        lg_text_add(&what, " (");
        lg_text_add_count(&what, to->top.more_objects);
        lg_text_add(&what, to->top.more_objects > 1 ? " more objects)"
                                                    : " more object)");
    }
    put_rest(to, to->top.more, &what);
}

static void
put_object(report *to, const lg_top_row *row)
{
    lg_text where = {0};
    lg_text what = {0};
    lg_table *table = to->table;
    if (row->count > 1) {
        lg_text_add_count(&what, row->count);
        lg_text_add(&what, " objects such as ");
    }
    lg_node_title(to->graph, row->node, false, &what);
    lg_text_addf(&what, " #%u", row->node);
    lg__table_row(table);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_count(table, SPENT, row->spent);
    lg__put_share(table, SHARE, row->weight, to->top.total);
    lg__put_each(table, SIZE, row->size);
    lg__put_node(table, NODE, to->graph, row->node);
    lg__put_count(table, OBJECTS, row->count);
    lg__put_formatted(table, OBJECT, &what);
    lg__where_write(to->graph, to->analysis, row->node, &row->where, &where);
    lg__put_formatted(table, HELD_BY, &where);
}

static void
put_objects(report *to)
{
    const lg__column columns[] = {
        [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
        [SPENT] = {"spent", .type = LG_COLUMN_BYTES,
                   .faces = spent_faces(&to->top), .least = 11},
        [SHARE] = {"share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [SIZE] = {"size", .type = LG_COLUMN_SIZE,
                  .faces = LG__IN_HTML | LG__IN_DATA},
        [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
        [OBJECTS] = {"count", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [OBJECT] = {"object", .faces = LG__SHOWN, .gap = 2, .least = 34},
        [HELD_BY] = {"held_by", "held by", .type = LG_COLUMN_PATH, .gap = 1},
    };
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, 8);
    for (size_t i = 0; i < to->top.count; i++)
        put_object(to, &to->top.rows[i]);
    put_libraries(to);
    put_more(to);
    put_facts(to, "object");
    format_total(to, "each byte counted once");
}

static void
put_group(report *to, const lg_top_row *row)
{
    lg_table *table = to->table;
    lg__table_row(table);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_count(table, SPENT, row->spent);
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
        [SPENT] = {"spent", .type = LG_COLUMN_BYTES,
                   .faces = spent_faces(&to->top), .least = 11},
        [SHARE] = {"share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                   .least = 9},
        [COUNT] = {"count", "objects", .type = LG_COLUMN_COUNT, .least = 12},
        [GROUP_SIZE] = {"size", .type = LG_COLUMN_SIZE,
                        .faces = LG__IN_HTML | LG__IN_DATA},
        [NAME] = {by_type ? "type" : "module",
                  by_type ? "type" : "module of the type", .gap = 2},
    };
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, 6);
    for (size_t i = 0; i < to->top.count; i++)
        put_group(to, &to->top.rows[i]);
    put_facts(to, by_type ? "type" : "module");
    format_total(to, "freed with all objects of the group");
}

lg_status
lg_tabulate_biggest(const lg_analysis *analysis, const lg_top *top,
                    lg_table **out, lg_error *err)
{
    report to = {.analysis = analysis, .graph = analysis->graph, .top = *top};
    (to.top.group == LG_GROUP_OBJECT ? put_objects : put_groups)(&to);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_tabulate_top(const lg_analysis *analysis, const lg_top_options *options,
                const lg_monitor *monitor, lg_table **out, lg_error *err)
{
    lg_top top;
    lg_status status = lg_analysis_top(analysis, options, monitor, &top, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_biggest(analysis, &top, out, err);
    lg_top_free(&top);
    return status;
}

lg_status
lg_report_top(const lg_analysis *analysis, const lg_top_options *options,
              const lg_monitor *monitor, lg_format format, lg_text *out,
              lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_top(analysis, options, monitor, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

/* ---------------------------------------------------------- the question */

static lg_status
ask_top(const lg_ask *ask, lg_table **out, lg_error *err)
{
    return lg_tabulate_top(ask->analysis, ask->options, ask->monitor, out, err);
}

static const char *const groups[] = {"object", "type", "module", NULL};
static const lg_top_options usual = LG_TOP_OPTIONS_INIT;

static const lg_option options[] = {
    LG__LIMIT(lg_top_options, "the biggest first"),
    {"by", LG_OPTION_DEVICE, NULL, "retained",
     "the size to sort by: `retained` on the host and all devices together, "
     "`host`, or a device: `cuda:0`",
     offsetof(lg_top_options, device)},
    {"group", LG_OPTION_CHOICE, groups, NULL,
     "what a row is: an object, with small ones of one place together, or all "
     "objects of a type, or of the types of a module",
     offsetof(lg_top_options, group)},
    LG__LIBRARIES(lg_top_options, "libraries keep"),
    LG__MINE(lg_top_options),
    LG__MODULE(lg_top_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_top};

const lg_question lg__ask_top = {
    .name = "top",
    .title = "What retains the most",
    .help = "find the objects that retain the most",
    .about = "Lists the objects with the largest retained sizes. The retained "
             "size is the number of bytes that you would free with the object. "
             "Small objects that are held in the same way share one row, and "
             "so does everything that libraries keep for themselves. The last "
             "row has the rest, so the rows add up to the whole heap.",
    .order = "the biggest first",
    .example = "--group type --limit 5",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
