// Finds what retains the most, and where it is.
#include "answers/answers_private.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

// A node that passes on this share of what it retains to one other node gathers
// nothing itself.
enum { PASSED_ON_PERCENT = 80 };

typedef struct ranking {
    const lg_analysis *analysis;
    uint32_t device;
    const lg__fold *folds;
    lg__parts heap;
    lg__gathered below;
} ranking;

static uint64_t
weight_of(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return device == LG_NONE ? lg__freed_by(analysis, node)
                             : lg_node_retained_on(analysis, node, device);
}

static uint64_t
weight(const ranking *state, uint32_t node)
{
    return weight_of(state->analysis, node, state->device);
}

static bool
push(ranking *state, uint32_t node)
{
    uint64_t bytes = weight(state, node);
    return bytes == 0 ||
           lg__parts_push(&state->heap, (lg__part){bytes, node, 0});
}

static bool
push_below(ranking *state, uint32_t node)
{
    bool going = lg__gather_dominated(state->analysis, state->folds, node, 1,
                                      &state->below);
    for (size_t i = 0; i < state->below.count && going; i++)
        going = push(state, state->below.items[i]);
    state->below.count = 0;
    return going;
}

// Modules, threads and frames are places. Nobody made them as objects, except a
// generator, which is also a frame.
static bool
is_place(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_ROOT ||
           (category == LG_CATEGORY_FRAME &&
            lg__node_role(graph, node) != LG__ROLE_SUSPENDED);
}

// Whether the node gets a row; if not, this pushes its children.
static bool
is_gatherer(ranking *state, uint32_t node, bool *going)
{
    const lg_analysis *analysis = state->analysis;
    uint64_t most = 0;
    bool gathers = false;
    *going =
        lg__gather_dominated(analysis, state->folds, node, 1, &state->below);
    for (size_t i = 0; i < state->below.count; i++) {
        uint64_t bytes = weight(state, state->below.items[i]);
        most = bytes > most ? bytes : most;
    }
    if (!is_place(analysis->graph, node))
        gathers = most / PASSED_ON_PERCENT < weight(state, node) / 100;
    for (size_t i = 0; i < state->below.count && !gathers && *going; i++)
        *going = push(state, state->below.items[i]);
    state->below.count = 0;
    return gathers;
}

static lg_status
find_objects(const lg_analysis *analysis, uint32_t device, size_t limit,
             lg__gathered *out, lg_error *err)
{
    ranking state = {.analysis = analysis,
                     .device = device,
                     .folds = lg__graph_folds(analysis->graph)};
    lg__gathered found = {0};
    bool going = state.folds != NULL && push_below(&state, LG_SUPER_ROOT) &&
                 push_below(&state, analysis->graph->columns.node_count + 1);
    while (going && state.heap.count > 0 && found.count < limit) {
        uint32_t node = lg__parts_pop(&state.heap).node;
        if (is_gatherer(&state, node, &going) && going)
            going = lg__gather_append(&found, node);
    }
    lg__parts_free(&state.heap);
    free(state.below.items);
    if (!going) {
        free(found.items);
        return lg__error_memory(err);
    }
    *out = found;
    return LG_OK;
}

enum { REACHABLE, GARBAGE };

typedef struct listing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__finder finder;
    size_t each; // number of devices, and the host
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

// Allocates that many rows, each with two sizes; the totals come first.
static lg_status
make_room(listing *to, size_t count, lg_error *err)
{
    lg_top *out = &to->out;
    out->rows = calloc(count + 1, sizeof *out->rows);
    out->bytes = calloc(2 * (count + 1) * to->each, sizeof *out->bytes);
    if (out->rows == NULL || out->bytes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++) {
        out->rows[i].size = out->bytes + 2 * (i + 1) * to->each;
        out->rows[i].retained = out->rows[i].size + to->each;
    }
    out->reachable = out->bytes;
    out->garbage = out->bytes + to->each;
    add_total(to, REACHABLE, out->bytes);
    add_total(to, GARBAGE, out->bytes + to->each);
    return LG_OK;
}

static uint64_t *
bytes_of(const listing *to, const uint64_t *size)
{
    return to->out.bytes + (size - to->out.bytes);
}

static lg_status
add_object(listing *to, uint32_t node, lg_error *err)
{
    lg_top_row *row = &to->out.rows[to->out.count++];
    row->node = node;
    row->count = 1;
    row->weight = weight_of(to->analysis, node, to->out.device);
    bytes_of(to, row->size)[lg_node_device(to->graph, node)] =
        lg_node_size(to->graph, node);
    for (uint32_t on = 0; on < to->each; on++)
        bytes_of(to, row->retained)[on] =
            lg_node_retained_on(to->analysis, node, on);
    return lg__where_find(&to->finder, to->analysis, node, to->monitor,
                          &row->where, err);
}

static lg_status
list_objects(listing *to, size_t limit, lg_error *err)
{
    lg__gathered nodes = {0};
    lg_status status =
        find_objects(to->analysis, to->out.device, limit, &nodes, err);
    if (status == LG_OK)
        status = make_room(to, nodes.count, err);
    for (size_t i = 0; i < nodes.count && status == LG_OK; i++)
        status = add_object(to, nodes.items[i], err);
    free(nodes.items);
    return status;
}

static void
add_group(listing *to, const lg__top_group *group, lg_string name)
{
    lg_top_row *row = &to->out.rows[to->out.count++];
    row->node = LG_NONE;
    row->name = name;
    row->count = group->count;
    row->weight = group->rank;
    memcpy(bytes_of(to, row->size), group->size,
           to->each * sizeof *group->size);
    memcpy(bytes_of(to, row->retained), group->retained,
           to->each * sizeof *group->retained);
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
    if (status == LG_OK)
        status = make_room(to, list.count, err);
    for (size_t i = 0; i < list.count && status == LG_OK; i++)
        add_group(to, &list.items[i], names.name[list.items[i].group]);
    lg__top_list_free(&list);
    lg__group_names_free(&names);
    return status;
}

lg_status
lg_analysis_top(const lg_analysis *analysis, lg_group group, uint32_t device,
                size_t limit, const lg_monitor *monitor, lg_top *out,
                lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    listing to = {.analysis = analysis,
                  .graph = graph,
                  .monitor = monitor,
                  .finder = {.graph = graph},
                  .each = (size_t)graph->device_count + 1,
                  .out = {.group = group,
                          .device = device,
                          .devices = graph->device_count}};
    if (device != LG_NONE && device > graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", device);
    limit = limit > 0 ? limit : SIZE_MAX;
    lg_status status = (group == LG_GROUP_OBJECT ? list_objects : list_groups)(
        &to, limit, err);
    lg__finder_free(&to.finder);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_top_free(&to.out);
    return status;
}

void
lg_top_free(lg_top *top)
{
    for (size_t i = 0; i < top->count; i++)
        lg_where_free(&top->rows[i].where);
    free(top->rows);
    free(top->bytes);
    *top = (lg_top){0};
}
