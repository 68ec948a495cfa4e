// Which hop of a cycle to cut: the one that reads like a back reference.
#include "circuit.h"
#include "select.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

// Small enough to try every cut.
enum { MEMBERS_TRIED = 2000, HOPS_TRIED = 16, SCORE_OF_ACYCLIC = 15 };

#define CATEGORY(name) (1u << LG_CATEGORY_##name)

enum {
    ANY = 0,
    EXCEPTION = CATEGORY(EXCEPTION),
    FUNCTION = CATEGORY(FUNCTION),
    CONTAINER = CATEGORY(CONTAINER),
    FRAME = CATEGORY(FRAME),
    TYPE = CATEGORY(TYPE),
    ARRAY = CATEGORY(ARRAY),
};

typedef struct rule {
    const char *label; // of the hop; `*` stands for any text
    unsigned source;   // categories, or ANY
    unsigned target;
    const char *with; // what another hop of the cycle is labelled, or NULL
    int score;
    const char *reason;
} rule;

#define PARENT "the back reference from child to parent: make it a weakref"
#define LINKED                                                                 \
    "the back reference of a linked structure: make it a weakref, or clear "   \
    "it when the element is removed"
#define RAISED                                                                 \
    "an exception kept with its traceback: clear its __traceback__, or del "   \
    "the variable that keeps it"
#define HOOKED                                                                 \
    "a hook captures what it is registered on: remove the hook, or let it "    \
    "hold a weakref"
#define CALLED                                                                 \
    "a registered callback refers back to its owner: unregister it, or hold "  \
    "it through a weakref"
#define CACHED                                                                 \
    "a cache keeps what its entries were computed from: bound it, clear it, "  \
    "or let it hold weakrefs"
#define CAPTURED                                                               \
    "the closure captures the object that stores it: let it capture a "        \
    "weakref, or pass the object as an argument"
#define BOUND                                                                  \
    "a bound method stored where its own object reaches it: use "              \
    "weakref.WeakMethod, or look the method up when it is called"
#define LOCAL                                                                  \
    "a local variable of a frame that is kept: del it before the frame is "    \
    "left"
#define CLASSY                                                                 \
    "a class always refers to itself: it goes once nothing else refers to "    \
    "it or its instances"

