// The cycles of a graph: the key and the facts of each, groups of those that
// are alike, and the list.
#include "answers/answers_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Computes the key of a cycle: what stays the same in other runs.

static bool
hash_hop(const lg_graph *graph, const lg_hop *hop, uint64_t *out)
{
    lg_text facts = {0};
    lg__sort_common(graph, hop->source, &facts);
    lg__hop_facts(graph, hop, &facts);
    bool enough = !facts.failed;
    if (enough)
        *out = XXH3_64bits(facts.data, facts.length);
    lg_text_free(&facts);
    return enough;
}

// Sorts, and drops repetitions: the start of a cycle and the length of a chain
// of similar objects do not change its key.
static size_t
reduce(uint64_t *hashes, size_t count)
{
    size_t kept = 0;
    qsort(hashes, count, sizeof *hashes, lg__ascending64);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || hashes[i] != hashes[kept - 1])
            hashes[kept++] = hashes[i];
    return kept;
}

// Computes the key of a cycle whose shortest hops are known.
static lg_status
cycle_key(const lg_graph *graph, const lg_cycle *cycle, uint64_t *out,
          lg_error *err)
{
    size_t count = cycle->shortest.count;
    uint64_t *hashes = lg__alloc((count + 1) * sizeof *hashes);
    bool enough = hashes != NULL;
    for (size_t i = 0; i < count && enough; i++)
        enough = hash_hop(graph, &cycle->shortest.items[i], &hashes[i]);
    if (enough) {
        count = reduce(hashes, count);
        hashes[count++] = (uint64_t)cycle->kind;
        *out = XXH3_64bits(hashes, count * sizeof *hashes);
    }
    lg__free(hashes);
    return enough ? LG_OK : lg__error_memory(err);
}

lg_status
lg_cycles_note(const lg_graph *graph, const lg_cycles *cycles,
               lg_baseline *baseline, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < cycles->count && status == LG_OK; i++) {
        const lg_cycle *cycle = &cycles->items[i];
        lg_text note = {0};
        if (!cycle->is_leak)
            continue;
        lg_text_addf(&note, "%s: ", lg_cycle_kind_name(cycle->kind));
        lg_cycle_label(graph, cycle, &note);
        lg_string text = {note.data, (uint32_t)note.length};
        status = note.failed ? lg__error_memory(err)
                             : lg_baseline_add(baseline, LG_BASELINE_CYCLE,
                                               cycle->key, text, err);
        lg_text_free(&note);
    }
    return status;
}

// Collects the facts of one cycle, and finds the cycles that are alike.
//
// Cycles are alike if their facts are one text: kind, reason and culprit, the
// hops and the cuts without indexes and keys, the path, and the types. Numbers
// of objects and bytes are no part of it. Sorted by these texts, cycles that
// are alike are neighbours, and the first of them in the list leads the group.
// Of the own structure of a library, the text has no more than the library.

static int
most_first(const void *left, const void *right)
{
    const lg_cycle_type *a = left;
    const lg_cycle_type *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->type < b->type ? -1 : a->type > b->type;
}

typedef struct cycle_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_cycle_options options;
    lg__hop_walk walk;
    lg__finder finder;
    lg__liveness liveness;
    uint8_t
        *holding;  // [component] whether it retains what the caller asked for
    uint8_t *data; // [component] whether it retains a tensor or a figure; may
                   // be `holding`
    lg__cycle_notes notes;
    lg_cycles cycles;
} cycle_search;

