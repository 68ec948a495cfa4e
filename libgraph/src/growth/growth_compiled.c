// Finds rows of what torch.compile keeps for the functions that it makes.
#include "growth/growth_comparison.h"

bool
lg__growth_is_kept_natively(const lg__comparison *state,
                            const lg_growth_row *row)
{
    const lg__place_words *words = lg__places_words(state->newest, row->place);
    return words != NULL && words->holder != LG_NONE &&
           lg__string_begins(lg__places_text(state->newest, words->holder),
                             "native code: ");
}

bool
lg__growth_is_key_beside(const lg_places *places, const lg_growth_row *row,
                         const lg_growth_row *other)
{
    const lg__place_item *item = lg__place_at(places, row->place);
    return item->kind == LG_PLACE_KEY &&
           item->parent == lg__place_at(places, other->place)->parent;
}

// Where torch.compile keeps what belongs to a compilation besides its function:
// guards, logs, metrics and shapes. Most of these grow by so many objects for
// each, some by more and more.
static const struct {
    const char *name; // how the place at the top begins
    bool in_step;
} kept_for_compiled[] = {
    {"torch._dynamo.", false},  {"torch.", true},
    {"sympy.", true},           {"linecache", true},
    {"weakref.finalize", true}, {"class object", true},
};

bool
lg__growth_is_of_compiled(const lg__comparison *state, const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_ACCUMULATES && row->place != LG_NONE &&
           lg__string_is(
               lg__places_text(state->newest,
                               lg__place_at(state->newest, row->place)->label),
               "." LG__COMPILED "*");
}

// Where threads keep what belongs to a compilation: metrics that are under way
// in locals of the thread, and settings in variables of its context.
static const struct {
    const char *name; // how the place below the thread begins
    bool in_step;
} kept_in_threads[] = {
    {"threading.local", true},
    {"context", false},
};

// Returns the place right below the one at the top, or LG_NONE.
static uint32_t
below_top(const lg_places *places, uint32_t place)
{
    uint32_t below = LG_NONE;
    for (uint32_t at = place; lg__place_at(places, at)->parent != LG_NONE;
         at = lg__place_at(places, at)->parent)
        below = at;
    return below;
}

// Returns whether a thread keeps the row for what torch.compile made.
static bool
is_kept_in_thread(const lg__comparison *state, const lg_growth_row *row,
                  const lg_growth_row *compiled, bool in_step)
{
    const lg_places *places = state->newest;
    uint32_t below = below_top(places, row->place);
    if (below == LG_NONE || row->gained > compiled->gained ||
        !lg__string_is(
            lg__places_text(places, lg__place_top(places, row->place)->type),
            "thread"))
        return false;
    lg_string label =
        lg__places_text(places, lg__place_at(places, below)->label);
    for (size_t i = 0; i < sizeof kept_in_threads / sizeof *kept_in_threads;
         i++)
        if (lg__string_begins(label, kept_in_threads[i].name))
            return !kept_in_threads[i].in_step || in_step;
    return false;
}

// Returns whether the row is the module that has the functions in its globals.
static bool
is_module_of(const lg_places *places, const lg_growth_row *row,
             const lg_growth_row *compiled)
{
    return row->verdict == LG_GROWTH_IN_PLACE &&
           lg__place_is_below(places, compiled->place, row->place);
}

bool
lg__growth_is_kept_for_compiled(const lg__comparison *state,
                                const lg_growth_row *row,
                                const lg_growth_row *compiled, bool in_step)
{
    if (row->place == LG_NONE)
        return false;
    if (is_module_of(state->newest, row, compiled) ||
        is_kept_in_thread(state, row, compiled, in_step))
        return true;
    lg_string top = lg__places_text(
        state->newest, lg__place_top(state->newest, row->place)->label);
    // Several hold it, or native code, or it is the name of the global.
    if (top.length == 0 || lg__growth_is_kept_natively(state, row) ||
        lg__growth_is_key_beside(state->newest, row, compiled))
        return in_step;
    for (size_t i = 0; i < sizeof kept_for_compiled / sizeof *kept_for_compiled;
         i++)
        if (lg__string_begins(top, kept_for_compiled[i].name))
            return !kept_for_compiled[i].in_step || in_step;
    return false;
}
