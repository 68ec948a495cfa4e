// Finds what retains the most, and where it is, and describes the table of it.
#include "answers/answers_private.h"
#include "answers/top_best.h"
#include "table/table_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <string.h>

// The sums of all rows, each by device.
enum { REACHABLE, GARBAGE, LIBRARIES, MORE, SUMS };

// A table of a library gets a row from this size on, because it may be a cache.
enum { BIG_PERCENT = 10, BIG_BYTES = 16 << 20 };

// The standard library puts fewer members and bytes into its own containers, or
// a smaller share of what the program imports. Somebody else filled one that
// has more, so it gets a row, too.
enum {
    FILLED_MEMBERS = 256,
    FILLED_BYTES = 512 << 10,
    FILLED_SHARE = 64,
    FILLED_BY_ANY_SHARE = 4 << 20
};

// At least so many modules have something alike if it has one row for all of
// them. The program that has fewer names each.
enum { MODULES_LEAST = 5 };

typedef struct listing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg_top_options *options;
    lg__finder finder;
    const lg_scope *scope;
    lg__top_packages packages;
    lg__top_best best;
    lg__gathered kept; // scratch
    size_t each;       // number of devices, and the host
    size_t capacity;
    lg_top out;
} listing;

static void
add_total(listing *to, uint32_t which, uint64_t *bytes)
{
    uint32_t root = to->graph->columns.node_count + which;
    for (uint32_t on = 0; on < to->each; on++) {
        bytes[on] = lg__dominated_on(to->analysis, root, on);
        if (to->out.device == LG_NONE || to->out.device == on)
            to->out.total += bytes[on];
    }
}

// Returns the sizes of a row. They are in one array, which may move until all
// rows exist.
static uint64_t *
bytes_at(const listing *to, size_t row, size_t which)
{
    return to->out.bytes + (SUMS + 2 * row + which) * to->each;
}

static uint64_t *
sum_of(const listing *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

// Makes room for a row with both sizes 0.
static lg_top_row *
add_row(listing *to)
{
    size_t sizes = to->each * sizeof *to->out.bytes;
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->out.bytes, 2 * sizes, SUMS * sizes},
    };
    if (!lg__rows_room(arrays, 2, to->out.count, &to->capacity))
        return NULL;
    memset(bytes_at(to, to->out.count, 0), 0, 2 * sizes);
    lg_top_row *row = &to->out.rows[to->out.count++];
    *row = (lg_top_row){.node = LG_NONE};
    return row;
}

static bool
begin_sums(listing *to)
{
    to->out.bytes = lg__calloc(SUMS * to->each, sizeof *to->out.bytes);
    if (to->out.bytes == NULL)
        return false;
    add_total(to, REACHABLE, sum_of(to, REACHABLE));
    add_total(to, GARBAGE, sum_of(to, GARBAGE));
    to->out.spent = sum_of(to, REACHABLE)[0] + sum_of(to, GARBAGE)[0] +
                    lg_analysis_rounding(to->analysis);
    return true;
}

// Computes the bytes that no row has.
static void
find_rest(listing *to)
{
    uint64_t *more = sum_of(to, MORE);
    for (size_t on = 0; on < to->each; on++) {
        more[on] = sum_of(to, REACHABLE)[on] + sum_of(to, GARBAGE)[on] -
                   sum_of(to, LIBRARIES)[on];
        for (size_t row = 0; row < to->out.count; row++)
            more[on] -= bytes_at(to, row, 1)[on];
    }
}

static void
end_sums(listing *to)
{
    for (size_t row = 0; row < to->out.count; row++) {
        to->out.rows[row].size = bytes_at(to, row, 0);
        to->out.rows[row].retained = bytes_at(to, row, 1);
    }
    to->out.reachable = sum_of(to, REACHABLE);
    to->out.garbage = sum_of(to, GARBAGE);
    if (to->out.group == LG_GROUP_OBJECT) {
        to->out.libraries = sum_of(to, LIBRARIES);
        to->out.more = sum_of(to, MORE);
    }
}

static void
add_retained(const listing *to, const lg__top_item *item, uint64_t *bytes)
{
    for (uint32_t i = 0; i < item->count; i++)
        for (uint32_t on = 0; on < to->each; on++)
            bytes[on] += lg_node_retained_on(to->analysis, item->nodes[i], on);
}

static lg_status
find_spent(const listing *to, const lg__top_item *item, uint64_t *out,
           lg_error *err)
{
    uint64_t spent = 0, rounding = 0;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < item->count && status == LG_OK; i++) {
        status =
            lg_retained_rounding(to->analysis, item->nodes[i], &rounding, err);
        spent +=
            rounding + lg_node_retained_on(to->analysis, item->nodes[i], 0);
    }
    if (status == LG_OK)
        *out = spent;
    return status;
}

