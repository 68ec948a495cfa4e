// Shares the room of a picture among the families of a group.

#include "pick/sibling_groups.h"
#include "view/view_private.h"

#include <stdlib.h>

/* Small values with at least this many bytes always get a node. */
#define WORTH_SHOWING 16384u

static int
compare_families(const void *left, const void *right)
{
    const lg__view_family *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

// The most nodes that the family can use: one for each sibling, or the first
// ones and a fold. "1 more" takes as much room as the sibling itself.
static size_t
full_share(const lg__view_group *group, const lg__view_family *family)
{
    if (family->rank >= LG__RANK_VALUES || family->kind == LG_EDGE_KEY)
        return 1;
    if (family->count <= group->keep + 1)
        return (size_t)family->count;
    return group->keep + 1;
}

void
lg__group_trim(lg__view_group *group)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++) {
        lg__view_family *family = &group->families[i];
        /* Skip a family whose members another edge kind has counted already. */
        if (family->count == 0)
            continue;
        if (group->subject || family->rank < LG__RANK_VALUES ||
            (family->rank != LG__RANK_INSIDE &&
             lg__bytes_total(family->bytes) >= WORTH_SHOWING)) {
            group->families[kept++] = *family;
            continue;
        }
        group->hidden += family->count;
        free(family->kept);
    }
    group->count = kept;
}

size_t
lg__group_share_room(lg__view_group *group, size_t allowance)
{
    if (group->count)
        qsort(group->families, group->count, sizeof *group->families,
              compare_families);
    size_t served = group->count;
    if (served > allowance)
        served = allowance ? allowance - 1 : 0;
    size_t left = allowance - served;
    for (size_t i = 0; i < served; i++)
        group->families[i].share = 1;
    bool dealt = served == group->count;
    while (dealt && left) {
        dealt = false;
        for (size_t i = 0; i < served && left; i++) {
            lg__view_family *family = &group->families[i];
            if (family->share < full_share(group, family)) {
                family->share++;
                left--;
                dealt = true;
            }
        }
    }
    return group->count - served;
}
