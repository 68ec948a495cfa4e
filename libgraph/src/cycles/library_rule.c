// What cannot be cut at all, and what only a library can cut.
#include "cycles/cut_rule.h"
#include "paths/paths_private.h"

#define FIGURE_OPEN                                                            \
    "the parts of a figure refer back to it; close it with pyplot.close() "    \
    "and drop the last reference to it"
#define FIGURE_CLOSED                                                          \
    "the parts of a figure refer back to it; drop the last reference to it"

#define UNREMOVABLE                                                            \
    "no program can remove the reference that closes the cycle: it goes once " \
    "nothing else refers to it"
#define KEPT_BY_LIBRARY                                                        \
    "an object of a library refers back to the program here: let the library " \
    "drop it (close, clear or unregister it)"

static bool
is_of_library(const lg_graph *graph, uint32_t node)
{
    return lg__node_origin(graph, node, NULL) == LG__ORIGIN_LIBRARY;
}

static bool
has_program(const lg_graph *graph, const lg_hops *round_trip)
{
    for (size_t i = 0; i < round_trip->count; i++)
        if (lg__node_origin(graph, round_trip->items[i].source, NULL) ==
            LG__ORIGIN_PROGRAM)
            return true;
    return false;
}

// Returns whether the reference is in an object of a library, or in a container
// that such an object holds.
static bool
belongs_to_library(const lg_graph *graph, const lg_hops *round_trip, size_t hop)
{
    uint32_t source = round_trip->items[hop].source;
    if (lg__node_category(graph, source) == LG_CATEGORY_CONTAINER)
        source = lg__hop_holder(round_trip, hop);
    return is_of_library(graph, source);
}

lg__verdict
lg__rule_restrict(const lg_graph *graph, const lg_hops *round_trip,
                  lg__verdict verdict, bool stored, bool registry)
{
    const lg_hop *hop = &round_trip->items[verdict.cut];
    if (hop->edge_count > 0 &&
        !lg__edge_can_be_cut(graph, hop->edges[hop->edge_count - 1])) {
        verdict.fixed = true;
        verdict.reason = UNREMOVABLE;
    }
    if (!belongs_to_library(graph, round_trip, verdict.cut) ||
        (stored && !is_of_library(graph, hop->source)))
        return verdict;
    bool straight = stored || lg__node_origin(graph, hop->target, NULL) ==
                                  LG__ORIGIN_PROGRAM;
    if (is_of_library(graph, hop->target) || !has_program(graph, round_trip)) {
        verdict.fixed = true;
        verdict.reason = LG__OWN_STRUCTURE;
    } else if (straight || !registry) {
        verdict.score /= straight ? 4 : 8;
        verdict.reason = KEPT_BY_LIBRARY;
    }
    return verdict;
}

// Returns the rule of a cycle through a figure. Its canvas counts as a figure,
// too, but only the figure itself knows whether pyplot has it.
static const char *
rule_of_figure(const lg_graph *graph, const uint32_t *members, uint32_t count)
{
    const char *rule = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (lg__node_category(graph, members[i]) != LG_CATEGORY_FIGURE)
            continue;
        if (lg__string_is(lg_node_fact(graph, members[i], "closed"), "no"))
            return FIGURE_OPEN;
        rule = FIGURE_CLOSED;
    }
    return rule;
}

const char *
lg__rule_of_library(const lg_graph *graph, const uint32_t *members,
                    uint32_t count)
{
    bool classes = true;
    for (uint32_t i = 0; i < count; i++)
        if (lg__node_origin(graph, members[i], NULL) == LG__ORIGIN_PROGRAM)
            return NULL;
    const char *reason = rule_of_figure(graph, members, count);
    if (reason != NULL)
        return reason;
    for (uint32_t i = 0; i < count; i++) {
        lg_category category = lg__node_category(graph, members[i]);
        if (lg__node_origin(graph, members[i], NULL) != LG__ORIGIN_LIBRARY)
            continue;
        classes &= category == LG_CATEGORY_TYPE;
        reason = classes ? LG__CLASSY : LG__OWN_STRUCTURE;
    }
    return reason;
}
