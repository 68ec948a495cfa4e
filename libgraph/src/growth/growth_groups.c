// Groups of referrers of one place each, on the way to what holds a row.
#include "growth/growth_groups.h"

// So many containers of one place are told apart.
enum { NAMED = 3 };

void
lg__groups_empty(lg__group *item)
{
    lg__free(item->nodes.items);
    lg__free(item->targets.items);
    *item = (lg__group){0};
}

void
lg__groups_free(lg__groups *all)
{
    for (size_t i = 0; i < all->count; i++)
        lg__groups_empty(&all->items[i]);
    all->count = 0;
}

lg__group *
lg__groups_at(lg__groups *all, uint32_t place)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].place == place)
            return &all->items[i];
    if (all->count == LG__GROUPS)
        return NULL;
    lg__group *made = &all->items[all->count++];
    *made = (lg__group){.place = place, .last = LG_NONE};
    return made;
}

void
lg__groups_settle(lg__groups *all)
{
    for (size_t i = 0; i < all->count; i++) {
        lg__gather_once(&all->items[i].nodes);
        lg__gather_once(&all->items[i].targets);
    }
}

// Turns shares of a row's members into shares of so many.
static void
scale(lg__groups *all, size_t members)
{
    for (size_t i = 0; i < all->count && members > 0; i++)
        all->items[i].share *= (double)all->members / (double)members;
    all->members = members;
}

void
lg__groups_hand_over(lg__groups *to, lg__groups *from, bool alike, bool *failed)
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

void
lg__groups_drop(lg__groups *all, const bool *dropped)
{
    size_t left = 0;
    for (size_t i = 0; i < all->count; i++)
        if (dropped[i])
            lg__groups_empty(&all->items[i]);
        else
            all->items[left++] = all->items[i];
    all->count = left;
}

void
lg__groups_keep_common(lg__groups *all, const lg__groups *others)
{
    bool dropped[LG__GROUPS];
    for (size_t i = 0; i < all->count; i++) {
        dropped[i] = true;
        for (size_t j = 0; j < others->count; j++)
            dropped[i] &= others->items[j].place != all->items[i].place;
    }
    lg__groups_drop(all, dropped);
}

double
lg__groups_most(const lg__groups *all)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++)
        most = all->items[i].share > most ? all->items[i].share : most;
    return most;
}

void
lg__groups_drop_minor(lg__groups *all)
{
    bool minor[LG__GROUPS];
    double most = lg__groups_most(all);
    for (size_t i = 0; i < all->count; i++)
        minor[i] = all->items[i].share * LG__GROUP_PART < most;
    lg__groups_drop(all, minor);
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

bool
lg__groups_drop_nested(lg__groups *all, const lg_analysis *analysis)
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

bool
lg__groups_have(const lg__groups *all, const lg__group *alone, uint32_t node)
{
    for (size_t i = 0; i < all->count; i++)
        if ((alone == NULL || alone == &all->items[i]) &&
            lg__gathered_has(&all->items[i].nodes, node))
            return true;
    return false;
}

bool
lg__groups_have_below(const lg__groups *all, const lg_analysis *analysis,
                      const lg__group *item)
{
    uint32_t node = item->nodes.items[0];
    for (int i = 0; i < LG__GROUP_INNER && node != LG_NONE; i++) {
        node = lg_node_dominator(analysis, node);
        for (size_t j = 0; node != LG_NONE && j < all->count; j++)
            if (all->items[j].empties && &all->items[j] != item &&
                lg__groups_have(all, &all->items[j], node))
                return true;
    }
    return false;
}

void
lg__groups_drop_below(lg__groups *all, const lg_analysis *analysis)
{
    bool below[LG__GROUPS];
    for (size_t i = 0; i < all->count; i++)
        below[i] = lg__groups_have_below(all, analysis, &all->items[i]);
    lg__groups_drop(all, below);
}

void
lg__groups_tell_apart(lg__groups *all, bool *failed)
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

void
lg__groups_containers(const lg__groups *all, lg__gathered *out, bool *failed)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].empties)
            *failed |= !lg__gather_all(out, &all->items[i].nodes);
}
