// What cannot be cut at all, and what only a library can cut.
#include "cycles/cut_rule.h"

#include <leakgraph/internal/facts.h>
#include "cycles/cycles_private.h"
#include "paths/paths_private.h"

#include <stdlib.h>

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

lg__verdict
lg__rule_restrict(const lg_graph *graph, const lg_hops *round_trip,
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
    lg_cut_reason rule = LG_CUT_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (lg__node_category(graph, members[i]) != LG_CATEGORY_FIGURE)
            continue;
        if (lg__string_is(lg_node_fact(graph, members[i], "closed"), "no"))
            return LG_STAYS_FIGURE_OPEN;
        rule = LG_STAYS_FIGURE;
    }
    return rule;
}

// Attributes by class and name whose authors are known.
typedef struct known {
    uint32_t type;
    uint32_t name;
    uint8_t kind;
    bool ours;
} known;

enum { KNOWN = 256 };

static bool
is_of_program(const lg_graph *graph, known *all, uint32_t owner, uint64_t edge)
{
    uint32_t type = graph->columns.type[owner];
    uint32_t name = lg_columns_payload_from(&graph->columns, owner, edge);
    uint8_t kind = graph->columns.edge_kind[edge];
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

static int
compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
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
    for (uint64_t edge = columns->first_edge[member];
         edge < columns->first_edge[member + 1]; edge++)
        if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) &&
            bsearch(&columns->edge_target[edge], of->at, of->count,
                    sizeof *of->at, compare) != NULL &&
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
