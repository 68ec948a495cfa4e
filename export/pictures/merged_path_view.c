// How the roots reach many objects: their shortest paths, merged, as a tree
// from the roots down, the biggest branches first.

#include "pick/picker.h"
#include "view/retained_label.h"

#include <stdlib.h>

#define USUAL_NODES 48u
#define MOST_DRAWN 2000u
/* Of a run of references one after the other, so many at each end. */
#define RUN_HEAD 3u
#define RUN_TAIL 3u

typedef struct route_item {
    uint32_t children;
    uint32_t above; /* in a run, that lead here */
    uint32_t below; /* and that follow */
    bool chosen;
    size_t at; /* in the view; SIZE_MAX: not drawn */
} route_item;

typedef struct view_routes {
    const lg_analysis *analysis;
    view_picker picker;
    lg_merged_paths paths;
    route_item *items; /* [paths.count] */
    uint64_t targets;
    lg_bytes together;
} view_routes;

/* ----------------------------------------------------------- selection --- */

typedef struct ranked_item {
    uint64_t bytes;
    uint64_t targets;
    size_t index;
} ranked_item;

// What is below an item is no bigger and comes later, so that whatever is
// chosen hangs together.
static int
biggest_first(const void *left, const void *right)
{
    const ranked_item *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->targets != b->targets)
        return a->targets > b->targets ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Runs: each reference leads to one place only, and all go on there.
static void
measure_runs(view_routes *routes)
{
    const lg_merged *merged = routes->paths.items;
    route_item *items = routes->items;
    for (size_t i = 0; i < routes->paths.count; i++)
        if (merged[i].parent != LG_NONE)
            items[merged[i].parent].children++;
    for (size_t i = 0; i < routes->paths.count; i++) {
        uint32_t parent = merged[i].parent;
        if (parent != LG_NONE && items[parent].children == 1 &&
            merged[parent].targets == merged[i].targets)
            items[i].above = items[parent].above + 1;
    }
    for (size_t i = routes->paths.count; i-- > 0;) {
        uint32_t parent = merged[i].parent;
        if (items[i].above > 0)
            items[parent].below = items[i].below + 1;
    }
}

static bool
is_passed(const view_routes *routes, size_t item)
{
    const route_item *at = &routes->items[item];
    return at->above >= RUN_HEAD && at->below >= RUN_TAIL;
}

// A branch of hardly any bytes and few of the objects says little.
static bool
is_slight(const view_routes *routes, const lg_merged *item)
{
    return lg__bytes_total(item->bytes) <
               lg__bytes_total(routes->together) / 1000 &&
           item->targets < routes->targets / 10;
}

static lg_status
choose(view_routes *routes, size_t most, lg_error *err)
{
    size_t count = 0;
    ranked_item *ranked = malloc((routes->paths.count + 1) * sizeof *ranked);
    if (!ranked)
        return lg__view_no_memory(err);
    measure_runs(routes);
    for (size_t i = 0; i < routes->paths.count; i++) {
        const lg_merged *item = &routes->paths.items[i];
        routes->items[i].at = SIZE_MAX;
        if (!is_passed(routes, i) && !is_slight(routes, item))
            ranked[count++] =
                (ranked_item){lg__bytes_total(item->bytes), item->targets, i};
    }
    qsort(ranked, count, sizeof *ranked, biggest_first);
    for (size_t i = 0; i < count && i < most; i++)
        routes->items[ranked[i].index].chosen = true;
    free(ranked);
    return LG_OK;
}

/* ------------------------------------------------------------- drawing --- */

// A box for several objects of one type.
static lg_status
draw_crowd(view_routes *routes, const lg_merged *item, uint32_t depth,
           size_t *out, lg_error *err)
{
    lg_status status =
        lg__view_add_node(routes->picker.view, VIEW_GROUP, out, err);
    if (status)
        return status;
    view_node *drawn = &routes->picker.view->nodes[*out];
    lg_type type = lg_graph_type(routes->picker.graph, item->type);
    drawn->depth = depth;
    drawn->count = item->nodes;
    drawn->category = type.category;
    lg_text_add_count(&drawn->title, item->nodes);
    lg_text_add(&drawn->title, " ");
    lg__picker_name_type(&routes->picker, item->type, &drawn->title);
    lg_text_add_bytes(&drawn->type, type.name.data, type.name.length);
    return LG_OK;
}

// How many of the objects end here, and do not only pass.
static uint64_t
count_ends(const view_routes *routes, size_t index)
{
    uint64_t below = 0;
    const lg_merged *items = routes->paths.items;
    for (size_t i = index + 1; i < routes->paths.count; i++)
        if (items[i].parent == index)
            below += items[i].targets;
    return items[index].targets - below;
}

