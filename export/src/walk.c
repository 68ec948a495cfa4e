// The breadth-first walk: who is expanded, and with how much room.

#include "crowd.h"

#include <string.h>

// Draws up to `allowance` new nodes around the one at `index`.
static lg_status
expand(view_picker *picker, size_t index, size_t allowance, lg_error *err)
{
    lg_status status = LG_OK;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back && allowance && picker->view->nodes[index].unseen) {
        status = lg__picker_draw_native(picker, index, err);
        allowance--;
    }
    if (status)
        return status;
    view_crowd crowd;
    status =
        lg__crowd_gather(&crowd, picker, picker->view->nodes[index].node, err);
    if (!status)
        status = lg__crowd_link(&crowd, index, err);
    if (!status)
        status = lg__crowd_draw(&crowd, index, allowance, err);
    lg__crowd_free(&crowd);
    return status;
}

// Backwards, roots end the search. Forwards, what belongs to the program rather
// than to the subject is named but not entered.
static bool
is_expandable(const view_picker *picker, size_t index)
{
    const view_node *node = &picker->view->nodes[index];
    if (node->kind != VIEW_OBJECT)
        return false;
    if (node->subject)
        return true;
    if (node->root.length)
        return false;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back)
        return true;
    bool code = node->type.data && !strcmp(node->type.data, "code");
    return !code && node->category != LG_CATEGORY_TYPE &&
           node->category != LG_CATEGORY_ATOM;
}

static size_t
count_expandable(const view_picker *picker, size_t start, size_t end)
{
    size_t count = 0;
    for (size_t i = start; i < end; i++)
        count += is_expandable(picker, i);
    return count;
}

// The most that one node may take at that depth: the picture narrows with the
// distance from its subject.
static size_t
widest(const view_picker *picker, uint32_t depth)
{
    size_t limit = picker->options.max_nodes / 6;
    limit = limit < 6 ? 6 : limit;
    limit >>= depth < 8 ? depth : 8;
    return limit < 3 ? 3 : limit;
}

static lg_status
expand_level(view_picker *picker, size_t start, size_t end, uint32_t depth,
             const lg_monitor *monitor, lg_error *err)
{
    bool last = depth + 1 >= picker->options.max_depth;
    size_t share = lg__picker_room(picker);
    if (!last)
        share = (3 * share + 4) / 5;
    size_t waiting = count_expandable(picker, start, end);
    for (size_t i = start; i < end; i++) {
        if (!is_expandable(picker, i))
            continue;
        if (monitor && !monitor->tick(monitor->context, "drawing",
                                      (double)i / (double)end))
            return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
        size_t allowance = (share + waiting - 1) / waiting;
        if (allowance > widest(picker, depth))
            allowance = widest(picker, depth);
        size_t before = picker->view->node_count;
        lg_status status = expand(picker, i, allowance, err);
        if (status)
            return status;
        share -= picker->view->node_count - before;
        waiting--;
    }
    return LG_OK;
}

lg_status
lg__picker_walk(view_picker *picker, const lg_monitor *monitor, lg_error *err)
{
    size_t start = 0;
    lg_status status = LG_OK;
    for (uint32_t depth = 0; !status; depth++) {
        size_t end = picker->view->node_count;
        if (start == end)
            break;
        if (depth >= picker->options.max_depth)
            break;
        status = expand_level(picker, start, end, depth, monitor, err);
        start = end;
    }
    for (size_t i = start; !status && i < picker->view->node_count; i++) {
        if (is_expandable(picker, i))
            status = expand(picker, i, 0, err);
    }
    return status;
}
