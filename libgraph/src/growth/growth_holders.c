// Finds who holds what grows, and what goes when they let go.
//
// The members of a row are the nodes of its place. A referrer of a member that
// is no member itself, nor below one, keeps it from outside. Referrers of one
// place are one group. A group with about as many nodes as it refers to holds
// nothing together: 12,000 bound methods, each with its session. What refers
// to the group does, and so on upwards. A group of few nodes that refers to
// many is a holder: the one list that has all the methods. Whoever empties the
// containers of a holder cuts all that it holds. Of an object that is no
// container only the references go that lead to members. The pieces of a buffer
// hold nothing themselves: the iterators do that have yet to read them, which a
// program empties by reading on.
//
// Rows that have a holder in common are one leak, and so is a row whose holders
// lie below those of a row with a larger gain. The row with the largest gain
// leads, and has the holders of all of them but those that go with others: what
// the roots no longer reach once the containers of the others are empty. A
// cache that has some of the members for now holds none of the leak: what it
// has, a holder of more has, too. It frees next to nothing alone, and the
// others free the leak without it, so it is not named.
#include "growth/growth_groups.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = 12,       // of referrers above a member
    MEMBERS = 1 << 15, // of a row that are looked at
    HOPS = 1 << 21,    // references that are looked at for a row
    ROWS = 16,         // rows whose holders are found
    TYPES = 8,         // other types of a row whose holders are found
    // An object that is no container holds if there are few like it: at most
    // one for so many members.
    FEW = 16,
    BRANCHES = 4, // fewer than so many has the first node of a chain or tree
};

typedef struct search {
    const lg_analysis *analysis;
    const lg_analysis *at_rest; // see lg__analysis_at_rest
    lg_places *places;
    uint32_t *place_of;
    lg__hop_walk walk;
    uint32_t place;         // of the members
    uint32_t node;          // whose referrers are visited
    uint32_t above[LEVELS]; // places of the groups on the way
    uint32_t level;
    uint32_t left;     // how many references may still be looked at
    uint32_t members;  // how many there are
    lg__groups *found; // on this level
    lg__groups *kept;  // holders of the row
    uint8_t *reached;  // [node] the roots lead to it around all containers
    lg__gathered weak; // the dicts of weak dictionaries
    bool failed;
} search;

// Returns whether the node is a member or below one, or of a group on the way.
static bool
is_inside(const search *to, uint32_t node)
{
    for (uint32_t i = 0; i < to->level; i++)
        if (to->place_of[node] == to->above[i])
            return true;
    for (int i = 0; i < LG__GROUP_INNER && node != LG_NONE; i++) {
        if (to->place_of[node] == to->place)
            return true;
        node = lg_node_dominator(to->at_rest, node);
    }
    return false;
}

static bool
is_piece(const search *to, uint32_t node)
{
    return lg__node_is_a(to->walk.graph, node, LG__PIECE);
}

static bool
add_source(void *context, const lg_hop *hop)
{
    search *to = context;
    if (to->left == 0)
        return false;
    to->left--;
    if (hop->weak || !lg_node_is_reachable(to->analysis, hop->source) ||
        is_inside(to, hop->source) ||
        (is_piece(to, hop->source) && is_piece(to, to->node)))
        return true;
    lg__group *of = lg__groups_at(to->found, to->place_of[hop->source]);
    if (of == NULL)
        return true;
    if (of->led == 0)
        of->hop = *hop;
    if (of->last != to->node) {
        of->led++;
        to->failed |= !lg__gather_append(&of->targets, to->node);
    }
    of->last = to->node;
    to->failed |= !lg__gather_append(&of->nodes, hop->source);
    return !to->failed;
}

static uint64_t
last_edge(const lg__group *found)
{
    return found->hop.edges[found->hop.edge_count - 1];
}

