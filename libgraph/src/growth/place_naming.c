// Finds what to call places whose steps do not say it.
//
// Objects that several others hold have a place whose last step has no name, by
// their type alone. Paths from roots name them. A place may have members that
// are held otherwise than most, such as the one that was there before a program
// began to leak. So each member votes, first for the place from which the
// shortest path reaches it, then for the object. The example is a member that
// is held as most of them are, and its path is what the place is called. The
// votes are counted as Boyer and Moore do, which finds a majority in one pass,
// with one number for a place.
#include "growth/growth_private.h"

#include <string.h>

enum {
    HELD_BY_ITSELF = 16, // steps up inside of one place, at most
    BELOW_MOST = 16,     // and up to a place without a name
};

// A variable of a running frame.
typedef struct variable {
    uint32_t value;
    uint32_t frame;
} variable;

typedef struct naming {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const uint32_t *place_of;
    lg_places *places;
    lg__roottree tree;
    lg__place_words *words; // [place]
    uint32_t *before;       // [place] the object that holds most members
    uint32_t *nameless;     // [place] the nearest nameless place, from it up
    uint64_t *votes;        // [place] those for the candidate, less the others
    uint8_t *unlike;        // [place] members have several titles
    lg__vector running;     // variable, by value
    lg_text text;
} naming;

static bool
is_nameless(const lg_places *places, const lg__place_item *item)
{
    return item->kind == LG_PLACE_SEVERAL ||
           (item->kind == LG_PLACE_ROOT &&
            lg__places_text(places, item->label).length == 0);
}

// Returns whether the node is a member of its place, not a part of one.
static bool
is_member(const naming *state, uint32_t node, const lg__place_item *item)
{
    lg_string type =
        lg_graph_type(state->graph,
                      lg_columns_type(&state->graph->columns, node))
            .name;
    return lg__fold_owner(state->tree.walk.fold, node) == LG_NONE &&
           lg__text_is_like(type, lg__places_text(state->places, item->type));
}

static int
compare_variables(const void *left, const void *right)
{
    const variable *a = left;
    const variable *b = right;
    return a->value != b->value   ? (a->value < b->value ? -1 : 1)
           : a->frame != b->frame ? (a->frame < b->frame ? -1 : 1)
                                  : 0;
}

static bool
add_variables(naming *state, uint32_t frame)
{
    lg_allocator allocator = lg_allocator_default();
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(state->graph, edge) != LG_EDGE_LOCAL)
            continue;
        variable *added = lg__vector_extend(&allocator, &state->running, 1);
        if (added == NULL)
            return false;
        *added = (variable){lg_columns_target(columns, edge), frame};
    }
    return true;
}

static bool
list_variables(naming *state)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__vector running = {.element = sizeof(lg__running)};
    bool enough = lg__running_list(state->graph, &running);
    const lg__running *items = running.data;
    for (size_t i = 0; i < running.count && enough; i++)
        enough = add_variables(state, items[i].frame);
    lg__vector_free(&allocator, &running);
    if (enough && state->running.count > 0)
        lg__sort(state->running.data, state->running.count, sizeof(variable),
                 compare_variables);
    return enough;
}

// Returns a running frame that has the node in a variable, or LG_NONE.
static uint32_t
frame_with(const naming *state, uint32_t node)
{
    const variable *found =
        lg_items_find(state->running.data, state->running.count,
                      LG_ITEM_KEY(variable, value), node);
    return found != NULL ? found->frame : (uint32_t)LG_NONE;
}

// Returns the place from which the shortest path reaches the node, or that of
// the frame that has one of several; LG_NONE if none does. What most threads
// have each, such as the object whose method they run, they keep.
static uint32_t
keeper_of(const naming *state, uint32_t node)
{
    uint32_t place = state->place_of[node];
    uint32_t frame = lg__place_at(state->places, place)->members > 1
                         ? frame_with(state, node)
                         : (uint32_t)LG_NONE;
    if (frame != LG_NONE && state->place_of[frame] != place)
        return state->place_of[frame];
    uint32_t at = node;
    for (int i = 0; i < HELD_BY_ITSELF; i++) {
        uint32_t before = lg__roottree_before(&state->tree, at);
        if (before == LG_NONE || before == at)
            return LG_NONE;
        if (state->place_of[before] != place)
            return state->place_of[before];
        at = before;
    }
    return LG_NONE;
}

