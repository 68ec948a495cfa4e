// Gathers the memory that a program could do without in rows, by kind and
// place.
#include "answers/waste_search.h"

#include <leakgraph/options.h>

#include <stdlib.h>
#include <string.h>

// The sums of all rows, each by device.
enum { WASTE, LIBRARIES, SUMS };

const char *
lg_waste_kind_name(lg_waste_kind kind)
{
    static const char *const names[LG_WASTE_KIND_COUNT] = {
        "equal", "view", "room", "slots", "records", "boxed"};
    return (unsigned)kind < LG_WASTE_KIND_COUNT ? names[kind] : "unknown";
}

// Returns numbers by device. They are in one array, which may move until all
// rows exist.
static uint64_t *
sum_of(const lg__wasting *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

static uint64_t *
bytes_at(const lg__wasting *to, size_t row, size_t which)
{
    return to->out.bytes + (SUMS + 2 * row + which) * to->each;
}

static bool
make_room(lg__wasting *to)
{
    size_t sizes = to->each * sizeof *to->out.bytes;
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->last, sizeof *to->last, 0},
        {&to->out.bytes, 2 * sizes, SUMS * sizes},
    };
    size_t rows = to->out.total_rows;
    if (!lg__rows_room(arrays, 3, rows, &to->capacity))
        return false;
    memset(bytes_at(to, rows, 0), 0, 2 * sizes);
    return true;
}

// Returns whether the interpreter interns the text, or code refers to the node
// as a constant or docstring.
static bool
is_of_code(const lg__wasting *to, uint32_t node)
{
    uint32_t owner = lg_node_dominator(to->analysis, node);
    if (to->graph->columns.node_flags[node] & LG_NODE_NAME)
        return true;
    if (owner != LG_NONE && lg__node_role(to->graph, owner) == LG__ROLE_TUPLE)
        owner = lg_node_dominator(to->analysis, owner);
    return owner != LG_NONE &&
           lg__node_category(to->graph, owner) == LG_CATEGORY_FUNCTION;
}

// Returns whether only native code holds the node. It is native code's own,
// unless programs make such objects.
static bool
is_kept_by_native_code(lg__wasting *to, uint32_t node)
{
    return lg__keepers_of(&to->keepers, node) == LG_NONE &&
           lg_node_is_reachable(to->analysis, node) &&
           lg__node_origin(to->graph, node, NULL) != LG__ORIGIN_PROGRAM;
}

// Returns whether a library keeps the object or, for slots, defines its class,
// which only the library can change.
static bool
is_library_table(lg__wasting *to, const lg__saving *saving)
{
    uint32_t node = saving->node;
    if (to->options->libraries)
        return false;
    if (saving->kind == LG_WASTE_SLOTS)
        return lg__type_is_familiar(to->graph, to->graph->columns.type[node]);
    return is_of_code(to, node) || is_kept_by_native_code(to, node) ||
           lg__library_tables_keeper(&to->tables, node,
                                     lg__keepers_of(&to->keepers, node))
                   .length > 0;
}

// Adds to a row. The object with the most waste represents the row.
static void
add_to_row(lg__wasting *to, uint32_t index, const lg__saving *saving)
{
    lg_waste_row *row = &to->out.rows[index];
    if (row->node == LG_NONE || saving->waste > row->weight) {
        row->node = saving->node;
        row->weight =
            saving->waste; // so far this is the waste of the row's node
    }
    row->count++;
    row->at_most |= saving->at_most;
    row->of += saving->of;
    bytes_at(to, index, 0)[saving->device] += saving->size;
    bytes_at(to, index, 1)[saving->device] += saving->waste;
    sum_of(to, WASTE)[saving->device] += saving->waste;
    switch (saving->kind) {
    case LG_WASTE_EQUAL: // `of` is 1 + the number of the contents here
        row->used += to->last[index] != saving->used;
        to->last[index] = (uint32_t)saving->used;
        break;
    case LG_WASTE_SLOTS:
    case LG_WASTE_RECORDS:
        row->used = saving->used;
        break;
    default:
        row->used += saving->used;
    }
}

static bool
begin_row(lg__wasting *to, const lg__saving *saving, uint32_t *row)
{
    uint32_t type = to->graph->columns.type[saving->node];
    if (!make_room(to))
        return false;
    to->last[to->out.total_rows] = 0;
    to->out.rows[to->out.total_rows++] =
        (lg_waste_row){.kind = saving->kind,
                       .node = LG_NONE,
                       .type = lg_graph_type(to->graph, type).name};
    *row = (uint32_t)to->out.total_rows;
    return true;
}

bool
lg__waste_add(lg__wasting *to, const lg__saving *saving, uint32_t *row)
{
    uint32_t seen = lg__seen_node(to->folds, saving->node);
    if (saving->waste == 0 || !lg_scope_has(to->options->scope, seen))
        return true;
    if (is_library_table(to, saving)) {
        sum_of(to, LIBRARIES)[saving->device] += saving->waste;
        to->out.library_objects++;
        return true;
    }
    if (row == NULL)
        row = &to->row_at[(size_t)saving->kind * lg_places_count(to->places) +
                          to->place[saving->node]];
    if (*row == 0 && !begin_row(to, saving, row))
        return false;
    add_to_row(to, *row - 1, saving);
    return true;
}

