// Draws the dominator tree: who owns the bytes, the biggest first.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>

#define USUAL_NODES 60u
#define MOST_DRAWN 2000u
#define DEEPEST 10u
/* The most nodes of one type that one owner shows, and the deepest chain of
   them. */
#define MOST_ALIKE 4u
#define MOST_LINKS 3u

typedef struct dominator_view {
    const lg_analysis *analysis;
    lg__view_picker picker;
    lg_dominator_tree tree;
    uint64_t least; /* a node with fewer bytes gets no box */
    size_t *at;     /* [rows] the index of its box */
    bool scoped;    /* whether it draws only what some modules hold */
} dominator_view;

static lg_status
draw_rest(dominator_view *picture, size_t owner, const lg_dominator_row *row,
          bool drawn, lg_error *err)
{
    size_t at;
    uint64_t count = row->left_out;
    lg__view_edge *edge;
    lg_view *view = picture->picker.view;
    lg_status status = lg__view_add_node(view, LG__VIEW_REST, &at, err);
    if (status)
        return status;
    lg__view_node *rest = &view->nodes[at];
    rest->depth = view->nodes[owner].depth + 1;
    rest->count = count;
    rest->size = row->left_out_bytes;
    if (count > 1 || drawn)
        lg_text_add_count(&rest->title, count);
    lg_text_add(&rest->title,
                drawn       ? row->equal == count ? " more like it" : " more"
                : count > 1 ? " objects"
                            : "more below");
    lg_text_add_size(&rest->retained_label, row->left_out_bytes);
    status = lg__view_add_edge(view, owner, at, &edge, err);
    if (!status)
        edge->tone = LG__TONE_OWNER;
    return status;
}

// Draws what is too small for a box of its own. A node without other boxes
// needs this only if it is most of the node.
static lg_status
draw_rest_below(dominator_view *picture, const lg_dominator_row *row,
                size_t owner, lg_error *err)
{
    bool drawn = row->left_out < row->owned;
    uint64_t bytes = row->left_out_bytes;
    uint64_t least = drawn ? picture->least / 4 : picture->least;
    if (!bytes || bytes < least || !row->left_out)
        return LG_OK;
    if (!drawn && bytes < row->total / 2)
        return LG_OK;
    return draw_rest(picture, owner, row, drawn, err);
}

static void
note_shares(dominator_view *picture)
{
    lg_view *view = picture->picker.view;
    for (size_t i = 0; i < view->node_count; i++) {
        lg__view_node *node = &view->nodes[i];
        if (node->kind == LG__VIEW_REST && picture->tree.total)
            node->share = (double)node->size / (double)picture->tree.total;
    }
}

static lg_status
draw_heap(dominator_view *picture, const lg_dominator_row *row, size_t *at,
          lg_error *err)
{
    lg_view *view = picture->picker.view;
    lg_status status = lg__view_add_node(view, LG__VIEW_OBJECT, at, err);
    if (status)
        return status;
    lg__view_node *heap = &view->nodes[*at];
    heap->category = LG_CATEGORY_ROOT;
    heap->count = view->heap_count;
    lg_bytes all = lg_analysis_reachable_bytes(picture->analysis);
    uint64_t *bytes = lg__view_make_retained(view, heap);
    for (uint32_t on = 0; bytes && on <= view->device_count; on++)
        bytes[on] = row->retained[on];
    heap->weight = lg__bytes_total(all);
    lg_text_add(&heap->title, "everything alive");
    lg__bytes_add(&heap->retained_label, picture->picker.graph, all);
    return LG_OK;
}

static lg_status
draw_row(dominator_view *picture, size_t index, lg_error *err)
{
    lg_status status;
    size_t *at = &picture->at[index];
    const lg_dominator_row *row = &picture->tree.rows[index];
    if (row->parent != LG_NONE)
        status = lg__picker_draw_owned(
            &picture->picker, picture->at[row->parent], row->node, at, err);
    else if (row->node == LG_NONE)
        status = draw_heap(picture, row, at, err);
    else
        status = lg__picker_draw(&picture->picker, row->node, 0, at, err);
    if (!status && picture->tree.total)
        picture->picker.view->nodes[*at].share =
            (double)row->total / (double)picture->tree.total;
    return status;
}