// Returns whether the objects are what several modules have alike.
static bool
is_in_modules(const listing *to, const lg__top_item *item)
{
    uint32_t first = lg_node_owner(to->analysis, item->nodes[0]);
    if (first == LG_NONE ||
        lg__node_category(to->graph, first) != LG_CATEGORY_MODULE)
        return false;
    for (uint32_t i = 1; i < item->count; i++)
        if (lg_node_owner(to->analysis, item->nodes[i]) != first)
            return true;
    return false;
}

static lg_status
add_item(listing *to, const lg__top_item *item, lg_error *err)
{
    lg_top_row *row = add_row(to);
    if (row == NULL)
        return lg__error_memory(err);
    size_t index = to->out.count - 1;
    row->node = item->nodes[0];
    row->count = item->count;
    row->category = lg__node_category(to->graph, row->node);
    row->weight = item->bytes;
    for (uint32_t i = 0; i < item->count; i++)
        bytes_at(to, index, 0)[lg_node_device(to->graph, item->nodes[i])] +=
            lg_node_size(to->graph, item->nodes[i]);
    add_retained(to, item, bytes_at(to, index, 1));
    lg_status status = find_spent(to, item, &row->spent, err);
    if (status == LG_OK)
        status = lg__where_find(&to->finder, to->analysis, row->node,
                                to->monitor, &row->where, err);
    row->where.in_modules = is_in_modules(to, item);
    return status == LG_OK
               ? lg__top_parts_find(to->analysis, &to->out, item, &to->finder,
                                    to->monitor, row, err)
               : status;
}

static void
add_library(listing *to, const lg__top_item *item, uint32_t owner)
{
    lg__top_packages_add(&to->packages, owner, item->bytes);
    add_retained(to, item, sum_of(to, LIBRARIES));
    to->out.library_objects += item->count;
}

static bool
is_big(const listing *to, uint64_t bytes)
{
    return bytes >= BIG_BYTES && bytes >= to->out.total / 100 * BIG_PERCENT;
}

static bool
is_filled(const listing *to, const lg__top_item *one, uint32_t owner)
{
    uint32_t node = one->nodes[0];
    return one->bytes >= FILLED_BYTES &&
           (one->bytes >= FILLED_BY_ANY_SHARE ||
            one->bytes >= to->out.total / FILLED_SHARE) &&
           lg__top_packages_is_standard(&to->packages, owner) &&
           lg__node_category(to->graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(to->graph, node) != LG__ROLE_TUPLE &&
           lg__count_elements(to->graph, node) >= FILLED_MEMBERS;
}

// Counts an object for the library that keeps it, or for the rest if it is out
// of scope. *counted is false if it may have a row.
static bool
count_elsewhere(listing *to, const lg__top_item *one, bool big, bool *counted)
{
    uint32_t owner = LG_NONE;
    *counted = !lg_scope_has(to->scope, one->nodes[0]);
    if (*counted) {
        to->out.more_objects++;
        return true;
    }
    if (!to->options->libraries && !big &&
        !lg__top_packages_owner(&to->packages, one->nodes[0], &owner))
        return false;
    *counted = owner != LG_NONE && !is_filled(to, one, owner);
    if (*counted)
        add_library(to, one, owner);
    return true;
}

static bool
offer(listing *to, const lg__top_item *item)
{
    uint32_t left_out;
    bool enough = lg__top_best_offer(&to->best, item, &left_out);
    to->out.more_objects += left_out;
    return enough;
}

static bool
offer_each(listing *to, const lg__top_item *item)
{
    bool enough = true;
    for (uint32_t i = 0; i < item->count && enough; i++) {
        uint32_t node = item->nodes[i];
        uint64_t bytes = lg__top_weight(to->analysis, node, to->out.device);
        enough = offer(to, &(lg__top_item){&node, 1, bytes, node});
    }
    return enough;
}

// Keeps for a row what has no other place. Objects that nothing holds alone can
// be of one item and have different holders.
static bool
place_item(void *context, const lg__top_item *item)
{
    listing *to = context;
    bool counted, big = is_big(to, item->bytes);
    lg__top_item kept = {.order = item->order};
    to->kept.count = 0;
    for (uint32_t i = 0; i < item->count; i++) {
        uint32_t node = item->nodes[i];
        lg__top_item one = {
            &node, 1, lg__top_weight(to->analysis, node, to->out.device), 0};
        if (!count_elsewhere(to, &one, big, &counted))
            return false;
        if (counted)
            continue;
        kept.bytes += one.bytes;
        if (!lg__gather_append(&to->kept, node))
            return false;
    }
    kept.nodes = to->kept.items;
    kept.count = (uint32_t)to->kept.count;
    if (kept.count == 0)
        return true;
    if (kept.count < MODULES_LEAST && is_in_modules(to, &kept))
        return offer_each(to, &kept);
    return offer(to, kept.count == item->count ? item : &kept);
}

static lg_status
add_items(listing *to, lg_error *err)
{
    size_t count = lg__top_best_sort(&to->best);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++)
        status = add_item(to, &to->best.items[i], err);
    return status;
}

