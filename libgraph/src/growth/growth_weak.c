// Finds rows whose members go with those of another row: entries of weak
// dictionaries, when what something else keeps goes; weak references whose
// callbacks take them out of a table, such as those in the caches of abstract
// classes; and what weakref.finalize() keeps until an object goes.
#include "growth/growth_comparison.h"

// Dominators between an object and the entry, or the member, that it is in.
enum { INNER = 64 };

// Returns whether the row is of keys of a WeakValueDictionary, each of which
// goes with its value.
static bool
is_of_weak_entries(const lg_places *places, const lg_growth_row *row)
{
    const lg__place_item *key = lg__place_at(places, row->place);
    const lg__place_item *data =
        key->kind == LG_PLACE_KEY && key->parent != LG_NONE
            ? lg__place_at(places, key->parent)
            : NULL;
    return data != NULL && data->parent != LG_NONE &&
           lg__string_is(lg__places_text(
                             places, lg__place_at(places, data->parent)->type),
                         LG__WEAK_VALUES);
}

// Returns whether the node is the dict in a weak dictionary. Before CPython
// 3.13, the namespace of its object may be between them.
static bool
is_in_weak_dict(const lg_analysis *analysis, uint32_t dict)
{
    uint32_t above = lg_node_dominator(analysis, dict);
    for (int i = 0; i < 2 && above != LG_NONE; i++) {
        const lg_graph *graph = analysis->graph;
        if (lg__type_is_weak_dict(graph,
                                  lg_columns_type(&graph->columns, above)))
            return true;
        above = lg_node_dominator(analysis, above);
    }
    return false;
}

// Returns the weak key of a value in the dict, or LG_NONE.
static uint32_t
weak_key_of(const lg_graph *graph, uint32_t dict, uint32_t value)
{
    const lg_columns *columns = &graph->columns;
    lg__weak_entry entry;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_target(columns, edge) == value &&
            lg__weak_entry_read(graph, edge, &entry) && entry.by_key)
            return entry.weak;
    return LG_NONE;
}

// Returns the weak key that the node goes with, because only the key's value
// keeps it; or LG_NONE.
static uint32_t
find_weak_key(const lg_analysis *analysis, uint32_t node)
{
    for (int i = 0; i < INNER && node != LG_NONE; i++) {
        uint32_t above = lg_node_dominator(analysis, node);
        if (above != LG_NONE && is_in_weak_dict(analysis, above))
            return weak_key_of(analysis->graph, above, node);
        node = above;
    }
    return LG_NONE;
}

// Entries of a dict with weak keys, and those of them whose keys are garbage.
typedef struct entries {
    uint64_t all;
    uint64_t dead;
} entries;

static entries
count_entries(const lg_analysis *analysis, uint32_t dict)
{
    const lg_columns *columns = &analysis->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    lg__weak_entry entry;
    entries found = {0};
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__weak_entry_read(analysis->graph, edge, &entry) &&
            entry.by_key) {
            found.all++;
            found.dead += !lg_node_is_reachable(analysis, entry.weak);
        }
    return found;
}

// Counts the entries of the weak dictionary that the node is in, or inside
// which it is the dict.
static entries
entries_around(const lg__comparison *state, uint32_t node)
{
    entries found = {0};
    for (int i = 0; i < INNER && node != LG_NONE && found.all == 0; i++) {
        if (is_in_weak_dict(state->at_rest, node))
            found = count_entries(state->analysis, node);
        node = lg_node_dominator(state->at_rest, node);
    }
    return found;
}

static uint64_t
references_at(const lg__comparison *state, uint32_t place, uint32_t i)
{
    lg__comparison_find(state, place, state->at);
    return state->at[i] != LG_NONE
               ? lg__place_at(state->summaries[i]->places, state->at[i])
                     ->references
               : 0;
}

// Returns how many entries remain. Where most wait for the collector, the one
// of the call into which the snapshot falls soon does, too.
static uint64_t
kept_of(const entries *found)
{
    uint64_t alive = found->all - found->dead;
    return alive > 0 && alive < found->dead ? alive - 1 : alive;
}

