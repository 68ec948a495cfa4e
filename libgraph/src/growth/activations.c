// The activations of functions that hold what running frames alone hold.
#include "growth/growth_comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

// A place below a thread is the same for all calls of a function, and a
// snapshot falls into any moment of a call. What one call holds, and then
// another one, rises by chance and is no growth. What one call keeps on
// collecting, as the main loop of a program does, is.
//
// No frame has a number of its own, and its memory is used again. But while a
// function runs, its callers stand still: each is at the same line, with the
// same local variables. So the addresses of the frame, of its callers and of
// their variables, and their lines, are the same in two snapshots if the
// activation is, and for another activation only by chance. What several frames
// of a thread hold lives as long as the outermost of them.
//
// A summary counts the activations of each place right below a thread. Threads
// that are alike share their places, so there may be many.

// At least this part of the activations of a snapshot are there in the next
// one: one in two.
enum { LEAST_LASTING = 2 };

typedef struct listing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_summary *summary;
    const uint32_t *place_of;
    uint32_t *top;      // [place] the place at the top of the path to it
    uint32_t *last;     // [place] the thread of which it was counted last
    uint8_t *seen;      // [node]
    lg__gathered stack; // nodes whose references are to be followed
} listing;

static uint64_t
mixed(uint64_t one, uint64_t other)
{
    uint64_t words[] = {one, other};
    return XXH3_64bits(words, sizeof words);
}

// Counts an activation in the place of a node, once for each thread: its
// outermost one comes first.
static bool
count(listing *state, uint32_t node, uint32_t thread, uint64_t activation)
{
    enum { DIGITS = 16 };
    lg_places *places = state->summary->places;
    uint32_t place = state->place_of[node];
    char digits[DIGITS + 1];
    if (place == LG_NONE || state->last[place] == thread + 1)
        return true;
    state->last[place] = thread + 1;
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)activation);
    lg__tally tally = {
        .holder = lg__place_at(places, place)->key,
        .name = lg__places_string(places, (lg_string){"", 0}),
        .detail = lg__places_string(places, (lg_string){digits, DIGITS}),
        .kind = LG__TALLY_ACTIVATION,
        .count = 1,
    };
    return tally.name != LG_NONE && tally.detail != LG_NONE &&
           lg__summary_count(state->summary, tally, NULL, 0);
}

static bool
take(listing *state, uint32_t node)
{
    if (state->seen[node])
        return true;
    state->seen[node] = 1;
    return lg__gather_append(&state->stack, node);
}

// Takes what a node below a thread refers to, as far as it is there, too.
static bool
take_below(listing *state, uint32_t node, uint32_t thread)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    uint32_t top = state->place_of[thread];
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t place = state->place_of[target];
        if ((place == LG_NONE || state->top[place] == top) &&
            lg__policy_edge(state->analysis, edge, node) &&
            !take(state, target))
            return false;
    }
    return true;
}

// Counts an activation in each place right below a thread to which its frame
// leads, and that of no caller.
static bool
list_held(listing *state, uint32_t frame, uint32_t thread, uint64_t activation)
{
    bool enough = take(state, frame);
    while (enough && state->stack.count > 0) {
        uint32_t node = state->stack.items[--state->stack.count];
        enough = (state->analysis->dominator[node] != thread ||
                  count(state, node, thread, activation)) &&
                 take_below(state, node, thread);
    }
    return enough;
}

// Returns what the activations that a frame calls have in common.
static uint64_t
caller(const lg_graph *graph, uint32_t frame, uint64_t activation)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    lg_string line = lg_node_text(graph, frame);
    uint64_t mix = mixed(activation, XXH3_64bits(line.data, line.length));
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_LOCAL)
            mix = mixed(
                mix, lg_columns_address(columns, columns->edge_target[edge]));
    return mix;
}

// Lists the activations of a thread. Its innermost frame comes first, and a
// caller takes what it holds before those that it calls.
static bool
list_thread(listing *state, uint32_t thread)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, thread);
    uint64_t mix = lg_columns_address(columns, thread);
    bool enough = true;
    for (uint64_t edge = edges.end; edge-- > edges.begin && enough;) {
        uint32_t frame = columns->edge_target[edge];
        if (lg__edge_kind(state->graph, edge) != LG_EDGE_FRAME)
            continue;
        mix = mixed(mix, lg_columns_address(columns, frame));
        enough = list_held(state, frame, thread, mix);
        mix = caller(state->graph, frame, mix);
    }
    return enough;
}

