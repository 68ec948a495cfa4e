// Draws how the roots reach many objects: their shortest paths, merged into a
// tree from the roots down, the biggest branches first.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>

#define USUAL_NODES 48u
#define MOST_DRAWN 2000u
/* Boxes at each end of a path without branches. */
#define PATH_HEAD 3u
#define PATH_TAIL 3u
/* The picture leaves out branches with smaller shares of the bytes and of the
 * objects. */
#define LEAST_BYTES 0.001
#define LEAST_TARGETS 0.1

typedef struct merged_path_view {
    lg__view_picker picker;
    lg_merged_paths paths;
    size_t *at; /* [paths.count] the index of each row's box */
} merged_path_view;

// Draws a box for several objects of one type.
static lg_status
draw_group(merged_path_view *picture, const lg_merged_row *row, uint32_t depth,
           size_t *out, lg_error *err)
{
    lg_status status =
        lg__view_add_node(picture->picker.view, LG__VIEW_GROUP, out, err);
    if (status)
        return status;
    lg__view_node *drawn = &picture->picker.view->nodes[*out];
    lg_type type = lg_graph_type(picture->picker.graph, row->type);
    drawn->depth = depth;
    drawn->category = type.category;
    lg_text_add_count(&drawn->title, row->count);
    lg_text_add(&drawn->title, " ");
    lg__picker_name_type(&picture->picker, row->type, &drawn->title);
    lg_text_add_bytes(&drawn->type, type.name.data, type.name.length);
    return LG_OK;
}

// Draws a box for what is left out.
static lg_status
draw_left_out(merged_path_view *picture, const lg_merged_row *row,
              uint32_t depth, size_t *out, lg_error *err)
{
    bool passed = row->kind == LG_MERGED_PASSED;
    bool one = row->count == 1;
    const char *noun = row->parent == LG_NONE
                           ? one ? " more root" : " more roots"
                       : passed ? one ? " more object" : " more objects"
                                : " more";
    lg_status status = lg__view_add_node(
        picture->picker.view, passed ? LG__VIEW_SKIP : LG__VIEW_REST, out, err);
    if (status)
        return status;
    lg__view_node *drawn = &picture->picker.view->nodes[*out];
    drawn->depth = depth;
    lg_text_add_count(&drawn->title, row->count);
    lg_text_add(&drawn->title, noun);
    return LG_OK;
}

static void
weigh(lg_view *view, const uint64_t *retained, lg__view_node *drawn)
{
    uint64_t *bytes = lg__view_make_retained(view, drawn);
    drawn->weight = 0;
    for (uint32_t on = 0; bytes && on <= view->device_count; on++) {
        bytes[on] = retained[on];
        drawn->weight += retained[on];
    }
}

static void
describe(merged_path_view *picture, const lg_merged_row *row,
         lg__view_node *drawn)
{
    drawn->count = row->count;
    drawn->subject = row->ends > 0;
    drawn->size = 0;
    drawn->context = false;
    if (row->kind == LG_MERGED_PASSED)
        return;
    weigh(picture->picker.view, row->retained, drawn);
    if (drawn->weight > 0)
        lg__each_add(&drawn->retained_label, picture->picker.graph,
                     row->retained);
    if (row->kind == LG_MERGED_NODES && row->targets > 1 &&
        row->targets != row->count) {
        lg_text_add(&drawn->detail, drawn->detail.length ? " · " : "");
        lg_text_add(&drawn->detail, "leads to ");
        lg_text_add_count(&drawn->detail, row->targets);
    }
}

static lg_status
join(merged_path_view *picture, size_t index, lg_error *err)
{
    lg__view_edge *edge;
    const lg_merged_row *row = &picture->paths.rows[index];
    uint64_t reached = picture->paths.targets - picture->paths.unreachable;
    lg_status status =
        lg__view_add_edge(picture->picker.view, picture->at[row->parent],
                          picture->at[index], &edge, err);
    if (status || row->kind != LG_MERGED_NODES)
        return status;
    edge->count = row->targets;
    edge->kind = lg__hop_kind(&picture->picker, &row->hop);
    if (2 * row->targets > reached)
        edge->tone = LG__TONE_PATH;
    lg_merged_label(picture->picker.graph, row, &edge->label);
    return LG_OK;
}