// Returns whether programs can empty the node: a list, a dict, a deque, but not
// a frozenset or the dict of an object. A cached function has a method for it,
// and an iterator of itertools.tee() is read to its end.
static bool
is_container(const search *to, const lg__group *found)
{
    const lg_graph *graph = to->walk.graph;
    uint32_t node = found->nodes.items[0];
    if (lg__node_is_a(graph, node, "functools._lru_cache_wrapper") ||
        lg__node_is_a(graph, node, "itertools._tee"))
        return true;
    return lg__node_category(graph, node) == LG_CATEGORY_CONTAINER &&
           lg__fold_owner(to->walk.fold, node) == LG_NONE &&
           lg__edge_can_be_cut(graph, last_edge(found));
}

// Returns whether an object of C has many elements: references with a number
// alone. A program empties it by a method of its own.
static bool
has_elements(const search *to, const lg__group *found)
{
    return lg__edge_kind(to->walk.graph, last_edge(found)) ==
               LG_EDGE_REFERENCE &&
           found->led >= BRANCHES * found->nodes.count;
}

// Adds a holder to those of the row. Takes over the memory of the group.
static void
keep(search *to, lg__group *found)
{
    uint32_t place =
        found->empties ? found->place : to->place_of[found->targets.items[0]];
    lg__group *known = lg__groups_at(to->kept, place);
    if (known == NULL) {
        lg__groups_empty(found);
        return;
    }
    if (known->led == 0) {
        *known = *found;
        known->place = place;
        *found = (lg__group){0};
        return;
    }
    known->share = found->share > known->share ? found->share : known->share;
    known->led += found->led;
    to->failed |= !lg__gather_all(&known->nodes, &found->nodes) ||
                  !lg__gather_all(&known->targets, &found->targets);
    lg__groups_empty(found);
}

// Returns whether the nodes are like what they lead to, and lead to few: the
// first element of a chain, or of a tree. A list of lists leads to many.
static bool
begins_a_chain(const search *to, const lg__group *found)
{
    const lg_columns *columns = &to->walk.graph->columns;
    return lg_columns_type(columns, found->nodes.items[0]) ==
               lg_columns_type(columns, found->targets.items[0]) &&
           found->led < BRANCHES * found->nodes.count;
}

// Returns whether a program can let go of what the nodes hold: of the elements
// of a tuple only who holds it can. A tuple of few lists has variables.
static bool
can_let_go(const search *to, const lg__group *found)
{
    const lg_graph *graph = to->walk.graph;
    uint32_t target = found->targets.items[0];
    return found->empties || lg__edge_can_be_cut(graph, last_edge(found)) ||
           (found->led < BRANCHES * found->nodes.count &&
            lg__edge_kind(graph, last_edge(found)) == LG_EDGE_INDEX &&
            lg__node_category(graph, target) == LG_CATEGORY_CONTAINER &&
            lg__node_can_be_emptied(graph, target));
}

static bool
holds_together(const search *to, const lg__group *found)
{
    size_t nodes = found->nodes.count;
    if (is_piece(to, found->nodes.items[0]) || begins_a_chain(to, found) ||
        !can_let_go(to, found))
        return false;
    return nodes == 1 || (found->empties ? 2 * nodes <= found->led
                                         : FEW * nodes <= to->members);
}

static bool look_above(search *to, const lg__gathered *nodes, double share);

// Returns whether the group is a holder, or one is above it.
static bool
go_on(search *to, lg__group *found, size_t below, double share)
{
    lg__gather_once(&found->nodes);
    found->share = share * (double)found->led / (double)below;
    found->empties =
        lg__node_is_a(to->walk.graph, found->nodes.items[0], "_io.BytesIO") ||
        (to->members > 1 &&
         (is_container(to, found) || has_elements(to, found)));
    if (holds_together(to, found) || to->level == LEVELS || to->left == 0) {
        keep(to, found);
        return true;
    }
    bool piece = is_piece(to, found->nodes.items[0]);
    to->above[to->level++] = piece ? LG_NONE : found->place;
    bool held = look_above(to, &found->nodes, found->share);
    to->level--;
    // What only roots refer to has no holder but itself.
    if (!held && to->level == 0)
        keep(to, found);
    else
        lg__groups_empty(found);
    return held;
}