// Counts by type the members that are not folded into others.
static bool
count_types(const cycle_search *state, const lg_component *component,
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
                lg_columns_type(&state->graph->columns, component->nodes[i]);
    qsort(types, cycle->objects, sizeof *types, lg__ascending32);
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
weigh(const cycle_search *state, lg_cycle *cycle)
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
member_of(const cycle_search *state, const lg_component *component,
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
find_path(cycle_search *state, lg_cycle *cycle, lg_error *err)
{
    if (cycle->kind != LG_CYCLE_HELD)
        return LG_OK;
    lg_status status = lg__finder_path(&state->finder, cycle->node,
                                       state->monitor, &cycle->path, err);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

// Sets everything about a cycle except its kind and library. Call
// lg__cycle_clear afterwards, also on failure.
static lg_status
cycle_fill(cycle_search *state, lg_cycle *cycle, lg_error *err)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    if (!count_types(state, &component, cycle) || !weigh(state, cycle))
        return lg__error_memory(err);
    lg_status status =
        lg__cycle_cut(&state->walk, &component, &state->notes, cycle, err);
    if (status == LG_OK)
        status = cycle_key(state->graph, cycle, &cycle->key, err);
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
    qsort(types, cycle->type_count, sizeof *types, lg__ascending32);
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
find_first(const cycle_search *state, entry *entries, size_t *first)
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
join(cycle_search *state, size_t index, size_t first)
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

// Groups the cycles that were found.
static lg_status
cycles_group(cycle_search *state, lg_error *err)
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

// Lists components as cycles: the selected ones, and their order.

// Judges a component: the kind of its cycle, and whose it is.

// From CPython 3.13 on, the collector may look past a namespace whose values
// lie in its owner. The dict goes when the owner does.
static bool
is_freed(cycle_search *state, uint32_t node)
{
    uint32_t owner = lg__fold_owner(state->walk.fold, node);
    return lg__liveness_collectable(&state->liveness, node) ||
           (owner != LG_NONE &&
            lg__liveness_collectable(&state->liveness, owner));
}

static bool
is_collectable(cycle_search *state, const lg_component *component)
{
    const lg_columns *columns = &state->graph->columns;
    uint32_t tracked = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        if (!(lg_columns_flags(columns, component->nodes[i]) & LG_NODE_TRACKED))
            continue;
        if (!is_freed(state, component->nodes[i]))
            return false;
        tracked++;
    }
    return tracked > 0;
}

// Returns the culprit: one in the component if there is one, because it says
// more than one outside.
static uint32_t
find_culprit(const cycle_search *state, const lg__uncollectable *known,
             const lg_component *component, uint32_t index)
{
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t culprit =
            lg__uncollectable_culprit(known, component->nodes[i]);
        if (culprit != LG_NONE &&
            lg_node_component(state->analysis, culprit) == index)
            return culprit;
    }
    return lg__uncollectable_culprit(known, component->nodes[0]);
}

static lg_category
category_of(const cycle_search *state, uint32_t node)
{
    uint32_t type = lg_columns_type(&state->graph->columns, node);
    return lg_graph_type(state->graph, type).category;
}

// Returns whether C code keeps the component for good: classes that it makes,
// and functions registered with it. Every class is a component, so without
// this, every process would be full of leaks.
static bool
is_kept_program(const cycle_search *state, const lg_component *component,
                const lg_cycle *cycle)
{
    if (cycle->reason != LG_REASON_NATIVE || cycle->culprit == LG_NONE)
        return false;
    lg_category culprit = category_of(state, cycle->culprit);
    if (culprit != LG_CATEGORY_TYPE && culprit != LG_CATEGORY_FUNCTION)
        return false;
    for (uint32_t i = 0; i < component->count; i++)
        if (category_of(state, component->nodes[i]) == LG_CATEGORY_TYPE)
            return true;
    return false;
}

static void
judge_kind(cycle_search *state, const lg_component *component, lg_cycle *cycle)
{
    uint32_t first = component->nodes[0];
    if (is_collectable(state, component)) {
        cycle->kind = LG_CYCLE_COLLECTABLE;
        return;
    }
    cycle->kind = LG_CYCLE_HELD;
    if (lg__liveness_held(&state->liveness, first))
        return;
    const lg__uncollectable *known =
        lg__liveness_uncollectable(&state->liveness, first);
    if (known == NULL)
        return;
    lg_cycle alone = *cycle;
    alone.kind = LG_CYCLE_UNCOLLECTABLE;
    alone.reason = lg__uncollectable_reason(known, first);
    alone.culprit = find_culprit(state, known, component, cycle->component);
    if (!is_kept_program(state, component, &alone))
        *cycle = alone;
}

// Returns the library of a component without any object of the program: that of
// the first member that has one. A component that keeps a tensor or a figure
// has none.
static lg_string
find_library(const cycle_search *state, const lg_component *component,
             uint32_t index)
{
    lg_string library = {"", 0};
    if (state->data[index])
        return library;
    if (lg__cycle_has_program(state->graph, component->nodes, component->count))
        return library;
    for (uint32_t i = 0; i < component->count; i++) {
        lg_string package;
        lg__origin origin =
            lg__node_origin(state->graph, component->nodes[i], &package);
        if (origin == LG__ORIGIN_LIBRARY && library.length == 0)
            library = package;
    }
    return library;
}

// Returns whether the component is a figure of matplotlib that nobody has any
// more. Its parts refer back to it in any program.
static bool
is_dropped_figure(const cycle_search *state, const lg_component *component)
{
    bool figure = false;
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t node = component->nodes[i];
        if (lg__node_origin(state->graph, node, NULL) == LG__ORIGIN_PROGRAM)
            return false;
        figure |= category_of(state, node) == LG_CATEGORY_FIGURE;
    }
    return figure;
}

