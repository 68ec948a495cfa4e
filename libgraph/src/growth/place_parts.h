/** Tells what is part of what dominates it, and so belongs to its place. */
#ifndef LEAKGRAPH_PLACE_PARTS_H
#define LEAKGRAPH_PLACE_PARTS_H

#include "growth/place_walk.h"

/** Returns whether the node is in the definition of a function, class or
 * module: its code, texts, annotations, bases ... They never change, so they
 * are parts, and so is everything in them. `marks` are those of its dominator,
 * which has the definition, or is the namespace of what has it. */
static inline bool
lg__is_definition(lg__place_walk *walk, const lg__walk_type *type,
                  uint32_t node, uint32_t marks)
{
    uint32_t step = walk->place[node];
    return (marks & type->within) ||
           (step >= LG__STEP_NAMES &&
            lg__label_defines(&walk->labels, step - LG__STEP_NAMES));
}

/** Returns whether the node is folded into its dominator, or into what that is
 *  folded into. */
static inline bool
lg__is_folded(const lg__place_walk *walk, uint32_t node, uint32_t above)
{
    const lg__folds *folds = walk->labels.folds;
    uint32_t owner = lg__fold_owner(folds, node);
    return owner != LG_NONE &&
           (owner == above || owner == lg__fold_owner(folds, above));
}

/** Returns whether the node is native memory that an object holds, directly or
 *  by other native memory: a part of that object. What a library's variables
 *  hold, a stack, or nothing, is nobody's part. */
static inline bool
lg__is_native_part(const lg__place_walk *walk, const lg__walk_type *type,
                   uint32_t above, uint32_t marks)
{
    return type->native && (!lg__node_is_native(walk->graph, above) ||
                            (marks & LG__PLACE_INNER));
}

/** Returns the marks of a node that is a part, or 0. `marks` are those of its
 *  dominator. */
static inline uint32_t
lg__part_marks(lg__place_walk *walk, const lg__walk_type *type, uint32_t node,
               uint32_t above, uint32_t marks)
{
    if ((marks & LG__PLACE_DEFINITION) ||
        ((marks & LG__PLACE_DEFINED) &&
         lg__is_definition(walk, type, node, marks)))
        return LG__PLACE_INNER | LG__PLACE_DEFINITION;
    if (lg__is_native_part(walk, type, above, marks))
        return LG__PLACE_INNER;
    return type->may_fold && lg__is_folded(walk, node, above) ? LG__PLACE_INNER
                                                              : 0;
}

#endif
