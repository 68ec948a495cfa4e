// Paths from a root: a chain for each subject, sharing what they share.

#include "pick/picker.h"

/* A longer path says no more: its middle is folded. */
#define LONGEST_PATH 16u

static bool
has_native(const lg_view *view, size_t index)
{
    for (size_t i = 0; i < view->edge_count; i++) {
        const view_edge *edge = &view->edges[i];
        if (edge->target == index &&
            view->nodes[edge->source].kind == VIEW_NATIVE)
            return true;
    }
    return false;
}

static lg_status
draw_start(view_picker *picker, const lg_path *path, size_t *out, lg_error *err)
{
    size_t at;
    lg_status status = lg__picker_draw(picker, path->root.node, 0, &at, err);
    if (status)
        return status;
    view_node *drawn = &picker->view->nodes[at];
    if (path->root.kind == LG_ROOT_NATIVE) {
        if (!has_native(picker->view, at) && lg__picker_room(picker))
            status = lg__picker_draw_native(picker, at, err);
    } else if (!drawn->root.length) {
        lg_text_add(&drawn->root, lg_root_kind_name(path->root.kind));
    }
    *out = at;
    return status;
}

// The hops of a long path that are left out, as one node.
static lg_status
draw_skip(view_picker *picker, size_t from, size_t hops, size_t *out,
          lg_error *err)
{
    lg_status status = lg__view_add_node(picker->view, VIEW_SKIP, out, err);
    if (status)
        return status;
    view_node *skip = &picker->view->nodes[*out];
    skip->count = hops;
    skip->depth = picker->view->nodes[from].depth + 1;
    lg_text_add_count(&skip->title, hops);
    lg_text_add(&skip->title, hops == 1 ? " more object" : " more objects");
    view_edge *edge;
    status = lg__view_add_edge(picker->view, from, *out, &edge, err);
    if (!status)
        edge->path = true;
    return status;
}

// Another subject's path may have drawn the same edge.
static bool
is_linked(const lg_view *view, size_t source, size_t target)
{
    for (size_t i = 0; i < view->edge_count; i++) {
        if (view->edges[i].source == source && view->edges[i].target == target)
            return true;
    }
    return false;
}

static lg_status
draw_hop(view_picker *picker, const lg_hop *hop, size_t *at, lg_error *err)
{
    size_t next, before = picker->view->node_count;
    uint32_t depth = picker->view->nodes[*at].depth + 1;
    lg_status status = lg__picker_draw(picker, hop->target, depth, &next, err);
    if (status)
        return status;
    if (next == before || !is_linked(picker->view, *at, next)) {
        view_edge *edge;
        status = lg__picker_link(picker, hop, *at, next, &edge, err);
        if (status)
            return status;
        edge->path = true;
    }
    *at = next;
    return LG_OK;
}

lg_status
lg__picker_draw_hops(view_picker *picker, const lg_hop *hops, size_t count,
                     size_t room, size_t at, lg_error *err)
{
    size_t head = count, tail = count;
    if (count + 1 > room) {
        size_t ending = (room - 2) / 2 ? (room - 2) / 2 : 1;
        head = room - 2 - ending;
        tail = count - ending;
    }
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < head; i++)
        status = draw_hop(picker, &hops[i], &at, err);
    // The hop out of the gap starts at an object that is left out.
    if (!status && head < tail)
        status = draw_skip(picker, at, tail - head, &at, err);
    for (size_t i = tail; !status && i < count; i++)
        status = draw_hop(picker, &hops[i], &at, err);
    return status;
}

// Draws the path with at most `room` nodes, three or more.
lg_status
lg__picker_draw_path(view_picker *picker, const lg_path *path, size_t room,
                     lg_error *err)
{
    size_t at;
    lg_status status = draw_start(picker, path, &at, err);
    if (status)
        return status;
    return lg__picker_draw_hops(picker, path->hops, path->count, room, at, err);
}

static lg_status
draw_garbage(view_picker *picker, uint32_t node, lg_error *err)
{
    size_t at;
    lg_status status = lg__picker_draw(picker, node, 0, &at, err);
    if (status)
        return status;
    picker->view->nodes[at].unreached = true;
    return lg__picker_mark_subject(picker, node, err);
}

// The subject, and what native code holds of it besides the path.
lg_status
lg__picker_mark_subject(view_picker *picker, uint32_t node, lg_error *err)
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

// The edges from an owner to what hops fold into it: `.__dict__`, or a closure
// tuple's `[0]`, which is a cell.
static bool
find_part(const view_picker *picker, uint32_t owner, uint32_t part, lg_hop *out)
{
    const lg_columns *columns = picker->columns;
    const uint64_t *first = columns->first_edge;
    for (uint64_t i = first[owner]; i < first[owner + 1]; i++) {
        uint32_t between = columns->edge_target[i];
        *out = (lg_hop){owner, part, {i}, 1, false};
        if (between == part)
            return true;
        if (lg_node_folded_into(picker->graph, between) != owner)
            continue;
        for (uint64_t k = first[between]; k < first[between + 1]; k++) {
            *out = (lg_hop){owner, part, {i, k}, 2, false};
            if (columns->edge_target[k] == part)
                return true;
        }
    }
    return false;
}

// A path ends at the owner of what is folded: one hop more leads to its part.
static lg_status
draw_part(view_picker *picker, uint32_t owner, uint32_t part, lg_error *err)
{
    lg_hop hop;
    size_t at;
    lg_status status = lg__picker_draw(picker, owner, 0, &at, err);
    if (!status && find_part(picker, owner, part, &hop))
        status = draw_hop(picker, &hop, &at, err);
    return status;
}

static lg_status
draw_trail(view_picker *picker, uint32_t node, size_t room,
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
    status = lg__picker_draw_path(picker, &path, whole ? room : room - 1, err);
    lg_path_free(&path);
    if (!status && !whole)
        status = draw_part(picker, owner, node, err);
    if (!status)
        status = lg__picker_mark_subject(
            picker, whole && owner != LG_NONE ? owner : node, err);
    return status;
}

lg_status
lg__picker_trail(view_picker *picker, const uint32_t *nodes, size_t count,
                 const lg_monitor *monitor, lg_error *err)
{
    size_t room = picker->options.max_nodes / count;
    // Native code may be drawn at both ends.
    if (room >= 8)
        room -= 2;
    if (room > LONGEST_PATH)
        room = LONGEST_PATH;
    for (size_t i = 0; i < count; i++) {
        lg_status status = draw_trail(picker, nodes[i], room, monitor, err);
        if (status)
            return status;
    }
    return LG_OK;
}