// Returns the cycle of a component with its kind, total, reason and culprit. It
// is wrong if the search's liveness has failed.
static lg_cycle
cycle_begin(cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    lg_cycle cycle = {.component = index,
                      .culprit = LG_NONE,
                      .total =
                          component.retained.host + component.retained.devices};
    judge_kind(state, &component, &cycle);
    return cycle;
}

// Sets the library of a cycle, and whether it is a leak. This takes longer than
// to find the kind.
static void
cycle_judge_owner(const cycle_search *state, lg_cycle *cycle)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    cycle->library = find_library(state, &component, cycle->component);
    cycle->is_leak = cycle->kind != LG_CYCLE_HELD &&
                     cycle->library.length == 0 &&
                     !(cycle->kind == LG_CYCLE_COLLECTABLE &&
                       is_dropped_figure(state, &component));
}

// Does both.
static lg_status
cycle_judge(cycle_search *state, uint32_t index, lg_cycle *out, lg_error *err)
{
    lg_cycle cycle = cycle_begin(state, index);
    if (state->liveness.failed)
        return lg__error_memory(err);
    cycle_judge_owner(state, &cycle);
    *out = cycle;
    return LG_OK;
}

static bool
is_in_scope(cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    for (uint32_t i = 0; i < component.count; i++)
        if (lg_scope_has(state->options.scope, component.nodes[i]))
            return true;
    return false;
}

// Returns whether native memory alone is a component: C code links its
// structures as it likes, and no collector asks for their counts.
static bool
is_of_native_code(const cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    for (uint32_t i = 0; i < component.count; i++)
        if (!lg__node_is_native(state->graph, component.nodes[i]))
            return false;
    return true;
}

// A healthy process has many held cycles that retain little.
enum { HELD_BYTES_SHOWN = 1 << 20 };

// Counts the cycles that only their size leaves out, if nobody asked for a
// size.
static bool
is_asked_for(cycle_search *state, const lg_cycle *cycle)
{
    const lg_cycle_options *options = &state->options;
    bool holding = state->holding[cycle->component] != 0;
    if (options->kinds != 0 && !(options->kinds >> cycle->kind & 1u))
        return false;
    if ((options->holding != NULL || options->holding_type != NULL) && !holding)
        return false;
    if (!is_in_scope(state, cycle->component))
        return false;
    if (options->min_bytes >= 0)
        return cycle->total >= (uint64_t)options->min_bytes;
    bool shown = cycle->kind != LG_CYCLE_HELD || holding ||
                 cycle->total >= HELD_BYTES_SHOWN;
    state->cycles.smaller += !shown;
    state->cycles.least = HELD_BYTES_SHOWN;
    return shown;
}

