// Draws a cycle: its hops, the hop to cut, what keeps it, and what it keeps.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>

/* A longer cycle folds its middle. */
#define LONGEST_ROUND 20u
#define HOLD_ROOM 6u
/* The biggest objects below the cycle, or below a small component, to draw. */
#define MOST_BURDENS 4u
#define SMALL_COMPONENT 4096u
#define TYPES_NAMED 3u
/* Smaller objects say nothing about the cycle. */
#define LEAST_BURDEN 1024u

typedef struct view_burden {
    uint32_t owner; /* on the cycle; LG_NONE: another member of the component */
    uint32_t node;
    uint64_t bytes;
} view_burden;

typedef struct cycle_view {
    const lg_analysis *analysis;
    const lg_cycle *cycle;
    lg__view_picker picker;
    view_burden burdens[MOST_BURDENS];
    size_t burden_count;
    size_t others; /* index of the rest of the component; SIZE_MAX: not drawn */
} cycle_view;

static bool
has_cut(const cycle_view *picture)
{
    return picture->cycle->cut_count > 0;
}

// Draws the cycle from the target of the hop to cut, so that this hop leads
// back. Without such a hop, draws the cycle as it is.
static const lg_hop *
hop_at(const cycle_view *picture, size_t index)
{
    const lg_hops *round = &picture->cycle->shortest;
    size_t first = has_cut(picture) ? picture->cycle->cut + 1 : 0;
    return &round->items[(first + index) % round->count];
}

// The nodes of the round: of a cycle without hops, the one that it is named by.
static size_t
round_length(const cycle_view *picture)
{
    size_t count = picture->cycle->shortest.count;
    return count ? count : 1;
}

static uint32_t
round_node(const cycle_view *picture, size_t index)
{
    const lg_cycle *cycle = picture->cycle;
    return cycle->shortest.count ? cycle->shortest.items[index].source
                                 : cycle->node;
}

static bool
is_on_round(const cycle_view *picture, uint32_t node)
{
    for (size_t i = 0; i < round_length(picture); i++) {
        if (round_node(picture, i) == node)
            return true;
    }
    return false;
}

static lg_status
draw_alone(cycle_view *picture, lg_error *err)
{
    size_t at;
    lg_status status =
        lg__picker_draw(&picture->picker, picture->cycle->node, 0, &at, err);
    if (!status)
        picture->picker.view->nodes[at].subject = true;
    return status;
}

static lg_status
draw_round(cycle_view *picture, lg_error *err)
{
    lg__view_picker *picker = &picture->picker;
    size_t count = picture->cycle->shortest.count;
    const lg_hop *cut = hop_at(picture, count - 1);
    size_t first, last;
    lg__view_edge *edge;
    lg_hop *hops = malloc(count * sizeof *hops);
    if (!hops)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < count; i++)
        hops[i] = *hop_at(picture, i);
    lg_status status = lg__picker_draw(picker, cut->target, 0, &first, err);
    if (!status)
        status = lg__picker_draw_hops(picker, hops, count - 1, NULL,
                                      LONGEST_ROUND, first, err);
    free(hops);
    if (status)
        return status;
    picker->view->nodes[first].subject = true;
    status = lg__picker_draw(picker, cut->source, 0, &last, err);
    if (!status)
        status = lg__picker_link(picker, cut, last, first, &edge, err);
    if (status)
        return status;
    edge->path = true;
    edge->tone = has_cut(picture) ? LG__TONE_CUT : LG__TONE_PATH;
    return LG_OK;
}

// Returns the number of hops from the root to the cycle, where the path ends.
static size_t
length_to_round(const cycle_view *picture, const lg_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        if (is_on_round(picture, path->hops[i].source))
            return i;
    }
    return path->count;
}

static lg_status
draw_hold(cycle_view *picture, lg_error *err)
{
    lg_view *view = picture->picker.view;
    size_t drawn = view->edge_count;
    lg_path path = picture->cycle->path;
    if (path.start == LG_STARTS_NOWHERE)
        return LG_OK;
    path.count = length_to_round(picture, &path);
    lg_status status =
        lg__picker_draw_path(&picture->picker, &path, NULL, HOLD_ROOM, err);
    for (size_t i = drawn; i < view->edge_count; i++)
        view->edges[i].tone = LG__TONE_PATH;
    return status;
}

