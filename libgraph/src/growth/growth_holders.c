// Finds who holds what grows, and what goes when they let go.
//
// Rows that have a holder in common are one leak, and so is a row whose holders
// lie below those of a row with a larger gain. The row with the largest gain
// leads, and has the holders of all of them but those that go with others: what
// the roots no longer reach once the containers of the others are empty. A
// cache that has some of the members for now holds none of the leak: what it
// has, a holder of more has, too. It frees next to nothing alone, and the
// others free the leak without it, so it is not named.
#include "growth/growth_referrers.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 16,         // rows whose holders are found
    TYPES = 8,         // other types of a row whose holders are found
    NAMED = 3,         // so many containers of one place are told apart
    MEMBERS = 1 << 15, // of a row that are looked at
};

// Turns shares of a row's members into shares of so many.
static void
scale(lg__groups *all, size_t members)
{
    for (size_t i = 0; i < all->count && members > 0; i++)
        all->items[i].share *= (double)all->members / (double)members;
    all->members = members;
}

// Gives the holders of a row to the row that leads it. If their members are
// alike, each holder has a share of both.
static void
hand_over(lg__groups *to, lg__groups *from, bool alike, bool *failed)
{
    size_t members = to->members + from->members;
    if (alike) {
        scale(to, members);
        scale(from, members);
    }
    for (size_t i = 0; i < from->count; i++) {
        lg__group *known = lg__groups_at(to, from->items[i].place);
        if (known != NULL && known->led == 0) {
            *known = from->items[i];
            from->items[i] = (lg__group){0};
        } else if (known != NULL) {
            double share = from->items[i].share;
            known->share = alike                  ? known->share + share
                           : known->share > share ? known->share
                                                  : share;
            *failed |=
                !lg__gather_all(&known->nodes, &from->items[i].nodes) ||
                !lg__gather_all(&known->targets, &from->items[i].targets);
        }
    }
    lg__groups_free(from);
    lg__groups_settle(to);
}

// Drops the groups whose places are not among those of the others.
static void
keep_common(lg__groups *all, const lg__groups *others)
{
    bool dropped[LG__GROUPS];
    for (size_t i = 0; i < all->count; i++) {
        dropped[i] = true;
        for (size_t j = 0; j < others->count; j++)
            dropped[i] &= others->items[j].place != all->items[i].place;
    }
    lg__groups_drop(all, dropped);
}

static bool
is_nested(const lg__group *item, const lg_analysis *analysis, uint32_t node)
{
    for (int i = 0; i < LG__GROUP_INNER && node != LG_NONE; i++) {
        node = lg_node_dominator(analysis, node);
        if (node != LG_NONE && lg__gathered_has(&item->nodes, node))
            return true;
    }
    return false;
}

// Leaves out containers that others of their group dominate: it is enough to
// empty these. A dict of dicts that have dicts is one place. Returns false when
// memory ran out.
static bool
drop_nested(lg__groups *all, const lg_analysis *analysis)
{
    bool enough = true;
    for (size_t i = 0; i < all->count && enough; i++) {
        lg__group *item = &all->items[i];
        lg__gathered outer = {0};
        for (size_t k = 0; k < item->nodes.count; k++)
            if (!item->empties ||
                !is_nested(item, analysis, item->nodes.items[k]))
                enough =
                    enough && lg__gather_append(&outer, item->nodes.items[k]);
        lg__free(item->nodes.items);
        item->nodes = outer;
    }
    return enough;
}

// Tells containers of one place apart if they are few, such as two of a model's
// tables of modules: each has a path of its own.
static void
tell_apart(lg__groups *all, bool *failed)
{
    size_t count = all->count;
    for (size_t i = 0; i < count; i++) {
        lg__gathered nodes = all->items[i].nodes;
        if (!all->items[i].empties || nodes.count > NAMED ||
            all->count + nodes.count > LG__GROUPS)
            continue;
        for (size_t j = 1; j < nodes.count && !*failed; j++) {
            lg__group *made = &all->items[all->count++];
            *made = all->items[i];
            made->nodes = made->targets = (lg__gathered){0};
            *failed |= !lg__gather_append(&made->nodes, nodes.items[j]);
        }
        all->items[i].nodes.count = 1;
    }
}

