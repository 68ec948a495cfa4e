/** Finds places by the steps to them. */
#ifndef LEAKGRAPH_PLACE_FIND_H
#define LEAKGRAPH_PLACE_FIND_H

#include "growth/place_walk.h"

/** The low bits of lg__taken_step.by that hold the step; the number of the type
 *  has the rest. */
enum { LG__STEP_BITS = 6 };

/** The steps without a name that alone decide the label: a bit for each. */
#define LG__STEP_BIT(kind) (UINT64_C(1) << (LG__STEP_KIND + (kind)))
#define LG__STEPS_ALIKE                                                        \
    (LG__STEP_BIT(LG_EDGE_VALUE) | LG__STEP_BIT(LG_EDGE_KEY) |                 \
     LG__STEP_BIT(LG_EDGE_INDEX) | LG__STEP_BIT(LG_EDGE_ELEMENT) |             \
     LG__STEP_BIT(LG_EDGE_STACK) | LG__STEP_BIT(LG_EDGE_DICT) |                \
     LG__STEP_BIT(LG_EDGE_GLOBALS) | LG__STEP_BIT(LG_EDGE_TYPE) |              \
     LG__STEP_BIT(LG_EDGE_REFERENT))

/** Describes a step. `number` is what decides its label, if the number of the
 *  type's name and `kind` do not. */
static inline lg__taken_step
lg__step_taken(uint32_t parent, uint32_t number, uint32_t type, uint32_t kind)
{
    return (lg__taken_step){.from = (uint64_t)parent << 32 | number,
                            .by = type << LG__STEP_BITS | kind};
}

/** Returns where the step is, or where it belongs. */
static inline lg__taken_step *
lg__taken_at(lg__place_walk *walk, const lg__taken_step *step)
{
    // Multipliers without meaning: odd, with many bits.
    uint64_t mixed = step->from * UINT64_C(0x9e3779b97f4a7c15) ^
                     step->by * UINT64_C(0xc2b2ae3d27d4eb4f);
    return &walk->taken[mixed >> (64 - LG__TAKEN_BITS)];
}

static inline bool
lg__taken_is(const lg__taken_step *step, const lg__taken_step *other)
{
    return step->from == other->from && step->by == other->by &&
           step->place != LG_NONE;
}

/** Like lg__place_find, for a step that is not known, or not by itself. */
uint32_t lg__place_seek(lg__place_walk *walk, uint32_t parent, uint32_t node,
                        uint32_t above, uint32_t type);
/** Returns the place of a node that `above` dominates, a child of `parent` or
 *  one above it; LG_NONE when memory ran out. */
static inline uint32_t
lg__place_find(lg__place_walk *walk, uint32_t parent, uint32_t node,
               uint32_t above, uint32_t type)
{
    uint32_t step = walk->place[node];
    if (step < LG__STEP_NAMES && !(LG__STEPS_ALIKE >> step & 1))
        return lg__place_seek(walk, parent, node, above, type);
    lg__taken_step sought = lg__step_taken(parent, step, type, 0);
    const lg__taken_step *taken = lg__taken_at(walk, &sought);
    return lg__taken_is(taken, &sought)
               ? taken->place
               : lg__place_seek(walk, parent, node, above, type);
}

/** Returns the place of a node that nothing dominates; LG_NONE when memory ran
 *  out. */
uint32_t lg__place_find_top(lg__place_walk *walk, const lg__step *step,
                            uint32_t type);

#endif
