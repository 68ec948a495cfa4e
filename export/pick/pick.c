// lg_view_new: fills in the options, then picks by walk or by path.
#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>
#include <string.h>

// Finds paths on which an external holder reaches a subject through what the
// subject holds. For example, pyplot's registry holds the canvas, and the
// canvas holds the figure.

/* A picture shows the nearest ones only. */
#define MOST_EXTERNAL_HOLDERS 8u
#define MOST_STEPS 4000u
#define MOST_HOPS 1000000u

typedef struct step {
    uint32_t node;
    uint32_t next; /* index of the step towards the subject */
} step;

typedef struct view_search {
    lg__view_picker *picker;
    step steps[MOST_STEPS];
    size_t count;
    size_t at;
    size_t external_holders;
    size_t hops;                          /* visited so far */
    uint32_t open[MOST_EXTERNAL_HOLDERS]; /* indices of steps that external
                                             holders hold */
    bool outside; /* an external holder refers to a subject
                     itself */
} view_search;

static void
put(view_search *search, uint32_t node, uint32_t next)
{
    uint64_t *word = &search->picker->seen[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || search->count == MOST_STEPS)
        return;
    *word |= bit;
    search->steps[search->count++] = (step){node, next};
}

static void
open_external_holder(view_search *search)
{
    bool known =
        search->external_holders &&
        search->open[search->external_holders - 1] == (uint32_t)search->at;
    bool subject = search->steps[search->at].next == search->at;
    search->outside = true;
    if (!known && !subject && search->external_holders < MOST_EXTERNAL_HOLDERS)
        search->open[search->external_holders++] = (uint32_t)search->at;
}

static bool
visit_holder(void *context, const lg_hop *hop)
{
    view_search *search = context;
    unsigned kind = lg__hop_kind(search->picker, hop);
    const uint64_t *inside = search->picker->inside;
    search->hops++;
    if (hop->weak || kind == LG_EDGE_GLOBALS || kind == LG_EDGE_TYPE)
        return true;
    if (inside[hop->source / 64] >> (hop->source % 64) & 1)
        put(search, hop->source, (uint32_t)search->at);
    else
        open_external_holder(search);
    return search->external_holders < MOST_EXTERNAL_HOLDERS;
}

// Each step names the next one towards the subject, and that of a subject names
// itself.
static void
unmark_paths(view_search *search)
{
    uint64_t *inside = search->picker->inside;
    for (size_t i = 0; i < search->external_holders; i++) {
        uint32_t at = search->open[i];
        while (search->steps[at].next != at) {
            uint32_t node = search->steps[at].node;
            inside[node / 64] &= ~((uint64_t)1 << (node % 64));
            at = search->steps[at].next;
        }
    }
}

static lg_status
search_holders(view_search *search, lg_error *err)
{
    lg_status status = LG_OK;
    lg__view_picker *picker = search->picker;
    for (size_t i = 0; i < picker->view->node_count; i++)
        put(search, picker->view->nodes[i].node, (uint32_t)i);
    for (; !status && search->at < search->count &&
           search->external_holders < MOST_EXTERNAL_HOLDERS &&
           search->hops < MOST_HOPS;
         search->at++)
        status = lg__hops_each(picker->graph, search->steps[search->at].node,
                               LG_BACKREFS, visit_holder, search, err);
    return status;
}

// Removes that mark from nodes on a path by which an external holder reaches a
// subject. Removes all marks if there is no external holder.
static lg_status
picker_find_external_holders(lg__view_picker *picker, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    view_search *search = calloc(1, sizeof *search);
    if (!search)
        return lg__view_no_memory(err);
    search->picker = picker;
    memset(picker->seen, 0, words * sizeof *picker->seen);
    lg_status status = search_holders(search, err);
    if (search->outside)
        unmark_paths(search);
    else
        memset(picker->inside, 0, words * sizeof *picker->inside);
    free(search);
    return status;
}

// Marks what the subjects hold themselves. In a picture of referrers, a child
// that refers to its parent looks like any other holder. The picture lists it
// after the external holders, because cutting its reference frees nothing.

/* Enough for a widget or a figure, and still quick. */
#define MOST_INSIDE 4000u