static bool
gather_members(const lg__holder_search *to, lg__gathered *out)
{
    uint32_t nodes = to->walk.graph->columns.node_count;
    for (uint32_t node = 0; node < nodes && out->count < MEMBERS; node++)
        if (to->place_of[node] == to->place &&
            lg__fold_owner(to->walk.fold, node) == LG_NONE &&
            !lg__gather_append(out, node))
            return false;
    return true;
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
type_of_place(const lg__holder_search *to, uint32_t place)
{
    return lg__places_text(to->places, lg__place_at(to->places, place)->type);
}

// Adds the holders of another place to those of a row; of ids, only those that
// the row has.
static bool
add_holders_of(lg__holder_search *to, uint32_t place, bool ids,
               lg__groups *kept)
{
    lg__gathered members = {0};
    lg__groups *found = lg__calloc(1, sizeof *found);
    uint32_t row = to->place;
    bool failed = found == NULL;
    to->above[0] = row;
    to->place = place;
    failed = failed || !gather_members(to, &members) ||
             !lg__holders_find(to, &members, 1, found);
    if (!failed && ids)
        keep_common(found, kept);
    bool alike = are_alike(type_of_place(to, row), type_of_place(to, place));
    if (!failed)
        hand_over(kept, found, alike, &failed);
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
add_sharers(lg__holder_search *to, const lg_growth_row *row, lg__groups *kept)
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
add_other_types(lg__holder_search *to, const lg__comparison *state,
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

// What grows in place is its own holder.
static bool
keep_itself(const lg__holder_search *to, const lg__gathered *members,
            lg__groups *kept)
{
    lg__group *itself = lg__groups_at(kept, to->place);
    kept->members = members->count;
    itself->led = 1;
    itself->share = 1;
    itself->empties = true;
    return lg__gather_all(&itself->nodes, members);
}

// Where a program replaces what grows, who holds it is the holder.
static bool
find_holders_of_row(lg__holder_search *to, const lg__comparison *state,
                    const lg_growth_row *row, lg__groups *kept)
{
    lg__gathered members = {0};
    bool found = gather_members(to, &members);
    bool itself = row->verdict == LG_GROWTH_IN_PLACE && members.count > 0 &&
                  lg__node_can_be_emptied(to->walk.graph, members.items[0]);
    found = found && (itself ? keep_itself(to, &members, kept)
                             : lg__holders_find(to, &members, 0, kept));
    found = found && add_sharers(to, row, kept);
    if (row->types > 1 && row->verdict == LG_GROWTH_ACCUMULATES)
        found = found && add_other_types(to, state, row, kept);
    lg__free(members.items);
    return found;
}

// Returns whether two rows are one leak. The first one gained more.
static bool
are_one(const lg__holder_search *to, const lg__groups *one,
        const lg__groups *other)
{
    bool below = other->count > 0 && one->count > 0;
    for (size_t i = 0; i < other->count; i++) {
        for (size_t j = 0; j < one->count; j++)
            if (one->items[j].place == other->items[i].place)
                return true;
        below =
            below && lg__groups_have_below(one, to->at_rest, &other->items[i]);
    }
    return below;
}

static lg_status
mark_reached(lg__holder_search *to, const lg__groups *all,
             const lg_monitor *monitor, lg_error *err)
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
    const lg__holder_search *to = context;
    return hop->weak || !to->reached[hop->source];
}

// Returns whether the roots lead to a node of the group by a path around all
// containers.
static bool
is_entered(lg__holder_search *to, const lg__group *item)
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
drop_behind(lg__holder_search *to, lg__groups *all)
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
        keep_common(&of[row], &of[lead]);
    hand_over(&of[lead], &of[row], are_alike(rows[lead].type, rows[row].type),
              failed);
    for (size_t i = 0; i < growth->count; i++)
        if (rows[i].lead == row)
            growth->rows[i].lead = lead;
}

// Joins rows that have a holder in common, until none is left that do.
static void
join_rows(const lg__holder_search *to, lg_growth *growth, lg__groups *of,
          size_t rows, bool *failed)
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
    lg__holder_search *search;
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
                !lg__holder_search_is_inside(to->search, hop->source) &&
                (to->alone != NULL || to->search->reached[hop->source]) &&
                !lg__groups_have(to->all, to->alone, hop->source);
    return !to->held;
}

