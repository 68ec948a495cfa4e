// Climbs from the members of a place, over their referrers, to who holds them.
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
#include "growth/growth_referrers.h"

enum {
    PLACES = 16,    // whose containers are found
    HOPS = 1 << 21, // references that are looked at for a row
    // An object that is no container holds if there are few like it: at most
    // one for so many members.
    FEW = 16,
    BRANCHES = 4, // fewer than so many has the first node of a chain or tree
};

bool
lg__holder_search_is_inside(const lg__holder_search *to, uint32_t node)
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
is_piece(const lg__holder_search *to, uint32_t node)
{
    return lg__node_is_a(to->walk.graph, node, LG__PIECE);
}

static bool
add_source(void *context, const lg_hop *hop)
{
    lg__holder_search *to = context;
    if (to->left == 0)
        return false;
    to->left--;
    if (hop->weak || !lg_node_is_reachable(to->analysis, hop->source) ||
        lg__holder_search_is_inside(to, hop->source) ||
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

// Returns whether programs can empty the node: a list, a dict, a deque, but not
// a frozenset or the dict of an object. A cached function has a method for it,
// and an iterator of itertools.tee() is read to its end.
static bool
is_container(const lg__holder_search *to, const lg__group *found)
{
    const lg_graph *graph = to->walk.graph;
    uint32_t node = found->nodes.items[0];
    if (lg__node_is_a(graph, node, "functools._lru_cache_wrapper") ||
        lg__node_is_a(graph, node, "itertools._tee"))
        return true;
    return lg__node_category(graph, node) == LG_CATEGORY_CONTAINER &&
           lg__fold_owner(to->walk.fold, node) == LG_NONE &&
           lg__edge_can_be_cut(graph, lg__group_last_edge(found));
}

// Returns whether an object of C has many elements: references with a number
// alone. A program empties it by a method of its own.
static bool
has_elements(const lg__holder_search *to, const lg__group *found)
{
    return lg__edge_kind(to->walk.graph, lg__group_last_edge(found)) ==
               LG_EDGE_REFERENCE &&
           found->led >= BRANCHES * found->nodes.count;
}

// Adds a holder to those of the row. Takes over the memory of the group.
static void
keep(lg__holder_search *to, lg__group *found)
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
begins_a_chain(const lg__holder_search *to, const lg__group *found)
{
    const lg_columns *columns = &to->walk.graph->columns;
    return lg_columns_type(columns, found->nodes.items[0]) ==
               lg_columns_type(columns, found->targets.items[0]) &&
           found->led < BRANCHES * found->nodes.count;
}

// Returns whether a program can let go of what the nodes hold: of the elements
// of a tuple only who holds it can. A tuple of few lists has variables.
static bool
can_let_go(const lg__holder_search *to, const lg__group *found)
{
    const lg_graph *graph = to->walk.graph;
    uint32_t target = found->targets.items[0];
    return found->empties ||
           lg__edge_can_be_cut(graph, lg__group_last_edge(found)) ||
           (found->led < BRANCHES * found->nodes.count &&
            lg__edge_kind(graph, lg__group_last_edge(found)) == LG_EDGE_INDEX &&
            lg__node_category(graph, target) == LG_CATEGORY_CONTAINER &&
            lg__node_can_be_emptied(graph, target));
}

static bool
holds_together(const lg__holder_search *to, const lg__group *found)
{
    size_t nodes = found->nodes.count;
    if (is_piece(to, found->nodes.items[0]) || begins_a_chain(to, found) ||
        !can_let_go(to, found))
        return false;
    return nodes == 1 || (found->empties ? 2 * nodes <= found->led
                                         : FEW * nodes <= to->members);
}

static bool look_above(lg__holder_search *to, const lg__gathered *nodes,
                       double share);

// Returns whether the group is a holder, or one is above it.
static bool
go_on(lg__holder_search *to, lg__group *found, size_t below, double share)
{
    lg__gather_once(&found->nodes);
    found->share = share * (double)found->led / (double)below;
    found->empties =
        lg__node_is_a(to->walk.graph, found->nodes.items[0], "_io.BytesIO") ||
        (to->members > 1 &&
         (is_container(to, found) || has_elements(to, found)));
    if (holds_together(to, found) || to->level == LG__HOLDER_LEVELS ||
        to->left == 0) {
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
look_above(lg__holder_search *to, const lg__gathered *nodes, double share)
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

// Drops what leads to few members.
static void
drop_minor(lg__groups *all)
{
    bool minor[LG__GROUPS];
    double most = lg__groups_most(all);
    for (size_t i = 0; i < all->count; i++)
        minor[i] = all->items[i].share * LG__GROUP_PART < most;
    lg__groups_drop(all, minor);
}

bool
lg__holders_find(lg__holder_search *to, const lg__gathered *members,
                 uint32_t level, lg__groups *kept)
{
    to->kept = kept;
    kept->members = members->count;
    to->left = HOPS;
    to->level = level;
    to->failed = false;
    to->members = (uint32_t)members->count;
    if (members->count > 0)
        (void)look_above(to, members, 1);
    drop_minor(kept);
    lg__groups_settle(kept);
    return !to->failed;
}

lg_status
lg__holder_search_begin(const lg_analysis *analysis, const lg_monitor *monitor,
                        lg__holder_search *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    *out = (lg__holder_search){.analysis = analysis,
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

void
lg__holder_search_end(lg__holder_search *of)
{
    lg__free(of->reached);
    lg__free(of->weak.items);
    if (of->place_of != NULL)
        lg__places_of_free(of->place_of, of->analysis);
    lg_places_free(of->places);
}

// Gathers the nodes that are in the place of the first one, and takes them out.
static bool
take_place(const lg__holder_search *to, lg__gathered *nodes, lg__gathered *out)
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
find_containers(lg__holder_search *to, lg__gathered *nodes, lg__gathered *out)
{
    lg__gathered members = {0};
    lg__groups *kept = lg__calloc(1, sizeof *kept);
    bool failed = kept == NULL;
    for (int i = 0; i < PLACES && nodes->count > 0 && !failed; i++) {
        to->place = to->place_of[nodes->items[0]];
        failed = !take_place(to, nodes, &members) ||
                 !lg__holders_find(to, &members, 0, kept);
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
    lg__holder_search to;
    lg_status status = lg__holder_search_begin(analysis, monitor, &to, err);
    if (status == LG_OK && !find_containers(&to, nodes, out))
        status = lg__error_memory(err);
    lg__holder_search_end(&to);
    lg__gather_once(out);
    return status;
}