static lg_status
draw_row(merged_path_view *picture, size_t index, lg_error *err)
{
    const lg_merged_row *row = &picture->paths.rows[index];
    size_t *at = &picture->at[index];
    lg_status status =
        row->kind != LG_MERGED_NODES
            ? draw_left_out(picture, row, row->depth, at, err)
        : row->count == 1
            ? lg__picker_draw(&picture->picker, row->node, row->depth, at, err)
            : draw_group(picture, row, row->depth, at, err);
    if (status)
        return status;
    describe(picture, row, &picture->picker.view->nodes[*at]);
    return row->parent == LG_NONE ? LG_OK : join(picture, index, err);
}

// Returns their common type, or nothing.
static void
add_subject(merged_path_view *picture, const uint32_t *nodes, size_t count,
            lg_text *out)
{
    const lg_columns *columns = picture->picker.columns;
    size_t same = 0;
    lg_text_add_count(out, count);
    while (same < count && lg_columns_type(columns, nodes[same]) ==
                               lg_columns_type(columns, nodes[0]))
        same++;
    lg_text_add(out, " ");
    if (same == count)
        lg__picker_name_type(&picture->picker,
                             lg_columns_type(columns, nodes[0]), out);
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
    lg__each_add(&view->headline, picture->picker.graph,
                 picture->paths.retained);
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
    if (!picture->paths.count)
        return lg_error_set(err, LG_ENOTFOUND,
                            count == 1 ? "no root reaches it: it is garbage"
                                       : "no root reaches any of them: all "
                                         "are garbage");
    picture->at = calloc(picture->paths.count, sizeof *picture->at);
    if (!picture->at)
        return lg__view_no_memory(err);
    for (size_t i = 0; !status && i < picture->paths.count; i++)
        status = draw_row(picture, i, err);
    if (status)
        return status;
    picture->picker.view->weighed = true;
    add_headline(picture, nodes, count);
    return lg__view_settle(picture->picker.view, err);
}

static lg_status
find_rows(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
          uint32_t max_nodes, const lg_monitor *monitor, lg_merged_paths *out,
          lg_error *err)
{
    const lg_merged_options options = {.size = sizeof options,
                                       .limit = max_nodes - max_nodes / 4,
                                       .most = max_nodes,
                                       .head = PATH_HEAD,
                                       .tail = PATH_TAIL,
                                       .min_bytes = LEAST_BYTES,
                                       .min_targets = LEAST_TARGETS};
    return lg_analysis_merged_paths(analysis, nodes, count, &options, monitor,
                                    out, err);
}

lg_status
lg_view_paths(const lg_analysis *analysis, const lg_node *nodes, size_t count,
              const lg_view_options *given, const lg_monitor *monitor,
              lg_view **out, lg_error *err)
{
    merged_path_view picture = {0};
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg__view_tree_options(&options, given, USUAL_NODES, err);
    if (status)
        return status;
    if (!count)
        return lg_error_set(err, LG_EINVAL, "give an object");
    if (options.max_nodes > MOST_DRAWN)
        return lg_error_set(err, LG_EINVAL,
                            "a picture takes a limit of 3 to %u nodes, not %u",
                            MOST_DRAWN, options.max_nodes);
    status = lg__view_check(graph, nodes[0], options.max_nodes, err);
    if (!status)
        status = find_rows(analysis, nodes, count, options.max_nodes, monitor,
                           &picture.paths, err);
    if (!status)
        status = lg__picker_open(&picture.picker, graph, &options, err);
    if (!status) {
        picture.picker.view->form = LG__VIEW_PATHS;
        status = draw(&picture, nodes, count, err);
    }
    lg__picker_close(&picture.picker);
    lg_merged_paths_free(&picture.paths);
    free(picture.at);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