static void
add_headline(dominator_view *picture)
{
    lg_view *view = picture->picker.view;
    const lg__view_node *whole = &view->nodes[0];
    bool heap = whole->node == LG_NONE;
    lg_text_add(&view->headline, heap ? "Who owns the " : "What owns the ");
    lg_text_add_bytes(&view->headline,
                      whole->retained_label.data ? whole->retained_label.data
                                                 : "",
                      whole->retained_label.length);
    lg_text_add(&view->headline, heap ? " alive" : " below it");
    lg_text_add(&view->note, "each box is freed with the one before it: no "
                             "other path leads there");
    if (picture->scoped)
        lg_text_add(&view->note, "; only what the chosen modules hold is "
                                 "drawn, and what leads there");
}

static lg_status
draw_dominators(dominator_view *picture, lg_error *err)
{
    lg_view *view = picture->picker.view;
    const lg_dominator_tree *tree = &picture->tree;
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < tree->count; i++)
        status = draw_row(picture, i, err);
    for (size_t i = 0;
         !status && i < tree->count && lg__picker_room(&picture->picker); i++)
        status = draw_rest_below(picture, &tree->rows[i], picture->at[i], err);
    if (status)
        return status;
    view->nodes[0].subject = true;
    lg__view_weigh(view, picture->analysis);
    note_shares(picture);
    add_headline(picture);
    return lg__view_settle(view, err);
}

// Makes the tree of boxes, with room for what they leave out.
static lg_status
find_rows(dominator_view *picture, const lg_dominator_options *tree,
          uint32_t max_nodes, const lg_monitor *monitor, lg_error *err)
{
    const lg_dominator_options options = {.size = sizeof options,
                                          .node = tree->node,
                                          .alive = true,
                                          .min_share = tree->min_share,
                                          .limit = max_nodes - max_nodes / 4,
                                          .depth = DEEPEST,
                                          .alike = MOST_ALIKE,
                                          .equals = true,
                                          .links = MOST_LINKS,
                                          .scope = tree->scope};
    lg_status status = lg_analysis_dominator_tree(picture->analysis, &options,
                                                  monitor, &picture->tree, err);
    if (status)
        return status;
    picture->least = (uint64_t)((double)picture->tree.total * tree->min_share);
    picture->at = calloc(picture->tree.count + 1, sizeof *picture->at);
    return picture->at ? LG_OK : lg__view_no_memory(err);
}

static lg_status
check(const lg_analysis *analysis, const lg_dominator_options *tree,
      uint32_t max_nodes, lg_error *err)
{
    if (!(tree->min_share >= 0 && tree->min_share <= 1))
        return lg_error_set(err, LG_EINVAL,
                            "min_share is %g: give a share from 0 to 1",
                            tree->min_share);
    if (max_nodes > MOST_DRAWN)
        return lg_error_set(err, LG_EINVAL,
                            "a picture takes a limit of 3 to %u nodes, not %u",
                            MOST_DRAWN, max_nodes);
    return lg__view_check(lg_analysis_graph(analysis),
                          tree->node ? *tree->node : 0, max_nodes, err);
}

lg_status
lg_view_dominators(const lg_analysis *analysis,
                   const lg_dominator_options *asked,
                   const lg_view_options *given, const lg_monitor *monitor,
                   lg_view **out, lg_error *err)
{
    lg_dominator_options tree = LG_DOMINATOR_OPTIONS_INIT;
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&tree, asked, "lg_dominator_options", err);
    if (!status)
        status = lg__view_tree_options(&options, given, USUAL_NODES, err);
    if (!status)
        status = check(analysis, &tree, options.max_nodes, err);
    if (status)
        return status;
    dominator_view picture = {.analysis = analysis, .scoped = tree.scope};
    status = find_rows(&picture, &tree, options.max_nodes, monitor, err);
    if (!status)
        status = lg__picker_open(&picture.picker, lg_analysis_graph(analysis),
                                 &options, err);
    if (!status) {
        picture.picker.view->form = LG__VIEW_DOMINATORS;
        status = draw_dominators(&picture, err);
    }
    lg__picker_close(&picture.picker);
    lg_dominator_tree_free(&picture.tree);
    free(picture.at);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
