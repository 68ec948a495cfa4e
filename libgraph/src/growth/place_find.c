// Finds the place to which a step below another place leads.
#include "growth/place_walk.h"

// What the label of a target depends on, besides the kind of the reference.
enum {
    BY_NODE = 0, // also on the target or its source
    BY_KIND,
    BY_PAYLOAD,
    BY_KEY, // on the payload, if the source is a namespace
};

static const uint8_t labelled[LG_EDGE_KIND_COUNT] = {
    [LG_EDGE_ATTRIBUTE] = BY_PAYLOAD, [LG_EDGE_VALUE] = BY_KEY,
    [LG_EDGE_KEY] = BY_KIND,          [LG_EDGE_INDEX] = BY_KIND,
    [LG_EDGE_ELEMENT] = BY_KIND,      [LG_EDGE_LOCAL] = BY_PAYLOAD,
    [LG_EDGE_STACK] = BY_KIND,        [LG_EDGE_DICT] = BY_KIND,
    [LG_EDGE_GLOBALS] = BY_KIND,      [LG_EDGE_TYPE] = BY_KIND,
    [LG_EDGE_REFERENT] = BY_KIND,     [LG_EDGE_NATIVE] = BY_PAYLOAD,
};

static uint32_t
add_place(lg__place_walk *walk, uint32_t parent, const lg__step *step,
          uint32_t type)
{
    lg_places *places = walk->places;
    uint32_t place =
        lg__places_recur(places, parent, step->kind, step->label, type);
    return place != LG_NONE
               ? place
               : lg__places_put(places, parent, step->kind, step->label, type);
}

enum { KIND_BITS = 6 };
_Static_assert(LG_EDGE_KIND_COUNT + LG_PLACE_SEVERAL < 1 << KIND_BITS,
               "kinds of references and of places have the same bits");

static lg__taken_step
step_of(uint32_t parent, uint32_t number, uint32_t type, uint32_t kind)
{
    return (lg__taken_step){.from = (uint64_t)parent << 32 | number,
                            .by = type << KIND_BITS | kind};
}

// Returns where the step is, or where it belongs.
static lg__taken_step *
taken_at(lg__place_walk *walk, const lg__taken_step *step)
{
    // Multipliers without meaning: odd, with many bits.
    uint64_t mixed = step->from * UINT64_C(0x9e3779b97f4a7c15) ^
                     step->by * UINT64_C(0xc2b2ae3d27d4eb4f);
    return &walk->taken[mixed >> (64 - LG__TAKEN_BITS)];
}

static bool
is_same(const lg__taken_step *step, const lg__taken_step *other)
{
    return step->from == other->from && step->by == other->by &&
           step->place != LG_NONE;
}

static uint32_t
find_labelled(lg__place_walk *walk, uint32_t parent, const lg__step *step,
              uint32_t type)
{
    lg__taken_step sought =
        step_of(parent, step->label, type, LG_EDGE_KIND_COUNT + step->kind);
    lg__taken_step *taken = taken_at(walk, &sought);
    if (is_same(taken, &sought))
        return taken->place;
    sought.place = add_place(walk, parent, step, type);
    *taken = sought;
    return sought.place;
}

// Returns the kind of the reference if nothing but it and *number decides the
// label; else LG_NONE.
static uint32_t
describe(const lg__place_walk *walk, lg__via via, uint32_t *number)
{
    const lg_columns *columns = &walk->graph->columns;
    if (via.edge == LG__NO_EDGE)
        return LG_NONE;
    uint32_t kind = columns->edge_kind[via.edge] & LG_EDGE_KIND_MASK;
    *number = 0;
    switch (labelled[kind]) {
    case BY_KIND:
        return kind;
    case BY_PAYLOAD:
        *number = columns->edge_payload[via.edge];
        return kind;
    case BY_KEY:
        *number = lg__label_is_namespace(&walk->labels, via.source)
                      ? columns->edge_payload[via.edge]
                      : LG_NONE;
        return kind;
    default:
        return LG_NONE;
    }
}

uint32_t
lg__place_find(lg__place_walk *walk, uint32_t parent, uint32_t node,
               lg__via via, uint32_t type)
{
    uint32_t number;
    uint32_t kind = describe(walk, via, &number);
    lg__taken_step sought = {0};
    lg__taken_step *taken = NULL;
    if (kind != LG_NONE) {
        sought = step_of(parent, number, type, kind);
        taken = taken_at(walk, &sought);
        if (is_same(taken, &sought))
            return taken->place;
    }
    lg__step step;
    if (!lg__label_step(&walk->labels, node, via, &step))
        return LG_NONE;
    if (taken == NULL)
        return find_labelled(walk, parent, &step, type);
    sought.place = add_place(walk, parent, &step, type);
    *taken = sought;
    return sought.place;
}

uint32_t
lg__place_find_top(lg__place_walk *walk, const lg__step *step, uint32_t type)
{
    return find_labelled(walk, LG_NONE, step, type);
}
