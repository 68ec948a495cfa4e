// Writes the path to a place.
#include "growth/growth_private.h"

lg_category
lg_place_category(const lg_places *places, uint32_t index,
                  const lg_graph *graph)
{
    const lg__place_item *item = lg__place_at(places, index);
    if (graph != NULL && item->example != LG_NONE)
        return lg__node_category(graph, item->example);
    return lg__category_of_name(lg__places_text(places, item->type));
}

static void
add_string(lg_string string, lg_text *out)
{
    lg_text_add_bytes(out, string.data, string.length);
}

// Adds the name of a node; without a name of its own, its type.
static void
add_name(const lg_places *places, const lg__place_item *step, lg_text *out)
{
    lg_string label = lg__places_text(places, step->label);
    if (label.length == 0)
        label = lg__last_part(lg__places_text(places, step->type));
    add_string(label, out);
}

static void
add_step(const lg_places *places, const lg__place_item *step, lg_text *out)
{
    lg_string label = lg__places_text(places, step->label);
    switch (step->kind) {
    case LG_PLACE_GARBAGE:
        lg_text_add(out, "garbage ");
        add_name(places, step, out);
        return;
    case LG_PLACE_ROOT:
        add_name(places, step, out);
        return;
    case LG_PLACE_SEVERAL:
        lg_text_add(out, " ~ ");
        add_name(places, step, out);
        return;
    default:
        if (label.length > 0 && label.data[0] != '.' && label.data[0] != '[')
            lg_text_add(out, " ");
        add_string(label, out);
    }
}

// Writes the path from its first step down, by counting up from the last. That
// takes no memory, and places are shallow because recursion does not deepen
// them.
void
lg_place_format(const lg_places *places, uint32_t index, lg_text *out)
{
    uint32_t depth = 0;
    for (uint32_t at = index; at != LG_NONE;
         at = lg__place_at(places, at)->parent)
        depth++;
    uint32_t head = depth > LG__STEPS_SHOWN ? LG__STEPS_SHOWN / 2 : depth;
    for (uint32_t i = 0; i < depth; i++) {
        if (i == head && head < depth) {
            lg_text_add(out, " … ");
            i = depth - LG__STEPS_SHOWN / 2;
        }
        uint32_t at = index;
        for (uint32_t up = i + 1; up < depth; up++)
            at = lg__place_at(places, at)->parent;
        add_step(places, lg__place_at(places, at), out);
    }
}
