// Why a node is alive: the way to its immediate dominator, and all that holds
// it from there.

#include "pick/picker.h"
#include "view/retained_label.h"

#include <string.h>

#define MOST_WAYS 8u
/* Boxes of the way to the dominator, and of each way from it. */
#define LEAD_ROOM 9u
#define WAY_ROOM 9u
/* Fewer say nothing. */
#define LEAST_NODES 16u
/* A holder this far below is as good as not below. */
#define LONGEST_CLIMB 10000u

typedef struct view_why {
    const lg_analysis *analysis;
    view_picker picker;
    uint32_t node;
    uint32_t dominator; /* with its namespace folded in; LG_NONE: none */
    lg_paths ways;
    size_t lead_edges; /* drawn before the ways */
} view_why;

// A namespace is drawn as its owner.
static uint32_t
owner_of(const lg_graph *graph, uint32_t node)
{
    uint32_t owner = LG_NONE;
    if (node != LG_NONE)
        owner = lg_node_folded_into(graph, node);
    return owner == LG_NONE ? node : owner;
}

static uint32_t
dominator_of(const view_why *why, uint32_t node)
{
    return owner_of(why->picker.graph, lg_node_dominator(why->analysis, node));
}

static size_t
lead_room(const view_picker *picker)
{
    size_t room = picker->options.max_nodes / 4;
    return room > LEAD_ROOM ? LEAD_ROOM : room;
}

// Three boxes for each way, and two for native code.
static size_t
most_ways(const view_picker *picker)
{
    size_t ways = (picker->options.max_nodes - lead_room(picker) - 2) / 3;
    return ways > MOST_WAYS ? MOST_WAYS : ways;
}

// The way to the dominator; its end is where all others begin.
static lg_status
draw_lead(view_why *why, const lg_monitor *monitor, lg_error *err)
{
    size_t at;
    lg_path path = {0};
    if (why->dominator == LG_NONE)
        return LG_OK;
    lg_status status = lg_path_from_root(why->picker.graph, why->dominator,
                                         monitor, &path, err);
    if (!status)
        status = lg__picker_draw_path(&why->picker, &path,
                                      lead_room(&why->picker), err);
    lg_path_free(&path);
    if (!status)
        status = lg__picker_draw(&why->picker, why->dominator, 0, &at, err);
    if (!status)
        why->lead_edges = why->picker.view->edge_count;
    return status;
}

static lg_status
draw_way(view_why *why, const lg_path *path, size_t room, lg_error *err)
{
    view_picker *picker = &why->picker;
    if (why->dominator == LG_NONE)
        return lg__picker_draw_path(picker, path, room, err);
    size_t start;
    lg_status status = lg__picker_draw(picker, why->dominator, 0, &start, err);
    return status ? status
                  : lg__picker_draw_hops(picker, path->hops, path->count, room,
                                         start, err);
}

static lg_status
draw_ways(view_why *why, lg_error *err)
{
    view_picker *picker = &why->picker;
    size_t count = why->ways.count;
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < count; i++) {
        size_t room = lg__picker_room(picker) / (count - i);
        room = room > WAY_ROOM ? WAY_ROOM : room < 3 ? 3 : room;
        status = draw_way(why, &why->ways.items[i], room, err);
    }
    // What only the interpreter's own furniture holds has no way of its own.
    return status ? status : lg__picker_mark_subject(picker, why->node, err);
}

// True if `node` lies below `above` in the dominator tree, or is it.
static bool
is_below(const view_why *why, uint32_t node, uint32_t above)
{
    for (size_t i = 0; i < LONGEST_CLIMB && node != LG_NONE; i++) {
        if (node == above)
            return true;
        node = dominator_of(why, node);
    }
    return false;
}

// Whether the one reference from source to target is all that the target hangs
// on: its other holders hang on it themselves.
static lg_status
find_only_hold(const view_why *why, uint32_t source, uint32_t target, bool *out,
               lg_error *err)
{
    lg_hops hops = {0};
    size_t direct = 0;
    bool alone = dominator_of(why, target) == source;
    *out = false;
    lg_status status =
        alone ? lg_node_hops_in(why->picker.graph, target, &hops, err) : LG_OK;
    for (size_t i = 0; alone && i < hops.count; i++) {
        uint32_t holder = hops.items[i].source;
        if (hops.items[i].weak)
            continue;
        if (holder == source)
            direct++;
        else
            alone = is_below(why, holder, target) ||
                    !lg_node_is_reachable(why->analysis, holder);
    }
    lg_hops_free(&hops);
    *out = alone && direct == 1;
    return status;
}

// Nobody is surprised that a module has globals and a frame locals.
static bool
is_implicit_root(const view_node *node)
{
    bool frame = node->type.data && !strcmp(node->type.data, "frame");
    return node->root.length || frame || node->category == LG_CATEGORY_MODULE ||
           node->category == LG_CATEGORY_ROOT;
}

