// Dominators of reducible knots, without igraph.
//
// An edge whose target dominates its source changes no dominator: a path that
// takes it has been at the target before. So if every edge back to the path of
// a depth-first walk is of that sort, the dominators are those of the graph
// without such edges, which has no cycles.
#include "inner.h"

#include <stdlib.h>
#include <string.h>

lg_status
lg__reducer_new(lg__reducer *reducer, const lg__inner *inner, lg__knots *knots,
                lg_error *err)
{
    size_t members = knots->member_count;
    *reducer = (lg__reducer){
        .inner = inner,
        .knots = knots,
        .branch = calloc(members + 1, sizeof(lg__branch)),
        .post = malloc(members * sizeof(uint32_t)),
        .order = malloc(members * sizeof(uint32_t)),
    };
    if (reducer->branch == NULL || reducer->post == NULL ||
        reducer->order == NULL)
        return lg__error_memory(err);
    uint32_t outside = knots->member_count;
    reducer->branch[outside] = (lg__branch){outside, outside, 0, 0};
    return LG_OK;
}

void
lg__reducer_free(lg__reducer *reducer)
{
    free(reducer->branch);
    free(reducer->post);
    free(reducer->order);
}

// While walking, a branch has in jump where the walk came from, in depth the
// next edge, and in waiting whether it was met.
static uint32_t
next_place(lg__reducer *reducer, uint32_t place)
{
    const lg__inner *inner = reducer->inner;
    lg__branch *branch = &reducer->branch[place];
    uint64_t end = inner->first[place + 1];
    for (uint64_t edge = inner->first[place] + branch->depth; edge < end;
         edge++) {
        branch->depth++;
        if (!reducer->branch[inner->target[edge]].waiting)
            return inner->target[edge];
    }
    return LG_NONE;
}

static uint32_t
walk_from(lg__reducer *reducer, uint32_t start, uint32_t closed)
{
    reducer->branch[start] = (lg__branch){LG_NONE, LG_NONE, 0, 1};
    uint32_t place = start;
    while (place != LG_NONE) {
        uint32_t next = next_place(reducer, place);
        if (next != LG_NONE) {
            reducer->branch[next] = (lg__branch){LG_NONE, place, 0, 1};
            place = next;
            continue;
        }
        reducer->post[place] = closed;
        reducer->order[closed++] = place;
        place = reducer->branch[place].jump;
    }
    return closed;
}

// Shows a place's edges; false if one leads back to what does not dominate it.
static bool
show_edges(lg__reducer *reducer, uint32_t place)
{
    const lg__inner *inner = reducer->inner;
    lg__branch *branch = reducer->branch;
    for (uint64_t edge = inner->first[place]; edge < inner->first[place + 1];
         edge++) {
        uint32_t target = inner->target[edge];
        uint32_t *known = &branch[target].parent;
        if (reducer->post[target] > reducer->post[place]) {
            if (lg__branch_meet(branch, target, place) != target)
                return false;
        } else if (*known == LG_NONE) {
            *known = place;
        } else if (*known != place) {
            *known = lg__branch_meet(branch, *known, place);
        }
    }
    return true;
}

bool
lg__reducer_solve(lg__reducer *reducer, uint32_t knot)
{
    lg__knots *knots = reducer->knots;
    uint32_t begin = knots->first[knot];
    uint32_t end = knots->first[knot + 1];
    uint32_t outside = knots->member_count;
    uint32_t closed = begin;
    for (uint32_t place = begin; place < end; place++)
        if (reducer->inner->entry[place] && !reducer->branch[place].waiting)
            closed = walk_from(reducer, place, closed);
    for (uint32_t place = begin; place < end; place++)
        if (reducer->inner->entry[place])
            reducer->branch[place].parent = outside;
    for (uint32_t i = end; i-- > begin;) {
        uint32_t place = reducer->order[i];
        lg__branch_settle(reducer->branch, place);
        if (!show_edges(reducer, place))
            return false;
    }
    for (uint32_t place = begin; place < end; place++) {
        uint32_t parent = reducer->branch[place].parent;
        knots->inner[place] = parent == outside ? LG_NONE : parent;
    }
    return true;
}