static bool
look_above(search *to, const lg__gathered *nodes, double share)
{
    lg__groups *found = lg__calloc(1, sizeof *found);
    lg__groups *before = to->found;
    bool held = false;
    if (found == NULL) {
        to->failed = true;
        return false;
    }
    to->found = found;
    for (size_t i = 0; i < nodes->count && !to->failed; i++) {
        to->node = nodes->items[i];
        lg__hops_in_walk(&to->walk, to->node);
    }
    to->found = before;
    for (size_t i = 0; i < found->count && !to->failed; i++)
        held |= go_on(to, &found->items[i], nodes->count, share);
    lg__groups_free(found);
    lg__free(found);
    return held;
}

static bool
gather_members(const search *to, lg__gathered *out)
{
    uint32_t nodes = to->walk.graph->columns.node_count;
    for (uint32_t node = 0; node < nodes && out->count < MEMBERS; node++)
        if (to->place_of[node] == to->place &&
            lg__fold_owner(to->walk.fold, node) == LG_NONE &&
            !lg__gather_append(out, node))
            return false;
    return true;
}

// What grows in place is its own holder.
static bool
keep_itself(const search *to, const lg__gathered *members, lg__groups *kept)
{
    lg__group *itself = lg__groups_at(kept, to->place);
    kept->members = members->count;
    itself->led = 1;
    itself->share = 1;
    itself->empties = true;
    return lg__gather_all(&itself->nodes, members);
}

// Finds the holders of members of one place. The first `level` places above are
// no holders.
static bool
find_holders(search *to, const lg__gathered *members, uint32_t level,
             lg__groups *kept)
{
    to->kept = kept;
    kept->members = members->count;
    to->left = HOPS;
    to->level = level;
    to->failed = false;
    to->members = (uint32_t)members->count;
    if (members->count > 0)
        (void)look_above(to, members, 1);
    lg__groups_drop_minor(kept);
    lg__groups_settle(kept);
    return !to->failed;
}

// Returns whether members of these types are parts of one leak, which differ in
// what holds them for now. Of tuples and dicts nobody knows.
static bool
are_alike(lg_string one, lg_string other)
{
    return lg__string_same(one, other) && lg__growth_is_telling(one);
}

// Returns whether what a row has along is next to nothing beside it, such as
// the ids of users: it goes with the users, but what else has the ids is no
// part of the leak. Two containers that share nothing but ids are two.
static bool
are_ids(const lg_growth_row *row, lg_string type, int64_t gained)
{
    enum { PART = 10 };
    return gained < row->gained / PART &&
           lg__category_of_name(type) == LG_CATEGORY_ATOM &&
           lg__category_of_name(row->type) != LG_CATEGORY_ATOM;
}

static lg_string
type_of_place(const search *to, uint32_t place)
{
    return lg__places_text(to->places, lg__place_at(to->places, place)->type);
}

// Adds the holders of another place to those of a row; of ids, only those that
// the row has.
static bool
add_holders_of(search *to, uint32_t place, bool ids, lg__groups *kept)
{
    lg__gathered members = {0};
    lg__groups *found = lg__calloc(1, sizeof *found);
    uint32_t row = to->place;
    bool failed = found == NULL;
    to->above[0] = row;
    to->place = place;
    failed = failed || !gather_members(to, &members) ||
             !find_holders(to, &members, 1, found);
    if (!failed && ids)
        lg__groups_keep_common(found, kept);
    bool alike = are_alike(type_of_place(to, row), type_of_place(to, place));
    if (!failed)
        lg__groups_hand_over(kept, found, alike, &failed);
    to->place = row;
    lg__free(members.items);
    if (found != NULL)
        lg__groups_free(found);
    lg__free(found);
    return !failed;
}

