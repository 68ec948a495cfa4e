// Chooses the hop of a cycle to cut: the one that looks like a back reference.
// Says what cannot be cut at all, and what only a library can cut.
#include "cycles/cycles_private.h"
#include "cycles/cut_rule.h"
#include "paths/paths_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

// What a hop of a cycle looks like, and why it would be the one to cut.

#define CATEGORY(name) (1u << LG_CATEGORY_##name)

enum {
    ANY = 0,
    EXCEPTION = CATEGORY(EXCEPTION),
    FUNCTION = CATEGORY(FUNCTION),
    CONTAINER = CATEGORY(CONTAINER),
    FRAME = CATEGORY(FRAME),
    TYPE = CATEGORY(TYPE),
    TENSOR = CATEGORY(TENSOR),
    ARRAY = CATEGORY(ARRAY),
    OBJECT = CATEGORY(OTHER) | CATEGORY(FIGURE),
    SUSPENDED = 1 << 30, // generators, coroutines, tasks
    CONTEXT = 1 << 29,   // the ctx of a torch.autograd.Function
    ENUM = 1 << 28,      // a class of enum: its members belong to it for good
};

// Where to cut. Nobody can take from a callable what it captures, so the cut is
// the reference that stores the callable.
typedef enum place {
    HERE = 0,
    STORED,  // the hop that leads to the callables of this one
    AMONG,   // here, because the cycle has only callables
    ALWAYS,  // here, whatever lg__edge_can_be_cut says about such hops
    NOWHERE, // nothing can be cut
} place;

typedef struct rule {
    const char *label; // of the hop; `*` matches any text
    unsigned source;   // categories, or ANY
    unsigned target;
    place place;
    const char *with; // label of another hop of the cycle, or NULL
    int score;
    lg_cut_reason reason;
} rule;