typedef struct view_flood {
    const lg__view_picker *picker;
    uint32_t queue[MOST_INSIDE];
    size_t count;
} view_flood;

static void
enter(view_flood *flood, uint32_t node)
{
    uint64_t *word = &flood->picker->inside[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || flood->count == MOST_INSIDE)
        return;
    *word |= bit;
    flood->queue[flood->count++] = node;
}

static bool
visit_inside(void *context, const lg_hop *hop)
{
    view_flood *flood = context;
    lg_category category = lg__picker_category(flood->picker, hop->target);
    if (category != LG_CATEGORY_ATOM && !lg__hop_leads_out(flood->picker, hop))
        enter(flood, hop->target);
    return flood->count < MOST_INSIDE;
}

static lg_status
flood_inside(lg__view_picker *picker, view_flood *flood, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < picker->view->node_count; i++)
        enter(flood, picker->view->nodes[i].node);
    for (size_t i = 0; !status && i < flood->count; i++)
        status = lg__hops_each(picker->graph, flood->queue[i], LG_REFS,
                               visit_inside, flood, err);
    return status;
}

// Marks what the drawn subjects hold, nearest first, up to a few thousand
// objects. A holder with this mark refers back; one without it is external.
static lg_status
picker_mark_inside(lg__view_picker *picker, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    picker->inside = calloc(words, sizeof *picker->inside);
    view_flood *flood = malloc(sizeof *flood);
    if (!picker->inside || !flood) {
        free(flood);
        return lg__view_no_memory(err);
    }
    flood->picker = picker;
    flood->count = 0;
    lg_status status = flood_inside(picker, flood, err);
    free(flood);
    if (!status)
        status = picker_find_external_holders(picker, err);
    return status;
}

#define MOST_PATHS 8u

static lg_status
check_room(uint32_t max_nodes, lg_error *err)
{
    if (max_nodes < 3 || max_nodes > LG_VIEW_MOST_NODES)
        return lg_error_set(err, LG_EINVAL,
                            "a picture takes a limit of 3 to %u nodes, not %u",
                            LG_VIEW_MOST_NODES, max_nodes);
    return LG_OK;
}

static lg_status
check_node(const lg_graph *graph, uint32_t node, lg_error *err)
{
    uint32_t known = lg_graph_columns(graph)->node_count;
    if (node < known)
        return LG_OK;
    return lg_error_set(err, LG_EINVAL,
                        "node %u is not in the graph, which has %u", node,
                        known);
}

lg_status
lg__view_tree_options(lg_view_options *out, const lg_view_options *given,
                      uint32_t usual, lg_error *err)
{
    lg_view_options whole = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, given, "lg_view_options", err);
    if (!status)
        *out = (lg_view_options){.size = sizeof *out,
                                 .direction = LG_REFS,
                                 .max_nodes =
                                     whole.max_nodes ? whole.max_nodes : usual};
    return status;
}

lg_status
lg__view_check(const lg_graph *graph, uint32_t node, uint32_t max_nodes,
               lg_error *err)
{
    lg_status status = check_room(max_nodes, err);
    return status ? status : check_node(graph, node, err);
}

static lg_status
complete_options(const lg_view_options *given, lg_view_options *out,
                 lg_error *err)
{
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg_options_read(&options, given, "lg_view_options", err);
    if (status)
        return status;
    if (!options.max_depth)
        options.max_depth = 3;
    if (!options.max_nodes)
        options.max_nodes = 120;
    if (!options.max_siblings)
        options.max_siblings = 3;
    status = check_room(options.max_nodes, err);
    if (status)
        return status;
    if (options.max_siblings > options.max_nodes)
        options.max_siblings = options.max_nodes;
    if (options.direction > LG_PATH)
        return lg_error_set(err, LG_EINVAL,
                            "direction %d is not one of LG_REFS, LG_BACKREFS "
                            "and LG_PATH",
                            (int)options.direction);
    *out = options;
    return LG_OK;
}

static lg_status
check_nodes(const lg_graph *graph, const uint32_t *nodes, size_t count,
            const lg_view_options *options, lg_error *err)
{
    bool paths = options->direction == LG_PATH;
    if (!count)
        return lg_error_set(err, LG_EINVAL,
                            "there is nothing to draw: give at least one node");
    if (paths && (count > MOST_PATHS || 3 * count > options->max_nodes))
        return lg_error_set(err, LG_EINVAL,
                            "%zu paths are too many for one picture: give at "
                            "most %u nodes, and max_nodes of 3 for each",
                            count, MOST_PATHS);
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = check_node(graph, nodes[i], err);
    return status;
}