static lg_status
list_objects(listing *to, size_t limit, lg_error *err)
{
    to->best.most = limit;
    lg_status status = lg__top_packages_begin(
        &to->packages, to->analysis, !to->options->libraries, to->monitor, err);
    if (status == LG_OK &&
        !lg__top_each(to->analysis, to->out.device, place_item, to))
        status = to->packages.status != LG_OK ? to->packages.status
                                              : lg__error_memory(err);
    // The rows have paths, too.
    if (status == LG_OK)
        status = lg__top_packages_close(&to->packages);
    if (status == LG_OK)
        status = add_items(to, err);
    if (status == LG_OK) {
        find_rest(to);
        lg__top_packages_name(&to->packages, &to->out);
    }
    return status;
}

static bool
add_group(listing *to, const lg__top_group *group)
{
    lg_top_row *row = add_row(to);
    if (row == NULL)
        return false;
    size_t index = to->out.count - 1;
    row->name = group->name;
    row->count = group->count;
    if (to->out.group == LG_GROUP_TYPE)
        row->category =
            (lg_category)to->graph->type_trait[group->type].category;
    row->weight = group->rank;
    row->spent = group->spent;
    memcpy(bytes_at(to, index, 0), group->size, to->each * sizeof *group->size);
    memcpy(bytes_at(to, index, 1), group->retained,
           to->each * sizeof *group->retained);
    return true;
}

static lg_status
list_groups(listing *to, size_t limit, lg_error *err)
{
    lg__top_list list = {0};
    lg_status status =
        lg__top_groups(to->analysis, to->out.group, to->out.device, limit,
                       to->monitor, &list, err);
    for (size_t i = 0; i < list.count && status == LG_OK; i++)
        if (!add_group(to, &list.items[i]))
            status = lg__error_memory(err);
    lg__top_list_free(&list);
    return status;
}

static lg_status
list_rows(listing *to, lg_error *err)
{
    size_t limit = to->options->limit > 0 ? to->options->limit : SIZE_MAX;
    lg_status status = !begin_sums(to) ? lg__error_memory(err)
                       : to->out.group == LG_GROUP_OBJECT
                           ? list_objects(to, limit, err)
                           : list_groups(to, limit, err);
    lg__finder_free(&to->finder);
    lg__top_best_free(&to->best);
    lg__free(to->kept.items);
    lg__top_packages_end(&to->packages);
    return status;
}

lg_status
lg_analysis_top(const lg_analysis *analysis, const lg_top_options *given,
                const lg_monitor *monitor, lg_top *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_top_options options = LG_TOP_OPTIONS_INIT;
    lg_status status = lg_options_read(&options, given, "lg_top_options", err);
    if (status != LG_OK)
        return status;
    if (options.device != LG_NONE && options.device > graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u",
                            options.device);
    if (options.group != LG_GROUP_OBJECT && options.scope != NULL)
        return lg_error_set(err, LG_EINVAL,
                            "modules can be chosen only of what holds objects, "
                            "not of types and modules");
    listing to = {.analysis = analysis,
                  .graph = graph,
                  .monitor = monitor,
                  .options = &options,
                  .scope = options.scope,
                  .finder = {.graph = graph},
                  .each = (size_t)graph->device_count + 1,
                  .out = {.group = options.group,
                          .device = options.device,
                          .devices = graph->device_count}};
    status = list_rows(&to, err);
    if (status == LG_OK) {
        end_sums(&to);
        *out = to.out;
    } else {
        lg_top_free(&to.out);
    }
    return status;
}

void
lg_top_free(lg_top *top)
{
    for (size_t i = 0; i < top->count; i++) {
        lg_where_free(&top->rows[i].where);
        lg__top_parts_free(&top->rows[i]);
    }
    lg__free(top->rows);
    lg__free(top->bytes);
    *top = (lg_top){0};
}

/* ------------------------------------------------------------- in words */

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

// Returns the type of a row; empty for a module.
static lg_string
type_of(const lg_ask *ask, const void *top, const lg_top_row *row)
{
    if (row->node != LG_NONE)
        return lg_graph_type(ask->graph, ask->graph->columns.type[row->node])
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
    lg__format_objects(ask->graph, row->node, row->count, out);
}

static void
write_held_by(const lg_ask *ask, const void *top, const void *of, lg_text *out)
{
    const lg_top_row *row = of;
    (void)top;
    if (row->node != LG_NONE)
        lg__where_write_row(ask, row->node, row->count, &row->where, out);
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
    lg__table_format_below(table, &said);
}

/* ---------------------------------------------------------- the question */

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
               LG_COLUMN_LIST, .put = put_parts, .inner = lg__top_part_fields,
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
        lg__format_objects(ask->graph, part->node, part->count, &object);
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
             "Small objects that are held in the same way share one row, and "
             "so does everything that libraries keep for themselves. Below a "
             "row, indented, is what has at least 1 % of the total. The last "
             "row has the rest, and what has less than 0.1 % unless a limit is "
             "given, so the rows that are not indented add up to the whole "
             "heap.",
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