static void
describe(view_routes *routes, size_t index, view_node *drawn)
{
    const lg_merged *item = &routes->paths.items[index];
    drawn->retained = item->bytes;
    lg__bytes_add(&drawn->worth, routes->picker.graph, item->bytes);
    drawn->subject = count_ends(routes, index) > 0;
    drawn->size = 0;
    drawn->context = false;
    if (item->targets > 1 && item->targets != item->nodes) {
        lg_text_add(&drawn->detail, drawn->detail.length ? " · " : "");
        lg_text_add(&drawn->detail, "leads to ");
        lg_text_add_count(&drawn->detail, item->targets);
    }
}

// The drawn item that this one hangs from, with those in between that were
// passed.
static size_t
find_above(const view_routes *routes, size_t index, uint64_t *passed)
{
    uint32_t at = routes->paths.items[index].parent;
    for (*passed = 0; at != LG_NONE && is_passed(routes, at); ++*passed)
        at = routes->paths.items[at].parent;
    return at == LG_NONE ? SIZE_MAX : routes->items[at].at;
}

static lg_status
draw_passed(view_routes *routes, size_t above, uint64_t passed, size_t *out,
            lg_error *err)
{
    view_edge *edge;
    lg_view *view = routes->picker.view;
    lg_status status = lg__view_add_node(view, VIEW_SKIP, out, err);
    if (status)
        return status;
    view_node *skip = &view->nodes[*out];
    skip->count = passed;
    skip->depth = view->nodes[above].depth + 1;
    lg_text_add_count(&skip->title, passed);
    lg_text_add(&skip->title, passed == 1 ? " more object" : " more objects");
    return lg__view_add_edge(view, above, *out, &edge, err);
}

static lg_status
join(view_routes *routes, size_t above, size_t index, lg_error *err)
{
    view_edge *edge;
    const lg_merged *item = &routes->paths.items[index];
    lg_status status = lg__view_add_edge(routes->picker.view, above,
                                         routes->items[index].at, &edge, err);
    if (status)
        return status;
    edge->count = item->targets;
    edge->kind = lg__hop_kind(&routes->picker, &item->hop);
    if (2 * item->targets > routes->targets)
        edge->tone = TONE_WAY;
    lg_merged_label(routes->picker.graph, item, &edge->label);
    return LG_OK;
}

static lg_status
draw_item(view_routes *routes, size_t index, lg_error *err)
{
    uint64_t passed;
    const lg_merged *item = &routes->paths.items[index];
    lg_view *view = routes->picker.view;
    lg_status status = LG_OK;
    bool is_root = item->parent == LG_NONE;
    size_t at, above = is_root ? 0 : find_above(routes, index, &passed);
    if (above == SIZE_MAX)
        return LG_OK;
    if (!is_root && passed)
        status = draw_passed(routes, above, passed, &above, err);
    uint32_t depth = is_root ? 0 : view->nodes[above].depth + 1;
    if (!status)
        status = item->nodes == 1 ? lg__picker_draw(&routes->picker, item->node,
                                                    depth, &at, err)
                                  : draw_crowd(routes, item, depth, &at, err);
    if (status)
        return status;
    routes->items[index].at = at;
    describe(routes, index, &view->nodes[at]);
    return is_root ? LG_OK : join(routes, above, index, err);
}

// What found no room below a drawn item, or among the roots (SIZE_MAX).
typedef struct route_rest {
    uint64_t count;
    lg_bytes bytes;
} route_rest;

static lg_status
draw_rest(view_routes *routes, size_t above, const route_rest *rest,
          lg_error *err)
{
    size_t at;
    view_edge *edge;
    lg_view *view = routes->picker.view;
    lg_status status = lg__view_add_node(view, VIEW_REST, &at, err);
    if (status)
        return status;
    view_node *drawn = &view->nodes[at];
    drawn->count = rest->count;
    drawn->retained = rest->bytes;
    drawn->depth = above == SIZE_MAX ? 0 : view->nodes[above].depth + 1;
    lg_text_add_count(&drawn->title, rest->count);
    lg_text_add(&drawn->title, above != SIZE_MAX  ? " more"
                               : rest->count == 1 ? " more root"
                                                  : " more roots");
    lg__bytes_add(&drawn->worth, routes->picker.graph, rest->bytes);
    return above == SIZE_MAX ? LG_OK
                             : lg__view_add_edge(view, above, at, &edge, err);
}

