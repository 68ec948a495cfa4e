// Finds paths on which an external holder reaches a subject through what the
// subject holds. For example, pyplot's registry holds the canvas, and the
// canvas holds the figure.

#include "pick/direction.h"
#include "pick/pick_private.h"

#include <stdlib.h>
#include <string.h>

/* A picture shows the nearest ones only. */
#define MOST_EXTERNAL_HOLDERS 8u
#define MOST_STEPS 4000u
#define MOST_HOPS 1000000u

typedef struct step {
    uint32_t node;
    uint32_t next; /* index of the step towards the subject */
} step;

typedef struct view_search {
    lg__view_picker *picker;
    step steps[MOST_STEPS];
    size_t count;
    size_t at;
    size_t external_holders;
    size_t hops;                          /* visited so far */
    uint32_t open[MOST_EXTERNAL_HOLDERS]; /* indices of steps that external
                                             holders hold */
    bool outside; /* an external holder refers to a subject
                     itself */
} view_search;

static void
put(view_search *search, uint32_t node, uint32_t next)
{
    uint64_t *word = &search->picker->seen[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || search->count == MOST_STEPS)
        return;
    *word |= bit;
    search->steps[search->count++] = (step){node, next};
}

static void
open_external_holder(view_search *search)
{
    bool known =
        search->external_holders &&
        search->open[search->external_holders - 1] == (uint32_t)search->at;
    bool subject = search->steps[search->at].next == search->at;
    search->outside = true;
    if (!known && !subject && search->external_holders < MOST_EXTERNAL_HOLDERS)
        search->open[search->external_holders++] = (uint32_t)search->at;
}

static bool
visit(void *context, const lg_hop *hop)
{
    view_search *search = context;
    unsigned kind = lg__hop_kind(search->picker, hop);
    const uint64_t *inside = search->picker->inside;
    search->hops++;
    if (hop->weak || kind == LG_EDGE_GLOBALS || kind == LG_EDGE_TYPE)
        return true;
    if (inside[hop->source / 64] >> (hop->source % 64) & 1)
        put(search, hop->source, (uint32_t)search->at);
    else
        open_external_holder(search);
    return search->external_holders < MOST_EXTERNAL_HOLDERS;
}

static void
unmark_paths(view_search *search)
{
    uint64_t *inside = search->picker->inside;
    for (size_t i = 0; i < search->external_holders; i++) {
        uint32_t at = search->open[i];
        while (search->steps[at].next != at) {
            uint32_t node = search->steps[at].node;
            inside[node / 64] &= ~((uint64_t)1 << (node % 64));
            at = search->steps[at].next;
        }
    }
}

static lg_status
search_holders(view_search *search, lg_error *err)
{
    lg_status status = LG_OK;
    lg__view_picker *picker = search->picker;
    for (size_t i = 0; i < picker->view->node_count; i++)
        put(search, picker->view->nodes[i].node, (uint32_t)i);
    for (; !status && search->at < search->count &&
           search->external_holders < MOST_EXTERNAL_HOLDERS &&
           search->hops < MOST_HOPS;
         search->at++)
        status = lg__hops_each(picker->graph, search->steps[search->at].node,
                               LG_BACKREFS, visit, search, err);
    return status;
}

lg_status
lg__picker_find_external_holders(lg__view_picker *picker, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    view_search *search = calloc(1, sizeof *search);
    if (!search)
        return lg__view_no_memory(err);
    search->picker = picker;
    memset(picker->seen, 0, words * sizeof *picker->seen);
    lg_status status = search_holders(search, err);
    if (search->outside)
        unmark_paths(search);
    else
        memset(picker->inside, 0, words * sizeof *picker->inside);
    free(search);
    return status;
}