bool
lg__growth_waits_for_keys(const lg__comparison *state, const lg_growth_row *row,
                          const uint64_t *counts)
{
    if (!state->is_waiting || state->analysis == NULL || row->node == LG_NONE)
        return false;
    uint32_t last = state->count - 1;
    bool in_place = row->verdict == LG_GROWTH_IN_PLACE;
    uint64_t before =
        in_place ? references_at(state, row->place, 0) : counts[0];
    uint64_t after =
        in_place ? references_at(state, row->place, last) : counts[last];
    entries found = entries_around(state, row->node);
    uint64_t kept = kept_of(&found);
    return found.dead > 0 &&
           (double)after * (double)kept <= (double)before * (double)found.all;
}

// Returns whether the node is kept as the member is, or is in something that
// is.
static bool
is_kept_as(const lg_analysis *analysis, uint32_t node, uint32_t member)
{
    const lg_columns *columns = &analysis->graph->columns;
    uint32_t holder = lg_node_dominator(analysis, member);
    for (int i = 0; i < INNER && node != LG_NONE; i++) {
        uint32_t above = lg_node_dominator(analysis, node);
        if (lg_columns_type(columns, node) ==
                lg_columns_type(columns, member) &&
            above == holder)
            return true;
        node = above;
    }
    return false;
}

uint32_t
lg__growth_weak_key(const lg__comparison *state, const lg_growth_row *row)
{
    return state->analysis != NULL && row->node != LG_NONE &&
                   row->verdict != LG_GROWTH_NATIVE
               ? find_weak_key(state->at_rest, row->node)
               : LG_NONE;
}

// Returns whether a callback may be found to have the target of a reference as
// its own: what a module or a class has is not.
static bool
is_own(const lg_graph *graph, uint64_t edge)
{
    uint32_t target = lg_columns_target(&graph->columns, edge);
    lg_category category = lg__node_category(graph, target);
    return category != LG_CATEGORY_MODULE && category != LG_CATEGORY_TYPE &&
           !lg__string_is(lg__edge_name(graph, edge), "__globals__");
}

// Appends what a node has of its own and has not been met. Returns whether the
// table is among it.
static bool
meet_own(const lg_graph *graph, uint32_t node, uint32_t table, uint8_t *met,
         lg__gathered *out)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (target == table)
            return true;
        if (met[target] || !is_own(graph, edge))
            continue;
        met[target] = 1;
        if (!lg__gather_append(out, target))
            return false;
    }
    return false;
}

// Returns whether a callback knows a table, directly or by what it has of its
// own: an instance, a default, a weak reference. Only then can it take anything
// out of the table; what it finds in its module, nobody knows. The longest way
// is that of WeakSet: function, default, tuple, reference, object, namespace,
// table.
static bool
is_known_to(const lg_graph *graph, uint32_t callback, uint32_t table)
{
    enum { STEPS_MOST = 6 };
    uint8_t *met = lg__calloc(graph->columns.node_count, sizeof *met);
    lg__gathered all = {0};
    bool enough = met != NULL && lg__gather_append(&all, callback);
    bool known = false;
    size_t at = 0;
    for (int step = 0; step < STEPS_MOST && enough && !known; step++)
        for (size_t end = all.count; at < end && !known; at++)
            known = meet_own(graph, all.items[at], table, met, &all);
    lg__free(all.items);
    lg__free(met);
    return known;
}

// Returns whether the node is an entry of weakref.finalize(), which the end of
// its referent removes.
static bool
is_finalizer(const lg_graph *graph, uint32_t node)
{
    return lg__string_is(
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name,
        "weakref.finalize._Info");
}

// Returns the weak reference that a row's example is, or that its finalizer
// has; or LG_NONE.
static uint32_t
reference_of(const lg__comparison *state, uint32_t node)
{
    if (state->analysis == NULL || node == LG_NONE)
        return LG_NONE;
    const lg_graph *graph = state->analysis->graph;
    uint32_t reference = is_finalizer(graph, node)
                             ? lg__node_attribute(graph, node, "weakref")
                             : node;
    return reference != LG_NONE &&
                   lg__weak_referent(graph, reference) != LG_NONE
               ? reference
               : LG_NONE;
}

