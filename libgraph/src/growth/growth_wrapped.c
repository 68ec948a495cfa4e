// Lets rows of tuples, dicts, autograd nodes and the like name what these wrap.
#include "growth/growth_comparison.h"

#include <string.h>

// What most members of a row wrap has nearly all of their bytes.
static const double NEARLY_ALL = 0.9;
// How many wrappers may lie between a row's members and what they wrap.
enum { WRAPPERS = 8 };

bool
lg__growth_is_telling(lg_string type)
{
    return memchr(type.data, '.', type.length) != NULL &&
           memchr(type.data, ' ', type.length) == NULL &&
           !lg__growth_is_own(type);
}

// Returns whether the type is a class of autograd nodes: `AddBackward0`.
static bool
is_autograd_node(lg_string type)
{
    static const char ending[] = "Backward";
    enum { LENGTH = sizeof ending - 1 };
    return type.length > LENGTH &&
           memcmp(type.data + type.length - LENGTH - 1, ending, LENGTH) == 0 &&
           memchr(type.data, '.', type.length) == NULL;
}

// Returns whether objects of the type wrap what a program means to keep: a
// tuple has a session and its time, a node of an autograd graph the tensors
// that it saved.
static bool
is_wrapper(lg_string type)
{
    static const char *const names[] = {"tuple", "list", "dict", "set",
                                        "frozenset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(type, names[i]))
            return true;
    return is_autograd_node(type);
}

// Returns whether a place lies in another one, with nothing but wrappers in
// between.
static bool
is_wrapped(const lg_places *places, uint32_t place, uint32_t in)
{
    uint32_t at = lg__place_at(places, place)->parent;
    for (int i = 0; i < WRAPPERS && at != LG_NONE && at > in; i++) {
        const lg__place_item *item = lg__place_at(places, at);
        if (!is_wrapper(lg__places_text(places, item->type)))
            return false;
        at = item->parent;
    }
    return at == in;
}

// Returns whether most members of a row wrap one member of a place, or have
// nearly all of their bytes in these: a place of tuples has tuples inside of
// what they wrap, too.
static bool
is_meant(const lg_places *places, uint32_t place, uint32_t row)
{
    uint64_t least = lg__place_at(places, row)->members / 2;
    return lg__place_at(places, place)->members > least ||
           (double)lg__place_total(places, place) >=
               NEARLY_ALL * (double)lg__place_total(places, row);
}

// Returns the place of the biggest that members of a row wrap, or LG_NONE.
static uint32_t
find_wrapped(const lg_places *places, uint32_t row)
{
    uint32_t found = LG_NONE;
    for (uint32_t i = row + 1; i < places->items.count; i++) {
        const lg__place_item *item = lg__place_at(places, i);
        if (item->parent != LG_NONE && item->parent >= row &&
            is_wrapped(places, i, row) && is_meant(places, i, row) &&
            lg__growth_is_telling(lg__places_text(places, item->type)) &&
            (found == LG_NONE ||
             lg__place_total(places, i) > lg__place_total(places, found)))
            found = i;
    }
    return found;
}

// Makes the type the first companion of the row.
static void
put_first(lg_string type, lg_growth_row *row)
{
    if (lg__growth_names(row, type))
        return;
    for (uint32_t i = LG_COMPANIONS - 1; i > 0; i--)
        row->companion[i] = row->companion[i - 1];
    row->companion[0] = type;
    row->companions++;
}

void
lg__growth_name_wrapped(const lg_places *places, lg_growth *out)
{
    for (size_t i = 0; i < out->count; i++) {
        lg_growth_row *row = &out->rows[i];
        uint32_t wrapped = row->verdict == LG_GROWTH_ACCUMULATES &&
                                   row->place != LG_NONE &&
                                   is_wrapper(row->type)
                               ? find_wrapped(places, row->place)
                               : LG_NONE;
        if (wrapped != LG_NONE)
            put_first(
                lg__places_text(places, lg__place_at(places, wrapped)->type),
                row);
    }
}
