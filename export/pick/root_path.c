// Draws paths from a root: a chain for each subject. Chains share their common
// nodes.

#include "pick/pick_private.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

static bool
has_native(const lg_view *view, size_t index)
{
    for (size_t i = 0; i < view->edge_count; i++) {
        const lg__view_edge *edge = &view->edges[i];
        if (edge->target == index &&
            view->nodes[edge->source].kind == LG__VIEW_NATIVE)
            return true;
    }
    return false;
}

static lg_status
draw_start(lg__view_picker *picker, const lg_path *path, size_t *out,
           lg_error *err)
{
    size_t at;
    lg_status status = lg__picker_draw(picker, path->root.node, 0, &at, err);
    if (status)
        return status;
    lg__view_node *drawn = &picker->view->nodes[at];
    if (path->root.kind == LG_ROOT_NATIVE) {
        if (!has_native(picker->view, at) && lg__picker_room(picker))
            status = lg__picker_draw_native(picker, at, err);
    } else if (!drawn->root.length) {
        lg_text_add(&drawn->root, lg_root_kind_name(path->root.kind));
    }
    *out = at;
    return status;
}

// Draws the hops that a long path leaves out, as one node.
static lg_status
draw_skip(lg__view_picker *picker, size_t from, size_t hops, size_t *out,
          lg_error *err)
{
    lg_status status = lg__view_add_node(picker->view, LG__VIEW_SKIP, out, err);
    if (status)
        return status;
    lg__view_node *skip = &picker->view->nodes[*out];
    skip->count = hops;
    skip->depth = picker->view->nodes[from].depth + 1;
    lg_text_add_count(&skip->title, hops);
    lg_text_add(&skip->title, hops == 1 ? " more object" : " more objects");
    lg__view_edge *edge;
    status = lg__view_add_edge(picker->view, from, *out, &edge, err);
    if (!status)
        edge->path = true;
    return status;
}

// Finds an edge of the same label between the same nodes, which another path
// may have drawn, or NULL.
static lg__view_edge *
find_edge(const lg__view_picker *picker, const lg_hop *hop, size_t source,
          size_t target)
{
    lg_view *view = picker->view;
    lg_text label = {0};
    lg__view_edge *found = NULL;
    lg__picker_label(picker, hop, &label);
    for (size_t i = 0; !label.failed && i < view->edge_count; i++) {
        lg__view_edge *edge = &view->edges[i];
        if (edge->source == source && edge->target == target &&
            edge->label.length == label.length &&
            !memcmp(edge->label.data ? edge->label.data : "",
                    label.data ? label.data : "", label.length))
            found = edge;
    }
    lg_text_free(&label);
    return found;
}

static lg_status
draw_hop(lg__view_picker *picker, const lg_hop *hop, bool cut, size_t *at,
         lg_error *err)
{
    size_t next;
    uint32_t depth = picker->view->nodes[*at].depth + 1;
    lg_status status = lg__picker_draw(picker, hop->target, depth, &next, err);
    if (status)
        return status;
    lg__view_edge *edge = find_edge(picker, hop, *at, next);
    if (!edge)
        status = lg__picker_link(picker, hop, *at, next, &edge, err);
    if (status)
        return status;
    edge->path = true;
    if (cut)
        edge->tone = LG__TONE_FREES;
    *at = next;
    return LG_OK;
}

/* Says which hops of a long path to draw: its ends, and two in the middle that
 * show a hop to cut. */
typedef struct hop_window {
    size_t head;   /* the number of hops before the first gap */
    size_t middle; /* the first hop after it */
    size_t rest;   /* the first hop of the second gap */
    size_t tail;   /* the first hop after that */
} hop_window;

// The nodes are the start, one for each hop that is shown, and one for each
// gap, so that they are `room` in both cases: two hops in the middle and the
// second gap take the place of two hops at the beginning and one at the end.
static hop_window
choose_window(size_t count, const bool *cuts, size_t room)
{
    hop_window all = {count, count, count, count};
    if (count + 1 <= room)
        return all;
    size_t ending = (room - 2) / 2 ? (room - 2) / 2 : 1;
    hop_window ends = {room - 2 - ending, 0, 0, count - ending};
    ends.middle = ends.rest = ends.tail;
    size_t last = SIZE_MAX;
    bool shown = false;
    for (size_t i = 0; cuts && i < count; i++) {
        if (cuts[i])
            last = i < ends.tail && i >= ends.head ? i : last;
        shown |= cuts[i] && (i < ends.head || i >= ends.tail);
    }
    if (shown || last == SIZE_MAX || room < 8)
        return ends;
    ends.head -= ends.head > 2 ? 2 : ends.head;
    ends.tail += ends.tail + 1 < count ? 1 : 0;
    ends.middle = last > ends.head ? last - 1 : last;
    ends.rest = last + 1;
    return ends;
}

static lg_status
draw_seen(lg__view_picker *picker, const lg_hop *hops, size_t count,
          const bool *cuts, size_t room, size_t at, lg_error *err)
{
    hop_window shown = choose_window(count, cuts, room);
    lg_status status = LG_OK;
    // The hop out of a gap starts at an object that is not drawn.
    for (size_t i = 0; !status && i < count; i++) {
        if (i == shown.head && i < shown.middle) {
            status = draw_skip(picker, at, shown.middle - i, &at, err);
            i = shown.middle;
        }
        if (!status && i == shown.rest && i < shown.tail) {
            status = draw_skip(picker, at, shown.tail - i, &at, err);
            i = shown.tail;
        }
        if (!status && i < count)
            status = draw_hop(picker, &hops[i], cuts && cuts[i], &at, err);
    }
    return status;
}

lg_status
lg__picker_draw_hops(lg__view_picker *picker, const lg_hop *hops, size_t count,
                     const bool *cuts, size_t room, size_t at, lg_error *err)
{
    lg_hop *seen = malloc((count + 1) * sizeof *seen);
    bool *seen_cuts = malloc(count + 1);
    lg_status status = LG_OK;
    if (!seen || !seen_cuts) {
        status = lg__view_no_memory(err);
    } else {
        count = lg_hops_seen(picker->graph, hops, count, cuts, seen, seen_cuts);
        status = draw_seen(picker, seen, count, cuts ? seen_cuts : NULL, room,
                           at, err);
    }
    free(seen);
    free(seen_cuts);
    return status;
}

// Draws the path with at most `room` nodes, three or more.
lg_status
lg__picker_draw_path(lg__view_picker *picker, const lg_path *path,
                     const bool *cuts, size_t room, lg_error *err)
{
    size_t at;
    lg_status status = draw_start(picker, path, &at, err);
    if (status)
        return status;
    return lg__picker_draw_hops(picker, path->hops, path->count, cuts, room, at,
                                err);
}

// Draws the subject, and its references from native code beside the path.
lg_status
lg__picker_mark_subject(lg__view_picker *picker, uint32_t node, lg_error *err)
{
    size_t at;
    lg_status status = lg__picker_draw(picker, node, 0, &at, err);
    if (status)
        return status;
    picker->view->nodes[at].subject = true;
    if (!picker->view->nodes[at].unseen || has_native(picker->view, at))
        return LG_OK;
    return lg__picker_room(picker) ? lg__picker_draw_native(picker, at, err)
                                   : LG_OK;
}
