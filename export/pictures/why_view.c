// Draws why a node is alive: the path from a root, and every reference to cut.
// The answer lg_why chooses what to cut, so picture and text mark the same
// references.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/report.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/why_facts.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>

#define MOST_PATHS 8u
/* Boxes of each path. */
#define PATH_ROOM 9u
/* A smaller picture shows too little. */
#define LEAST_NODES 16u

typedef struct why_view {
    const lg_why *why;
    lg__view_picker picker;
} why_view;

// Marks a single reference that frees the node if there is one, and otherwise
// the whole set.
static bool
marks_path(const why_view *view)
{
    return view->why->frees_count > 0;
}

// A path takes an equal share of the room that those before it have left.
static lg_status
draw_path(why_view *view, const lg_path *path, const bool *cuts, size_t left,
          lg_error *err)
{
    lg__view_picker *picker = &view->picker;
    size_t room = lg__picker_room(picker) / left;
    room = room > PATH_ROOM ? PATH_ROOM : room < 3 ? 3 : room;
    size_t start;
    if (path->start == LG_STARTS_AT_ROOT)
        return lg__picker_draw_path(picker, path, cuts, room, err);
    lg_status status = lg__picker_draw(picker, path->root.node, 0, &start, err);
    if (status)
        return status;
    return lg__picker_draw_hops(picker, path->hops, path->count, cuts, room,
                                start, err);
}

static lg_status
draw_cut(why_view *view, const lg_cut *cut, size_t left, lg_error *err)
{
    bool *cuts = calloc(cut->path.count + 1, sizeof *cuts);
    if (!cuts)
        return lg__view_no_memory(err);
    cuts[cut->hop] = !marks_path(view);
    lg_status status = draw_path(view, &cut->path, cuts, left, err);
    free(cuts);
    return status;
}

static size_t
shown_cuts(const why_view *view)
{
    const lg_why *why = view->why;
    size_t most = (view->picker.options.max_nodes - PATH_ROOM - 2) / 3;
    most = most > MOST_PATHS ? MOST_PATHS : most;
    if (!lg_why_needs_several(why))
        return 0;
    return why->cuts.count > most ? most : why->cuts.count;
}

static lg_status
draw_paths(why_view *view, lg_error *err)
{
    const lg_why *why = view->why;
    size_t at, count = shown_cuts(view);
    bool kept = why->cuts.is_kept && why->cuts.kept.count;
    size_t left = count + kept + 1;
    lg_status status = LG_OK;
    // Those paths also start at a root, and say more.
    if (!count || marks_path(view))
        status = draw_path(view, &why->path, why->frees, left--, err);
    for (size_t i = 0; !status && i < count; i++)
        status = draw_cut(view, &why->cuts.items[i], left--, err);
    if (!status && kept)
        status = draw_path(view, &why->cuts.kept, NULL, 1, err);
    // An object that only the interpreter holds has no path.
    if (!status)
        status = lg__picker_draw(&view->picker, why->node, 0, &at, err);
    return status ? status
                  : lg__picker_mark_subject(&view->picker, why->node, err);
}

static void
quieten_edges(const why_view *view)
{
    lg_view *drawn = view->picker.view;
    for (size_t i = 0; i < drawn->edge_count; i++)
        if (drawn->edges[i].path && drawn->edges[i].tone == LG__TONE_PLAIN)
            drawn->edges[i].tone = LG__TONE_PATH;
}

// A module dominates what its globals hold, which tells the reader nothing.
static void
mark_dominator(why_view *view)
{
    if (view->why->dominator == LG_NONE)
        return;
    size_t at = lg__picker_find(&view->picker, view->why->dominator);
    if (at == SIZE_MAX)
        return;
    lg__view_node *dominator = &view->picker.view->nodes[at];
    if (!dominator->root.length)
        dominator->mark = LG__MARK_DOMINATOR;
}

