// Which places the path to a node has visited. Below a step that leads back to
// a place above, it may visit a place again, and then another member of that
// place dominates the node. A place can only be left for one above it, so
// whatever a path leads back to, it has visited.
#include "growth/place_walk.h"

static const lg__place_visit *
visit_at(const lg__place_walk *walk, uint32_t visit)
{
    return (const lg__place_visit *)walk->visits.data + visit;
}

// Returns whether one of two places is the other, or is above it. Places have
// higher numbers than those above them.
static bool
is_above(const lg_places *places, uint32_t above, uint32_t place)
{
    while (place != LG_NONE && place > above)
        place = lg__place_at(places, place)->parent;
    return place == above;
}

static bool
has_visited(const lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    const lg__place_visit *last = visit_at(walk, visit);
    while (place <= last->highest) {
        if (last->before == LG_NONE)
            return is_above(walk->places, place, last->place);
        if (last->place == place)
            return true;
        last = visit_at(walk, last->before);
    }
    return false;
}

static lg__visit_step *
step_at(const lg__place_walk *walk, uint32_t from, uint32_t place)
{
    // Fibonacci hashing: 2^64 divided by the golden ratio.
    uint64_t mixed =
        ((uint64_t)from << 32 | place) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 32) & walk->step_mask;
    for (;; at = (at + 1) & walk->step_mask) {
        lg__visit_step *step = &walk->step[at];
        if (step->to == 0 || (step->from == from && step->place == place))
            return step;
    }
}

static size_t
steps_size(const lg__place_walk *walk)
{
    return ((size_t)walk->step_mask + 1) * sizeof *walk->step;
}

// Keeps half of the slots free.
static bool
reserve_step(lg__place_walk *walk)
{
    enum { FIRST = 1024, FACTOR = 4 };
    lg__place_walk old = *walk;
    size_t slots = old.step != NULL ? (size_t)old.step_mask + 1 : 0;
    if (2 * ((size_t)old.step_count + 1) <= slots)
        return true;
    size_t grown = slots != 0 ? FACTOR * slots : FIRST;
    walk->step = lg__huge_calloc(grown * sizeof *walk->step);
    if (walk->step == NULL) {
        walk->step = old.step;
        return false;
    }
    walk->step_mask = (uint32_t)(grown - 1);
    for (size_t i = 0; i < slots; i++)
        if (old.step[i].to != 0)
            *step_at(walk, old.step[i].from, old.step[i].place) = old.step[i];
    if (slots != 0)
        lg__huge_free(old.step, steps_size(&old));
    return true;
}

static uint32_t
add_visit(lg__place_walk *walk, lg__place_visit visit)
{
    lg_allocator allocator = lg_allocator_default();
    lg__place_visit *last = lg__vector_extend(&allocator, &walk->visits, 1);
    if (last == NULL)
        return LG_NONE;
    *last = visit;
    return (uint32_t)walk->visits.count - 1;
}

static uint32_t
find_next(lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    if (visit == LG_NONE)
        return add_visit(walk, (lg__place_visit){LG_NONE, place, place});
    if (has_visited(walk, visit, place))
        return visit;
    uint32_t highest = visit_at(walk, visit)->highest;
    if (highest < place)
        highest = place;
    return add_visit(walk, (lg__place_visit){visit, place, highest});
}

uint32_t
lg__visit_next(lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    if (!reserve_step(walk))
        return LG_NONE;
    lg__visit_step *step = step_at(walk, visit, place);
    if (step->to != 0)
        return step->to - 1;
    uint32_t next = find_next(walk, visit, place);
    if (next == LG_NONE)
        return LG_NONE;
    *step = (lg__visit_step){visit, place, next + 1};
    walk->step_count++;
    return next;
}

uint32_t
lg__visit_first(lg__place_walk *walk, uint32_t before)
{
    return lg__visit_next(walk, LG_NONE, before);
}

void
lg__visits_free(lg__place_walk *walk)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &walk->visits);
    if (walk->step != NULL)
        lg__huge_free(walk->step, steps_size(walk));
}
