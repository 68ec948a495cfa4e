// Groups of referrers of one place each, on the way to what holds a row.
#include "growth/growth_groups.h"

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

double
lg__groups_most(const lg__groups *all)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++)
        most = all->items[i].share > most ? all->items[i].share : most;
    return most;
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
lg__groups_containers(const lg__groups *all, lg__gathered *out, bool *failed)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].empties)
            *failed |= !lg__gather_all(out, &all->items[i].nodes);
}
