// Finds what retains the most, and where it is.
#include "answers/answers_private.h"
#include "paths/paths_private.h"

#include <leakgraph/options.h>

#include <stdlib.h>
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

uint64_t
lg__top_weight(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return device == LG_NONE ? lg__freed_by(analysis, node)
                             : lg_node_retained_on(analysis, node, device);
}

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
    to->out.bytes = lg__wide_calloc(SUMS * to->each, sizeof *to->out.bytes);
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
    to->out.libraries = sum_of(to, LIBRARIES);
    to->out.more = sum_of(to, MORE);
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
    uint64_t spent = 0;
    uint64_t rounding = 0;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < item->count && status == LG_OK; i++) {
        status = lg_node_rounding(to->analysis, item->nodes[i], &rounding, err);
        spent +=
            rounding + lg_node_retained_on(to->analysis, item->nodes[i], 0);
    }
    if (status == LG_OK)
        *out = spent;
    return status;
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
    row->weight = item->bytes;
    for (uint32_t i = 0; i < item->count; i++)
        bytes_at(to, index, 0)[lg_node_device(to->graph, item->nodes[i])] +=
            lg_node_size(to->graph, item->nodes[i]);
    add_retained(to, item, bytes_at(to, index, 1));
    lg_status status = find_spent(to, item, &row->spent, err);
    return status == LG_OK
               ? lg__where_find(&to->finder, to->analysis, row->node,
                                to->monitor, &row->where, err)
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

// Keeps for a row what has no other place. Objects that nothing holds alone can
// be of one item and have different holders.
static bool
place_item(void *context, const lg__top_item *item)
{
    listing *to = context;
    bool counted, big = is_big(to, item->bytes);
    uint32_t left_out;
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
    bool whole = kept.count == item->count;
    bool enough =
        lg__top_best_offer(&to->best, whole ? item : &kept, &left_out);
    to->out.more_objects += left_out;
    return enough;
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
        status = lg__top_packages_wait(&to->packages);
    if (status == LG_OK)
        status = add_items(to, err);
    if (status == LG_OK) {
        find_rest(to);
        lg__top_packages_name(&to->packages, &to->out);
    }
    return status;
}

static bool
add_group(listing *to, const lg__top_group *group, lg_string name)
{
    lg_top_row *row = add_row(to);
    if (row == NULL)
        return false;
    size_t index = to->out.count - 1;
    row->name = name;
    row->count = group->count;
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
    lg__group_names names = {0};
    lg__top_list list = {0};
    lg_status status =
        lg__group_names_list(to->graph, to->out.group, &names, err);
    if (status == LG_OK)
        status = lg__top_groups(to->analysis, names.of_type, names.count,
                                to->out.device, limit, to->monitor, &list, err);
    for (size_t i = 0; i < list.count && status == LG_OK; i++)
        if (!add_group(to, &list.items[i], names.name[list.items[i].group]))
            status = lg__error_memory(err);
    lg__top_list_free(&list);
    lg__group_names_free(&names);
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
    lg__wide_free(to->kept.items);
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
    for (size_t i = 0; i < top->count; i++)
        lg_where_free(&top->rows[i].where);
    lg__wide_free(top->rows);
    lg__wide_free(top->bytes);
    *top = (lg_top){0};
}