// Adds the holders of what the members of a row share with others, such as
// another list that has it: all must let go of it.
static bool
add_sharers(search *to, const lg_growth_row *row, lg__groups *kept)
{
    bool found = true;
    for (uint32_t i = 0; i < row->shared_count && found; i++) {
        uint32_t shared = lg_places_find(to->places, row->shared[i]);
        found = shared == LG_NONE || add_holders_of(to, shared, false, kept);
    }
    return found;
}

// Returns whether a row takes both places together, and counts their members.
static bool
are_of_one_row(const lg_places *places, const lg__grown *one,
               const lg__grown *other)
{
    return one->place != other->place && one->group == other->group &&
           one->pace == other->pace && one->verdict == other->verdict &&
           lg__place_at(places, one->place)->kind ==
               lg__place_at(places, other->place)->kind;
}

// Adds the holders of members of other types, which may have other containers:
// of those that gained the most, which come first.
static bool
add_other_types(search *to, const lg__comparison *state,
                const lg_growth_row *row, lg__groups *kept)
{
    const lg__grown *all = state->found.data, *lead = NULL;
    unsigned types = 0;
    bool found = true;
    for (size_t i = 0; i < state->found.count; i++)
        if (lg__place_at(state->newest, all[i].place)->key == row->key)
            lead = &all[i];
    for (size_t i = 0; i < state->found.count && lead != NULL && found; i++) {
        if (!are_of_one_row(state->newest, lead, &all[i]))
            continue;
        if (types++ == TYPES)
            break;
        uint32_t place = lg_places_find(
            to->places, lg__place_at(state->newest, all[i].place)->key);
        found =
            place == LG_NONE ||
            add_holders_of(
                to, place,
                are_ids(row, type_of_place(to, place), all[i].weight), kept);
    }
    return found;
}

// Where a program replaces what grows, who holds it is the holder.
static bool
find_holders_of_row(search *to, const lg__comparison *state,
                    const lg_growth_row *row, lg__groups *kept)
{
    lg__gathered members = {0};
    bool found = gather_members(to, &members);
    bool itself = row->verdict == LG_GROWTH_IN_PLACE && members.count > 0 &&
                  lg__node_can_be_emptied(to->walk.graph, members.items[0]);
    found = found && (itself ? keep_itself(to, &members, kept)
                             : find_holders(to, &members, 0, kept));
    found = found && add_sharers(to, row, kept);
    if (row->types > 1 && row->verdict == LG_GROWTH_ACCUMULATES)
        found = found && add_other_types(to, state, row, kept);
    lg__free(members.items);
    return found;
}

// Returns whether two rows are one leak. The first one gained more.
static bool
are_one(const search *to, const lg__groups *one, const lg__groups *other)
{
    bool below = other->count > 0 && one->count > 0;
    for (size_t i = 0; i < other->count; i++) {
        for (size_t j = 0; j < one->count; j++)
            if (one->items[j].place == other->items[i].place)
                return true;
        below &= lg__groups_have_below(one, to->at_rest, &other->items[i]);
    }
    return below;
}

static lg_status
mark_reached(search *to, const lg__groups *all, const lg_monitor *monitor,
             lg_error *err)
{
    lg__gathered emptied = {0};
    bool failed = false;
    lg__groups_containers(all, &emptied, &failed);
    lg__free(to->reached);
    to->reached = NULL;
    lg_status status =
        failed ? lg__error_memory(err)
               : lg__set_reached(to->analysis, emptied.items, emptied.count,
                                 monitor, &to->reached, err);
    lg__free(emptied.items);
    return status;
}

static bool
is_unreached(void *context, const lg_hop *hop)
{
    const search *to = context;
    return hop->weak || !to->reached[hop->source];
}

// Returns whether the roots lead to a node of the group by a path around all
// containers.
static bool
is_entered(search *to, const lg__group *item)
{
    lg__hop_walk walk = to->walk;
    walk.visit = is_unreached;
    const uint32_t *node = item->nodes.items;
    const uint32_t *end = node + item->nodes.count;
    while (node < end && !to->reached[*node] &&
           (to->analysis->policy.mark[*node] & LG__MARK_POLICY) == 0 &&
           lg__hops_in_walk(&walk, *node))
        node++;
    return node < end;
}