static int
most_first(const void *left, const void *right)
{
    const lg_waste_row *a = left;
    const lg_waste_row *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void
end_rows(lg__wasting *to)
{
    lg_waste *out = &to->out;
    out->waste = sum_of(to, WASTE);
    out->libraries = sum_of(to, LIBRARIES);
    for (size_t i = 0; i < out->total_rows; i++) {
        lg_waste_row *row = &out->rows[i];
        row->size = bytes_at(to, i, 0);
        row->waste = bytes_at(to, i, 1);
        row->weight = 0;
        for (size_t on = 0; on < to->each; on++)
            row->weight += row->waste[on];
    }
    if (out->total_rows > 0)
        qsort(out->rows, out->total_rows, sizeof *out->rows, most_first);
    out->count = to->options->limit > 0 && to->options->limit < out->total_rows
                     ? to->options->limit
                     : out->total_rows;
}

static lg_status
find_where(lg__wasting *to, lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++)
        status = lg__where_find(&finder, to->analysis, to->out.rows[i].node,
                                to->monitor, &to->out.rows[i].where, err);
    lg__finder_free(&finder);
    return status;
}

static void
note_layouts(lg__wasting *to)
{
    static const struct {
        const char *name;
        uint8_t layout;
    } known[] = {
        {"list", LG__LAYOUT_LIST},     {"tuple", LG__LAYOUT_TUPLE},
        {"dict", LG__LAYOUT_DICT},     {"set", LG__LAYOUT_SET},
        {"frozenset", LG__LAYOUT_SET}, {"int", LG__LAYOUT_INT},
        {"float", LG__LAYOUT_FLOAT},   {"str", LG__LAYOUT_STR},
    };
    for (uint32_t type = 0; type < to->graph->type_count; type++)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (lg__string_is(lg_graph_type(to->graph, type).name,
                              known[i].name))
                to->layout[type] = known[i].layout;
}

static lg_status
prepare(lg__wasting *to, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    to->folds = lg__graph_folds(to->graph);
    to->layout = lg__wide_calloc((size_t)to->graph->type_count + 1, 1);
    to->counted = lg__wide_calloc(nodes, 1);
    to->out.bytes = lg__wide_calloc(SUMS * to->each, sizeof *to->out.bytes);
    if (!to->folds || !to->layout || !to->counted || !to->out.bytes ||
        !lg__library_tables_begin(&to->tables, to->analysis))
        return lg__error_memory(err);
    note_layouts(to);
    lg_status status =
        lg__keepers_begin(to->graph, to->monitor, &to->keepers, err);
    if (status == LG_OK)
        status = lg__places_walk(to->analysis, to->monitor, &to->places,
                                 &to->place, err);
    if (status != LG_OK)
        return status;
    to->row_at = lg__wide_calloc(
        (size_t)LG_WASTE_KIND_COUNT * lg_places_count(to->places) + 1,
        sizeof *to->row_at);
    return to->row_at ? LG_OK : lg__error_memory(err);
}

static lg_status
search(lg__wasting *to, lg_error *err)
{
    lg_status (*const searches[])(lg__wasting *, lg_error *) = {
        prepare,        lg__waste_boxed, lg__waste_slots, lg__waste_records,
        lg__waste_room, lg__waste_views, lg__waste_equal};
    lg_status status = LG_OK;
    for (size_t i = 0; i < sizeof searches / sizeof *searches && !status; i++) {
        status = searches[i](to, err);
        if (status == LG_OK &&
            !lg__monitor_goes_on(to->monitor, "finding waste", 0, err))
            status = LG_ECANCELLED;
    }
    if (status != LG_OK)
        return status;
    if (to->keepers.failed)
        return lg__error_memory(err);
    end_rows(to);
    return find_where(to, err);
}

lg_status
lg_analysis_waste(const lg_analysis *analysis, const lg_waste_options *given,
                  const lg_monitor *monitor, lg_waste *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_waste_options options = LG_WASTE_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_waste_options", err);
    if (status != LG_OK)
        return status;
    lg__wasting to = {
        .analysis = analysis,
        .graph = graph,
        .monitor = monitor,
        .options = &options,
        .each = (size_t)graph->device_count + 1,
        .out = {.devices = graph->device_count,
                .compared = lg__string_is(lg_graph_info_find(graph, "contents"),
                                          "yes")}};
    status = search(&to, err);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_waste_free(&to.out);
    lg__library_tables_end(&to.tables);
    lg_places_free(to.places);
    lg__keepers_end(&to.keepers);
    lg__places_of_free(to.place, analysis);
    lg__wide_free(to.layout);
    lg__wide_free(to.counted);
    lg__wide_free(to.row_at);
    lg__wide_free(to.last);
    return status;
}

void
lg_waste_free(lg_waste *waste)
{
    for (size_t i = 0; i < waste->count; i++)
        lg_where_free(&waste->rows[i].where);
    lg__wide_free(waste->rows);
    lg__wide_free(waste->bytes);
    *waste = (lg_waste){0};
}