// The culprit leads to the cycle, perhaps by several hops.
static lg_status
draw_culprit(cycle_view *picture, lg_error *err)
{
    size_t at;
    lg__view_edge *edge;
    lg__view_picker *picker = &picture->picker;
    uint32_t culprit = picture->cycle->culprit;
    if (culprit == LG_NONE)
        return LG_OK;
    bool apart = lg__picker_find(picker, culprit) == SIZE_MAX;
    lg_status status = lg__picker_draw(picker, culprit, 0, &at, err);
    if (status)
        return status;
    picker->view->nodes[at].mark = LG__MARK_CULPRIT;
    if (apart && !is_on_round(picture, culprit)) {
        status = lg__view_add_edge(picker->view, at, 0, &edge, err);
        if (status)
            return status;
        edge->kind = LG_EDGE_REFERENCE;
        edge->tone = LG__TONE_OWNER;
        lg_text_add(&edge->label, "leads to");
    }
    if (picture->cycle->reason == LG_REASON_NATIVE &&
        picker->view->nodes[at].unseen)
        status = lg__picker_draw_native(picker, at, err);
    return status;
}

// Keeps the biggest ones, biggest first.
static void
take_burden(cycle_view *picture, view_burden burden)
{
    size_t at = picture->burden_count;
    if (at == MOST_BURDENS && picture->burdens[at - 1].bytes >= burden.bytes)
        return;
    at = at < MOST_BURDENS ? picture->burden_count++ : at - 1;
    while (at && picture->burdens[at - 1].bytes < burden.bytes) {
        picture->burdens[at] = picture->burdens[at - 1];
        at--;
    }
    picture->burdens[at] = burden;
}

static bool
is_in_component(const cycle_view *picture, uint32_t node)
{
    return lg_node_component(picture->analysis, node) ==
           picture->cycle->component;
}

// Whether the picture shows the node anyway. Of the component itself, considers
// only what the shown cycle owns.
static bool
is_shown_anyway(const cycle_view *picture, uint32_t node, bool of_round)
{
    return is_on_round(picture, node) ||
           (!of_round && is_in_component(picture, node));
}

// Considers the biggest objects that go with a member. Those of the cycle may
// be among them.
static lg_status
weigh_member(cycle_view *picture, uint32_t member, lg_error *err)
{
    lg_nodes owned;
    size_t total;
    uint64_t least = picture->cycle->total / 20;
    size_t limit = MOST_BURDENS + round_length(picture);
    lg_status status = lg_node_owned_range(picture->analysis, member, 0, limit,
                                           &owned, &total, err);
    if (status)
        return status;
    for (size_t i = 0; i < owned.count; i++) {
        uint32_t node = owned.items[i];
        uint32_t owner = lg_node_owner(picture->analysis, node);
        uint64_t bytes =
            lg__bytes_total(lg_node_retained(picture->analysis, node));
        bool of_round = owner != LG_NONE && is_on_round(picture, owner);
        if (bytes < least || bytes < LEAST_BURDEN)
            break;
        if (!is_shown_anyway(picture, node, of_round))
            take_burden(picture,
                        (view_burden){of_round ? owner : LG_NONE, node, bytes});
    }
    lg_nodes_free(&owned);
    return LG_OK;
}

// A cycle of garbage that nothing dominates is freed as a whole: what each of
// its members owns is what all of them own.
static bool
is_whole(const cycle_view *picture, uint32_t member)
{
    return !lg_node_is_reachable(picture->analysis, member) &&
           lg_node_dominator(picture->analysis, member) == LG_NONE;
}

static lg_status
weigh_members(cycle_view *picture, lg_error *err)
{
    lg_component component =
        lg_analysis_component(picture->analysis, picture->cycle->component);
    lg_status status = LG_OK;
    if (is_whole(picture, round_node(picture, 0)))
        return weigh_member(picture, round_node(picture, 0), err);
    for (size_t i = 0; i < round_length(picture) && !status; i++) {
        uint32_t member = round_node(picture, i);
        if (lg__picker_find(&picture->picker, member) != SIZE_MAX)
            status = weigh_member(picture, member, err);
    }
    for (uint32_t i = 0;
         component.count <= SMALL_COMPONENT && i < component.count && !status;
         i++) {
        if (!is_on_round(picture, component.nodes[i]) &&
            lg_node_folded_into(picture->picker.graph, component.nodes[i]) ==
                LG_NONE)
            status = weigh_member(picture, component.nodes[i], err);
    }
    return status;
}

static lg_status
draw_burdens(cycle_view *picture, bool of_round, lg_error *err)
{
    lg__view_picker *picker = &picture->picker;
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < picture->burden_count; i++) {
        const view_burden *burden = &picture->burdens[i];
        bool here = burden->owner != LG_NONE;
        size_t at, owner = here ? lg__picker_find(picker, burden->owner)
                                : picture->others;
        if (here == of_round && owner != SIZE_MAX &&
            lg__picker_find(picker, burden->node) == SIZE_MAX)
            status =
                lg__picker_draw_owned(picker, owner, burden->node, &at, err);
    }
    return status;
}