// Drops holders that go once the containers of the others are empty, such as
// the parts of a figure that refer back to it. On the way from a root to any
// holder, the first container stays, so what all hold goes as before.
static void
drop_behind(search *to, lg__groups *all)
{
    bool behind[LG__GROUPS];
    for (size_t i = 0; i < all->count; i++)
        behind[i] = !is_entered(to, &all->items[i]);
    lg__groups_drop(all, behind);
}

// Joins a row into one that gained more, which leads both.
static void
join_row(lg_growth *growth, lg__groups *of, uint32_t lead, uint32_t row,
         bool *failed)
{
    const lg_growth_row *rows = growth->rows;
    if (are_ids(&rows[lead], rows[row].type, rows[row].gained))
        lg__groups_keep_common(&of[row], &of[lead]);
    lg__groups_hand_over(&of[lead], &of[row],
                         are_alike(rows[lead].type, rows[row].type), failed);
    for (size_t i = 0; i < growth->count; i++)
        if (rows[i].lead == row)
            growth->rows[i].lead = lead;
}

// Joins rows that have a holder in common, until none is left that do.
static void
join_rows(const search *to, lg_growth *growth, lg__groups *of, size_t rows,
          bool *failed)
{
    for (bool again = true; again && !*failed;) {
        again = false;
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t j = i + 1; j < rows; j++)
                if (are_one(to, &of[i], &of[j])) {
                    join_row(growth, of, i, j, failed);
                    again = true;
                }
    }
}

typedef struct asking {
    search *search;
    const lg__groups *all;
    const lg__group *alone;
    bool held; // by something else, too
} asking;

static bool
ask_source(void *context, const lg_hop *hop)
{
    asking *to = context;
    to->held |= !hop->weak &&
                lg_node_is_reachable(to->search->analysis, hop->source) &&
                !is_inside(to->search, hop->source) &&
                (to->alone != NULL || to->search->reached[hop->source]) &&
                !lg__groups_have(to->all, to->alone, hop->source);
    return !to->held;
}

// Returns whether instances of subclasses of list and dict, or objects of C
// with elements, are the holder: when they are empty, they keep their
// attributes.
static bool
keeps_attributes(const search *to, const lg__group *item)
{
    const lg_graph *graph = to->walk.graph;
    return item->empties &&
           (lg__node_category(graph, item->nodes.items[0]) ==
                LG_CATEGORY_CONTAINER ||
            (item->hop.edge_count > 0 &&
             lg__edge_kind(graph, last_edge(item)) == LG_EDGE_REFERENCE));
}

// Gathers what must be gone for the holders, or one of them, to hold nothing:
// their containers, and what nothing else refers to.
static bool
gather_cut(search *to, const lg__groups *all, const lg__group *alone,
           lg__gathered *out, lg__gathered *emptied)
{
    asking ask = {.search = to, .all = all, .alone = alone};
    lg__hop_walk walk = to->walk;
    walk.visit = ask_source;
    walk.context = &ask;
    for (size_t i = 0; i < all->count; i++) {
        const lg__group *item = &all->items[i];
        if (alone != NULL && alone != item)
            continue;
        const lg__gathered *nodes =
            item->empties ? &item->nodes : &item->targets;
        if (keeps_attributes(to, item) && !lg__gather_all(emptied, nodes))
            return false;
        for (size_t j = 0; j < nodes->count; j++) {
            ask.held = false;
            if (!item->empties)
                lg__hops_in_walk(&walk, nodes->items[j]);
            if (!ask.held && !lg__gather_append(out, nodes->items[j]))
                return false;
        }
    }
    return true;
}