static bool
may_vote(const naming *state, uint32_t node)
{
    uint32_t place = state->place_of[node];
    if (place == LG_NONE || lg__roottree_before(&state->tree, node) == LG_NONE)
        return false;
    const lg__place_item *item = lg__place_at(state->places, place);
    return is_nameless(state->places, item) && is_member(state, node, item);
}

// Counts votes. Returns whether they are for the candidate, which they may
// make.
static bool
count_votes(uint64_t *votes, uint32_t *candidate, uint32_t vote,
            uint64_t weight)
{
    if (*candidate == vote)
        *votes += weight;
    else if (*votes < weight) {
        *candidate = vote;
        *votes = weight - *votes;
    } else
        *votes -= weight;
    return *candidate == vote;
}

static void
elect_keepers(naming *state)
{
    uint32_t nodes = state->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t place = state->place_of[node];
        if (may_vote(state, node))
            count_votes(&state->votes[place], &state->words[place].keeper,
                        keeper_of(state, node), 1);
    }
}

// Returns the member of the nameless place above a node that dominates it.
static uint32_t
member_above(const naming *state, uint32_t node)
{
    uint32_t wanted = state->nameless[state->place_of[node]];
    uint32_t at = node;
    for (int i = 0; i < BELOW_MOST; i++) {
        at = lg__dominator_of(state->analysis, at);
        if (at >= state->graph->columns.node_count)
            return LG_NONE;
        if (state->place_of[at] == wanted &&
            lg__fold_owner(state->tree.walk.fold, at) == LG_NONE)
            return at;
    }
    return LG_NONE;
}

// Returns for which object a node votes, or LG_NONE.
static uint32_t
holder_of(const naming *state, uint32_t node)
{
    uint32_t place = state->place_of[node];
    if (may_vote(state, node))
        return state->words[place].keeper == keeper_of(state, node)
                   ? lg__roottree_before(&state->tree, node)
                   : LG_NONE;
    if (place == LG_NONE || state->nameless[place] == LG_NONE ||
        state->nameless[place] == place ||
        !is_member(state, node, lg__place_at(state->places, place)))
        return LG_NONE;
    return member_above(state, node);
}

// Returns how much the vote of a node counts. What elements retain decides of
// which container the place tells: there are small ones everywhere.
static uint64_t
weight_of(const naming *state, uint32_t node)
{
    return may_vote(state, node) ? 1
                                 : 1 + lg__sum_of(&state->analysis->host, node);
}

// Of the members that the keeper's place holds, elects one that is held by the
// same object as most, if one object holds most of them.
static void
elect_examples(naming *state)
{
    uint32_t nodes = state->graph->columns.node_count;
    uint32_t count = lg_places_count(state->places);
    memset(state->votes, 0, count * sizeof *state->votes);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t place = state->place_of[node];
        uint32_t holder = holder_of(state, node);
        if (holder != LG_NONE &&
            count_votes(&state->votes[place], &state->before[place], holder,
                        weight_of(state, node)))
            lg__place_at(state->places, place)->example = node;
    }
}

// A place comes after the one above it.
static void
find_nameless(naming *state)
{
    uint32_t count = lg_places_count(state->places);
    for (uint32_t place = 0; place < count; place++) {
        const lg__place_item *item = lg__place_at(state->places, place);
        bool top = item->parent == LG_NONE;
        state->nameless[place] = is_nameless(state->places, item) ? place
                                 : top                            ? LG_NONE
                                       : state->nameless[item->parent];
    }
}

// Returns whether the way up from a place leads back to it.
static bool
is_circular(const naming *state, uint32_t place)
{
    uint32_t at = place;
    for (int i = 0; i < LG__STEPS_MOST && at != LG_NONE; i++) {
        uint32_t keeper = state->words[at].keeper;
        at = keeper != LG_NONE ? keeper
                               : lg__place_at(state->places, at)->parent;
        if (at == place)
            return true;
    }
    return false;
}