// The first rule that fits a hop scores it.
static const rule rules[] = {
    {"__class__", ANY, ANY, NULL, 1, CLASSY},
    {".__mro__", TYPE, ANY, NULL, 2, CLASSY},
    {".__bases__", TYPE, ANY, NULL, 2, CLASSY},
    {".__base__", TYPE, ANY, NULL, 2, CLASSY},
    {"closure __class__", FUNCTION, TYPE, NULL, 2, CLASSY},
    {"*", FUNCTION, TYPE, NULL, 2, CLASSY},
    {"[*", CONTAINER, TYPE, ".__mro__", 2, CLASSY},
    {".__traceback__", EXCEPTION, ANY, NULL, 90, RAISED},
    {"local *", FRAME, EXCEPTION, NULL, 60, RAISED},
    {".tb_frame", FRAME, FRAME, NULL, 10, RAISED},
    {".tb_next", FRAME, FRAME, NULL, 5, RAISED},
    {".f_back", FRAME, FRAME, NULL, 5, LOCAL},
    {".__context__", EXCEPTION, ANY, NULL, 70, RAISED},
    {".__cause__", EXCEPTION, ANY, NULL, 65, RAISED},
    {"closure *", FUNCTION, ANY, "*hook*", 88, HOOKED},
    {".__self__", FUNCTION, ANY, "*hook*", 88, HOOKED},
    {"closure *", FUNCTION, ANY, "*cache*", 80, CACHED},
    {"closure *", FUNCTION, FUNCTION, NULL, 86,
     "a nested function captures itself: pass it as an argument, or del its "
     "name when it is no longer needed"},
    {".parent", ANY, ANY, NULL, 84, PARENT},
    {"._parent", ANY, ANY, NULL, 84, PARENT},
    {".*parent", ANY, ANY, NULL, 82, PARENT},
    {".parent*", ANY, ANY, NULL, 82, PARENT},
    {".owner", ANY, ANY, NULL, 84, PARENT},
    {".*_owner", ANY, ANY, NULL, 82, PARENT},
    {".outer", ANY, ANY, NULL, 80, PARENT},
    {".container", ANY, ANY, NULL, 80, PARENT},
    {".root", ANY, ANY, NULL, 78, PARENT},
    {"._root", ANY, ANY, NULL, 78, PARENT},
    {".master", ANY, ANY, NULL, 78, PARENT},
    {".*figure", ANY, ANY, NULL, 80, PARENT},
    {".axes", ANY, ANY, NULL, 79, PARENT},
    {"._axes", ANY, ANY, NULL, 79, PARENT},
    {".axis", ANY, ANY, NULL, 79, PARENT},
    {".canvas", ANY, ANY, NULL, 60, PARENT},
    {".manager", ANY, ANY, NULL, 62, PARENT},
    {".prev*", ANY, ANY, NULL, 80, LINKED},
    {"._prev*", ANY, ANY, NULL, 80, LINKED},
    {".*back", ANY, ANY, NULL, 60, LINKED},
    {".__wrapped__", ANY, ANY, NULL, 30,
     "a wrapper and what it wraps refer to each other: drop one of the two "
     "names"},
    {".__self__", FUNCTION, ANY, NULL, 78, BOUND},
    {"closure *", FUNCTION, ANY, NULL, 76, CAPTURED},
    {".__defaults__*", FUNCTION, ANY, NULL, 74, CAPTURED},
    {"*hook*", ANY, ANY, NULL, 66, HOOKED},
    {"*callback*", ANY, ANY, NULL, 66, CALLED},
    {"*listener*", ANY, ANY, NULL, 66, CALLED},
    {"*observer*", ANY, ANY, NULL, 66, CALLED},
    {"*subscriber*", ANY, ANY, NULL, 66, CALLED},
    {"*handler*", ANY, ANY, NULL, 60, CALLED},
    {"*cache*", ANY, ANY, NULL, 64, CACHED},
    {"*memo*", ANY, ANY, NULL, 64, CACHED},
    {"local *", FRAME, ANY, NULL, 50, LOCAL},
    {".*", TYPE, TYPE, NULL, 45,
     "two classes refer to each other: keep one of the references elsewhere, "
     "or weak"},
    {".*", TYPE, ANY, NULL, 55,
     "an instance stored on its own class: keep it elsewhere, or through a "
     "weakref"},
    {".*", ANY, ANY, NULL, 40,
     "the attribute that closes the cycle: make it a weakref, or set it to "
     "None when done"},
    {"[*", ARRAY, ANY, NULL, 35,
     "an array of objects, which the collector does not look into: clear the "
     "element, or keep the objects in a list"},
    {"['*", CONTAINER, ANY, NULL, 30,
     "the entry that closes the cycle: delete it when done, or keep a weakref "
     "in it"},
    {"[*", CONTAINER, ANY, NULL, 20,
     "the element that closes the cycle: remove it when done"},
    {"*", ANY, ANY, NULL, 10, "the reference that closes the cycle"},
};

typedef struct labels {
    lg_text text;
    size_t *end; // [hop] where its label ends
} labels;

static lg_string
label_of(const labels *all, size_t hop)
{
    size_t begin = hop > 0 ? all->end[hop - 1] : 0;
    const char *data = all->text.data ? all->text.data : "";
    return (lg_string){data + begin, (uint32_t)(all->end[hop] - begin)};
}

static bool
is_labelled(const char *pattern, lg_string label)
{
    return lg__glob_matches(pattern, strlen(pattern), label);
}

static bool
has_company(const labels *all, size_t count, size_t hop, const char *with)
{
    for (size_t i = 0; i < count; i++)
        if (i != hop && is_labelled(with, label_of(all, i)))
            return true;
    return false;
}

static bool
is_of(const lg_graph *graph, uint32_t node, unsigned categories)
{
    return categories == ANY ||
           (categories >> lg__node_category(graph, node) & 1u) != 0;
}

static const rule *
find_rule(const lg_graph *graph, const lg_hops *circuit, const labels *all,
          size_t hop)
{
    const lg_hop *at = &circuit->items[hop];
    const rule *found = rules;
    while (!is_of(graph, at->source, found->source) ||
           !is_of(graph, at->target, found->target) ||
           !is_labelled(found->label, label_of(all, hop)) ||
           (found->with != NULL &&
            !has_company(all, circuit->count, hop, found->with)))
        found++;
    return found;
}

typedef struct peeling {
    const lg_graph *graph;
    const lg__members *members;
    uint32_t *in; // [member] in-edges left
    uint32_t *queue;
    uint64_t cut; // the edge that is taken for cut
} peeling;