static lg_status
draw_subjects(lg__view_picker *picker, const uint32_t *nodes, size_t count,
              lg_error *err)
{
    for (size_t i = 0; i < count && lg__picker_room(picker); i++) {
        size_t at;
        lg_status status = lg__picker_draw(picker, nodes[i], 0, &at, err);
        if (status)
            return status;
        picker->view->nodes[at].subject = true;
    }
    return LG_OK;
}

// Marks the drawn nodes that are keys in labels.
static void
name_keys(lg__view_picker *picker)
{
    lg_view *view = picker->view;
    for (size_t i = 0; i < view->edge_count; i++) {
        uint32_t key = view->edges[i].key;
        size_t at = key == LG_NONE ? SIZE_MAX : lg__picker_find(picker, key);
        if (at == SIZE_MAX || view->nodes[at].named_by_key)
            continue;
        lg__view_node *node = &view->nodes[at];
        node->named_by_key = true;
        lg_text_addf(&node->detail, "%s…%04llx", node->detail.length ? " " : "",
                     (unsigned long long)node->address & 0xffff);
    }
}

// The paths from a root to the subjects.

/* A longer path folds its middle. */
#define LONGEST_PATH 16u
/* Beside the subject's holders, a path gets less room. */
#define LONGEST_BESIDE 10u

static lg_status
draw_garbage(lg__view_picker *picker, uint32_t node, lg_error *err)
{
    size_t at;
    lg_status status = lg__picker_draw(picker, node, 0, &at, err);
    if (status)
        return status;
    picker->view->nodes[at].unreached = true;
    return lg__picker_mark_subject(picker, node, err);
}

// Draws the edges from an owner to a node that hops fold: `.__dict__`, or the
// `[0]` of a closure tuple, which is a cell.
static bool
find_part(const lg__view_picker *picker, uint32_t owner, uint32_t part,
          lg_hop *out)
{
    const lg_columns *columns = picker->columns;
    const lg_edge_range edges = lg_columns_edges(columns, owner);
    for (uint64_t i = edges.begin; i < edges.end; i++) {
        uint32_t between = lg_columns_target(columns, i);
        *out = (lg_hop){owner, part, {i}, 1, false};
        if (between == part)
            return true;
        if (lg_node_folded_into(picker->graph, between) != owner)
            continue;
        const lg_edge_range range = lg_columns_edges(columns, between);
        for (uint64_t k = range.begin; k < range.end; k++) {
            *out = (lg_hop){owner, part, {i, k}, 2, false};
            if (lg_columns_target(columns, k) == part)
                return true;
        }
    }
    return false;
}

// A path to a folded node ends at its owner. One more hop leads to the node.
static lg_status
draw_part(lg__view_picker *picker, uint32_t owner, uint32_t part, lg_error *err)
{
    lg_hop hop;
    size_t at;
    lg_status status = lg__picker_draw(picker, owner, 0, &at, err);
    if (!status && find_part(picker, owner, part, &hop))
        status = lg__picker_draw_hops(picker, &hop, 1, NULL, 2, at, err);
    return status;
}

static lg_status
draw_trail(lg__view_picker *picker, uint32_t node, size_t room,
           const lg_monitor *monitor, lg_error *err)
{
    lg_path path = {0};
    lg_error why = {0};
    uint32_t owner = lg_node_folded_into(picker->graph, node);
    lg_status status =
        lg_path_from_root(picker->graph, node, monitor, &path, &why);
    if (status == LG_ENOTFOUND)
        return draw_garbage(picker, node, err);
    if (status)
        return lg_error_set(err, status, "%s", why.message);
    bool whole = owner == LG_NONE || room < 4;
    status =
        lg__picker_draw_path(picker, &path, NULL, whole ? room : room - 1, err);
    lg_path_free(&path);
    if (!status && !whole)
        status = draw_part(picker, owner, node, err);
    if (!status)
        status = lg__picker_mark_subject(
            picker, whole && owner != LG_NONE ? owner : node, err);
    return status;
}