// The first rule that fits a hop scores it. The last rule fits every hop, so
// the search for one ends.
static const rule rules[] = {
    {"__class__", ANY, ANY, NOWHERE, NULL, 1, LG_STAYS_CLASS},
    {".*", ENUM, ANY, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {".__objclass__", ANY, TYPE, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {"[*", CONTAINER, ANY, NOWHERE, "._*member_map_", 2, LG_STAYS_CLASS},
    {".__mro__", TYPE, ANY, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {".__bases__", TYPE, ANY, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {".__base__", TYPE, ANY, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {"closure __class__", FUNCTION, TYPE, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {"*", FUNCTION, TYPE, NOWHERE, NULL, 2, LG_STAYS_CLASS},
    {"[*", CONTAINER, TYPE, NOWHERE, ".__mro__", 2, LG_STAYS_CLASS},
    {".grad", TENSOR, TENSOR, ALWAYS, NULL, 92, LG_CUT_GRADIENT},
    {"._raw_saved_*", ANY, ANY, ALWAYS, ".grad_fn", 90, LG_CUT_SAVED},
    {"._modules", ANY, CONTAINER, NOWHERE, NULL, 3, LG_STAYS_LIBRARY},
    {".*", CONTEXT, ANY, ALWAYS, NULL, 91, LG_CUT_CONTEXT},
    {".grad_fn", TENSOR, ANY, NOWHERE, NULL, 4, LG_STAYS_AUTOGRAD},
    {".__traceback__", EXCEPTION, ANY, ALWAYS, NULL, 90, LG_CUT_TRACEBACK},
    {"local *", FRAME, EXCEPTION, HERE, NULL, 60, LG_CUT_TRACEBACK},
    {".tb_frame", FRAME, FRAME, HERE, NULL, 10, LG_CUT_TRACEBACK},
    {".tb_next", FRAME, FRAME, HERE, NULL, 5, LG_CUT_TRACEBACK},
    {".f_back", FRAME, FRAME, HERE, NULL, 5, LG_CUT_LOCAL},
    {".__context__", EXCEPTION, ANY, HERE, NULL, 70, LG_CUT_TRACEBACK},
    {".__cause__", EXCEPTION, ANY, HERE, NULL, 65, LG_CUT_TRACEBACK},
    {"closure *", FUNCTION, ANY, STORED, "*hook*", 88, LG_CUT_HOOK},
    {".__self__", FUNCTION, ANY, STORED, "*hook*", 88, LG_CUT_HOOK},
    {"closure *", FUNCTION, ANY, STORED, "*cache*", 80, LG_CUT_CACHE},
    {"closure *", FUNCTION, FUNCTION, AMONG, NULL, 86, LG_CUT_NESTED},
    {".parent", ANY, ANY, HERE, NULL, 84, LG_CUT_PARENT},
    {"._parent", ANY, ANY, HERE, NULL, 84, LG_CUT_PARENT},
    {".*parent", ANY, ANY, HERE, NULL, 82, LG_CUT_PARENT},
    {".parent*", ANY, ANY, HERE, NULL, 82, LG_CUT_PARENT},
    {".owner", ANY, ANY, HERE, NULL, 84, LG_CUT_PARENT},
    {".*_owner", ANY, ANY, HERE, NULL, 82, LG_CUT_PARENT},
    {".outer", ANY, ANY, HERE, NULL, 80, LG_CUT_PARENT},
    {".container", ANY, ANY, HERE, NULL, 80, LG_CUT_PARENT},
    {".root", ANY, ANY, HERE, NULL, 78, LG_CUT_PARENT},
    {"._root", ANY, ANY, HERE, NULL, 78, LG_CUT_PARENT},
    {".master", ANY, ANY, HERE, NULL, 78, LG_CUT_PARENT},
    {".*figure", ANY, ANY, HERE, NULL, 80, LG_CUT_PARENT},
    {".axes", ANY, ANY, HERE, NULL, 79, LG_CUT_PARENT},
    {"._axes", ANY, ANY, HERE, NULL, 79, LG_CUT_PARENT},
    {".axis", ANY, ANY, HERE, NULL, 79, LG_CUT_PARENT},
    {".canvas", ANY, ANY, HERE, NULL, 60, LG_CUT_PARENT},
    {".manager", ANY, ANY, HERE, NULL, 62, LG_CUT_PARENT},
    {".prev*", ANY, ANY, HERE, NULL, 80, LG_CUT_LINK},
    {"._prev*", ANY, ANY, HERE, NULL, 80, LG_CUT_LINK},
    {".back", ANY, ANY, HERE, NULL, 60, LG_CUT_LINK},
    {".*_back", ANY, ANY, HERE, NULL, 60, LG_CUT_LINK},
    {".__wrapped__", ANY, ANY, HERE, NULL, 30, LG_CUT_WRAPPER},
    {".__self__", FUNCTION, ANY, STORED, NULL, 78, LG_CUT_METHOD},
    {"closure *", FUNCTION, ANY, STORED, NULL, 76, LG_CUT_CAPTURE},
    {".__defaults__*", FUNCTION, ANY, STORED, NULL, 74, LG_CUT_CAPTURE},
    {"*hook*", ANY, ANY, HERE, NULL, 66, LG_CUT_HOOK},
    {"*callback*", ANY, ANY, HERE, NULL, 66, LG_CUT_CALLBACK},
    {"*listener*", ANY, ANY, HERE, NULL, 66, LG_CUT_CALLBACK},
    {"*observer*", ANY, ANY, HERE, NULL, 66, LG_CUT_CALLBACK},
    {"*subscriber*", ANY, ANY, HERE, NULL, 66, LG_CUT_CALLBACK},
    {"*handler*", ANY, ANY, HERE, NULL, 60, LG_CUT_CALLBACK},
    {"*cache*", ANY, ANY, HERE, NULL, 64, LG_CUT_CACHE},
    {"*memo*", ANY, ANY, HERE, NULL, 64, LG_CUT_CACHE},
    {"local *", SUSPENDED, ANY, STORED, NULL, 52, LG_CUT_SUSPENDED},
    {"local *", FRAME, ANY, HERE, NULL, 50, LG_CUT_LOCAL},
    {".args", FUNCTION, ANY, STORED, NULL, 48, LG_CUT_CAPTURE},
    {".keywords", FUNCTION, ANY, STORED, NULL, 48, LG_CUT_CAPTURE},
    {".*", TYPE, TYPE, HERE, NULL, 45, LG_CUT_CLASSES},
    {".*", TYPE, ANY, HERE, NULL, 55, LG_CUT_INSTANCE},
    {".*", OBJECT, OBJECT, HERE, "[*", 58, LG_CUT_OWNER},
    {".*", ANY, ANY, HERE, NULL, 40, LG_CUT_ATTRIBUTE},
    {"[*", ARRAY, ANY, HERE, NULL, 35, LG_CUT_ARRAY},
    {"['*", CONTAINER, ANY, HERE, NULL, 30, LG_CUT_ENTRY},
    {"[*", CONTAINER, ANY, HERE, NULL, 20, LG_CUT_ELEMENT},
    {"*", ANY, ANY, HERE, NULL, 10, LG_CUT_REFERENCE},
};

static bool
is_labelled(const char *pattern, lg_string label)
{
    return lg__glob_matches(pattern, strlen(pattern), label);
}

static lg_string
label_of(const lg__labels *all, size_t hop)
{
    size_t begin = hop > 0 ? all->end[hop - 1] : 0;
    const char *data = all->text.data ? all->text.data : "";
    return (lg_string){data + begin, (uint32_t)(all->end[hop] - begin)};
}

static bool
has_company(const lg__labels *all, size_t count, size_t hop, const char *with)
{
    for (size_t i = 0; i < count; i++)
        if (i != hop && is_labelled(with, label_of(all, i)))
            return true;
    return false;
}

static bool
is_suspended(const lg_graph *graph, uint32_t node)
{
    return lg__node_role(graph, node) == LG__ROLE_SUSPENDED;
}

static bool
is_of(const lg_graph *graph, uint32_t node, unsigned categories)
{
    return categories == ANY ||
           (categories >> lg__node_category(graph, node) & 1u) != 0 ||
           ((categories & SUSPENDED) && is_suspended(graph, node)) ||
           ((categories & ENUM) &&
            (lg__node_is_a(graph, node, "enum.EnumType") ||
             lg__node_is_a(graph, node, "enum.EnumMeta"))) ||
           ((categories & CONTEXT) &&
            lg__node_is_a(graph, node, "torch.autograd.function.FunctionCtx"));
}

static bool
is_callable(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_FUNCTION ||
           is_suspended(graph, node);
}

// Returns whether the hop leads from a callable, or from the tuple of its
// defaults or arguments.
static bool
is_of_callable(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    uint32_t source = round_trip->items[hop].source;
    return is_callable(graph, source) ||
           (lg__node_role(graph, source) == LG__ROLE_TUPLE &&
            is_callable(graph, lg__hop_holder(round_trip, hop)));
}

// Returns the hop that leads to the callables of this hop from something else;
// the count of hops if nothing else is in the cycle.
static size_t
find_store(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    size_t at = hop;
    for (size_t i = 0; i < round_trip->count; i++) {
        if (!is_of_callable(graph, round_trip, at))
            return at;
        at = lg__hop_before(round_trip, at);
    }
    return round_trip->count;
}

static bool
fits(const rule *one, const lg_graph *graph, const lg_hops *round_trip,
     const lg__labels *all, size_t hop)
{
    const lg_hop *at = &round_trip->items[hop];
    if (!is_of(graph, at->source, one->source) ||
        !is_of(graph, at->target, one->target) ||
        !is_labelled(one->label, label_of(all, hop)) ||
        (one->with != NULL &&
         !has_company(all, round_trip->count, hop, one->with)))
        return false;
    if (one->place != STORED && one->place != AMONG)
        return true;
    bool stored = find_store(graph, round_trip, hop) < round_trip->count;
    return stored == (one->place == STORED);
}

// Returns whether nobody can remove the reference: it is in a C++ object, and
// no hook of the user put it there.
static bool
is_out_of_reach(const lg_graph *graph, const lg_hop *hop, lg_string label)
{
    return (lg_columns_flags(&graph->columns, hop->source) & LG_NODE_CPP) !=
               0 &&
           !is_labelled("._raw_saved_*", label);
}

// Returns whether the cycle consists of classes, their functions and their
// descriptors, without an instance.
static bool
is_class_structure(const lg_graph *graph, const lg_hops *round_trip)
{
    size_t classes = 0;
    for (size_t i = 0; i < round_trip->count; i++) {
        if (lg__node_category(graph, round_trip->items[i].source) ==
            LG_CATEGORY_TYPE)
            classes++;
        else if (!is_of_callable(graph, round_trip, i))
            return false;
    }
    return classes > 0 && classes < round_trip->count;
}

// Returns whether the reason is about something that a library lets programs
// unregister or clear.
static bool
is_registry(lg_cut_reason reason)
{
    return reason == LG_CUT_HOOK || reason == LG_CUT_CALLBACK ||
           reason == LG_CUT_CACHE;
}

// Returns whether the reference leads to the container of a registry or cache,
// so that the cut is the entry in it.
static bool
leads_to_registry(const lg_graph *graph, const lg_hops *round_trip,
                  const lg__verdict *verdict)
{
    uint32_t target = round_trip->items[verdict->cut].target;
    return round_trip->count > 1 && is_registry(verdict->reason) &&
           lg__node_category(graph, target) == LG_CATEGORY_CONTAINER &&
           lg__node_role(graph, target) != LG__ROLE_TUPLE;
}

static bool
is_of_library(const lg_graph *graph, uint32_t node)
{
    return lg__node_origin(graph, node, NULL) == LG__ORIGIN_LIBRARY;
}

static lg__origin
author_of(const lg_graph *graph, const lg_hop *hop)
{
    return hop->edge_count == 0
               ? LG__ORIGIN_ANYBODY
               : lg__attribute_author(graph, hop->source,
                                      hop->edges[hop->edge_count - 1]);
}

static bool
has_program(const lg_graph *graph, const lg_hops *round_trip)
{
    for (size_t i = 0; i < round_trip->count; i++)
        if (lg__node_origin(graph, round_trip->items[i].source, NULL) ==
                LG__ORIGIN_PROGRAM ||
            author_of(graph, &round_trip->items[i]) == LG__ORIGIN_PROGRAM)
            return true;
    return false;
}

// Returns the hop whose object owns the reference: the one before, if the
// reference is in a container.
static size_t
owning_hop(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    return lg__node_category(graph, round_trip->items[hop].source) ==
                   LG_CATEGORY_CONTAINER
               ? lg__hop_before(round_trip, hop)
               : hop;
}

// Returns whether the reference is in an object of a library, or in a container
// that such an object holds, unless the program put it there.
static bool
belongs_to_library(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    size_t owning = owning_hop(graph, round_trip, hop);
    return is_of_library(graph, round_trip->items[owning].source) &&
           author_of(graph, &round_trip->items[owning]) != LG__ORIGIN_PROGRAM;
}

// Returns whether a library put the reference into an object of the program.
static bool
is_set_by_library(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    size_t owning = owning_hop(graph, round_trip, hop);
    return lg__node_origin(graph, round_trip->items[owning].source, NULL) ==
               LG__ORIGIN_PROGRAM &&
           author_of(graph, &round_trip->items[owning]) == LG__ORIGIN_LIBRARY;
}

// Restricts a verdict: nobody can cut some references, and only a library
// can cut others, because a program cannot make a library's reference weak.
// `stored`: the cut stores a callable; `registry`: libraries let programs
// remove entries there.
static lg__verdict
rule_restrict(const lg_graph *graph, const lg_hops *round_trip,
              lg__verdict verdict, bool stored, bool registry)
{
    const lg_hop *hop = &round_trip->items[verdict.cut];
    if (hop->edge_count > 0 &&
        !lg__edge_can_be_cut(graph, hop->edges[hop->edge_count - 1])) {
        verdict.fixed = true;
        verdict.reason = LG_STAYS_FIXED;
    }
    if (!verdict.fixed && is_set_by_library(graph, round_trip, verdict.cut)) {
        verdict.score /= 4;
        verdict.reason = LG_CUT_SET_BY_LIBRARY;
        return verdict;
    }
    if (!belongs_to_library(graph, round_trip, verdict.cut) ||
        (stored && !is_of_library(graph, hop->source)))
        return verdict;
    bool straight = stored || lg__node_origin(graph, hop->target, NULL) ==
                                  LG__ORIGIN_PROGRAM;
    if (is_of_library(graph, hop->target) || !has_program(graph, round_trip)) {
        verdict.fixed = true;
        verdict.reason = LG_STAYS_LIBRARY;
    } else if (straight || !registry) {
        verdict.score /= straight ? 4 : 8;
        verdict.reason = LG_CUT_KEPT_BY_LIBRARY;
    }
    return verdict;
}

// Returns the rule of a cycle through a figure. Its canvas counts as a figure,
// too, but only the figure itself knows whether pyplot has it.
static lg_cut_reason
rule_of_figure(const lg_graph *graph, const uint32_t *members, uint32_t count)
{
    lg_cut_reason reason = LG_CUT_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (lg__node_category(graph, members[i]) != LG_CATEGORY_FIGURE)
            continue;
        if (!lg_node_fact_bool(graph, members[i], "closed", true))
            return LG_STAYS_FIGURE_OPEN;
        reason = LG_STAYS_FIGURE;
    }
    return reason;
}

// Attributes by class and name whose authors are known.
typedef struct known {
    uint32_t type;
    uint32_t name;
    uint8_t kind;
    bool ours;
} known;

enum { KNOWN = 256 };

// Remembers the answer in the one place that type and name choose, where it
// replaces the answer about another attribute. The kind and the name decide
// together with the type, so an answer holds for all objects of the class.
static bool
is_of_program(const lg_graph *graph, known *all, uint32_t owner, uint64_t edge)
{
    uint32_t type = lg_columns_type(&graph->columns, owner);
    uint32_t name = lg_columns_payload_from(&graph->columns, owner, edge);
    uint8_t kind = lg_columns_kind(&graph->columns, edge);
    known *one = &all[(type * 31 + name) % KNOWN];
    if (one->type != type || one->name != name || one->kind != kind)
        *one = (known){type, name, kind,
                       lg__attribute_is_of_program(graph, owner, edge)};
    return one->ours;
}

typedef struct nodes {
    const uint32_t *at; // ascending
    uint32_t count;
} nodes;

static bool
has_node(const nodes *of, uint32_t node)
{
    const size_t at = lg__ascending_find(of->at, of->count, node);
    return at < of->count;
}

// Returns whether a member, or the object whose dict it is, has an attribute of
// the program's that leads to a member.
static bool
has_own_attribute(const lg_graph *graph, known *all, const nodes *of,
                  uint32_t member)
{
    const lg_columns *columns = &graph->columns;
    uint32_t owner = lg__graph_seen_node(graph, member);
    if (!lg__attributes_have_authors(graph, owner) ||
        !is_of_library(graph, owner))
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, member);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            has_node(of, lg_columns_target(columns, edge)) &&
            is_of_program(graph, all, owner, edge))
            return true;
    return false;
}

bool
lg__cycle_has_program(const lg_graph *graph, const uint32_t *members,
                      uint32_t count)
{
    known all[KNOWN] = {{0, 0, 0, false}};
    const nodes of = {members, count};
    for (uint32_t i = 0; i < count; i++)
        if (lg__node_origin(graph, members[i], NULL) == LG__ORIGIN_PROGRAM)
            return true;
    for (uint32_t i = 0; i < count; i++)
        if (has_own_attribute(graph, all, &of, members[i]))
            return true;
    return false;
}

lg_cut_reason
lg__rule_of_library(const lg_graph *graph, const uint32_t *members,
                    uint32_t count)
{
    bool classes = true;
    if (lg__cycle_has_program(graph, members, count))
        return LG_CUT_NONE;
    lg_cut_reason reason = rule_of_figure(graph, members, count);
    if (reason != LG_CUT_NONE)
        return reason;
    for (uint32_t i = 0; i < count; i++) {
        lg_category category = lg__node_category(graph, members[i]);
        if (!is_of_library(graph, members[i]))
            continue;
        classes &= category == LG_CATEGORY_TYPE;
        reason = classes ? LG_STAYS_CLASS : LG_STAYS_LIBRARY;
    }
    return reason;
}

lg__verdict
lg__rule_judge(const lg_graph *graph, const lg_hops *round_trip,
               const lg__labels *all, size_t hop)
{
    if (is_out_of_reach(graph, &round_trip->items[hop], label_of(all, hop)))
        return (lg__verdict){hop, 0, LG_STAYS_CPP, true};
    if (is_class_structure(graph, round_trip))
        return (lg__verdict){hop, 2, LG_STAYS_CLASS, true};
    const rule *found = rules;
    while (!fits(found, graph, round_trip, all, hop))
        found++;
    lg__verdict verdict = {hop, found->score, found->reason,
                           found->place == NOWHERE};
    if (found->place == ALWAYS || found->place == NOWHERE)
        return verdict;
    bool stored = found->place == STORED;
    if (stored)
        verdict.cut = find_store(graph, round_trip, hop);
    verdict = rule_restrict(graph, round_trip, verdict, stored,
                            is_registry(verdict.reason));
    if (!stored && leads_to_registry(graph, round_trip, &verdict))
        verdict.cut = (hop + 1) % round_trip->count;
    return verdict;
}

// A component of this size tries every cut.
enum { MEMBERS_TRIED = 2000, HOPS_TRIED = 16, SCORE_OF_ACYCLIC = 15 };

typedef struct peeling {
    const lg_graph *graph;
    const lg__members *members;
    const lg__folds *fold;
    lg__reference cut;
    uint32_t *in; // [member] number of in-edges left
    uint32_t *queue;
} peeling;

// Returns the member that an edge leads to after the cut, or LG_NONE.
static uint32_t
follow(const peeling *state, uint32_t source, uint64_t edge)
{
    if (!lg__members_edge(state->members, state->graph, edge) ||
        lg__references_are_one(state->graph, state->fold, state->cut,
                               (lg__reference){source, edge}))
        return LG_NONE;
    return lg__members_find(state->members,
                            lg_columns_target(&state->graph->columns, edge));
}

// Removes members without in-edges as long as there are any. Returns whether
// none is left; otherwise cycles are. A member that keeps an in-edge is on a
// cycle or behind one, so all are removed exactly if there is no cycle. The
// edges of the members are read twice. choose_hop asks this once for each hop,
// which is why it does not ask about long cycles in large components.
static bool
is_acyclic(const peeling *state)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__members *members = state->members;
    uint32_t queued = 0;
    memset(state->in, 0, members->count * sizeof *state->in);
    for (uint32_t i = 0; i < members->count; i++) {
        const lg_edge_range edges =
            lg_columns_edges(columns, members->nodes[i]);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = follow(state, members->nodes[i], edge);
            if (target != LG_NONE)
                state->in[target]++;
        }
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (state->in[i] == 0)
            state->queue[queued++] = i;
    for (uint32_t at = 0; at < queued; at++) {
        uint32_t node = members->nodes[state->queue[at]];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = follow(state, node, edge);
            if (target != LG_NONE && --state->in[target] == 0)
                state->queue[queued++] = target;
        }
    }
    return queued == members->count;
}

// Chooses the hop to cut. If nothing can be cut, gives the reason of the hop
// that looks most like a cut.
static void
choose_hop(const lg_hops *round_trip, const lg__labels *all, peeling *state,
           lg__choice *out)
{
    bool tried = state->members->count <= MEMBERS_TRIED &&
                 round_trip->count <= HOPS_TRIED;
    int best = -1;
    int best_fixed = -1;
    for (size_t i = 0; i < round_trip->count; i++) {
        lg__verdict verdict = lg__rule_judge(state->graph, round_trip, all, i);
        if (verdict.fixed) {
            if (best < 0 && verdict.score > best_fixed)
                out->reason = verdict.reason;
            best_fixed =
                verdict.score > best_fixed ? verdict.score : best_fixed;
            continue;
        }
        state->cut =
            lg__hop_reference(state->graph, &round_trip->items[verdict.cut]);
        if (tried && is_acyclic(state))
            verdict.score += SCORE_OF_ACYCLIC;
        if (verdict.score < best)
            continue;
        best = verdict.score;
        *out = (lg__choice){verdict.cut, verdict.reason};
    }
}

bool
lg__choose_cut(const lg__hop_walk *walk, const lg__members *members,
               const lg_hops *round_trip, lg__choice *out)
{
    size_t count = members->count;
    lg__labels all = {.end =
                          lg__alloc((round_trip->count + 1) * sizeof(size_t))};
    peeling state = {.graph = walk->graph,
                     .fold = walk->fold,
                     .members = members,
                     .in = lg__alloc(count * sizeof(uint32_t)),
                     .queue = lg__alloc(count * sizeof(uint32_t))};
    bool enough = all.end != NULL && state.in != NULL && state.queue != NULL;
    for (size_t i = 0; i < round_trip->count && enough; i++) {
        lg_hop_label(walk->graph, &round_trip->items[i], &all.text);
        all.end[i] = all.text.length;
    }
    enough = enough && !all.text.failed;
    *out = (lg__choice){round_trip->count, LG_CUT_NONE};
    if (enough)
        choose_hop(round_trip, &all, &state, out);
    lg__free(all.end);
    lg__free(state.in);
    lg__free(state.queue);
    lg_text_free(&all.text);
    return enough;
}
