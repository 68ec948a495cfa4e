// Collects the facts of one cycle, and finds the cycles that are alike.
//
// Cycles are alike if their facts are one text: kind, reason and culprit, the
// hops and the cuts without indexes and keys, the path, and the types. Numbers
// of objects and bytes are no part of it. Sorted by these texts, cycles that
// are alike are neighbours, and the first of them in the list leads the group.
// Of the own structure of a library, the text has no more than the library.
#include "answers/answers_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

static int
by_type(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int
most_first(const void *left, const void *right)
{
    const lg_cycle_type *a = left;
    const lg_cycle_type *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->type < b->type ? -1 : a->type > b->type;
}

// Counts by type the members that are not folded into others.
static bool
count_types(const lg__cycle_search *state, const lg_component *component,
            lg_cycle *cycle)
{
    size_t room = (size_t)component->count + 1;
    uint32_t *types = lg__alloc(room * sizeof *types);
    cycle->types = lg__alloc(room * sizeof *cycle->types);
    if (types == NULL || cycle->types == NULL) {
        lg__free(types);
        return false;
    }
    for (uint32_t i = 0; i < component->count; i++)
        if (lg__fold_owner(state->walk.fold, component->nodes[i]) == LG_NONE)
            types[cycle->objects++] =
                state->graph->columns.type[component->nodes[i]];
    qsort(types, cycle->objects, sizeof *types, by_type);
    for (uint32_t i = 0; i < cycle->objects; i++) {
        if (i == 0 || types[i] != types[i - 1])
            cycle->types[cycle->type_count++] = (lg_cycle_type){types[i], 0};
        cycle->types[cycle->type_count - 1].count++;
    }
    qsort(cycle->types, cycle->type_count, sizeof *cycle->types, most_first);
    lg__free(types);
    return true;
}

static bool
weigh(const lg__cycle_search *state, lg_cycle *cycle)
{
    size_t devices = (size_t)state->graph->device_count + 1;
    cycle->retained = lg__alloc(devices * sizeof *cycle->retained);
    if (cycle->retained == NULL)
        return false;
    for (uint32_t device = 0; device < devices; device++)
        cycle->retained[device] =
            lg_component_retained_on(state->analysis, cycle->component, device);
    return true;
}

// The shortest cycle may lead through an object outside of the component, which
// stands for its namespace inside.
static lg_node
member_of(const lg__cycle_search *state, const lg_component *component,
          const lg_cycle *cycle)
{
    for (size_t i = 0; i < cycle->shortest.count; i++) {
        lg_node node = cycle->shortest.items[i].source;
        if (lg_node_component(state->analysis, node) == cycle->component)
            return node;
    }
    return component->nodes[0];
}

static lg_status
find_path(lg__cycle_search *state, lg_cycle *cycle, lg_error *err)
{
    if (cycle->kind != LG_CYCLE_HELD)
        return LG_OK;
    lg_status status = lg__finder_path(&state->finder, cycle->node,
                                       state->monitor, &cycle->path, err);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

lg_status
lg__cycle_fill(lg__cycle_search *state, lg_cycle *cycle, lg_error *err)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    if (!count_types(state, &component, cycle) || !weigh(state, cycle))
        return lg__error_memory(err);
    lg_status status =
        lg__cycle_cut(&state->walk, &component, &state->notes, cycle, err);
    if (status == LG_OK)
        status = lg__cycle_key(state->graph, cycle, &cycle->key, err);
    if (status != LG_OK)
        return status;
    cycle->node = member_of(state, &component, cycle);
    return find_path(state, cycle, err);
}

void
lg__cycle_clear(lg_cycle *cycle)
{
    for (size_t i = 0; i < cycle->cut_count; i++)
        lg__free(cycle->cuts[i].edges);
    lg__free(cycle->cuts);
    lg__free(cycle->retained);
    lg__free(cycle->types);
    lg_hops_free(&cycle->shortest);
    lg_path_free(&cycle->path);
}

void
lg_cycles_free(lg_cycles *cycles)
{
    for (size_t i = 0; i < cycles->count; i++)
        lg__cycle_clear(&cycles->items[i]);
    for (size_t i = 0; i < cycles->group_count; i++)
        lg__free(cycles->groups[i].retained);
    lg__free(cycles->items);
    lg__free(cycles->groups);
    *cycles = (lg_cycles){0};
}

typedef struct entry {
    size_t index;  // index of the cycle
    lg_text facts; // equal for cycles that are alike
} entry;

// Adds the types, without the number of members of each.
static bool
add_types(const lg_cycle *cycle, lg_text *out)
{
    uint32_t *types = lg__alloc((cycle->type_count + 1) * sizeof *types);
    if (types == NULL)
        return false;
    for (size_t i = 0; i < cycle->type_count; i++)
        types[i] = cycle->types[i].type;
    qsort(types, cycle->type_count, sizeof *types, by_type);
    lg_text_add_bytes(out, (const char *)types,
                      cycle->type_count * sizeof *types);
    lg__free(types);
    return true;
}

static bool
add_facts(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    lg_text_addf(out, "%d %d\n", (int)cycle->kind, (int)cycle->reason);
    if (cycle->library.length > 0) {
        lg_text_add_bytes(out, cycle->library.data, cycle->library.length);
        return true;
    }
    for (size_t i = 0; i < cycle->shortest.count; i++) {
        lg__sort_common(graph, cycle->shortest.items[i].source, out);
        lg__hop_facts(graph, &cycle->shortest.items[i], out);
    }
    lg_text_addf(out, "\n%zu %d %d", cycle->cut, (int)cycle->left,
                 cycle->more > 0);
    for (size_t i = 0; i < cycle->cut_count; i++) {
        lg_text_addf(out, "\n%d", (int)cycle->cuts[i].reason);
        lg__hop_facts(graph, &cycle->cuts[i].hop, out);
    }
    lg__path_common(graph, &cycle->path, out);
    lg__sort_common(graph, cycle->culprit, out);
    return add_types(cycle, out);
}

static int
compare_texts(const lg_text *a, const lg_text *b)
{
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->length > 0 ? memcmp(a->data, b->data, a->length) : 0;
}

static int
by_facts(const void *left, const void *right)
{
    const entry *a = left;
    const entry *b = right;
    int order = compare_texts(&a->facts, &b->facts);
    if (order != 0)
        return order;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Finds, for each cycle, the first one that is like it.
static bool
find_first(const lg__cycle_search *state, entry *entries, size_t *first)
{
    const lg_cycles *cycles = &state->cycles;
    bool enough = true;
    for (size_t i = 0; i < cycles->count && enough; i++) {
        entries[i].index = i;
        enough =
            add_facts(state->graph, &cycles->items[i], &entries[i].facts) &&
            !entries[i].facts.failed;
    }
    if (!enough)
        return false;
    qsort(entries, cycles->count, sizeof *entries, by_facts);
    for (size_t i = 0; i < cycles->count; i++) {
        bool like = i > 0 && compare_texts(&entries[i].facts,
                                           &entries[i - 1].facts) == 0;
        first[entries[i].index] =
            like ? first[entries[i - 1].index] : entries[i].index;
    }
    return true;
}

static bool
join(lg__cycle_search *state, size_t index, size_t first)
{
    lg_cycles *cycles = &state->cycles;
    lg_cycle *cycle = &cycles->items[index];
    size_t devices = (size_t)state->graph->device_count + 1;
    if (first == index) {
        uint64_t *retained = lg__calloc(devices, sizeof *retained);
        if (retained == NULL)
            return false;
        cycle->group = cycles->group_count;
        cycles->groups[cycles->group_count++] =
            (lg_cycle_group){.first = index, .retained = retained};
    }
    cycle->group = cycles->items[first].group;
    lg_cycle_group *group = &cycles->groups[cycle->group];
    group->count++;
    group->total += cycle->total;
    for (size_t i = 0; i < devices; i++)
        group->retained[i] += cycle->retained[i];
    return true;
}

lg_status
lg__cycles_group(lg__cycle_search *state, lg_error *err)
{
    lg_cycles *cycles = &state->cycles;
    size_t count = cycles->count;
    entry *entries = lg__calloc(count + 1, sizeof *entries);
    size_t *first = lg__alloc((count + 1) * sizeof *first);
    cycles->groups = lg__alloc((count + 1) * sizeof *cycles->groups);
    bool enough = entries != NULL && first != NULL && cycles->groups != NULL &&
                  find_first(state, entries, first);
    for (size_t i = 0; i < count && enough; i++)
        enough = join(state, i, first[i]);
    for (size_t i = 0; i < count && entries != NULL; i++)
        lg_text_free(&entries[i].facts);
    lg__free(entries);
    lg__free(first);
    return enough ? LG_OK : lg__error_memory(err);
}