static lg_status
draw_rests(view_routes *routes, lg_error *err)
{
    size_t boxes = routes->picker.view->node_count;
    route_rest *rests = calloc(boxes + 1, sizeof *rests);
    if (!rests)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < routes->paths.count; i++) {
        uint64_t passed;
        const lg_merged *item = &routes->paths.items[i];
        if (routes->items[i].at != SIZE_MAX || is_passed(routes, i))
            continue;
        size_t above =
            item->parent == LG_NONE ? boxes : find_above(routes, i, &passed);
        if (above == SIZE_MAX)
            continue;
        rests[above].count++;
        rests[above].bytes.host += item->bytes.host;
        rests[above].bytes.device += item->bytes.device;
    }
    lg_status status = LG_OK;
    for (size_t i = 0;
         !status && i <= boxes && lg__picker_room(&routes->picker); i++)
        if (rests[i].count)
            status =
                draw_rest(routes, i == boxes ? SIZE_MAX : i, &rests[i], err);
    free(rests);
    return status;
}

// The type that all of them are of, or nothing.
static void
add_subject(view_routes *routes, const uint32_t *nodes, size_t count,
            lg_text *out)
{
    const uint32_t *types = routes->picker.columns->type;
    size_t same = 0;
    lg_text_add_count(out, count);
    while (same < count && types[nodes[same]] == types[nodes[0]])
        same++;
    lg_text_add(out, " ");
    if (same == count)
        lg__picker_name_type(&routes->picker, types[nodes[0]], out);
    else
        lg_text_add(out, "objects");
}

static void
add_headline(view_routes *routes, const uint32_t *nodes, size_t count)
{
    lg_view *view = routes->picker.view;
    uint64_t lost = routes->paths.unreachable;
    add_subject(routes, nodes, count, &view->headline);
    lg_text_add(&view->headline, count == 1 ? " retains " : " retain ");
    lg__bytes_add(&view->headline, routes->picker.graph, routes->together);
    lg_text_add(&view->headline, count == 1 ? ": how a root reaches it"
                                            : ": how the roots reach them");
    lg_text_add(&view->note, "each box with what the objects behind it retain, "
                             "no byte twice; thick: most of them");
    if (!lost)
        return;
    lg_text_add(&view->note, "; no root reaches ");
    lg_text_add_count(&view->note, lost);
    lg_text_add(&view->note,
                lost == 1 ? ", which is garbage" : ", which are garbage");
}

static lg_status
draw(view_routes *routes, const uint32_t *nodes, size_t count, lg_error *err)
{
    lg_status status = LG_OK;
    size_t most = routes->picker.options.max_nodes;
    routes->targets = count - routes->paths.unreachable;
    if (!routes->targets)
        return lg_error_set(err, LG_ENOTFOUND,
                            count == 1 ? "no root reaches it: it is garbage"
                                       : "no root reaches any of them: all "
                                         "are garbage");
    status = choose(routes, most - most / 4, err);
    for (size_t i = 0; !status && i < routes->paths.count; i++)
        if (routes->items[i].chosen && lg__picker_room(&routes->picker))
            status = draw_item(routes, i, err);
    if (!status)
        status = draw_rests(routes, err);
    if (status)
        return status;
    routes->picker.view->weighed = true;
    add_headline(routes, nodes, count);
    return lg__view_settle(routes->picker.view, err);
}

static lg_status
prepare(view_routes *routes, const uint32_t *nodes, size_t count,
        const lg_monitor *monitor, lg_error *err)
{
    lg_status status = lg_nodes_retained(routes->analysis, nodes, count,
                                         monitor, &routes->together, err);
    if (!status)
        status = lg_paths_merged(routes->analysis, nodes, count, monitor,
                                 &routes->paths, err);
    if (status)
        return status;
    routes->items = calloc(routes->paths.count + 1, sizeof *routes->items);
    return routes->items ? LG_OK : lg__view_no_memory(err);
}

lg_status
lg_view_paths(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
              uint32_t max_nodes, const lg_monitor *monitor, lg_view **out,
              lg_error *err)
{
    view_routes routes = {.analysis = analysis};
    lg_view_options options = {
        .direction = LG_REFS, .max_nodes = max_nodes ? max_nodes : USUAL_NODES};
    const lg_graph *graph = lg_analysis_graph(analysis);
    if (!count || options.max_nodes > MOST_DRAWN)
        return lg_error_set(err, LG_EINVAL,
                            "give an object, and max_nodes from 3 to %u",
                            MOST_DRAWN);
    lg_status status = lg__view_check(graph, nodes[0], options.max_nodes, err);
    if (!status)
        status = prepare(&routes, nodes, count, monitor, err);
    if (!status)
        status = lg__picker_open(&routes.picker, graph, &options, err);
    if (!status) {
        routes.picker.view->form = VIEW_PATHS;
        status = draw(&routes, nodes, count, err);
    }
    lg__picker_close(&routes.picker);
    lg_merged_paths_free(&routes.paths);
    free(routes.items);
    if (status)
        lg_view_free(routes.picker.view);
    else
        *out = routes.picker.view;
    return status;
}