// Returns whether the callback of a weak reference can take the node, which is
// the reference or its finalizer, out of the table that has it.
static bool
is_taken_out(const lg__comparison *state, uint32_t node, uint32_t reference)
{
    const lg_graph *graph = state->analysis->graph;
    uint32_t callback = lg__node_attribute(graph, reference, "__callback__");
    uint32_t table = lg_node_dominator(state->at_rest, node);
    return reference != node || (callback != LG_NONE && table != LG_NONE &&
                                 is_known_to(graph, callback, table));
}

// Returns whether the row is of weak references to members of the other row, or
// of finalizers of these, which go with what they refer to.
static bool
goes_with_referents(const lg__comparison *state, const lg_growth_row *row,
                    const lg_growth_row *other)
{
    uint32_t reference = reference_of(state, row->node);
    return reference != LG_NONE && other->node != LG_NONE &&
           row->gained <= other->gained &&
           is_kept_as(state->at_rest,
                      lg__weak_referent(state->analysis->graph, reference),
                      other->node) &&
           is_taken_out(state, row->node, reference);
}

// Returns whether something that fills up or has settled keeps what a finalizer
// waits for.
static bool
waits_for_settled(const lg__comparison *state, uint32_t finalizer)
{
    const lg__grown *found = state->found.data;
    uint32_t reference = reference_of(state, finalizer);
    bool settled = false;
    if (reference == LG_NONE)
        return false;
    uint32_t referent = lg__weak_referent(state->analysis->graph, reference);
    for (size_t i = 0; i < state->found.count && !settled; i++) {
        uint32_t member = lg__place_at(state->newest, found[i].place)->example;
        settled = found[i].pace >= LG__PACE_FILLS && member != LG_NONE &&
                  found[i].verdict == LG_GROWTH_ACCUMULATES &&
                  is_kept_as(state->at_rest, referent, member);
    }
    return settled;
}

bool
lg__growth_finalizers_settle(const lg__comparison *state, uint32_t node)
{
    enum { SAMPLES = 16 };
    if (state->analysis == NULL || node == LG_NONE)
        return false;
    const lg_graph *graph = state->analysis->graph;
    const uint32_t table = is_finalizer(graph, node)
                               ? lg_node_dominator(state->at_rest, node)
                               : node;
    if (table == LG_NONE)
        return false;
    const lg_edge_range edges = lg_columns_edges(&graph->columns, table);
    const uint64_t stride = (edges.end - edges.begin) / SAMPLES | 1;
    size_t finalizers = 0;
    size_t settled = 0;
    for (uint64_t edge = edges.begin; edge < edges.end; edge += stride) {
        uint32_t target = lg_columns_target(&graph->columns, edge);
        if (!is_finalizer(graph, target))
            continue;
        finalizers++;
        settled += waits_for_settled(state, target);
    }
    return 2 * settled > finalizers;
}

bool
lg__growth_may_be_weak_entry(const lg__comparison *state,
                             const lg_growth_row *row, uint32_t key)
{
    return row->place != LG_NONE && row->verdict != LG_GROWTH_NATIVE &&
           (key != LG_NONE || is_of_weak_entries(state->newest, row) ||
            reference_of(state, row->node) != LG_NONE);
}

bool
lg__growth_is_weak_entry_of(const lg__comparison *state,
                            const lg_growth_row *row, uint32_t key,
                            const lg_growth_row *other)
{
    if (row->place == LG_NONE || other->place == LG_NONE ||
        row->verdict == LG_GROWTH_NATIVE)
        return false;
    if (is_of_weak_entries(state->newest, row))
        return !is_of_weak_entries(state->newest, other);
    return (key != LG_NONE && other->node != LG_NONE &&
            is_kept_as(state->at_rest, key, other->node)) ||
           goes_with_referents(state, row, other);
}