// Returns whether instances of subclasses of list and dict, or objects of C
// with elements, are the holder: when they are empty, they keep their
// attributes.
static bool
keeps_attributes(const lg__holder_search *to, const lg__group *item)
{
    const lg_graph *graph = to->walk.graph;
    return item->empties && (lg__node_category(graph, item->nodes.items[0]) ==
                                 LG_CATEGORY_CONTAINER ||
                             (item->hop.edge_count > 0 &&
                              lg__edge_kind(graph, lg__group_last_edge(item)) ==
                                  LG_EDGE_REFERENCE));
}

// Gathers what must be gone for the holders, or one of them, to hold nothing:
// their containers, and what nothing else refers to.
static bool
gather_cut(lg__holder_search *to, const lg__groups *all, const lg__group *alone,
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
weigh(lg__holder_search *to, const lg__comparison *state, const lg__groups *all,
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
weigh_others(lg__holder_search *to, const lg__comparison *state,
             const lg__groups *all, size_t index, uint64_t *bytes,
             uint64_t *total, lg_error *err)
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
drop_innocent(lg__holder_search *to, const lg__comparison *state,
              lg__groups *all, int64_t gained, lg_error *err)
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
answer(lg__holder_search *to, lg__comparison *state, lg__finder *finder,
       lg__groups *from, lg_growth_row *row, lg_error *err)
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
settle_leak(lg__holder_search *to, lg__comparison *state, lg__finder *finder,
            lg__groups *of, lg_growth_row *row, lg_error *err)
{
    to->level = 0;
    to->place = lg_places_find(to->places, row->key);
    lg__groups_drop_below(of, to->at_rest);
    if (of->count == 0)
        return LG_OK;
    bool failed = !drop_nested(of, to->at_rest);
    lg_status status = failed ? lg__error_memory(err)
                              : mark_reached(to, of, state->monitor, err);
    if (status == LG_OK)
        drop_behind(to, of);
    if (status == LG_OK && of->count > 1)
        status = drop_innocent(to, state, of, row->gained, err);
    if (status != LG_OK)
        return status;
    tell_apart(of, &failed);
    return failed ? lg__error_memory(err)
                  : answer(to, state, finder, of, row, err);
}

static lg_status
find_leaks(lg__holder_search *to, lg__comparison *state, lg__groups *of,
           lg_growth *out, lg_error *err)
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

lg_status
lg__growth_holders(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg__holder_search to;
    for (uint32_t i = 0; i < out->count; i++)
        out->rows[i].lead = i;
    if (state->analysis == NULL || rows_with_holders(out) == 0)
        return LG_OK;
    lg_status status =
        lg__holder_search_begin(state->analysis, state->monitor, &to, err);
    lg__groups *of = lg__calloc(ROWS, sizeof *of);
    if (status == LG_OK)
        status = of != NULL ? find_leaks(&to, state, of, out, err)
                            : lg__error_memory(err);
    for (size_t i = 0; of != NULL && i < ROWS; i++)
        lg__groups_free(&of[i]);
    lg__free(of);
    lg__holder_search_end(&to);
    return status;
}
