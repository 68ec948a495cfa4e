// Finds references to cut that free a node and spare what dominates it.
#include "answers/answers_private.h"

// How many dominators to try to spare: a tuple may be in a tuple, and a list in
// an iterator in a tuple in a zip in an enumerate.
enum { TRIED = 8 };

static lg_status
cut_below(const lg_analysis *analysis, lg_node node, lg_node from, size_t limit,
          const lg_monitor *monitor, lg_cuts *out, lg_error *err)
{
    return lg_node_cuts(analysis, node, from != LG_NONE ? &from : NULL, limit,
                        monitor, out, err);
}

lg_status
lg__cuts_below(const lg_analysis *analysis, lg_node node, lg_node from,
               size_t limit, const lg_monitor *monitor, lg_cuts *out,
               lg_error *err)
{
    lg_cuts made = {0};
    lg_status status =
        cut_below(analysis, node, from, limit, monitor, &made, err);
    for (int i = 1; i < TRIED && from != LG_NONE; i++) {
        lg_cuts other = {0};
        if (status != LG_OK || !made.is_kept)
            break;
        from = lg__shown_dominator(analysis, from);
        status = cut_below(analysis, node, from, limit, monitor, &other, err);
        if (status == LG_OK && !other.is_kept) {
            lg_cuts_free(&made);
            made = other;
            break;
        }
        lg_cuts_free(&other);
    }
    if (status == LG_OK)
        *out = made;
    else
        lg_cuts_free(&made);
    return status;
}
