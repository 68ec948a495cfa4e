// The activations of functions that hold what running frames alone hold.
#include "growth/growth_comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

// A place below a thread is the same for all calls of a function, and a
// snapshot falls into any moment of a call. What one call holds, and then
// another one, rises by chance and is no growth. What one call keeps on
// collecting, as the main loop of a program does, is; so is what each call
// takes out of a pool, and puts back: it rises too often for chance.
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
    const lg_analysis *at_rest; // see lg__analysis_at_rest
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
        uint32_t target = lg_columns_target(columns, edge);
        uint32_t place = state->place_of[target];
        if ((place == LG_NONE || state->top[place] == top) &&
            lg__policy_edge(state->analysis, edge, node) &&
            !take(state, target))
            return false;
    }
    return true;
}

// Counts an activation in each place right below a thread to which its frame
// leads, and that of no caller. A node is taken once, whatever frame leads to
// it, so all frames together cost no more than one walk.
static bool
list_held(listing *state, uint32_t frame, uint32_t thread, uint64_t activation)
{
    bool enough = take(state, frame);
    while (enough && state->stack.count > 0) {
        uint32_t node = state->stack.items[--state->stack.count];
        enough = (lg__dominator_of(state->at_rest, node) != thread ||
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
            mix = mixed(mix, lg_columns_address(
                                 columns, lg_columns_target(columns, edge)));
    return mix;
}

// A place comes after the one above it, whose top is then known.
static void
find_tops(const lg_places *places, uint32_t *top)
{
    for (uint32_t i = 0; i < lg_places_count(places); i++) {
        uint32_t parent = lg__place_at(places, i)->parent;
        top[i] = parent == LG_NONE ? i : top[parent];
    }
}

// Lists the activations of all threads. The outermost frame of a thread comes
// first, so a caller takes what it holds before those that it calls.
static bool
list_running(listing *state, const lg__vector *running)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__running *items = running->data;
    uint64_t mix = 0;
    bool enough = true;
    for (size_t i = 0; i < running->count; i++)
        state->seen[items[i].thread] = 1;
    for (size_t i = running->count; i-- > 0 && enough;) {
        const lg__running *one = &items[i];
        if (i + 1 == running->count || items[i + 1].thread != one->thread)
            mix = lg_columns_address(columns, one->thread);
        if (state->place_of[one->thread] == LG_NONE)
            continue;
        mix = mixed(mix, lg_columns_address(columns, one->frame));
        enough = list_held(state, one->frame, one->thread, mix);
        mix = caller(state->graph, one->frame, mix);
    }
    return enough;
}

lg_status
lg__summary_count_activations(lg_summary *summary, const lg_analysis *analysis,
                              const uint32_t *place_of,
                              const lg_monitor *monitor, lg_error *err)
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
    const lg_allocator allocator = lg_allocator_default();
    lg__vector running = {.element = sizeof(lg__running)};
    bool enough = state.top != NULL && state.last != NULL &&
                  state.seen != NULL &&
                  lg__running_list(analysis->graph, &running);
    lg_status status =
        lg__analysis_at_rest(analysis, monitor, &state.at_rest, err);
    if (enough && status == LG_OK) {
        find_tops(summary->places, state.top);
        enough = list_running(&state, &running);
    }
    lg__vector_free(&allocator, &running);
    lg__free(state.top);
    lg__free(state.last);
    lg__free(state.seen);
    lg__free(state.stack.items);
    return enough || status != LG_OK ? status : lg__error_memory(err);
}

// An activation that holds members of a place; both by their keys.
typedef struct held {
    uint64_t place;
    uint64_t activation;
} held;

static int
compare_held(const void *left, const void *right)
{
    const held *a = left;
    const held *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->activation < b->activation   ? -1
           : a->activation > b->activation ? 1
                                           : 0;
}

static bool
list_snapshot(const lg_summary *summary, lg__vector *out)
{
    lg_allocator allocator = lg_allocator_default();
    const lg__tally *tallies = summary->tallies.data;
    *out = (lg__vector){.element = sizeof(held)};
    for (size_t i = 0; i < summary->tallies.count; i++) {
        if (tallies[i].kind != LG__TALLY_ACTIVATION)
            continue;
        held *one = lg__vector_extend(&allocator, out, 1);
        if (one == NULL)
            return false;
        *one = (held){tallies[i].holder, tallies[i].key};
    }
    if (out->count > 0)
        lg__sort(out->data, out->count, sizeof(held), compare_held);
    return true;
}

bool
lg__activations_list(lg__comparison *state)
{
    state->activations = lg__calloc(state->count, sizeof *state->activations);
    bool enough = state->activations != NULL;
    for (uint32_t i = 0; i < state->count && enough; i++)
        enough = list_snapshot(state->summaries[i], &state->activations[i]);
    return enough;
}

void
lg__activations_forget(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    for (uint32_t i = 0; state->activations != NULL && i < state->count; i++)
        lg__vector_free(&allocator, &state->activations[i]);
    lg__free(state->activations);
}

// The activations that hold a place in a snapshot.
typedef struct holders {
    const held *first;
    size_t count;
} holders;

static holders
holders_of(const lg__vector *all, uint64_t place)
{
    const held *items = all->data;
    size_t begin =
        lg_items_place(items, all->count, LG_ITEM_KEY(held, place), place);
    size_t end = begin;
    while (end < all->count && items[end].place == place)
        end++;
    return (holders){begin < end ? items + begin : NULL, end - begin};
}

// Returns how many of the activations are among the others. Both ascend.
static size_t
count_among(holders these, holders others)
{
    size_t found = 0;
    size_t other = 0;
    for (size_t i = 0; i < these.count; i++) {
        while (other < others.count &&
               others.first[other].activation < these.first[i].activation)
            other++;
        found += other < others.count &&
                 others.first[other].activation == these.first[i].activation;
    }
    return found;
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

// Returns whether most activations of a place in a snapshot are there in the
// next one. Files of other processes, and of earlier versions, do not say.
static bool
is_lasting(const lg__comparison *state, uint32_t at, uint64_t place)
{
    const lg__vector *activations = state->activations + at;
    if (!is_in_one_process(state->summaries[at], state->summaries[at + 1]) ||
        activations->count == 0)
        return true;
    holders now = holders_of(activations, place);
    size_t lasting = count_among(now, holders_of(activations + 1, place));
    return lasting > 0 && lasting * LEAST_LASTING >= now.count;
}

uint32_t
lg__activations_since(const lg__comparison *state, uint32_t place)
{
    uint32_t since = state->count - 1;
    uint64_t below =
        lg__place_at(state->newest, below_top(state->newest, place))->key;
    if (holders_of(&state->activations[since], below).count == 0)
        return 0;
    while (since > 0 && is_lasting(state, since - 1, below))
        since--;
    return since;
}
