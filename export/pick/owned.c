// Draws an object below its owner: by their reference if there is one, and
// otherwise by a line of its own kind.

#include "pick/direction.h"
#include "pick/pick_private.h"

typedef struct view_search {
    uint32_t target;
    lg_hop hop;
    bool found;
} view_search;

static bool
seek(void *context, const lg_hop *hop)
{
    view_search *search = context;
    if (hop->target != search->target || hop->weak)
        return true;
    search->hop = *hop;
    search->found = true;
    return false;
}

lg_status
lg__picker_draw_owned(lg__view_picker *picker, size_t owner, uint32_t node,
                      size_t *out, lg_error *err)
{
    lg__view_edge *edge;
    view_search search = {.target = node};
    uint32_t depth = picker->view->nodes[owner].depth + 1;
    uint32_t source = picker->view->nodes[owner].node;
    lg_status status = lg__picker_draw(picker, node, depth, out, err);
    if (!status && source != LG_NONE)
        status =
            lg__hops_each(picker->graph, source, LG_REFS, seek, &search, err);
    if (status)
        return status;
    if (search.found)
        return lg__picker_link(picker, &search.hop, owner, *out, &edge, err);
    status = lg__view_add_edge(picker->view, owner, *out, &edge, err);
    if (!status)
        edge->tone = LG__TONE_OWNER;
    return status;
}