static lg_status
look_up(cycle_search *state, lg_cycle cycle, bool *known, lg_error *err)
{
    const lg_baseline *baseline = state->options.baseline;
    *known = false;
    if (baseline == NULL || !cycle.is_leak)
        return LG_OK;
    lg_status status = cycle_fill(state, &cycle, err);
    if (status == LG_OK)
        *known = lg_baseline_knows(baseline, LG_BASELINE_CYCLE, cycle.key);
    lg__cycle_clear(&cycle);
    return status;
}

// A cycle in its order: cycles of libraries come last.
typedef struct ranked {
    bool library;
    uint64_t bytes;
    uint32_t component;
} ranked;

static int
biggest_first(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->library != b->library)
        return a->library ? 1 : -1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->component < b->component ? -1 : a->component > b->component;
}

static ranked
count_in(cycle_search *state, const lg_cycle *cycle)
{
    uint32_t device = state->options.device;
    uint64_t bytes = device == LG_NONE
                         ? cycle->total
                         : lg_component_retained_on(state->analysis,
                                                    cycle->component, device);
    state->cycles.of_kind[cycle->kind]++;
    state->cycles.leaks += cycle->is_leak;
    return (ranked){cycle->library.length > 0, bytes, cycle->component};
}

// Lists the selected components.
static lg_status
rank(cycle_search *state, ranked *out, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    lg_status status = LG_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < components && status == LG_OK; i++) {
        bool known = false;
        if (is_of_native_code(state, i))
            continue;
        lg_cycle cycle = cycle_begin(state, i);
        if (!is_asked_for(state, &cycle))
            continue;
        cycle_judge_owner(state, &cycle);
        status = look_up(state, cycle, &known, err);
        if (status == LG_OK && known)
            state->cycles.known++;
        else if (status == LG_OK)
            out[count++] = count_in(state, &cycle);
    }
    if (state->liveness.failed)
        return lg__error_memory(err);
    qsort(out, count, sizeof *out, biggest_first);
    state->cycles.total = count;
    return status;
}

static lg_status
append(cycle_search *state, uint32_t component, lg_error *err)
{
    lg_cycles *all = &state->cycles;
    lg_cycle cycle = {0};
    lg_status status = cycle_judge(state, component, &cycle, err);
    if (status == LG_OK)
        status = cycle_fill(state, &cycle, err);
    if (status == LG_OK)
        all->items[all->count++] = cycle;
    else
        lg__cycle_clear(&cycle);
    return status;
}

// Cycles behind the limit count in the groups of those before it. More than so
// many take too long.
enum { GROUPED = 10000 };

// Leaves the first cycles, and the groups that begin among them. Groups are
// numbered in the order of their first cycles, so those that begin behind the
// limit are the last ones.
static void
leave_first(lg_cycles *cycles, size_t limit)
{
    while (cycles->count > limit)
        lg__cycle_clear(&cycles->items[--cycles->count]);
    while (cycles->group_count > 0 &&
           cycles->groups[cycles->group_count - 1].first >= limit)
        lg__free(cycles->groups[--cycles->group_count].retained);
}

static lg_status
list(cycle_search *state, const ranked *found, size_t count, lg_error *err)
{
    size_t limit = state->options.limit;
    lg_status status = LG_OK;
    if (limit == 0 || limit > count)
        limit = count;
    size_t grouped = count < GROUPED ? count : GROUPED;
    grouped = grouped > limit ? grouped : limit;
    state->cycles.items =
        lg__alloc((grouped + 1) * sizeof *state->cycles.items);
    if (state->cycles.items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < grouped && status == LG_OK; i++)
        status = lg__monitor_goes_on(state->monitor, "looking for cycles",
                                     (double)i / (double)grouped, err)
                     ? append(state, found[i].component, err)
                     : LG_ECANCELLED;
    if (status == LG_OK)
        status = cycles_group(state, err);
    state->cycles.grouped = grouped;
    leave_first(&state->cycles, limit);
    return status;
}