static void
elect(naming *state)
{
    uint32_t count = lg_places_count(state->places);
    for (uint32_t place = 0; place < count; place++)
        state->words[place] =
            (lg__place_words){place, LG_NONE, LG_NONE, LG_NONE};
    find_nameless(state);
    elect_keepers(state);
    elect_examples(state);
    for (uint32_t place = 0; place < count; place++)
        if (is_circular(state, place))
            state->words[place].keeper = LG_NONE;
}

static bool
has_title(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_FUNCTION || category == LG_CATEGORY_TYPE ||
           category == LG_CATEGORY_FRAME || category == LG_CATEGORY_MODULE;
}

// Returns whether the members of the place may have other names than its last
// step.
static bool
is_titled(const lg__place_item *item)
{
    return item->members > 1 || item->kind == LG_PLACE_ITEM ||
           item->kind == LG_PLACE_KEY || item->kind == LG_PLACE_SEVERAL;
}

// Returns whether the place is that of the handlers of atexit, which the
// interpreter keeps in a list from Python 3.14 on.
static bool
has_exit_handlers(const lg_places *places, const lg__place_item *item)
{
    if (item->kind != LG_PLACE_ITEM || item->parent == LG_NONE)
        return false;
    const lg__place_item *list = lg__place_at(places, item->parent);
    return lg__string_is(lg__places_text(places, list->label),
                         "atexit handlers");
}

// Takes the newest handler of atexit as the example. Python puts it in front of
// the older ones, while lists that programs fill have the newest last.
static void
choose_handlers(naming *state)
{
    const lg_columns *columns = &state->graph->columns;
    uint32_t count = lg_places_count(state->places);
    for (uint32_t place = 0; place < count; place++) {
        lg__place_item *item = lg__place_at(state->places, place);
        if (item->example == LG_NONE || !has_exit_handlers(state->places, item))
            continue;
        uint32_t list = lg__roottree_before(&state->tree, item->example);
        uint64_t end =
            list == LG_NONE ? 0 : lg_columns_first_edge(columns, list + 1);
        uint64_t edge =
            list == LG_NONE ? 0 : lg_columns_first_edge(columns, list);
        while (edge < end &&
               state->place_of[lg_columns_target(columns, edge)] != place)
            edge++;
        if (edge < end)
            item->example = lg_columns_target(columns, edge);
    }
}

// Returns whose title tells of a node. A handler of atexit is a tuple of a
// function and its arguments: that function tells of it.
static uint32_t
titled_by(const naming *state, const lg__place_item *item, uint32_t node)
{
    const lg_columns *columns = &state->graph->columns;
    uint64_t first = lg_columns_first_edge(columns, node);
    uint32_t before = lg__roottree_before(&state->tree, node);
    if (lg__node_role(state->graph, node) != LG__ROLE_TUPLE ||
        before == LG_NONE || state->place_of[before] != item->parent ||
        first == lg_columns_first_edge(columns, node + 1) ||
        !has_exit_handlers(state->places, item))
        return node;
    return lg_columns_target(columns, first);
}

// Marks the places whose members do not all have the title of the example.
static void
compare_titles(naming *state)
{
    uint32_t nodes = state->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t place = state->place_of[node];
        if (place == LG_NONE)
            continue;
        const lg__place_item *item = lg__place_at(state->places, place);
        uint32_t titled = titled_by(state, item, node);
        if (has_title(state->graph, titled) && item->example != LG_NONE &&
            is_titled(item) && is_member(state, node, item) &&
            !lg__nodes_alike(state->graph, titled,
                             titled_by(state, item, item->example)))
            state->unlike[place] = 1;
    }
}

static bool
take_text(naming *state, uint32_t *string)
{
    lg_string text = {state->text.data, (uint32_t)state->text.length};
    if (state->text.failed)
        return false;
    *string = lg__places_string(state->places, text);
    state->text.length = 0;
    return *string != LG_NONE;
}

// Names the example of functions, classes, coroutines ...
static bool
find_title(naming *state, const lg__place_item *item, lg__place_words *words)
{
    if (item->example == LG_NONE || !is_titled(item))
        return true;
    uint32_t titled = titled_by(state, item, item->example);
    if (!has_title(state->graph, titled) ||
        !is_member(state, item->example, item))
        return true;
    lg_node_title(state->graph, titled, false, &state->text);
    if (state->unlike[words->place])
        lg_text_add(&state->text, " or similar");
    return take_text(state, &words->title);
}

