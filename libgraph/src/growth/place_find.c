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

// Returns where the step is, or where it belongs.
static lg__taken_step *
taken_at(lg__place_walk *walk, const lg__taken_step *step)
{
    // Multipliers without meaning: odd, with many bits.
    uint32_t mixed = step->parent * UINT32_C(0x9e3779b1) ^
                     (step->number ^ step->kind << 26) * UINT32_C(0x85ebca77) ^
                     step->type * UINT32_C(0xc2b2ae3d);
    return &walk->taken[mixed >> (32 - LG__TAKEN_BITS)];
}

static bool
is_same(const lg__taken_step *step, const lg__taken_step *other)
{
    return step->parent == other->parent && step->number == other->number &&
           step->type == other->type && step->kind == other->kind &&
           step->place != LG_NONE;
}

static uint32_t
find_labelled(lg__place_walk *walk, uint32_t parent, const lg__step *step,
              uint32_t type)
{
    lg__taken_step sought = {.parent = parent,
                             .number = step->label,
                             .type = type,
                             .kind = LG_EDGE_KIND_COUNT + step->kind};
    lg__taken_step *taken = taken_at(walk, &sought);
    if (is_same(taken, &sought))
        return taken->place;
    sought.place = add_place(walk, parent, step, type);
    *taken = sought;
    return sought.place;
}

// Fills kind and number if nothing else decides the label.
static bool
describe(const lg__place_walk *walk, lg__via via, lg__taken_step *out)
{
    const lg_columns *columns = &walk->graph->columns;
    if (via.edge == LG__NO_EDGE)
        return false;
    out->kind = columns->edge_kind[via.edge] & LG_EDGE_KIND_MASK;
    out->number = 0;
    switch (labelled[out->kind]) {
    case BY_KIND:
        return true;
    case BY_PAYLOAD:
        out->number = columns->edge_payload[via.edge];
        return true;
    case BY_KEY:
        out->number = lg__label_is_namespace(&walk->labels, via.source)
                          ? columns->edge_payload[via.edge]
                          : LG_NONE;
        return true;
    default:
        return false;
    }
}

uint32_t
lg__place_find(lg__place_walk *walk, uint32_t parent, uint32_t node,
               lg__via via, uint32_t type)
{
    lg__taken_step sought = {.parent = parent, .type = type};
    lg__taken_step *taken = NULL;
    if (describe(walk, via, &sought)) {
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
