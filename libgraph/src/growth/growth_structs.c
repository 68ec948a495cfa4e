// Tells which structs of C and C++ grow because something else does: what an
// object keeps, what goes with structs that gained much more, and what
// torch.jit compiles.
#include "growth/growth_comparison.h"
#include "native/native_private.h"

#include <string.h>

// Returns whether objects of the type are structs of C or C++.
static bool
is_struct(lg_string type)
{
    return lg__growth_is_type_of_blocks(type) ||
           lg__string_contains(type, " (C++)");
}

// Returns whether the row is of structs that an object of C++ keeps, which is a
// row because it grows itself: a torch.jit.CompilationUnit with its graphs.
static bool
is_part_of_struct(const lg__comparison *state, const lg_growth_row *row,
                  const lg_growth_row *other)
{
    return other->verdict == LG_GROWTH_IN_PLACE && is_struct(other->type) &&
           row->verdict == LG_GROWTH_ACCUMULATES && is_struct(row->type) &&
           lg__place_is_through(state->newest, row->place, other->place);
}

// Returns the first word of a name, without `lib`: `torch` of `torch.jit.Unit`,
// `torch::jit::Node` and `libtorch_cpu`.
static lg_string
first_word(lg_string name)
{
    const char *at = name.data;
    const char *last = name.data + name.length;
    if (lg__string_begins(name, "lib"))
        at += 3;
    while (at < last && *at == '_')
        at++;
    const char *end = at;
    while (end < last && memchr("._:-", *end, 4) == NULL)
        end++;
    return (lg_string){at, (uint32_t)(end - at)};
}

// Returns the library whose code has the class of structs, or the first word of
// the class; empty of blocks of which nothing but the size is known.
static lg_string
maker_of(lg_string type)
{
    uint32_t at = type.length;
    if (!lg__string_contains(type, "-byte block"))
        return first_word(type);
    if (!lg__string_contains(type, "-byte block of "))
        return (lg_string){"", 0};
    while (type.data[at - 1] != ' ')
        at--;
    return first_word((lg_string){type.data + at, type.length - at});
}

// Returns the first word of what has the structs: of a module, or of the
// library whose variables have them. Nothing has what is lost.
static lg_string
keeper_of(const lg_places *places, uint32_t place)
{
    if (place == LG_NONE)
        return (lg_string){"", 0};
    const lg__place_item *top = lg__place_top(places, place);
    return lg__string_is(lg__places_text(places, top->type), LG__NATIVE_LOST)
               ? (lg_string){"", 0}
               : first_word(lg__places_text(places, top->label));
}

// Returns whether structs of two rows may have one cause: both are of one
// library or package, or it has both.
static bool
are_of_one_origin(const lg_places *places, const lg_growth_row *one,
                  const lg_growth_row *other)
{
    const lg_string left[] = {maker_of(one->type),
                              keeper_of(places, one->place)};
    const lg_string right[] = {maker_of(other->type),
                               keeper_of(places, other->place)};
    for (int i = 0; i < 4; i++)
        if (left[i / 2].length > 0 &&
            lg__string_same(left[i / 2], right[i % 2]))
            return true;
    return false;
}

// Returns whether the row gained little beside another one of its origin.
static bool
is_little_beside(const lg_places *places, const lg_growth_row *row,
                 const lg_growth_row *other)
{
    enum { MUCH_MORE = 12 };
    return row->gained < other->gained / MUCH_MORE &&
           are_of_one_origin(places, row, other);
}

// Returns whether the row is of structs that go with those of another row,
// which gained much more. Words of blocks say who has structs, and these words
// change: those of one cause seem to be here and there.
static bool
is_stray_struct(const lg_places *places, const lg_growth_row *row,
                const lg_growth_row *other)
{
    return row->verdict == LG_GROWTH_ACCUMULATES && is_struct(row->type) &&
           other->verdict != LG_GROWTH_SETTLED && is_struct(other->type) &&
           is_little_beside(places, row, other);
}

// Returns whether torch.jit keeps the row for what it compiles.
static bool
is_kept_by_jit(const lg_places *places, const lg_growth_row *row)
{
    return row->place != LG_NONE &&
           lg__string_begins(
               lg__places_text(places,
                               lg__place_top(places, row->place)->label),
               "torch.jit.");
}

// Returns whether the row is of structs that torch.jit keeps for what the other
// row has more of, such as the graphs of modules that are traced in a loop.
static bool
is_compiled_with(const lg_places *places, const lg_growth_row *row,
                 const lg_growth_row *other)
{
    return is_struct(row->type) && row->verdict != LG_GROWTH_SETTLED &&
           other->verdict == LG_GROWTH_ACCUMULATES && !is_struct(other->type) &&
           is_kept_by_jit(places, other) && row->gained < other->gained &&
           (is_kept_by_jit(places, row) ||
            is_little_beside(places, row, other));
}

bool
lg__growth_leads_structs(const lg__comparison *state, const lg_growth_row *row)
{
    return is_struct(row->type) || is_kept_by_jit(state->newest, row);
}

bool
lg__growth_has_structs(const lg__comparison *state, const lg_growth_row *row,
                       const lg_growth_row *other)
{
    return is_part_of_struct(state, row, other) ||
           is_stray_struct(state->newest, row, other) ||
           is_compiled_with(state->newest, row, other);
}
