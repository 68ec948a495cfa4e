// How the roots reach many objects: their shortest paths, merged, as a tree
// from the roots down, the biggest branches first.

#include "pick/picker.h"
#include "view/retained_label.h"

#include <leakgraph/merged_paths.h>

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

typedef struct merged_path_view {
    const lg_analysis *analysis;
    view_picker picker;
    lg_merged_paths paths;
    route_item *items; /* [paths.count] */
    uint64_t targets;
    lg_bytes together;
} merged_path_view;

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
measure_runs(merged_path_view *picture)
{
    const lg_merged *merged = picture->paths.items;
    route_item *items = picture->items;
    for (size_t i = 0; i < picture->paths.count; i++)
        if (merged[i].parent != LG_NONE)
            items[merged[i].parent].children++;
    for (size_t i = 0; i < picture->paths.count; i++) {
        uint32_t parent = merged[i].parent;
        if (parent != LG_NONE && items[parent].children == 1 &&
            merged[parent].targets == merged[i].targets)
            items[i].above = items[parent].above + 1;
    }
    for (size_t i = picture->paths.count; i-- > 0;) {
        uint32_t parent = merged[i].parent;
        if (items[i].above > 0)
            items[parent].below = items[i].below + 1;
    }
}

static bool
is_passed(const merged_path_view *picture, size_t item)
{
    const route_item *at = &picture->items[item];
    return at->above >= RUN_HEAD && at->below >= RUN_TAIL;
}

// A branch of hardly any bytes and few of the objects says little.
static bool
is_slight(const merged_path_view *picture, const lg_merged *item)
{
    return lg__bytes_total(item->bytes) <
               lg__bytes_total(picture->together) / 1000 &&
           item->targets < picture->targets / 10;
}

static lg_status
choose(merged_path_view *picture, size_t most, lg_error *err)
{
    size_t count = 0;
    ranked_item *ranked = malloc((picture->paths.count + 1) * sizeof *ranked);
    if (!ranked)
        return lg__view_no_memory(err);
    measure_runs(picture);
    for (size_t i = 0; i < picture->paths.count; i++) {
        const lg_merged *item = &picture->paths.items[i];
        picture->items[i].at = SIZE_MAX;
        if (!is_passed(picture, i) && !is_slight(picture, item))
            ranked[count++] =
                (ranked_item){lg__bytes_total(item->bytes), item->targets, i};
    }
    qsort(ranked, count, sizeof *ranked, biggest_first);
    for (size_t i = 0; i < count && i < most; i++)
        picture->items[ranked[i].index].chosen = true;
    free(ranked);
    return LG_OK;
}

// A box for several objects of one type.
static lg_status
draw_group(merged_path_view *picture, const lg_merged *item, uint32_t depth,
           size_t *out, lg_error *err)
{
    lg_status status =
        lg__view_add_node(picture->picker.view, VIEW_GROUP, out, err);
    if (status)
        return status;
    view_node *drawn = &picture->picker.view->nodes[*out];
    lg_type type = lg_graph_type(picture->picker.graph, item->type);
    drawn->depth = depth;
    drawn->count = item->nodes;
    drawn->category = type.category;
    lg_text_add_count(&drawn->title, item->nodes);
    lg_text_add(&drawn->title, " ");
    lg__picker_name_type(&picture->picker, item->type, &drawn->title);
    lg_text_add_bytes(&drawn->type, type.name.data, type.name.length);
    return LG_OK;
}

// How many of the objects end here, and do not only pass.
static uint64_t
count_ends(const merged_path_view *picture, size_t index)
{
    uint64_t below = 0;
    const lg_merged *items = picture->paths.items;
    for (size_t i = index + 1; i < picture->paths.count; i++)
        if (items[i].parent == index)
            below += items[i].targets;
    return items[index].targets - below;
}

