// Tells what is part of a definition, and so of the place of what it defines.
#include "growth/place_walk.h"

bool
lg__is_definition(lg__place_walk *walk, const lg__walk_type *type,
                  uint32_t node, uint32_t above)
{
    uint32_t defined = lg__seen_node(walk->labels.folds, above);
    lg_category category = lg__node_category(walk->graph, defined);
    return (type->in_function && defined == above &&
            category == LG_CATEGORY_FUNCTION) ||
           (type->in_class && category == LG_CATEGORY_TYPE) ||
           lg__label_defines(&walk->labels, lg__via_of(walk, node, above));
}
