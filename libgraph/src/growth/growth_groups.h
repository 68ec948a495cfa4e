/** Groups of referrers of one place each, on the way to what holds a row. */
#ifndef LEAKGRAPH_GROWTH_GROUPS_H
#define LEAKGRAPH_GROWTH_GROUPS_H

#include "growth/growth_comparison.h"

enum {
    LG__GROUPS = 24, /**< on one level, or of one leak */
    /** A holder has at least this part of what the biggest holder has: a local
     *  variable that still refers to the newest object is not worth a word. */
    LG__GROUP_PART = 10,
    /** So many dominators may lie between a referrer and a member above it. */
    LG__GROUP_INNER = 64,
};

/** Referrers of one place. Those of a holder stay until its bytes are known. */
typedef struct lg__group {
    uint32_t place; /**< of the containers, or of what other holders refer to */
    double share;   /**< of the members that it leads to */
    bool empties;   /**< its nodes are containers that a program can empty */
    uint32_t last;  /**< the node that it led to last */
    uint32_t led;   /**< how many different ones */
    lg__gathered nodes;
    lg__gathered targets; /**< what it leads to */
    lg_hop hop;           /**< one of its references */
} lg__group;

typedef struct lg__groups {
    lg__group items[LG__GROUPS];
    size_t count;
    size_t members; /**< what those of a row, or of rows, hold */
} lg__groups;

void lg__groups_empty(lg__group *item);
void lg__groups_free(lg__groups *all);
/** Returns the group of a place, made if new; NULL: there is no room. */
lg__group *lg__groups_at(lg__groups *all, uint32_t place);
/** Sorts the nodes of each group, and drops repeated ones. */
void lg__groups_settle(lg__groups *all);
/** Drops the groups so marked. */
void lg__groups_drop(lg__groups *all, const bool *dropped);
/** Returns the share of the members that the biggest holder has. */
double lg__groups_most(const lg__groups *all);
/** Returns whether one of the groups, or only `alone`, has the node. */
bool lg__groups_have(const lg__groups *all, const lg__group *alone,
                     uint32_t node);
/** Returns whether a container of the groups dominates the first node of
 * another one. */
bool lg__groups_have_below(const lg__groups *all, const lg_analysis *analysis,
                           const lg__group *item);
/** Drops the groups of which that is so: it is enough to empty the container.
 */
void lg__groups_drop_below(lg__groups *all, const lg_analysis *analysis);
/** Gathers the containers of all groups. */
void lg__groups_containers(const lg__groups *all, lg__gathered *out,
                           bool *failed);

#endif