// Whether readers see the member: it is not folded into its owner or into a
// hop.
static bool
is_seen_member(const cycle_view *picture, uint32_t node)
{
    return is_in_component(picture, node) &&
           lg_node_folded_into(picture->picker.graph, node) == LG_NONE;
}

// Counts the members that are neither drawn nor in a gap of the cycle, by type.
static size_t
count_others(const cycle_view *picture, uint32_t *counts)
{
    const lg_columns *columns = picture->picker.columns;
    const lg_cycle *cycle = picture->cycle;
    const lg_view *view = picture->picker.view;
    size_t others = 0;
    for (size_t i = 0; i < cycle->type_count; i++)
        counts[cycle->types[i].type] = cycle->types[i].count;
    for (size_t i = 0; i < round_length(picture); i++) {
        uint32_t node = round_node(picture, i);
        counts[lg_columns_type(columns, node)] -= is_seen_member(picture, node);
    }
    for (size_t i = 0; i < view->node_count; i++) {
        uint32_t node = view->nodes[i].node;
        if (node != LG_NONE && !is_on_round(picture, node))
            counts[lg_columns_type(columns, node)] -=
                is_seen_member(picture, node);
    }
    for (size_t i = 0; i < cycle->type_count; i++)
        others += counts[cycle->types[i].type];
    return others;
}

// Writes the most common types: `55 Line2D · 43 Text · 12 dict`.
static void
name_types(const cycle_view *picture, uint32_t *counts, lg_text *out)
{
    for (unsigned shown = 0; shown < TYPES_NAMED; shown++) {
        uint32_t most = 0;
        for (uint32_t type = 1;
             type < lg_graph_type_count(picture->picker.graph); type++)
            most = counts[type] > counts[most] ? type : most;
        if (!counts[most])
            break;
        lg_text_add(out, shown ? " · " : "");
        lg_text_add_count(out, counts[most]);
        lg_text_add(out, " ");
        lg__picker_name_type(&picture->picker, most, out);
        counts[most] = 0;
    }
}

static lg_status
add_others(cycle_view *picture, size_t others, uint32_t *counts, lg_error *err)
{
    size_t at;
    lg__view_edge *edge;
    lg_view *view = picture->picker.view;
    lg_status status = lg__view_add_node(view, LG__VIEW_REST, &at, err);
    if (status)
        return status;
    picture->others = at;
    view->nodes[at].count = others;
    lg_text_add_count(&view->nodes[at].title, others);
    lg_text_add(&view->nodes[at].title, " more in this component");
    name_types(picture, counts, &view->nodes[at].detail);
    status = lg__view_add_edge(view, 0, at, &edge, err);
    if (!status)
        edge->tone = LG__TONE_OWNER;
    return status;
}

static lg_status
draw_others(cycle_view *picture, lg_error *err)
{
    size_t types = lg_graph_type_count(picture->picker.graph);
    uint32_t *counts = calloc(types + 1, sizeof *counts);
    if (!counts)
        return lg__view_no_memory(err);
    size_t others = count_others(picture, counts);
    lg_status status = LG_OK;
    if (others)
        status = add_others(picture, others, counts, err);
    free(counts);
    return status;
}

static lg_status
draw_cycle(cycle_view *picture, lg_error *err)
{
    lg_status status = picture->cycle->shortest.count
                           ? draw_round(picture, err)
                           : draw_alone(picture, err);
    if (!status)
        status = weigh_members(picture, err);
    if (!status)
        status = draw_burdens(picture, true, err);
    if (!status && picture->cycle->kind == LG_CYCLE_HELD)
        status = draw_hold(picture, err);
    if (!status)
        status = draw_culprit(picture, err);
    if (!status)
        status = draw_others(picture, err);
    if (!status)
        status = draw_burdens(picture, false, err);
    if (status)
        return status;
    lg__view_weigh(picture->picker.view, picture->analysis);
    return lg__view_settle(picture->picker.view, err);
}

lg_status
lg_view_cycle(const lg_analysis *analysis, const lg_cycle *cycle, lg_view **out,
              lg_error *err)
{
    cycle_view picture = {
        .analysis = analysis, .cycle = cycle, .others = SIZE_MAX};
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_nodes = 60};
    if (!cycle->type_count)
        return lg_error_set(err, LG_EINVAL,
                            "the cycle has no members: take it from "
                            "lg_analysis_cycles");
    lg_status status = lg__picker_open(
        &picture.picker, lg_analysis_graph(analysis), &options, err);
    if (!status) {
        lg_view *view = picture.picker.view;
        view->form = LG__VIEW_CYCLE;
        lg_cycle_headline(picture.picker.graph, cycle, &view->headline);
        lg_cycle_explanation(picture.picker.graph, cycle, &view->note);
        status = draw_cycle(&picture, err);
    }
    lg__picker_close(&picture.picker);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
