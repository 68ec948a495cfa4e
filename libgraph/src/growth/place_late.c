// Handles members below a step that leads back to a place above. Another member
// of the same place may dominate them; a walk below each such step finds out.
#include "growth/place_walk.h"

// The numbers of a place and of the places below it follow each other.
typedef struct span {
    uint32_t begin;
    uint32_t count;  // number of places, itself and those below
    uint32_t next;   // number for the next place below it
    uint32_t active; // number of members on the way from the turn
} span;

typedef struct level {
    uint32_t next; // the next child
    uint32_t end;
    uint32_t place; // LG_NONE: a part's
} level;

typedef struct late_walk {
    lg__place_walk *shared;
    span *spans;       // [place]
    uint32_t before;   // the place before the turn
    lg__vector levels; // level
} late_walk;

// Numbers places. Parents come before their children.
static void
number_places(const lg_places *places, span *spans)
{
    uint32_t count = (uint32_t)places->items.count;
    uint32_t top = 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t parent = lg__place_at(places, i)->parent;
        spans[i].count++;
        if (parent != LG_NONE)
            spans[parent].count += spans[i].count;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = lg__place_at(places, i)->parent;
        uint32_t *next = parent == LG_NONE ? &top : &spans[parent].next;
        spans[i].begin = *next;
        spans[i].next = *next + 1;
        *next += spans[i].count;
    }
}

// Returns whether the way to the current node passes the place. Up to the turn,
// it passes the place before the turn and all places above that.
static bool
is_inner(const late_walk *state, uint32_t place)
{
    const span *above = &state->spans[place];
    uint32_t before = state->spans[state->before].begin;
    return above->active > 0 || before - above->begin < above->count;
}

static bool
visit(late_walk *state, uint32_t node)
{
    lg__place_walk *walk = state->shared;
    const uint32_t *first = walk->analysis->first_child;
    bool part = (walk->place[node] & LG__PLACE_PART) != 0;
    uint32_t place = walk->place[node] & ~LG__PLACE_MARKS;
    walk->place[node] &= ~LG__PLACE_FUNCTION;
    if (!part && is_inner(state, place))
        walk->place[node] |= LG__PLACE_INNER;
    if (first[node] == first[node + 1])
        return true;
    lg_allocator allocator = lg_allocator_default();
    level *below = lg__vector_extend(&allocator, &state->levels, 1);
    if (below == NULL)
        return false;
    *below = (level){first[node], first[node + 1], part ? LG_NONE : place};
    if (!part)
        state->spans[place].active++;
    return true;
}

static bool
walk_from(late_walk *state, uint32_t turn)
{
    const lg_analysis *analysis = state->shared->analysis;
    state->before =
        state->shared->place[analysis->dominator[turn]] & ~LG__PLACE_MARKS;
    if (!visit(state, turn))
        return false;
    while (state->levels.count > 0) {
        level *last = (level *)state->levels.data + state->levels.count - 1;
        if (last->next == last->end) {
            if (last->place != LG_NONE)
                state->spans[last->place].active--;
            state->levels.count--;
        } else if (!visit(state, analysis->child[last->next++])) {
            return false;
        }
    }
    return true;
}

// Unmarks functions, which were marked while places were found; below a turn,
// the walk drops the marks.
static void
unmark_functions(lg__place_walk *walk)
{
    for (uint32_t i = 0; i < walk->graph->columns.node_count; i++)
        walk->place[i] &= ~LG__PLACE_FUNCTION;
}

static bool
walk_all(late_walk *state)
{
    lg__place_walk *walk = state->shared;
    const uint32_t *turns = walk->turns.items;
    size_t places = walk->places->items.count;
    state->spans = lg__huge_calloc(places * sizeof *state->spans);
    bool enough = state->spans != NULL;
    if (enough)
        number_places(walk->places, state->spans);
    for (size_t i = 0; i < walk->turns.count && enough; i++)
        enough = walk_from(state, turns[i]);
    lg__huge_free(state->spans, places * sizeof *state->spans);
    return enough;
}

bool
lg__places_add_late(lg__place_walk *walk)
{
    lg_allocator allocator = lg_allocator_default();
    late_walk state = {.shared = walk, .levels = {.element = sizeof(level)}};
    if (walk->graph->device_count > 0)
        unmark_functions(walk);
    bool enough = walk->turns.count == 0 || walk_all(&state);
    const lg__place_late *late = walk->late;
    for (size_t i = 0; i < walk->late_count && enough; i++) {
        uint32_t place = walk->place[late[i].node];
        if (!(place & LG__PLACE_INNER))
            lg__place_add_outer(walk, late[i].node, place & ~LG__PLACE_MARKS,
                                late[i].via);
    }
    lg__vector_free(&allocator, &state.levels);
    return enough;
}