static void
describe(merged_path_view *picture, size_t index, view_node *drawn)
{
    const lg_merged *item = &picture->paths.items[index];
    drawn->retained = item->bytes;
    lg__bytes_add(&drawn->retained_label, picture->picker.graph, item->bytes);
    drawn->subject = count_ends(picture, index) > 0;
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
find_above(const merged_path_view *picture, size_t index, uint64_t *passed)
{
    uint32_t at = picture->paths.items[index].parent;
    for (*passed = 0; at != LG_NONE && is_passed(picture, at); ++*passed)
        at = picture->paths.items[at].parent;
    return at == LG_NONE ? SIZE_MAX : picture->items[at].at;
}

static lg_status
draw_passed(merged_path_view *picture, size_t above, uint64_t passed,
            size_t *out, lg_error *err)
{
    view_edge *edge;
    lg_view *view = picture->picker.view;
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
join(merged_path_view *picture, size_t above, size_t index, lg_error *err)
{
    view_edge *edge;
    const lg_merged *item = &picture->paths.items[index];
    lg_status status = lg__view_add_edge(picture->picker.view, above,
                                         picture->items[index].at, &edge, err);
    if (status)
        return status;
    edge->count = item->targets;
    edge->kind = lg__hop_kind(&picture->picker, &item->hop);
    if (2 * item->targets > picture->targets)
        edge->tone = TONE_WAY;
    lg_merged_label(picture->picker.graph, item, &edge->label);
    return LG_OK;
}

static lg_status
draw_item(merged_path_view *picture, size_t index, lg_error *err)
{
    uint64_t passed;
    const lg_merged *item = &picture->paths.items[index];
    lg_view *view = picture->picker.view;
    lg_status status = LG_OK;
    bool is_root = item->parent == LG_NONE;
    size_t at, above = is_root ? 0 : find_above(picture, index, &passed);
    if (above == SIZE_MAX)
        return LG_OK;
    if (!is_root && passed)
        status = draw_passed(picture, above, passed, &above, err);
    uint32_t depth = is_root ? 0 : view->nodes[above].depth + 1;
    if (!status)
        status = item->nodes == 1 ? lg__picker_draw(&picture->picker,
                                                    item->node, depth, &at, err)
                                  : draw_group(picture, item, depth, &at, err);
    if (status)
        return status;
    picture->items[index].at = at;
    describe(picture, index, &view->nodes[at]);
    return is_root ? LG_OK : join(picture, above, index, err);
}

// What found no room below a drawn item, or among the roots (SIZE_MAX).
typedef struct route_rest {
    uint64_t count;
    lg_bytes bytes;
} route_rest;

static lg_status
draw_rest(merged_path_view *picture, size_t above, const route_rest *rest,
          lg_error *err)
{
    size_t at;
    view_edge *edge;
    lg_view *view = picture->picker.view;
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
    lg__bytes_add(&drawn->retained_label, picture->picker.graph, rest->bytes);
    return above == SIZE_MAX ? LG_OK
                             : lg__view_add_edge(view, above, at, &edge, err);
}

static lg_status
draw_rests(merged_path_view *picture, lg_error *err)
{
    size_t boxes = picture->picker.view->node_count;
    route_rest *rests = calloc(boxes + 1, sizeof *rests);
    if (!rests)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < picture->paths.count; i++) {
        uint64_t passed;
        const lg_merged *item = &picture->paths.items[i];
        if (picture->items[i].at != SIZE_MAX || is_passed(picture, i))
            continue;
        size_t above =
            item->parent == LG_NONE ? boxes : find_above(picture, i, &passed);
        if (above == SIZE_MAX)
            continue;
        rests[above].count++;
        rests[above].bytes.host += item->bytes.host;
        rests[above].bytes.device += item->bytes.device;
    }
    lg_status status = LG_OK;
    for (size_t i = 0;
         !status && i <= boxes && lg__picker_room(&picture->picker); i++)
        if (rests[i].count)
            status =
                draw_rest(picture, i == boxes ? SIZE_MAX : i, &rests[i], err);
    free(rests);
    return status;
}

// The type that all of them are of, or nothing.
static void
add_subject(merged_path_view *picture, const uint32_t *nodes, size_t count,
            lg_text *out)
{
    const uint32_t *types = picture->picker.columns->type;
    size_t same = 0;
    lg_text_add_count(out, count);
    while (same < count && types[nodes[same]] == types[nodes[0]])
        same++;
    lg_text_add(out, " ");
    if (same == count)
        lg__picker_name_type(&picture->picker, types[nodes[0]], out);
    else
        lg_text_add(out, "objects");
}

static void
add_headline(merged_path_view *picture, const uint32_t *nodes, size_t count)
{
    lg_view *view = picture->picker.view;
    uint64_t lost = picture->paths.unreachable;
    add_subject(picture, nodes, count, &view->headline);
    lg_text_add(&view->headline, count == 1 ? " retains " : " retain ");
    lg__bytes_add(&view->headline, picture->picker.graph, picture->together);
    lg_text_add(&view->headline, count == 1 ? ": how a root reaches it"
                                            : ": how the roots reach them");
    lg_text_add(&view->note,
                "each box shows what the objects behind it retain, each byte "
                "counted once; thick: most of them");
    if (!lost)
        return;
    lg_text_add(&view->note, "; no root reaches ");
    lg_text_add_count(&view->note, lost);
    lg_text_add(&view->note,
                lost == 1 ? ", which is garbage" : ", which are garbage");
}

static lg_status
draw(merged_path_view *picture, const uint32_t *nodes, size_t count,
     lg_error *err)
{
    lg_status status = LG_OK;
    size_t most = picture->picker.options.max_nodes;
    picture->targets = count - picture->paths.unreachable;
    if (!picture->targets)
        return lg_error_set(err, LG_ENOTFOUND,
                            count == 1 ? "no root reaches it: it is garbage"
                                       : "no root reaches any of them: all "
                                         "are garbage");
    status = choose(picture, most - most / 4, err);
    for (size_t i = 0; !status && i < picture->paths.count; i++)
        if (picture->items[i].chosen && lg__picker_room(&picture->picker))
            status = draw_item(picture, i, err);
    if (!status)
        status = draw_rests(picture, err);
    if (status)
        return status;
    picture->picker.view->weighed = true;
    add_headline(picture, nodes, count);
    return lg__view_settle(picture->picker.view, err);
}

static lg_status
prepare(merged_path_view *picture, const uint32_t *nodes, size_t count,
        const lg_monitor *monitor, lg_error *err)
{
    lg_status status = lg_nodes_retained(picture->analysis, nodes, count,
                                         monitor, &picture->together, err);
    if (!status)
        status = lg_paths_merged(picture->analysis, nodes, count, monitor,
                                 &picture->paths, err);
    if (status)
        return status;
    picture->items = calloc(picture->paths.count + 1, sizeof *picture->items);
    return picture->items ? LG_OK : lg__view_no_memory(err);
}

lg_status
lg_view_paths(const lg_analysis *analysis, const lg_node *nodes, size_t count,
              uint32_t max_nodes, const lg_monitor *monitor, lg_view **out,
              lg_error *err)
{
    merged_path_view picture = {.analysis = analysis};
    lg_view_options options = {
        .direction = LG_REFS, .max_nodes = max_nodes ? max_nodes : USUAL_NODES};
    const lg_graph *graph = lg_analysis_graph(analysis);
    if (!count || options.max_nodes > MOST_DRAWN)
        return lg_error_set(err, LG_EINVAL,
                            "give an object, and max_nodes from 3 to %u",
                            MOST_DRAWN);
    lg_status status = lg__view_check(graph, nodes[0], options.max_nodes, err);
    if (!status)
        status = prepare(&picture, nodes, count, monitor, err);
    if (!status)
        status = lg__picker_open(&picture.picker, graph, &options, err);
    if (!status) {
        picture.picker.view->form = VIEW_PATHS;
        status = draw(&picture, nodes, count, err);
    }
    lg__picker_close(&picture.picker);
    lg_merged_paths_free(&picture.paths);
    free(picture.items);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
