// Marks what the subjects hold themselves. In a picture of referrers, a child
// that refers to its parent looks like any other holder. The picture lists it
// after the external holders, because cutting its reference frees nothing.

#include "pick/direction.h"
#include "pick/pick_private.h"

#include <stdlib.h>

/* Enough for a widget or a figure, and still quick. */
#define MOST_INSIDE 4000u

typedef struct view_flood {
    const lg__view_picker *picker;
    uint32_t queue[MOST_INSIDE];
    size_t count;
} view_flood;

static void
enter(view_flood *flood, uint32_t node)
{
    uint64_t *word = &flood->picker->inside[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || flood->count == MOST_INSIDE)
        return;
    *word |= bit;
    flood->queue[flood->count++] = node;
}

static bool
visit(void *context, const lg_hop *hop)
{
    view_flood *flood = context;
    lg_category category = lg__picker_category(flood->picker, hop->target);
    if (category != LG_CATEGORY_ATOM && !lg__hop_leads_out(flood->picker, hop))
        enter(flood, hop->target);
    return flood->count < MOST_INSIDE;
}

static lg_status
flood_inside(lg__view_picker *picker, view_flood *flood, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < picker->view->node_count; i++)
        enter(flood, picker->view->nodes[i].node);
    for (size_t i = 0; !status && i < flood->count; i++)
        status = lg__hops_each(picker->graph, flood->queue[i], LG_REFS, visit,
                               flood, err);
    return status;
}

lg_status
lg__picker_mark_inside(lg__view_picker *picker, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    picker->inside = calloc(words, sizeof *picker->inside);
    view_flood *flood = malloc(sizeof *flood);
    if (!picker->inside || !flood) {
        free(flood);
        return lg__view_no_memory(err);
    }
    flood->picker = picker;
    flood->count = 0;
    lg_status status = flood_inside(picker, flood, err);
    free(flood);
    if (!status)
        status = lg__picker_find_external_holders(picker, err);
    return status;
}