// The member that an edge leads to within the knot, or LG_NONE.
static uint32_t
follow(const peeling *state, uint64_t edge)
{
    const lg_columns *columns = &state->graph->columns;
    if (edge == state->cut || (columns->edge_kind[edge] & LG_EDGE_WEAK))
        return LG_NONE;
    return lg__members_find(state->members, columns->edge_target[edge]);
}

// Takes away members without in-edges until none is left or a cycle is.
static bool
is_acyclic(const peeling *state)
{
    const uint64_t *first = state->graph->columns.first_edge;
    const lg__members *members = state->members;
    uint32_t queued = 0;
    memset(state->in, 0, members->count * sizeof *state->in);
    for (uint32_t i = 0; i < members->count; i++)
        for (uint64_t edge = first[members->nodes[i]];
             edge < first[members->nodes[i] + 1]; edge++) {
            uint32_t target = follow(state, edge);
            if (target != LG_NONE)
                state->in[target]++;
        }
    for (uint32_t i = 0; i < members->count; i++)
        if (state->in[i] == 0)
            state->queue[queued++] = i;
    for (uint32_t at = 0; at < queued; at++) {
        uint32_t node = members->nodes[state->queue[at]];
        for (uint64_t edge = first[node]; edge < first[node + 1]; edge++) {
            uint32_t target = follow(state, edge);
            if (target != LG_NONE && --state->in[target] == 0)
                state->queue[queued++] = target;
        }
    }
    return queued == members->count;
}

static bool
choose_hop(const lg_hops *circuit, const labels *all, peeling *state,
           size_t *chosen, const char **reason)
{
    bool tried =
        state->members->count <= MEMBERS_TRIED && circuit->count <= HOPS_TRIED;
    int best = -1;
    for (size_t i = 0; i < circuit->count; i++) {
        const lg_hop *hop = &circuit->items[i];
        const rule *fits = find_rule(state->graph, circuit, all, i);
        state->cut = hop->edges[hop->edge_count - 1];
        int score = fits->score;
        if (tried && is_acyclic(state))
            score += SCORE_OF_ACYCLIC;
        if (score < best)
            continue;
        best = score;
        *chosen = i;
        *reason = fits->reason;
    }
    return best >= 0;
}

static unsigned
first_rank(const lg_graph *graph, uint32_t node)
{
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_CONTAINER:
        return 3;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_FRAME:
        return 2;
    case LG_CATEGORY_TYPE:
        return 1;
    default:
        return 0;
    }
}

// Where to begin: with an object of the user's, so that the cut comes as late
// as it can; last in a cycle too long to be shown whole.
static size_t
choose_first(const lg_graph *graph, const lg_hops *circuit, size_t cut)
{
    size_t count = circuit->count;
    size_t best = (cut + 1) % count;
    for (size_t i = 2; i <= count && count <= LG__CIRCUIT_SHOWN; i++) {
        size_t at = (cut + i) % count;
        if (first_rank(graph, circuit->items[at].source) <
            first_rank(graph, circuit->items[best].source))
            best = at;
    }
    return best;
}

static void
reverse(lg_hop *hops, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        lg_hop kept = hops[i];
        hops[i] = hops[count - 1 - i];
        hops[count - 1 - i] = kept;
    }
}

// Turns the cycle by reversing both parts and then the whole.
static void
turn(lg_hops *circuit, size_t first)
{
    reverse(circuit->items, first);
    reverse(circuit->items + first, circuit->count - first);
    reverse(circuit->items, circuit->count);
}

const char *
lg__circuit_cut(const lg__walk *walk, const lg__members *members,
                lg_hops *circuit, size_t *cut)
{
    labels all = {.end = malloc((circuit->count + 1) * sizeof(size_t))};
    peeling state = {.graph = walk->graph,
                     .members = members,
                     .in = malloc(members->count * sizeof(uint32_t)),
                     .queue = malloc(members->count * sizeof(uint32_t))};
    const char *reason = NULL;
    size_t chosen = 0;
    if (!all.end || !state.in || !state.queue)
        goto done;
    for (size_t i = 0; i < circuit->count; i++) {
        lg_hop_label(walk->graph, &circuit->items[i], &all.text);
        all.end[i] = all.text.length;
    }
    if (!all.text.failed &&
        choose_hop(circuit, &all, &state, &chosen, &reason)) {
        size_t first = choose_first(walk->graph, circuit, chosen);
        turn(circuit, first);
        *cut = (chosen + circuit->count - first) % circuit->count;
    }

done:
    free(all.end);
    free(state.in);
    free(state.queue);
    lg_text_free(&all.text);
    return reason;
}