static lg_status
list_asked_for(cycle_search *state, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    ranked *found = lg__sparse_calloc((size_t)components + 1, sizeof *found);
    if (found == NULL)
        return lg__error_memory(err);
    lg_status status = rank(state, found, err);
    if (status == LG_OK)
        status = list(state, found, state->cycles.total, err);
    lg__free(found);
    return status;
}

// Finds the components that retain tensors or figures, and those that retain
// what the caller asked for, which is the same if nobody asked.
static lg_status
find_holding(cycle_search *state, lg_error *err)
{
    const lg_cycle_options any = LG_CYCLE_OPTIONS_INIT;
    const lg_cycle_options *options = &state->options;
    lg_status status =
        lg__cycles_holding(state->analysis, &any, &state->data, err);
    if (options->holding == NULL && options->holding_type == NULL)
        state->holding = state->data;
    else if (status == LG_OK)
        status =
            lg__cycles_holding(state->analysis, options, &state->holding, err);
    return status;
}

static lg_status
prepare(cycle_search *state, lg_error *err)
{
    const lg_graph *graph = state->graph;
    state->finder.graph = graph;
    state->walk.graph = graph;
    state->walk.everything = true;
    state->walk.fold = lg__graph_folds(graph);
    if (!lg__cycle_notes_new(graph, &state->notes) ||
        state->walk.fold == NULL ||
        !lg__graph_reverse(graph, &state->walk.reverse) ||
        !lg__liveness_new(graph, &state->liveness))
        return lg__error_memory(err);
    return find_holding(state, err);
}

static void
release(cycle_search *state)
{
    lg__liveness_free(&state->liveness);
    lg__finder_free(&state->finder);
    if (state->holding != state->data)
        lg__free(state->holding);
    lg__free(state->data);
    lg__cycle_notes_free(&state->notes);
}

static cycle_search
begin(const lg_analysis *analysis, const lg_monitor *monitor)
{
    return (cycle_search){.analysis = analysis,
                          .graph = lg_analysis_graph(analysis),
                          .monitor = monitor,
                          .options = LG_CYCLE_OPTIONS_INIT};
}

static lg_status
end(cycle_search *state, lg_status status, lg_cycles *out)
{
    if (status == LG_OK)
        *out = state->cycles;
    else
        lg_cycles_free(&state->cycles);
    release(state);
    return status;
}

lg_status
lg_analysis_cycles(const lg_analysis *analysis, const lg_cycle_options *options,
                   const lg_monitor *monitor, lg_cycles *out, lg_error *err)
{
    cycle_search state = begin(analysis, monitor);
    lg_status status =
        lg_options_read(&state.options, options, "lg_cycle_options", err);
    if (status != LG_OK)
        return status;
    uint32_t device = state.options.device;
    if (device != LG_NONE && device > state.graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", device);
    status = prepare(&state, err);
    if (status == LG_OK)
        status = list_asked_for(&state, err);
    return end(&state, status, out);
}

lg_status
lg_component_cycle(const lg_analysis *analysis, uint32_t component,
                   const lg_monitor *monitor, lg_cycles *out, lg_error *err)
{
    cycle_search state = begin(analysis, monitor);
    const ranked one = {.component = component};
    if (component >= lg_analysis_component_count(analysis))
        return lg_error_set(err, LG_EINVAL, "there is no component %u",
                            component);
    lg_cycle cycle = {0};
    lg_status status = prepare(&state, err);
    if (status == LG_OK)
        status = cycle_judge(&state, component, &cycle, err);
    if (status == LG_OK) {
        state.cycles.total = 1;
        state.cycles.of_kind[cycle.kind] = 1;
        state.cycles.leaks = cycle.is_leak;
        status = list(&state, &one, 1, err);
    }
    return end(&state, status, out);
}
