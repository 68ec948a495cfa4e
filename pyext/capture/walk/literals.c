#include "capture/walk/heap_walk.h"

/** The place of a literal, by its address. */
static uint32_t
place_of(const char *literal)
{
    return (uint32_t)((uintptr_t)literal * UINT64_C(0x9E3779B97F4A7C15) >>
                      (64 - LG__LITERAL_BITS));
}

uint32_t
lg__walk_intern_literal(lg__heap_walk *walk, const char *literal)
{
    lg__literals *known = &walk->literals;
    uint32_t place = place_of(literal);
    if (known->text[place] != literal) {
        known->id[place] = lg__walk_intern(walk, literal);
        known->text[place] = literal;
    }
    return known->id[place];
}