static lg_status
weigh(search *to, const lg__comparison *state, const lg__groups *all,
      const lg__group *alone, uint64_t *bytes, uint64_t *total, lg_error *err)
{
    lg__gathered cut = {0};
    lg__gathered emptied = {0};
    lg_status status = gather_cut(to, all, alone, &cut, &emptied)
                           ? LG_OK
                           : lg__error_memory(err);
    lg__gather_once(&cut);
    if (status == LG_OK && cut.count > 0)
        status = lg__nodes_freed_each(to->analysis, &cut, &emptied, &to->weak,
                                      state->monitor, bytes, err);
    *total = status == LG_OK ? lg_bytes_sum(bytes, state->each) : 0;
    lg__free(cut.items);
    lg__free(emptied.items);
    return status;
}

static int
by_bytes(const void *left, const void *right)
{
    const lg_growth_holder *a = left;
    const lg_growth_holder *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static lg_status
set_path(lg__finder *finder, const lg__comparison *state, const lg__group *from,
         lg_growth_holder *out, lg_error *err)
{
    out->node = from->empties
                    ? lg_nodes_biggest(state->analysis, from->nodes.items,
                                       from->nodes.count)
                    : from->hop.target;
    lg_status status =
        lg__finder_path(finder, from->empties ? out->node : from->hop.source,
                        state->monitor, &out->path, err);
    if (status == LG_OK && !from->empties)
        status = lg__path_extend(&out->path, &from->hop, 1, err);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

// Weighs the holders but one, and leaves marked what the roots reach then.
static lg_status
weigh_others(search *to, const lg__comparison *state, const lg__groups *all,
             size_t index, uint64_t *bytes, uint64_t *total, lg_error *err)
{
    lg__groups others = *all;
    others.items[index] = others.items[--others.count];
    memset(bytes, 0, state->each * sizeof *bytes);
    lg_status status = mark_reached(to, &others, state->monitor, err);
    return status == LG_OK ? weigh(to, state, &others, NULL, bytes, total, err)
                           : status;
}

// Returns whether the others free the leak without the holder: all that the row
// gained and most of what goes with all holders, or all of that but about the
// holder's share. Who holds the end of a chain keeps all of it with a small
// share of the members.
static bool
frees_enough(const lg__group *without, double others, double total,
             double gained)
{
    const double about = 1.25;
    return (others >= gained && 2 * others >= total) ||
           total - others <= about * without->share * total;
}

// Drops holders of less than half of the members that free little alone, if the
// others free the leak. Leaves marked what the roots reach without the others.
static lg_status
drop_innocent(search *to, const lg__comparison *state, lg__groups *all,
              int64_t gained, lg_error *err)
{
    double most = lg__groups_most(all);
    uint64_t total = 0;
    uint64_t alone = 0;
    uint64_t others = 0;
    uint64_t *bytes = lg__calloc(state->each, sizeof *bytes);
    if (bytes == NULL)
        return lg__error_memory(err);
    lg_status status = weigh(to, state, all, NULL, bytes, &total, err);
    for (size_t i = all->count; i-- > 0 && status == LG_OK;) {
        bool innocent[LG__GROUPS] = {false};
        const lg__group *item = &all->items[i];
        if (2 * item->share >= most)
            continue;
        memset(bytes, 0, state->each * sizeof *bytes);
        status = weigh(to, state, all, item, bytes, &alone, err);
        if (status == LG_OK)
            status = weigh_others(to, state, all, i, bytes, &others, err);
        innocent[i] =
            (double)alone * LG__GROUP_PART < item->share * (double)total &&
            frees_enough(item, (double)others, (double)total, (double)gained);
        if (status == LG_OK)
            lg__groups_drop(all, innocent);
    }
    lg__free(bytes);
    return status == LG_OK ? mark_reached(to, all, state->monitor, err)
                           : status;
}

// Leaves out all holders but the first if that alone frees nearly all: others,
// such as words of blocks that lead to a few members, are not worth a word.
static void
keep_enough(lg_growth_row *row, size_t each)
{
    enum { NEARLY_ALL = 98 };
    uint64_t *freed = (uint64_t *)(uintptr_t)row->freed;
    if (row->holder_count < 2 ||
        row->holders[0].total < row->freed_total / 100 * NEARLY_ALL)
        return;
    for (size_t i = 1; i < row->holder_count; i++)
        lg_path_free(&row->holders[i].path);
    row->holder_count = 1;
    row->freed_total = row->holders[0].total;
    memcpy(freed, row->holders[0].alone, each * sizeof *freed);
}

static lg_status
answer(search *to, lg__comparison *state, lg__finder *finder, lg__groups *from,
       lg_growth_row *row, lg_error *err)
{
    size_t each = state->each;
    uint64_t *bytes = lg__calloc((from->count + 1) * each, sizeof *bytes);
    row->holders = lg__calloc(from->count + 1, sizeof *row->holders);
    row->freed = bytes;
    if (bytes == NULL || row->holders == NULL)
        return lg__error_memory(err);
    lg_status status =
        weigh(to, state, from, NULL, bytes, &row->freed_total, err);
    for (size_t i = 0; i < from->count && status == LG_OK; i++) {
        lg_growth_holder *made = &row->holders[row->holder_count++];
        const lg__group *item = &from->items[i];
        made->key = lg__place_at(to->places, item->place)->key;
        made->count = item->empties ? item->nodes.count : item->targets.count;
        made->empties = item->empties;
        made->alone = bytes + (i + 1) * each;
        status = weigh(to, state, from, item, bytes + (i + 1) * each,
                       &made->total, err);
        if (status == LG_OK)
            status = set_path(finder, state, item, made, err);
    }
    if (row->holder_count > 1)
        qsort(row->holders, row->holder_count, sizeof *row->holders, by_bytes);
    return status;
}

// Returns whether the row leads another one of size, which may go with any of
// its holders.
static bool
leads_others(const lg_growth *growth, size_t index)
{
    for (size_t i = 0; i < growth->count; i++)
        if (i != index && growth->rows[i].lead == index &&
            growth->rows[i].gained >= LG__LEAST_UNEVEN)
            return true;
    return false;
}

static size_t
rows_with_holders(const lg_growth *growth)
{
    size_t rows = 0;
    while (rows < growth->count && rows < ROWS && !growth->rows[rows].minor)
        rows++;
    return rows;
}

// Of lost memory there is no holder, and nobody empties sys.modules.
static bool
has_holders(const lg__comparison *state, const lg_growth_row *row)
{
    return row->node != LG_NONE && !lg__string_is(row->type, "module") &&
           row->in_step.length == 0 &&
           (row->verdict == LG_GROWTH_ACCUMULATES ||
            row->verdict == LG_GROWTH_IN_PLACE) &&
           !lg__place_is_native(state->newest, row->place);
}

// Names the holders of a row that leads, and what goes with them.
static lg_status
settle_leak(search *to, lg__comparison *state, lg__finder *finder,
            lg__groups *of, lg_growth_row *row, lg_error *err)
{
    to->level = 0;
    to->place = lg_places_find(to->places, row->key);
    lg__groups_drop_below(of, to->at_rest);
    if (of->count == 0)
        return LG_OK;
    bool failed = !lg__groups_drop_nested(of, to->at_rest);
    lg_status status = failed ? lg__error_memory(err)
                              : mark_reached(to, of, state->monitor, err);
    if (status == LG_OK)
        drop_behind(to, of);
    if (status == LG_OK && of->count > 1)
        status = drop_innocent(to, state, of, row->gained, err);
    if (status != LG_OK)
        return status;
    lg__groups_tell_apart(of, &failed);
    return failed ? lg__error_memory(err)
                  : answer(to, state, finder, of, row, err);
}

static lg_status
find_leaks(search *to, lg__comparison *state, lg__groups *of, lg_growth *out,
           lg_error *err)
{
    size_t rows = rows_with_holders(out);
    lg__finder finder = {.graph = state->analysis->graph, .at_rest = true};
    bool failed = !lg__weak_dicts(state->analysis->graph, &to->weak);
    for (size_t i = 0; i < rows && !failed; i++) {
        to->place = has_holders(state, &out->rows[i])
                        ? lg_places_find(to->places, out->rows[i].key)
                        : LG_NONE;
        if (to->place != LG_NONE)
            failed = !find_holders_of_row(to, state, &out->rows[i], &of[i]);
    }
    join_rows(to, out, of, rows, &failed);
    lg_status status = failed ? lg__error_memory(err) : LG_OK;
    for (size_t i = 0; i < rows && status == LG_OK; i++) {
        status = settle_leak(to, state, &finder, &of[i], &out->rows[i], err);
        if (status == LG_OK && !leads_others(out, i))
            keep_enough(&out->rows[i], state->each);
    }
    lg__finder_free(&finder);
    return status;
}

// Begins a search, which search_end ends in any case.
static lg_status
search_begin(const lg_analysis *analysis, const lg_monitor *monitor,
             search *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    *out = (search){.analysis = analysis,
                    .walk = {.graph = graph,
                             .fold = lg__graph_folds(graph),
                             .visit = add_source,
                             .context = out}};
    if (out->walk.fold == NULL || !lg__graph_reverse(graph, &out->walk.reverse))
        return lg__error_memory(err);
    lg_status status =
        lg__analysis_at_rest(analysis, monitor, &out->at_rest, err);
    return status == LG_OK ? lg__places_walk(analysis, monitor, &out->places,
                                             &out->place_of, err)
                           : status;
}

static void
search_end(search *of)
{
    lg__free(of->reached);
    lg__free(of->weak.items);
    if (of->place_of != NULL)
        lg__places_of_free(of->place_of, of->analysis);
    lg_places_free(of->places);
}

lg_status
lg__growth_holders(lg__comparison *state, lg_growth *out, lg_error *err)
{
    search to;
    for (uint32_t i = 0; i < out->count; i++)
        out->rows[i].lead = i;
    if (state->analysis == NULL || rows_with_holders(out) == 0)
        return LG_OK;
    lg_status status = search_begin(state->analysis, state->monitor, &to, err);
    lg__groups *of = lg__calloc(ROWS, sizeof *of);
    if (status == LG_OK)
        status = of != NULL ? find_leaks(&to, state, of, out, err)
                            : lg__error_memory(err);
    for (size_t i = 0; of != NULL && i < ROWS; i++)
        lg__groups_free(&of[i]);
    lg__free(of);
    search_end(&to);
    return status;
}

// Gathers the nodes that are in the place of the first one, and takes them out.
static bool
take_place(const search *to, lg__gathered *nodes, lg__gathered *out)
{
    size_t left = 0;
    uint32_t place = to->place_of[nodes->items[0]];
    out->count = 0;
    for (size_t i = 0; i < nodes->count; i++)
        if (to->place_of[nodes->items[i]] != place)
            nodes->items[left++] = nodes->items[i];
        else if (!lg__gather_append(out, nodes->items[i]))
            return false;
    nodes->count = left;
    return true;
}

static bool
find_containers(search *to, lg__gathered *nodes, lg__gathered *out)
{
    lg__gathered members = {0};
    lg__groups *kept = lg__calloc(1, sizeof *kept);
    bool failed = kept == NULL;
    for (int i = 0; i < ROWS && nodes->count > 0 && !failed; i++) {
        to->place = to->place_of[nodes->items[0]];
        failed = !take_place(to, nodes, &members) ||
                 !find_holders(to, &members, 0, kept);
        lg__groups_drop_below(kept, to->at_rest);
        lg__groups_containers(kept, out, &failed);
        lg__groups_free(kept);
    }
    lg__free(members.items);
    lg__free(kept);
    return !failed;
}

lg_status
lg__containers_find(const lg_analysis *analysis, lg__gathered *nodes,
                    const lg_monitor *monitor, lg__gathered *out, lg_error *err)
{
    search to;
    lg_status status = search_begin(analysis, monitor, &to, err);
    if (status == LG_OK && !find_containers(&to, nodes, out))
        status = lg__error_memory(err);
    search_end(&to);
    lg__gather_once(out);
    return status;
}
