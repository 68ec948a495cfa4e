// The table of what retains the most: its columns, the rows that people see,
// and the question.
#include "answers/answers_private.h"
#include "native/native_private.h"
#include "table/table_private.h"

#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/options.h>

static uint64_t
whole_on(const void *top, uint32_t device)
{
    return ((const lg_top *)top)->reachable[device] +
           ((const lg_top *)top)->garbage[device];
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

// Whether what allocators spend matters for a row, or for the whole.
static bool
is_spent_shown(const lg_ask *ask, const void *answer)
{
    const lg_top *top = answer;
    bool matters = lg__spent_matters(top->spent, whole_on(top, 0));
    (void)ask;
    for (size_t i = 0; i < top->count; i++)
        matters |=
            lg__spent_matters(top->rows[i].spent, top->rows[i].retained[0]);
    return matters;
}

static bool
has_objects(const lg_ask *ask, const void *top)
{
    (void)ask;
    return ((const lg_top *)top)->group == LG_GROUP_OBJECT;
}

static bool
has_groups(const lg_ask *ask, const void *top)
{
    return !has_objects(ask, top);
}

static bool
has_types(const lg_ask *ask, const void *top)
{
    (void)ask;
    return ((const lg_top *)top)->group == LG_GROUP_TYPE;
}

static bool
has_modules(const lg_ask *ask, const void *top)
{
    (void)ask;
    return ((const lg_top *)top)->group == LG_GROUP_MODULE;
}

// Writes `12 x list of 2 #17`, or `12 x list #17` if they are varied; nothing
// for LG_NONE.
static void
format_objects(const lg_graph *graph, lg_node node, uint64_t count, bool varied,
               lg_text *out)
{
    if (node == LG_NONE)
        return;
    if (count > 1) {
        lg_text_add_count(out, count);
        lg_text_add(out, " x ");
    }
    if (varied)
        lg__text_add_string(out, lg__node_kind(graph, node));
    else
        lg_node_title(graph, node, false, out);
    lg_text_addf(out, " #%u", node);
}

// Returns the type of a row; empty for a module.
static lg_string
type_of(const lg_ask *ask, const void *top, const lg_top_row *row)
{
    if (row->node != LG_NONE)
        return lg_graph_type(ask->graph,
                             lg_columns_type(&ask->graph->columns, row->node))
            .name;
    return has_types(ask, top) ? row->name : (lg_string){"", 0};
}

static void
write_type(const lg_ask *ask, const void *top, const void *row, lg_text *out)
{
    lg__text_add_string(out, type_of(ask, top, row));
}

static void
write_module(const lg_ask *ask, const void *top, const void *row, lg_text *out)
{
    lg_string type = type_of(ask, top, row);
    lg__text_add_string(out, type.length > 0 ? lg__type_module(ask->graph, type)
                                             : ((const lg_top_row *)row)->name);
}

static void
write_object(const lg_ask *ask, const void *top, const void *of, lg_text *out)
{
    const lg_top_row *row = of;
    (void)top;
    lg__native_claim_add_words((lg_native_level)row->by, out);
    format_objects(ask->graph, row->node, row->count, row->varied, out);
}

static void
write_by(const lg_ask *ask, const void *top, const void *of, lg_text *out)
{
    const lg_top_row *row = of;
    (void)ask, (void)top;
    if (row->by != LG_LEVEL_EXACT)
        lg_text_add(out, lg__level_names[row->by]);
}

static void
write_held_by(const lg_ask *ask, const void *top, const void *of, lg_text *out)
{
    const lg_top_row *row = of;
    (void)top;
    if (row->node != LG_NONE)
        lg__where_write_row(ask, row->node, row->count, &row->where, out);
}

// Points on to native memory where much of the process is no object's.
static void
advise_native(const lg_ask *ask, const lg_top *top, lg_text *out)
{
    const uint64_t bytes = whole_on(top, 0);
    const uint64_t others = lg_graph_wanting_native(
        ask->graph, bytes > top->spent ? bytes : top->spent);
    if (others == 0)
        return;
    lg_text_add(out, "other allocations, in use by C code: ");
    lg_text_add_size(out, others);
    lg_text_add(out, "; ");
    lg__advise_native(ask->graph, out);
}

static void
add_total_line(const lg_ask *ask, const lg_top *top, lg_table *table)
{
    lg_text said = {0};
    lg_text_addf(&said, "\n%s; total ",
                 top->group == LG_GROUP_OBJECT
                     ? "each byte counted once"
                     : "freed with all objects of the group");
    lg__format_vector(ask->graph, whole_on, top, &said);
    if (sum(top, top->garbage) > 0) {
        lg_text_add(&said, ", of which garbage is ");
        lg__format_each(ask->graph, top->garbage, &said);
    }
    if (is_spent_shown(ask, top)) {
        lg_text_add(&said, "; allocators spend ");
        lg_text_add_size(&said, top->spent);
        lg_text_add(&said, " on that, because they round up");
    }
    lg_text_add(&said, "\n");
    advise_native(ask, top, &said);
    lg__table_format_below(table, &said);
}

#define PART(member) .offset = offsetof(lg_top_part, member)

static void
write_part_path(const lg_ask *ask, const void *top, const void *row,
                lg_text *out)
{
    const lg_top_part *part = row;
    (void)ask, (void)top;
    lg_text_add_bytes(out, part->held_by.data, part->held_by.length);
}

static const lg_field part_fields[] = {
    {"depth", NULL, "1: of the row; 2: of the last part of depth 1",
     LG_COLUMN_COUNT, PART(depth), .of = LG_FIELD_SHORT},
    {"node", NULL, "the object, of several the biggest", LG_COLUMN_NODE,
     PART(node)},
    {"type", NULL, "module and qualified name of its type", LG_COLUMN_TEXT,
     PART(node), .of = LG_FIELD_TYPE},
    {"title", NULL, "the object in a few words", LG_COLUMN_TEXT, PART(node),
     .of = LG_FIELD_TITLE},
    {"count", NULL, "number of objects", LG_COLUMN_COUNT, PART(count)},
    {"retained", NULL, "what only they keep alive", LG_COLUMN_SIZE,
     PART(retained)},
    {"held_by", NULL, "the path from a root, with `[*]` for what differs",
     LG_COLUMN_PATH, .write = write_part_path},
    {0},
};

#define ROW(member) .offset = offsetof(lg_top_row, member)

enum {
    RETAINED,
    SPENT,
    SHARE,
    SIZE,
    NODE,
    TYPE,
    TITLE,
    MODULE,
    CATEGORY,
    REFCOUNT,
    BY,
    COUNT,
    TYPE_SHOWN,
    MODULE_SHOWN,
    OBJECT,
    HELD_BY,
    PARTS,
    FIELDS
};

static void
put_parts(const lg_ask *ask, const void *top, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    const lg_top_row *of = row;
    const lg__rows parts = {of->parts, of->part_count, sizeof *of->parts};
    lg__put_list(ask, top, field, &parts, table, column);
}

static void
put_refcount(const lg_ask *ask, const void *top, const void *row,
             const lg_field *field, lg_table *table, size_t column)
{
    lg_node node = ((const lg_top_row *)row)->node;
    (void)top, (void)field;
    if (node != LG_NONE)
        lg__put_count(table, column,
                      lg_columns_refcount(&ask->graph->columns, node));
}

static const lg_field fields[FIELDS + 1] = {
    [RETAINED] = {"retained", NULL, "what only they keep alive", LG_COLUMN_SIZE,
                  ROW(retained), .look = {.least = 12}},
    [SPENT] = {"spent", NULL,
               "what allocators spend on what is retained on the host",
               LG_COLUMN_BYTES, ROW(spent),
               .look = {.least = 11, .shown = is_spent_shown}},
    [SHARE] = {"share", NULL, "its part of all bytes that rows are sorted by",
               LG_COLUMN_SHARE, ROW(weight), .whole = offsetof(lg_top, total),
               .look = {.least = 9}},
    [SIZE] = {"size", NULL, "their shallow sizes together", LG_COLUMN_SIZE,
              ROW(size), .look = {.in = LG_IN_HTML | LG_IN_DATA}},
    [NODE] = {"node", NULL, "the object, of several the biggest",
              LG_COLUMN_NODE, ROW(node), .optional = true,
              .look = {.in = LG_IN_DATA}},
    [TYPE] = {"type", NULL, "module and qualified name of the type",
              LG_COLUMN_TEXT, .write = write_type, .optional = true,
              .look = {.in = LG_IN_DATA}},
    [TITLE] = {"title", NULL, "the object in a few words", LG_COLUMN_TEXT,
               ROW(node), .of = LG_FIELD_TITLE, .optional = true,
               .look = {.in = LG_IN_DATA}},
    [MODULE] = {"module", NULL, "the module that defines the type",
                LG_COLUMN_TEXT, .write = write_module,
                .look = {.in = LG_IN_DATA}},
    [CATEGORY] = {"category", NULL, "what the objects are", LG_COLUMN_TEXT,
                  ROW(category), .words = lg__category_words,
                  .look = {.in = LG_IN_DATA}},
    [REFCOUNT] = {"refcount", NULL, "number of references to the object",
                  LG_COLUMN_COUNT, .put = put_refcount, .optional = true,
                  .look = {.in = LG_IN_DATA}},
    [BY] = {"by", NULL,
            "how sure that is: the weakest references by which half of it is "
            "held, if native memory is part of it; else None",
            LG_COLUMN_TEXT, .write = write_by, .optional = true,
            .look = {.in = LG_IN_DATA}},
    [COUNT] = {"count", "objects", "number of objects", LG_COLUMN_COUNT,
               ROW(count), .look = {.least = 12, .shown = has_groups}},
    [TYPE_SHOWN] = {NULL, "type", NULL, LG_COLUMN_TEXT, .write = write_type,
                    .look = {.gap = 2, .shown = has_types}},
    [MODULE_SHOWN] = {NULL, "module of the type", NULL, LG_COLUMN_TEXT,
                      .write = write_module,
                      .look = {.gap = 2, .shown = has_modules}},
    [OBJECT] = {NULL, "object", NULL, LG_COLUMN_TEXT, .write = write_object,
                .look = {.gap = 2,
                         .least = 34,
                         .indented = true,
                         .shown = has_objects}},
    [HELD_BY] = {"held_by", "held by",
                 "the path from a root, with `[*]` for what differs; for "
                 "garbage, its cycle",
                 LG_COLUMN_PATH, .write = write_held_by, .optional = true,
                 .look = {.gap = 1, .indented = true, .shown = has_objects}},
    [PARTS] = {"parts", NULL,
               "what is below and has at least 1 % of the total, by place",
               LG_COLUMN_LIST, .put = put_parts, .inner = part_fields,
               .row = "TopPart", .look = {.in = LG_IN_DATA}},
};

static const char *const groups[] = {"object", "type", "module", NULL};

#define FACT(member) .offset = offsetof(lg_top, member)

static const lg_field facts[] = {
    {"group", NULL, "what a row is", LG_COLUMN_TEXT, FACT(group),
     .words = groups},
    {"reachable", NULL, "all bytes of what the roots reach", LG_COLUMN_SIZE,
     FACT(reachable)},
    {"garbage", NULL, "all bytes of what no root reaches", LG_COLUMN_SIZE,
     FACT(garbage)},
    {"spent", NULL, "what allocators spend on the whole heap, on the host",
     LG_COLUMN_BYTES, FACT(spent)},
    {"libraries", NULL,
     "what libraries keep for themselves, unless it has rows; none for types "
     "and modules",
     LG_COLUMN_SIZE, FACT(libraries), .optional = true},
    {"more", NULL,
     "everything else that is in no row: the rows, `libraries` and `more` are "
     "the whole heap; none for types and modules",
     LG_COLUMN_SIZE, FACT(more), .optional = true},
    {0},
};

static void
add_libraries(lg_table *table, const lg_top *top)
{
    lg_text what = {0};
    if (top->library_objects == 0)
        return;
    lg_text_add(&what, "what libraries keep for themselves: ");
    for (uint32_t i = 0; i < top->package_count; i++) {
        lg_text_add(&what, i > 0 ? ", " : "");
        lg_text_add_bytes(&what, top->package[i].data, top->package[i].length);
    }
    lg__table_total_row(table);
    lg__put_each(table, RETAINED, top->libraries);
    lg__put_share(table, SHARE, sum(top, top->libraries), top->total);
    lg__put_formatted(table, OBJECT, &what);
}

enum { LIMIT = 0, ENOUGH = 3 }; // of the options; lines that people always see

static bool
is_row_shown(const lg_ask *ask, const lg_top *top, size_t row)
{
    size_t before = row;
    for (size_t i = 0; i < row && before < ENOUGH; i++)
        before += top->rows[i].part_count;
    return top->group != LG_GROUP_OBJECT ||
           !lg__row_is_little(ask, LIMIT, before, top->rows[row].weight,
                              top->total);
}

// Adds the parts of a row, for people.
static void
add_parts(const lg_ask *ask, const lg_top *top, const lg_top_row *row,
          lg_table *table)
{
    for (size_t i = 0; i < row->part_count; i++) {
        const lg_top_part *part = &row->parts[i];
        lg_text object = {0};
        lg__table_heading_row(table);
        lg__table_set_depth(table, part->depth);
        lg__put_each(table, RETAINED, part->retained);
        lg__put_share(table, SHARE, part->weight, top->total);
        lg__put_node(table, NODE, ask->graph, part->node);
        format_objects(ask->graph, part->node, part->count, part->varied,
                       &object);
        lg__put_formatted(table, OBJECT, &object);
        lg__put_string(
            table, HELD_BY,
            (lg_string){part->held_by.data + part->lead,
                        (uint32_t)(part->held_by.length - part->lead)});
        lg__put_object_change(table, ask, part->node, part->retained);
    }
}

static void
add_after(const lg_ask *ask, const void *answer, size_t row, lg_table *table)
{
    const lg_top *top = answer;
    if (is_row_shown(ask, top, row))
        add_parts(ask, top, &top->rows[row], table);
    else
        lg__table_hide_row(table);
}

// What is in no row that people see.
typedef struct unseen {
    const lg_ask *ask;
    const lg_top *top;
} unseen;

static uint64_t
unseen_on(const void *context, uint32_t device)
{
    const unseen *of = context;
    uint64_t bytes = of->top->more[device];
    for (size_t row = 0; row < of->top->count; row++)
        if (!is_row_shown(of->ask, of->top, row))
            bytes += of->top->rows[row].retained[device];
    return bytes;
}

static uint64_t
count_unseen(const unseen *of)
{
    uint64_t objects = of->top->more_objects;
    for (size_t row = 0; row < of->top->count; row++)
        if (!is_row_shown(of->ask, of->top, row))
            objects += of->top->rows[row].count;
    return objects;
}

static void
add_more(const lg_ask *ask, const lg_top *top, lg_table *table)
{
    const unseen rest = {ask, top};
    uint64_t objects = count_unseen(&rest), bytes = 0, any = 0;
    lg_text what = {0};
    for (uint32_t on = 0; on <= top->devices; on++) {
        uint64_t there = unseen_on(&rest, on);
        any |= there;
        bytes += top->device == LG_NONE || top->device == on ? there : 0;
    }
    if (any == 0)
        return;
    lg_text_add(&what, "everything else");
    if (objects > 0) {
        lg_text_add(&what, " (");
        lg_text_add_count(&what, objects);
        lg_text_add(&what, objects > 1 ? " more objects)" : " more object)");
    }
    lg__table_total_row(table);
    lg__put_vector(table, RETAINED, unseen_on, &rest);
    lg__put_share(table, SHARE, bytes, top->total);
    lg__put_formatted(table, OBJECT, &what);
}

static void
add_below(const lg_ask *ask, const void *top, lg_table *table)
{
    if (has_objects(ask, top)) {
        add_libraries(table, top);
        add_more(ask, top, table);
    }
    add_total_line(ask, top, table);
}

static lg_status
ask_top(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_analysis_top(ask->analysis, ask->options, ask->monitor, answer,
                           err);
}

static void
free_top(void *answer)
{
    lg_top_free(answer);
}

static const lg_top_options usual = LG_TOP_OPTIONS_INIT;

static const lg_option options[] = {
    [LIMIT] = LG__LIMIT(lg_top_options, "the biggest first"),
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

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_top),
    .ask = ask_top,
    .free = free_top,
    .row_size = sizeof(lg_top_row),
    .rows = offsetof(lg_top, rows),
    .count = offsetof(lg_top, count),
    .node = offsetof(lg_top_row, node),
    .retained = offsetof(lg_top_row, retained),
    .after = add_after,
    .below = add_below,
};

const lg_question lg__ask_top = {
    .name = "top",
    .title = "What retains the most",
    .help = "find the objects that retain the most",
    .about = "Lists the objects with the largest retained sizes. The retained "
             "size is the number of bytes that you would free with the object. "
             "Small objects that are held in the same way share one row, as "
             "do five or more that are about as big, and everything that "
             "libraries keep for themselves. Below a row, indented, is what "
             "has at least 1 % of the total. The last row has the rest, and "
             "what has less than 0.1 % unless a limit is given, so the rows "
             "that are not indented add up to the whole heap.",
    .order = "the biggest first",
    .example = "--group type --limit 5",
    .result = "Top",
    .row = "TopRow",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