// Writes who holds modules that differ in numbers.
static bool
find_modules(naming *state, lg__place_words *words)
{
    lg_text_add(&state->text, "sys.modules[*]");
    return take_text(state, &words->holder);
}

// Writes the path to the example, unless the steps of the place say the same.
static lg_status
find_holder(naming *state, const lg__place_item *item, lg__place_words *words,
            lg_error *err)
{
    lg_path path = {0};
    lg_text steps = {0};
    if (item->example == LG_NONE)
        return LG_OK;
    if (item->members > 1 &&
        lg__node_category(state->graph, item->example) == LG_CATEGORY_MODULE)
        return find_modules(state, words) ? LG_OK : lg__error_memory(err);
    lg_status status =
        lg__roottree_path(&state->tree, item->example, &path, err);
    if (status != LG_OK)
        return status == LG_ENOTFOUND ? LG_OK : status;
    lg_place_format(state->places, words->place, &steps);
    lg__format_folded_path(state->graph, &path, &state->text);
    bool same = !steps.failed && !state->text.failed &&
                lg__string_fits(
                    (lg_string){state->text.data, (uint32_t)state->text.length},
                    (lg_string){steps.data, (uint32_t)steps.length});
    bool taken = !steps.failed && take_text(state, &words->holder);
    if (same)
        words->holder = LG_NONE;
    lg_text_free(&steps);
    lg_path_free(&path);
    return taken ? LG_OK : lg__error_memory(err);
}

// Names all places in order, because the name of one begins with that of the
// place above it.
static lg_status
name_all(naming *state, lg_error *err)
{
    uint64_t least;
    uint32_t count = lg_places_count(state->places);
    lg_status status = LG_OK;
    if (!lg__places_least(state->places, LG__PLACES_SAVED, &least))
        return lg__error_memory(err);
    for (uint32_t place = 0; place < count && status == LG_OK; place++) {
        lg__place_words *words = &state->words[place];
        const lg__place_item *item = lg__place_at(state->places, place);
        if (!find_title(state, item, words))
            return lg__error_memory(err);
        if (least == 0 || lg__place_total(state->places, place) > least)
            status = find_holder(state, item, words, err);
        bool known = words->keeper != LG_NONE || words->holder != LG_NONE ||
                     words->title != LG_NONE;
        if (status == LG_OK && known &&
            !lg__places_add_words(state->places, *words))
            status = lg__error_memory(err);
    }
    return status;
}

static bool
begin(naming *state)
{
    size_t count = (size_t)lg_places_count(state->places) + 1;
    state->words = lg__alloc(count * sizeof *state->words);
    state->before = lg__calloc(count, sizeof *state->before);
    state->nameless = lg__alloc(count * sizeof *state->nameless);
    state->votes = lg__calloc(count, sizeof *state->votes);
    state->unlike = lg__calloc(count, 1);
    return state->words != NULL && state->before != NULL &&
           state->nameless != NULL && state->votes != NULL &&
           state->unlike != NULL;
}

lg_status
lg__places_find_words(lg_places *places, const uint32_t *place_of,
                      const lg_analysis *analysis, const lg_monitor *monitor,
                      lg_error *err)
{
    naming state = {.analysis = analysis,
                    .graph = analysis->graph,
                    .place_of = place_of,
                    .places = places,
                    .running = {.element = sizeof(variable)}};
    lg_allocator allocator = lg_allocator_default();
    lg_status status =
        lg__analysis_at_rest(analysis, monitor, &state.analysis, err);
    if (status == LG_OK)
        status = lg__roottree_at_rest(state.graph, monitor, &state.tree, err);
    if (status == LG_OK && !(begin(&state) && list_variables(&state)))
        status = lg__error_memory(err);
    if (status == LG_OK) {
        elect(&state);
        choose_handlers(&state);
        compare_titles(&state);
        status = name_all(&state, err);
    }
    lg__vector_free(&allocator, &state.running);
    lg__roottree_free(&state.tree);
    lg__free(state.words);
    lg__free(state.before);
    lg__free(state.nameless);
    lg__free(state.votes);
    lg__free(state.unlike);
    lg_text_free(&state.text);
    return status;
}
