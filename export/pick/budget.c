// Sharing the room of a picture among the families of a crowd.

#include "pick/sibling_groups.h"
#include "view/retained_label.h"

#include <stdlib.h>

/* Bytes of small values that deserve a node anywhere. */
#define WORTH_TELLING 16384u

static int
compare_families(const void *left, const void *right)
{
    const view_family *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// The most nodes that the family can use: each sibling, or the first ones and a
// fold. "1 more" is no shorter than the one itself.
static size_t
full_share(const view_crowd *crowd, const view_family *family)
{
    if (family->rank >= RANK_VALUES || family->kind == LG_EDGE_KEY)
        return 1;
    if (family->count <= crowd->keep + 1)
        return (size_t)family->count;
    return crowd->keep + 1;
}

void
lg__crowd_trim(view_crowd *crowd)
{
    size_t kept = 0;
    for (size_t i = 0; i < crowd->count; i++) {
        view_family *family = &crowd->families[i];
        /* Who was met before, by an edge of another kind, is not counted. */
        if (family->count == 0)
            continue;
        if (crowd->subject || family->rank < RANK_VALUES ||
            (family->rank != RANK_INSIDE &&
             lg__bytes_total(family->bytes) >= WORTH_TELLING)) {
            crowd->families[kept++] = *family;
            continue;
        }
        crowd->hidden += family->count;
        free(family->kept);
    }
    crowd->count = kept;
}

size_t
lg__crowd_ration(view_crowd *crowd, size_t allowance)
{
    if (crowd->count)
        qsort(crowd->families, crowd->count, sizeof *crowd->families,
              compare_families);
    size_t served = crowd->count;
    if (served > allowance)
        served = allowance ? allowance - 1 : 0;
    size_t left = allowance - served;
    for (size_t i = 0; i < served; i++)
        crowd->families[i].share = 1;
    bool dealt = served == crowd->count;
    while (dealt && left) {
        dealt = false;
        for (size_t i = 0; i < served && left; i++) {
            view_family *family = &crowd->families[i];
            if (family->share < full_share(crowd, family)) {
                family->share++;
                left--;
                dealt = true;
            }
        }
    }
    return crowd->count - served;
}