static void
find_tops(const lg_places *places, uint32_t *top)
{
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        uint32_t parent = lg__place_at(places, i)->parent;
        top[i] = parent == LG_NONE ? i : top[parent];
    }
}

// A damaged file may list one thread many times.
static bool
list_threads(listing *state)
{
    const lg_graph *graph = state->graph;
    bool enough = true;
    for (uint32_t i = 0; i < graph->root_count && enough; i++) {
        uint32_t thread = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_THREAD || state->seen[thread] ||
            state->place_of[thread] == LG_NONE)
            continue;
        state->seen[thread] = 1;
        enough = list_thread(state, thread);
    }
    return enough;
}

lg_status
lg__summary_count_activations(lg_summary *summary, const lg_analysis *analysis,
                              const uint32_t *place_of, lg_error *err)
{
    size_t places = (size_t)lg_places_count(summary->places) + 1;
    size_t nodes = (size_t)analysis->graph->columns.node_count + 1;
    listing state = {
        .analysis = analysis,
        .graph = analysis->graph,
        .summary = summary,
        .place_of = place_of,
        .top = lg__calloc(places, sizeof(uint32_t)),
        .last = lg__calloc(places, sizeof(uint32_t)),
        .seen = lg__calloc(nodes, 1),
    };
    bool enough = state.top != NULL && state.last != NULL && state.seen != NULL;
    if (enough) {
        find_tops(summary->places, state.top);
        enough = list_threads(&state);
    }
    lg__free(state.top);
    lg__free(state.last);
    lg__free(state.seen);
    lg__free(state.stack.items);
    return enough ? LG_OK : lg__error_memory(err);
}

// Returns the place right below the top of the path to a place, or the top.
static uint32_t
below_top(const lg_places *places, uint32_t place)
{
    uint32_t below = place;
    uint32_t parent;
    while ((parent = lg__place_at(places, place)->parent) != LG_NONE) {
        below = place;
        place = parent;
    }
    return below;
}

static bool
is_in_one_process(const lg_summary *one, const lg_summary *other)
{
    lg_string pid = lg__summary_text(one, "pid");
    return pid.length > 0 &&
           lg__string_same(pid, lg__summary_text(other, "pid"));
}

static bool
has_tally(const lg_summary *summary, uint64_t key)
{
    const lg__tally *tallies = summary->tallies.data;
    size_t i = 0;
    while (i < summary->tallies.count && tallies[i].key != key)
        i++;
    return i < summary->tallies.count;
}

// Counts the activations of a place in a snapshot, or those of them that are
// there in the next one.
static uint32_t
count_of(const lg_summary *summary, uint64_t place, const lg_summary *next)
{
    const lg__tally *tallies = summary->tallies.data;
    uint32_t found = 0;
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == LG__TALLY_ACTIVATION &&
            tallies[i].holder == place &&
            (next == NULL || has_tally(next, tallies[i].key)))
            found++;
    return found;
}

// Returns whether most activations of a place in a snapshot are there in the
// next one. Files of other processes, and of earlier versions, do not say.
static bool
is_lasting(const lg_summary *one, const lg_summary *next, uint64_t place)
{
    if (!is_in_one_process(one, next) ||
        lg__summary_tallied(one, LG__TALLY_ACTIVATION) == 0)
        return true;
    uint32_t lasting = count_of(one, place, next);
    return lasting > 0 && lasting * LEAST_LASTING >= count_of(one, place, NULL);
}

uint32_t
lg__activations_since(const lg__comparison *state, uint32_t place)
{
    const lg_summary *const *summaries = state->summaries;
    uint32_t since = state->count - 1;
    uint64_t below =
        lg__place_at(state->newest, below_top(state->newest, place))->key;
    if (count_of(summaries[since], below, NULL) == 0)
        return 0;
    while (since > 0 &&
           is_lasting(summaries[since - 1], summaries[since], below))
        since--;
    return since;
}
