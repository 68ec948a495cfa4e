// Finds what a program imported between two snapshots.
//
// A module comes once. Two snapshots show it as growth of all that it has: its
// classes, its functions, the instances of its classes. Only a third snapshot
// could say that it stays as it is.
#include "growth/growth_comparison.h"

static int
compare_names(const void *left, const void *right)
{
    return lg__string_compare(*(const lg_string *)left,
                              *(const lg_string *)right);
}

static bool
is_new_module(const lg__comparison *state, uint32_t place)
{
    const lg__place_item *item = lg__place_at(state->newest, place);
    return item->kind == LG_PLACE_ROOT && item->members == 1 &&
           lg__string_is(lg__places_text(state->newest, item->type),
                         "module") &&
           lg_places_find(state->summaries[0]->places, item->key) == LG_NONE;
}

bool
lg__growth_imports_list(lg__comparison *state)
{
    const lg_allocator allocator = lg_allocator_default();
    size_t count = state->count == 2 ? state->newest->items.count : 0;
    state->imported = (lg__vector){.element = sizeof(lg_string)};
    for (uint32_t place = 0; place < count; place++) {
        if (!is_new_module(state, place))
            continue;
        lg_string *added = lg__vector_extend(&allocator, &state->imported, 1);
        if (added == NULL)
            return false;
        *added = lg__places_text(state->newest,
                                 lg__place_at(state->newest, place)->label);
    }
    if (state->imported.count > 0)
        lg__sort(state->imported.data, state->imported.count, sizeof(lg_string),
                 compare_names);
    return true;
}

static bool
is_listed(const lg__comparison *state, lg_string name)
{
    const lg_string *items = state->imported.data;
    size_t begin = 0;
    size_t end = state->imported.count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        int order = lg__string_compare(items[middle], name);
        if (order == 0)
            return true;
        if (order < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return false;
}

// Returns whether the name is that of a new module, or of something in one:
// `app.models.User`.
static bool
is_of_new_module(const lg__comparison *state, lg_string name)
{
    for (uint32_t length = 1; length <= name.length; length++)
        if ((length == name.length || name.data[length] == '.') &&
            is_listed(state, (lg_string){name.data, length}))
            return true;
    return false;
}

// Returns whether a place is one class or function that the older snapshot
// lacks.
static bool
is_new_definition(const lg__comparison *state, const lg__place_item *item)
{
    lg_string type = lg__places_text(state->newest, item->type);
    lg_category category = lg__category_of_name(type);
    return item->kind == LG_PLACE_ROOT && item->members == 1 &&
           (category == LG_CATEGORY_TYPE || category == LG_CATEGORY_FUNCTION ||
            lg__string_is(type, "code"));
}

bool
lg__growth_is_imported(const lg__comparison *state, uint32_t place)
{
    const lg_places *newest = state->newest;
    const lg__place_item *item = lg__place_at(newest, place);
    const lg__place_item *top = lg__place_top(newest, place);
    return state->imported.count > 0 &&
           lg_places_find(state->summaries[0]->places, item->key) == LG_NONE &&
           (is_new_definition(state, item) ||
            is_of_new_module(state, lg__places_text(newest, top->label)) ||
            is_of_new_module(state, lg__places_text(newest, item->type)));
}