// "all 3 orange references", "both orange references", "the orange reference".
static void
add_number(lg_text *line, const lg_cuts *cuts, size_t drawn)
{
    if (cuts->total == 1) {
        lg_text_add(line, "the orange reference");
    } else if (cuts->total == 2) {
        lg_text_add(line, "both orange references");
    } else {
        lg_text_add(line, "all ");
        lg_text_add_count(line, cuts->total);
        lg_text_add(line, " orange references");
    }
    if (cuts->total > drawn)
        lg_text_addf(line, ", of which %zu are drawn,", drawn);
}

static void
add_headline(const why_view *view)
{
    const lg_why *why = view->why;
    lg_text *line = &view->picker.view->headline;
    bool native =
        why->cuts.is_kept && why->cuts.kept.root.kind == LG_ROOT_NATIVE;
    if (why->frees_count > 1) {
        lg_text_add(line, "Cut one orange reference to free ");
    } else if (why->frees_count) {
        lg_text_add(line, "Cut the orange reference to free ");
    } else if (why->cuts.is_kept && why->cuts.total) {
        lg_text_add(line, native ? "Native code holds it, and so "
                                 : "A reference that no program can cut holds "
                                   "it, and so ");
        lg_text_add(line, why->cuts.total == 1 ? "does " : "do ");
        lg_text_add_count(line, why->cuts.total);
        lg_text_add(line, why->cuts.total == 1
                              ? " orange reference; it retains "
                              : " orange references; it retains ");
    } else if (native) {
        lg_text_add(line, "Native code holds it; it retains ");
    } else if (why->cuts.total) {
        lg_text_add(line, "Cut ");
        add_number(line, &why->cuts, shown_cuts(view));
        lg_text_add(line, " to free ");
    } else {
        lg_text_add(line, "The interpreter holds it; it retains ");
    }
    lg__retained_label_add(line, why->analysis, why->node);
}

static lg_status
draw_alive(why_view *view, lg_error *err)
{
    lg_status status = draw_paths(view, err);
    if (status)
        return status;
    quieten_edges(view);
    mark_dominator(view);
    add_headline(view);
    lg_why_hint_format(view->why, &view->picker.view->note);
    lg__view_weigh(view->picker.view, view->why->analysis);
    return lg__view_settle(view->picker.view, err);
}

// No path leads to garbage, so its referrers are drawn.
static lg_status
view_garbage(const lg_why *why, uint32_t max_nodes, const lg_monitor *monitor,
             lg_view **out, lg_error *err)
{
    lg_view_options options = {.size = sizeof options,
                               .direction = LG_BACKREFS,
                               .max_nodes = max_nodes,
                               .analysis = why->analysis};
    lg_view *view;
    lg_status status = lg_view_new(lg_analysis_graph(why->analysis), &why->node,
                                   1, &options, monitor, &view, err);
    if (status)
        return status;
    view->form = LG__VIEW_WHY;
    view->nodes[0].unreached = true;
    lg_text_add(&view->headline,
                "Garbage: no root reaches it; this refers to it");
    status = lg__view_settle(view, err);
    if (status)
        lg_view_free(view);
    else
        *out = view;
    return status;
}

lg_status
lg_view_why(const lg_why *why, const lg_view_options *options,
            const lg_monitor *monitor, lg_view **out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    lg_view_options whole = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, options, "lg_view_options", err);
    if (status)
        return status;
    uint32_t most = whole.max_nodes ? whole.max_nodes : 120;
    why_view view = {.why = why};
    status = lg__view_check(graph, why->node, most, err);
    if (status)
        return status;
    most = most < LEAST_NODES ? LEAST_NODES : most;
    if (why->garbage)
        return view_garbage(why, whole.max_nodes, monitor, out, err);
    whole = (lg_view_options){
        .size = sizeof whole, .direction = LG_PATH, .max_nodes = most};
    status = lg__picker_open(&view.picker, graph, &whole, err);
    if (!status) {
        view.picker.view->form = LG__VIEW_WHY;
        status = draw_alive(&view, err);
    }
    lg__picker_close(&view.picker);
    if (status)
        lg_view_free(view.picker.view);
    else
        *out = view.picker.view;
    return status;
}
