// Finds the place to which a step below another place leads.
#include "growth/place_find.h"

_Static_assert(LG__STEPS + LG_PLACE_SEVERAL < 1 << LG__STEP_BITS,
               "steps and kinds of places have the same bits");

static uint32_t
add_place(lg__place_walk *walk, uint32_t parent, const lg__step *step,
          uint32_t type)
{
    lg_places *places = walk->places;
    uint32_t place =
        lg__places_recur(places, parent, step->kind, step->label, type);
    if (place != LG_NONE)
        return place;
    place = lg__places_put(places, parent, step->kind, step->label, type);
    return place < LG__PLACES_MOST ? place : LG_NONE;
}

// Finds the place by a step that `sought` describes.
static uint32_t
find(lg__place_walk *walk, uint32_t parent, const lg__step *step, uint32_t type,
     lg__taken_step sought)
{
    lg__taken_step *taken = lg__taken_at(walk, &sought);
    if (lg__taken_is(taken, &sought))
        return taken->place;
    // Field by field: to copy what was just put together, the processor waits.
    taken->from = sought.from;
    taken->by = sought.by;
    taken->place = add_place(walk, parent, step, type);
    return taken->place;
}

static uint32_t
find_labelled(lg__place_walk *walk, uint32_t parent, const lg__step *step,
              uint32_t type)
{
    return find(
        walk, parent, step, type,
        lg__step_taken(parent, step->label, type, LG__STEPS + step->kind));
}

// Finds the place by an attribute.
static uint32_t
find_attribute(lg__place_walk *walk, uint32_t parent, uint32_t number,
               uint32_t type)
{
    lg__step step;
    if (!lg__label_attribute(&walk->labels, number - LG__STEP_NAMES, &step))
        return LG_NONE;
    return find(walk, parent, &step, type,
                lg__step_taken(parent, number, type, 0));
}

// Finds the place by a reference.
static uint32_t
find_via(lg__place_walk *walk, uint32_t parent, uint32_t node, lg__via via,
         uint32_t type)
{
    lg__step step;
    uint32_t number = walk->place[node];
    if (!lg__label_step(&walk->labels, node, via, &step))
        return LG_NONE;
    if (!(LG__STEPS_ALIKE >> number & 1))
        return find_labelled(walk, parent, &step, type);
    return find(walk, parent, &step, type,
                lg__step_taken(parent, number, type, 0));
}

// Finds the place by the local variable of a frame, or by what native code
// calls the reference, which the payload of the reference decides.
static uint32_t
find_payload(lg__place_walk *walk, uint32_t parent, uint32_t node, lg__via via,
             uint32_t type)
{
    uint32_t payload = walk->graph->columns.edge_payload[via.edge];
    lg__taken_step sought =
        lg__step_taken(parent, payload, type, walk->place[node]);
    const lg__taken_step *taken = lg__taken_at(walk, &sought);
    lg__step step;
    if (lg__taken_is(taken, &sought))
        return taken->place;
    return lg__label_step(&walk->labels, node, via, &step)
               ? find(walk, parent, &step, type, sought)
               : LG_NONE;
}

uint32_t
lg__place_seek(lg__place_walk *walk, uint32_t parent, uint32_t node,
               uint32_t above, uint32_t type)
{
    uint32_t number = walk->place[node];
    if (number >= LG__STEP_NAMES)
        return find_attribute(walk, parent, number, type);
    if (number == LG__STEP_NONE) {
        walk->via[node] = LG_NONE;
        return find_via(walk, parent, node, (lg__via){LG__NO_EDGE, LG_NONE},
                        type);
    }
    lg__via via = lg__via_of(walk, node, above);
    bool by_payload = number == LG__STEP_KIND + LG_EDGE_LOCAL ||
                      number == LG__STEP_KIND + LG_EDGE_NATIVE;
    return by_payload ? find_payload(walk, parent, node, via, type)
                      : find_via(walk, parent, node, via, type);
}

uint32_t
lg__place_find_top(lg__place_walk *walk, const lg__step *step, uint32_t type)
{
    return find_labelled(walk, LG_NONE, step, type);
}
