/** Groups of referrers of one place each, on the way to what holds a row. */
#ifndef LEAKGRAPH_GROWTH_GROUPS_H
#define LEAKGRAPH_GROWTH_GROUPS_H

#include "growth/growth_comparison.h"

enum {
    LG__GROUPS = 24, /**< on one level, or of one leak */
    /** A holder has at least this part of what the biggest holder has: a local
     *  variable that still refers to the newest object is not worth a word. */
    LG__GROUP_PART = 10,
    LG__NAMED = 3, /**< so many containers of one place are told apart */
};

/** Referrers of one place. Those of a holder stay until its bytes are known. */
typedef struct group {
    uint32_t place; /**< of the containers, or of what other holders refer to */
    double share;   /**< of the members that it leads to */
    bool empties;   /**< its nodes are containers that a program can empty */
    uint32_t last;  /**< the node that it led to last */
    uint32_t led;   /**< how many different ones */
    lg__gathered nodes;
    lg__gathered targets; /**< what it leads to */
    lg_hop hop;           /**< one of its references */
} group;

typedef struct groups {
    group items[LG__GROUPS];
    size_t count;
    size_t members; /**< what those of a row, or of rows, hold */
} groups;

static inline void
lg__groups_empty(group *item)
{
    lg__free(item->nodes.items);
    lg__free(item->targets.items);
    *item = (group){0};
}

static inline void
lg__groups_free(groups *all)
{
    for (size_t i = 0; i < all->count; i++)
        lg__groups_empty(&all->items[i]);
    all->count = 0;
}

/** Returns the group of a place, made if new; NULL: there is no room. */
static inline group *
lg__groups_at(groups *all, uint32_t place)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].place == place)
            return &all->items[i];
    if (all->count == LG__GROUPS)
        return NULL;
    group *made = &all->items[all->count++];
    *made = (group){.place = place, .last = LG_NONE};
    return made;
}

/** Sorts the nodes of each group, and drops repeated ones. */
static inline void
lg__groups_settle(groups *all)
{
    for (size_t i = 0; i < all->count; i++) {
        lg__gather_once(&all->items[i].nodes);
        lg__gather_once(&all->items[i].targets);
    }
}

/** Turns shares of a row's members into shares of so many. */
static inline void
lg__groups_scale(groups *all, size_t members)
{
    for (size_t i = 0; i < all->count && members > 0; i++)
        all->items[i].share *= (double)all->members / (double)members;
    all->members = members;
}

/** Gives the holders of a row to the row that leads it. If their members are
 *  alike, each holder has a share of both. */
static inline void
lg__groups_hand_over(groups *to, groups *from, bool alike, bool *failed)
{
    size_t members = to->members + from->members;
    if (alike) {
        lg__groups_scale(to, members);
        lg__groups_scale(from, members);
    }
    for (size_t i = 0; i < from->count; i++) {
        group *known = lg__groups_at(to, from->items[i].place);
        if (known != NULL && known->led == 0) {
            *known = from->items[i];
            from->items[i] = (group){0};
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
}

/** Drops the groups so marked. */
static inline void
lg__groups_drop(groups *all, const bool *dropped)
{
    size_t left = 0;
    for (size_t i = 0; i < all->count; i++)
        if (dropped[i])
            lg__groups_empty(&all->items[i]);
        else
            all->items[left++] = all->items[i];
    all->count = left;
}

/** Returns the share of the members that the biggest holder has. */
static inline double
lg__groups_most(const groups *all)
{
    double most = 0;
    for (size_t i = 0; i < all->count; i++)
        most = all->items[i].share > most ? all->items[i].share : most;
    return most;
}

/** Drops what leads to few members. */
static inline void
lg__groups_drop_minor(groups *all)
{
    bool minor[LG__GROUPS];
    double most = lg__groups_most(all);
    for (size_t i = 0; i < all->count; i++)
        minor[i] = all->items[i].share * LG__GROUP_PART < most;
    lg__groups_drop(all, minor);
}

/** Returns whether one of the groups, or only `alone`, has the node. */
static inline bool
lg__groups_have(const groups *all, const group *alone, uint32_t node)
{
    for (size_t i = 0; i < all->count; i++)
        if ((alone == NULL || alone == &all->items[i]) &&
            lg__gathered_has(&all->items[i].nodes, node))
            return true;
    return false;
}

/** Tells containers of one place apart if they are few, such as two of a
 *  model's tables of modules: each has a path of its own. */
static inline void
lg__groups_tell_apart(groups *all, bool *failed)
{
    size_t count = all->count;
    for (size_t i = 0; i < count; i++) {
        lg__gathered nodes = all->items[i].nodes;
        if (!all->items[i].empties || nodes.count > LG__NAMED ||
            all->count + nodes.count > LG__GROUPS)
            continue;
        for (size_t j = 1; j < nodes.count && !*failed; j++) {
            group *made = &all->items[all->count++];
            *made = all->items[i];
            made->nodes = made->targets = (lg__gathered){0};
            *failed |= !lg__gather_append(&made->nodes, nodes.items[j]);
        }
        all->items[i].nodes.count = 1;
    }
}

/** Gathers the containers of all groups. */
static inline void
lg__groups_containers(const groups *all, lg__gathered *out, bool *failed)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].empties)
            *failed |= !lg__gather_all(out, &all->items[i].nodes);
}

#endif