static lg_status
find_suspect(const view_why *why, size_t index, bool *out, lg_error *err)
{
    const lg_view *view = why->picker.view;
    const view_edge *edge = &view->edges[index];
    const view_node *source = &view->nodes[edge->source];
    const view_node *target = &view->nodes[edge->target];
    bool objects = source->kind == VIEW_OBJECT && target->kind == VIEW_OBJECT;
    bool lead = index < why->lead_edges;
    *out = target->subject || (!lead && !is_implicit_root(source));
    if (*out || !lead || !objects || is_implicit_root(source))
        return LG_OK;
    return find_only_hold(why, source->node, target->node, out, err);
}

static lg_status
mark_edges(view_why *why, lg_error *err)
{
    lg_view *view = why->picker.view;
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < view->edge_count; i++) {
        bool suspect = true;
        if (view->edges[i].path)
            status = find_suspect(why, i, &suspect, err);
        if (!suspect)
            view->edges[i].tone = TONE_WAY;
    }
    return status;
}

// A module dominates what its globals hold: that is no news.
static void
mark_dominator(view_why *why)
{
    if (why->dominator == LG_NONE)
        return;
    size_t at = lg__picker_find(&why->picker, why->dominator);
    if (at == SIZE_MAX)
        return;
    view_node *dominator = &why->picker.view->nodes[at];
    if (!dominator->root.length)
        dominator->mark = MARK_DOMINATOR;
}

// Ways that one can cut: native code's hold on the node itself is none.
static size_t
count_ways(const view_why *why)
{
    size_t count = why->ways.count;
    for (size_t i = 0; i < why->ways.count; i++) {
        const lg_path *way = &why->ways.items[i];
        count -= !way->count && way->root.kind == LG_ROOT_NATIVE;
    }
    return count;
}

static void
add_headline(const view_why *why)
{
    lg_text *line = &why->picker.view->headline;
    size_t count = count_ways(why);
    size_t at = lg__picker_find(&why->picker, why->node);
    bool native = at != SIZE_MAX && why->picker.view->nodes[at].unseen > 0;
    if (native) {
        lg_text_add(line, "Native code holds it");
        if (count)
            lg_text_addf(line, ", and so %s %zu orange way%s",
                         count > 1 ? "do" : "does", count,
                         count > 1 ? "s" : "");
        lg_text_add(line, ": with it go ");
    } else if (why->ways.more)
        lg_text_add(line, "More ways than are drawn keep it alive: with it "
                          "go ");
    else if (count == 2)
        lg_text_add(line, "Cut both orange ways to free ");
    else if (count > 1)
        lg_text_addf(line, "Cut all %zu orange ways to free ", count);
    else if (count)
        lg_text_add(line, "Cut one orange reference to free ");
    else
        lg_text_add(line, "Held by the interpreter: with it go ");
    lg__retained_label_add(line, why->analysis, why->node);
}

static lg_status
draw_alive(view_why *why, const lg_monitor *monitor, lg_error *err)
{
    why->dominator = dominator_of(why, why->node);
    lg_status status =
        lg_paths_disjoint(why->analysis, why->node, most_ways(&why->picker),
                          monitor, &why->ways, err);
    if (!status)
        status = draw_lead(why, monitor, err);
    if (!status)
        status = draw_ways(why, err);
    if (!status)
        status = mark_edges(why, err);
    if (status)
        return status;
    mark_dominator(why);
    add_headline(why);
    lg__view_weigh(why->picker.view, why->analysis);
    return lg__view_settle(why->picker.view, err);
}

// No path leads to garbage: what there is to see is who refers to it.
static lg_status
view_garbage(const lg_analysis *analysis, uint32_t node,
             const lg_view_options *given, const lg_monitor *monitor,
             lg_view **out, lg_error *err)
{
    lg_view_options options = {.direction = LG_BACKREFS,
                               .max_nodes = given ? given->max_nodes : 0,
                               .analysis = analysis};
    lg_view *view;
    lg_status status = lg_view_new(lg_analysis_graph(analysis), &node, 1,
                                   &options, monitor, &view, err);
    if (status)
        return status;
    view->form = VIEW_WHY;
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
lg_view_why(const lg_analysis *analysis, uint32_t node,
            const lg_view_options *options, const lg_monitor *monitor,
            lg_view **out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t most = options && options->max_nodes ? options->max_nodes : 120;
    view_why why = {.analysis = analysis, .node = node};
    lg_status status = lg__view_check(graph, node, most, err);
    if (status)
        return status;
    why.node = node = owner_of(graph, node);
    most = most < LEAST_NODES ? LEAST_NODES : most;
    if (!lg_node_is_reachable(analysis, node))
        return view_garbage(analysis, node, options, monitor, out, err);
    lg_view_options whole = {.direction = LG_PATH, .max_nodes = most};
    status = lg__picker_open(&why.picker, graph, &whole, err);
    if (!status) {
        why.picker.view->form = VIEW_WHY;
        status = draw_alive(&why, monitor, err);
    }
    lg_paths_free(&why.ways);
    lg__picker_close(&why.picker);
    if (status)
        lg_view_free(why.picker.view);
    else
        *out = why.picker.view;
    return status;
}
