// What is known of places besides their steps, and the path to a place in
// words.
#include "growth/growth_private.h"

#include <string.h>

bool
lg__places_add_words(lg_places *places, lg__place_words words)
{
    lg__place_words *made =
        lg__vector_extend(&places->allocator, &places->words, 1);
    if (made != NULL)
        *made = words;
    return made != NULL;
}

const lg__place_words *
lg__places_words(const lg_places *places, uint32_t place)
{
    return lg_items_find(places->words.data, places->words.count,
                         LG_ITEM_KEY(lg__place_words, place), place);
}

uint32_t
lg__place_above(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = lg__places_words(places, place);
    return words != NULL && words->keeper != LG_NONE
               ? words->keeper
               : lg__place_at(places, place)->parent;
}

bool
lg__place_is_through(const lg_places *places, uint32_t place, uint32_t through)
{
    for (int i = 0; i < LG__STEPS_MOST && place != LG_NONE && place != through;
         i++)
        place = lg__place_above(places, place);
    return place == through;
}

lg_string
lg__place_title(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = lg__places_words(places, place);
    return words != NULL && words->title != LG_NONE
               ? lg__places_text(places, words->title)
               : (lg_string){"", 0};
}

lg_category
lg_place_category(const lg_places *places, uint32_t index,
                  const lg_graph *graph)
{
    const lg__place_item *item = lg__place_at(places, index);
    if (graph != NULL && item->example != LG_NONE)
        return lg__node_category(graph, item->example);
    return lg__category_of_name(lg__places_text(places, item->type));
}

// Adds the name of a node; without a name of its own, its type.
static void
add_name(const lg_places *places, const lg__place_item *step, lg_text *out)
{
    lg_string label = lg__places_text(places, step->label);
    if (label.length == 0)
        label = lg__last_part(lg__places_text(places, step->type));
    lg__text_add_string(out, label);
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
        lg_text_add(out, label.length == 0 ? "… " : "");
        add_name(places, step, out);
        return;
    case LG_PLACE_SEVERAL:
        lg_text_add(out, " … ");
        add_name(places, step, out);
        return;
    default:
        if (label.length > 0 && label.data[0] != '.' && label.data[0] != '[')
            lg_text_add(out, " ");
        lg__text_add_string(out, label);
    }
}

// Returns the text of the path to a place, if it is known.
static lg_string
holder_of(const lg_places *places, uint32_t place)
{
    const lg__place_words *words = lg__places_words(places, place);
    return words != NULL && words->holder != LG_NONE
               ? lg__places_text(places, words->holder)
               : (lg_string){"", 0};
}

// Counts the steps from a place up to the first one whose text is known, which
// *from is then, or up to a root.
static uint32_t
count_steps(const lg_places *places, uint32_t index, uint32_t *from)
{
    uint32_t depth = 0;
    *from = index;
    while (*from != LG_NONE && holder_of(places, *from).length == 0) {
        *from = lg__place_at(places, *from)->parent;
        depth++;
    }
    return depth;
}

uint64_t
lg__place_alike(const lg_places *places, uint32_t place)
{
    const lg__place_item *item = lg__place_at(places, place);
    uint32_t named;
    (void)count_steps(places, place, &named);
    bool contained = item->kind == LG_PLACE_ITEM || item->kind == LG_PLACE_KEY;
    return contained && item->parent != LG_NONE && named != LG_NONE
               ? lg__place_at(places, item->parent)->members
               : 1;
}

// Writes the path from its first step down, by counting up from the last. That
// takes no memory, and places are shallow because recursion does not deepen
// them.
void
lg_place_format(const lg_places *places, uint32_t index, lg_text *out)
{
    uint32_t from;
    uint32_t depth = count_steps(places, index, &from);
    uint32_t head = depth > LG__STEPS_SHOWN ? LG__STEPS_SHOWN / 2 : depth;
    if (from != LG_NONE)
        lg__text_add_string(out, holder_of(places, from));
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

void
lg_place_step_format(const lg_place *place, lg_text *out)
{
    switch (place->kind) {
    case LG_PLACE_GARBAGE:
        lg_text_add(out, "garbage ");
        break;
    case LG_PLACE_ITEM:
        lg_text_add(out, "[*] ");
        break;
    case LG_PLACE_KEY:
        lg_text_add(out, "key ");
        break;
    case LG_PLACE_SEVERAL:
        lg_text_add(out, "~ ");
        break;
    default:
        break;
    }
    bool named = place->label.length > 0 && place->kind != LG_PLACE_ITEM &&
                 place->kind != LG_PLACE_KEY;
    if (named) {
        lg_text_add_bytes(out, place->label.data, place->label.length);
        lg_text_add(out, " ");
    }
    lg_text_add_bytes(out, place->type.data, place->type.length);
}
