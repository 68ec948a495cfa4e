// Groups objects by type, or by the module that defines the type, and computes
// what those of a group retain together.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// Names of groups, and the group of each type.
typedef struct group_names {
    lg_string *name;   // [count]
    uint32_t *type;    // [count] one of its types
    uint32_t *of_type; // [type]
    uint32_t count;
} group_names;

static bool
begins_with(lg_string name, lg_string module)
{
    return module.length > 0 && module.length < name.length &&
           name.data[module.length] == '.' &&
           memcmp(name.data, module.data, module.length) == 0;
}

lg_string
lg__type_module(const lg_graph *graph, lg_string name)
{
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
free_names(group_names *all)
{
    lg__free(all->name);
    lg__free(all->type);
    lg__free(all->of_type);
}

// Types with equal names form one group.
static lg_status
list_names(const lg_graph *graph, lg_group by, group_names *out, lg_error *err)
{
    size_t types = (size_t)graph->type_count + 1;
    group_names all = {lg__alloc(types * sizeof(lg_string)),
                       lg__alloc(types * sizeof(uint32_t)),
                       lg__alloc(types * sizeof(uint32_t)), 0};
    named *names = lg__alloc(types * sizeof *names);
    if (!all.name || !all.type || !all.of_type || !names) {
        lg__free(names);
        free_names(&all);
        return lg__error_memory(err);
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        names[type] = (named){
            by == LG_GROUP_TYPE
                ? lg_graph_type(graph, type).name
                : lg__type_module(graph, lg_graph_type(graph, type).name),
            type};
    qsort(names, graph->type_count, sizeof *names, by_name);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (i == 0 || compare_names(names[i].name, names[i - 1].name) != 0) {
            all.type[all.count] = names[i].type;
            all.name[all.count++] = names[i].name;
        }
        all.of_type[names[i].type] = all.count - 1;
    }
    lg__free(names);
    *out = all;
    return LG_OK;
}

typedef struct grouping {
    const lg_analysis *analysis;
    const uint32_t *group_of;
    uint32_t device;
    lg__top_group *groups;
    size_t devices;   // the devices and the host
    uint64_t *size;   // [group * devices] bytes of members
    uint32_t *open;   // [group] members above the current node
    uint32_t *cursor; // [node] its next child
} grouping;

static uint32_t
group_of(const grouping *state, uint32_t node)
{
    return state
        ->group_of[lg_columns_type(&state->analysis->graph->columns, node)];
}

static void
enter(grouping *state, uint32_t node)
{
    lg__top_group *group = &state->groups[group_of(state, node)];
    group->count++;
    state->size[(size_t)group_of(state, node) * state->devices +
                lg_node_device(state->analysis->graph, node)] +=
        lg_node_size(state->analysis->graph, node);
    if (state->open[group_of(state, node)]++ == 0)
        group->bound +=
            state->device == LG_NONE
                ? lg__retained_by(state->analysis, node)
                : lg__dominated_on(state->analysis, node, state->device);
    state->cursor[node] = lg__children_of(state->analysis, node).begin;
}

// Walks the dominator tree below one of its two roots. `open` counts the
// members of each group from the root to the current node, so a member that
// finds none is a topmost one. What these retain adds up to a lower bound of
// what the group retains, other members included: it may also keep what no
// member keeps alone.
static void
walk(grouping *state, uint32_t root)
{
    const lg_analysis *analysis = state->analysis;
    uint32_t at = root;
    state->cursor[root] = lg__children_of(analysis, root).begin;
    for (;;) {
        if (state->cursor[at] < lg__children_of(analysis, at).end) {
            at = lg__child_at(analysis, state->cursor[at]++);
            enter(state, at);
        } else if (at == root) {
            return;
        } else {
            state->open[group_of(state, at)]--;
            at = lg__dominator_of(analysis, at);
        }
    }
}

static int
by_bound(const void *left, const void *right)
{
    const lg__top_group *a = left;
    const lg__top_group *b = right;
    if (a->bound != b->bound)
        return a->bound > b->bound ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static int
by_rank(const void *left, const void *right)
{
    const lg__top_group *a = left;
    const lg__top_group *b = right;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

// The number of groups to weigh in one pass.
enum { GROUP_SLOTS = 64 };

// Weighs a few groups, whose bytes are adjacent.
static lg_status
weigh_some(const grouping *state, lg__top_group *groups, uint32_t count,
           uint32_t *slot_of, const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = state->analysis->graph;
    uint64_t rounding[GROUP_SLOTS];
    for (uint32_t type = 0; type < graph->type_count; type++) {
        slot_of[type] = GROUP_SLOTS;
        for (uint32_t slot = 0; slot < count; slot++)
            if (state->group_of[type] == groups[slot].group)
                slot_of[type] = slot;
    }
    lg_status status =
        lg__groups_retained(state->analysis, slot_of, count, monitor,
                            groups->retained, rounding, err);
    for (uint32_t slot = 0; slot < count && status == LG_OK; slot++) {
        groups[slot].spent = groups[slot].retained[0] + rounding[slot];
        for (uint32_t device = 0; device <= graph->device_count; device++)
            if (state->device == LG_NONE || state->device == device)
                groups[slot].rank += groups[slot].retained[device];
    }
    return status;
}

static lg_status
weigh(const grouping *state, lg__top_group *groups, size_t count,
      const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = state->analysis->graph;
    uint32_t *slot_of =
        lg__alloc(((size_t)graph->type_count + 1) * sizeof *slot_of);
    lg_status status = slot_of ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < count && status == LG_OK; i += GROUP_SLOTS) {
        uint32_t some =
            count - i < GROUP_SLOTS ? (uint32_t)(count - i) : GROUP_SLOTS;
        status =
            lg__monitor_goes_on(monitor, "weighing groups",
                                (double)i / (double)count, err)
                ? weigh_some(state, groups + i, some, slot_of, monitor, err)
                : LG_ECANCELLED;
    }
    lg__free(slot_of);
    return status;
}

// Weighs the groups with the highest bounds.
static lg_status
weigh_best(grouping *state, uint32_t group_count, size_t limit,
           const lg_monitor *monitor, lg__top_list *out, lg_error *err)
{
    size_t devices = state->devices;
    size_t count = 0;
    qsort(state->groups, group_count, sizeof *state->groups, by_bound);
    while (count < group_count && count < limit &&
           state->groups[count].count > 0)
        count++;
    out->bytes = lg__alloc((count + 1) * 2 * devices * sizeof *out->bytes);
    if (out->bytes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++) {
        lg__top_group *group = &state->groups[i];
        group->retained = out->bytes + i * devices;
        group->size = out->bytes + (count + i) * devices;
        memcpy(group->size, state->size + group->group * devices,
               devices * sizeof *group->size);
    }
    lg_status status = weigh(state, state->groups, count, monitor, err);
    qsort(state->groups, count, sizeof *state->groups, by_rank);
    while (count > 0 && state->device != LG_NONE &&
           state->groups[count - 1].rank == 0)
        count--;
    out->count = count;
    return status;
}

static lg_status
list_groups(const lg_analysis *analysis, const group_names *names,
            uint32_t device, size_t limit, const lg_monitor *monitor,
            lg__top_list *out, lg_error *err)
{
    uint32_t group_count = names->count;
    size_t nodes = analysis->graph->columns.node_count;
    size_t devices = (size_t)analysis->graph->device_count + 1;
    grouping state = {
        .analysis = analysis,
        .group_of = names->of_type,
        .device = device,
        .groups = lg__calloc((size_t)group_count + 1, sizeof(lg__top_group)),
        .devices = devices,
        .size =
            lg__calloc(((size_t)group_count + 1) * devices, sizeof(uint64_t)),
        .open = lg__calloc((size_t)group_count + 1, sizeof(uint32_t)),
        .cursor = lg__alloc((nodes + 2) * sizeof(uint32_t)),
    };
    lg__top_list list = {.items = state.groups};
    lg_status status = LG_OK;
    if (!state.groups || !state.size || !state.open || !state.cursor) {
        status = lg__error_memory(err);
        goto done;
    }
    for (uint32_t i = 0; i < group_count; i++) {
        state.groups[i].group = i;
        state.groups[i].name = names->name[i];
        state.groups[i].type = names->type[i];
    }
    walk(&state, (uint32_t)nodes);
    walk(&state, (uint32_t)nodes + 1);
    status = weigh_best(&state, group_count, limit, monitor, &list, err);
    if (status != LG_OK)
        goto done;
    *out = list;
    list = (lg__top_list){0};

done:
    lg__top_list_free(&list);
    lg__free(state.size);
    lg__free(state.open);
    lg__free(state.cursor);
    return status;
}

lg_status
lg__top_groups(const lg_analysis *analysis, lg_group by, uint32_t device,
               size_t limit, const lg_monitor *monitor, lg__top_list *out,
               lg_error *err)
{
    group_names names = {0};
    lg_status status = list_names(analysis->graph, by, &names, err);
    if (status != LG_OK)
        return status;
    status = list_groups(analysis, &names, device, limit, monitor, out, err);
    free_names(&names);
    return status;
}

void
lg__top_list_free(lg__top_list *list)
{
    lg__free(list->items);
    lg__free(list->bytes);
    *list = (lg__top_list){0};
}