// Draws the path from a root to each node.
static lg_status
draw_trails(lg__view_picker *picker, const uint32_t *nodes, size_t count,
            const lg_monitor *monitor, lg_error *err)
{
    size_t room = picker->options.max_nodes / count;
    // Leaves room for native code at both ends.
    if (room >= 8)
        room -= 2;
    bool whole = picker->options.max_nodes == LG_VIEW_MOST_NODES;
    if (room > LONGEST_PATH && !whole)
        room = LONGEST_PATH;
    for (size_t i = 0; i < count; i++) {
        lg_status status = draw_trail(picker, nodes[i], room, monitor, err);
        if (status)
            return status;
    }
    return LG_OK;
}

static bool
shows_root(const lg_view *view)
{
    for (size_t i = 0; i < view->node_count; i++)
        if (view->nodes[i].root.length ||
            view->nodes[i].kind == LG__VIEW_NATIVE)
            return true;
    return false;
}

// A drawn frame already shows its thread.
static bool
starts_at_drawn_frame(const lg__view_picker *picker, const lg_path *path)
{
    return path->root.kind == LG_ROOT_THREAD && path->count > 0 &&
           lg__picker_find(picker, path->hops[0].target) != SIZE_MAX;
}

// Some nodes left out beside a drawn node are drawn by now: stops counting
// these.
static void
count_off(lg_view *view, size_t nodes, size_t edges)
{
    for (size_t i = edges; i < view->edge_count; i++) {
        const lg__view_edge *edge = &view->edges[i];
        if (edge->source >= nodes && edge->target < nodes &&
            view->nodes[edge->target].more > 0)
            view->nodes[edge->target].more--;
    }
}

// Draws the path from a root to the node, unless the view shows a root.
static lg_status
draw_root_path(lg__view_picker *picker, uint32_t node,
               const lg_monitor *monitor, lg_error *err)
{
    size_t room = lg__picker_room(picker);
    size_t nodes = picker->view->node_count, edges = picker->view->edge_count;
    const lg_analysis *analysis = picker->options.analysis;
    if (room < 4 || shows_root(picker->view) ||
        lg_graph_is_partial(picker->graph) ||
        (analysis && !lg_node_is_reachable(analysis, node)))
        return LG_OK;
    lg_path path = {0};
    lg_error why = {0};
    lg_status status =
        lg_path_from_root(picker->graph, node, monitor, &path, &why);
    if (status == LG_ENOTFOUND)
        return LG_OK;
    if (status)
        return lg_error_set(err, status, "%s", why.message);
    // Leaves room for native code before the path.
    room--;
    if (!starts_at_drawn_frame(picker, &path))
        status = lg__picker_draw_path(
            picker, &path, NULL, room < LONGEST_BESIDE ? room : LONGEST_BESIDE,
            err);
    lg_path_free(&path);
    count_off(picker->view, nodes, edges);
    return status;
}

lg_status
lg_view_new(const lg_graph *graph, const lg_node *nodes, size_t count,
            const lg_view_options *options, const lg_monitor *monitor,
            lg_view **out, lg_error *err)
{
    lg__view_picker picker = {0};
    lg_view_options whole;
    lg_status status = complete_options(options, &whole, err);
    if (!status)
        status = check_nodes(graph, nodes, count, &whole, err);
    if (status)
        return status;
    status = lg__picker_open(&picker, graph, &whole, err);
    if (status)
        goto done;
    if (whole.direction == LG_PATH) {
        status = draw_trails(&picker, nodes, count, monitor, err);
    } else {
        status = draw_subjects(&picker, nodes, count, err);
        if (!status && whole.direction == LG_BACKREFS)
            status = picker_mark_inside(&picker, err);
        if (!status)
            status = lg__picker_walk(&picker, monitor, err);
        if (!status && whole.direction == LG_BACKREFS)
            status = draw_root_path(&picker, nodes[0], monitor, err);
    }
    name_keys(&picker);
    if (!status) {
        lg__view_weigh(picker.view, whole.analysis);
        status = lg__view_settle(picker.view, err);
    }
done:
    lg__picker_close(&picker);
    if (status)
        lg_view_free(picker.view);
    else
        *out = picker.view;
    return status;
}
