/** Climbs from the members of a place to who holds them. */
#ifndef LEAKGRAPH_GROWTH_REFERRERS_H
#define LEAKGRAPH_GROWTH_REFERRERS_H

#include "growth/growth_groups.h"

enum {
    LG__HOLDER_LEVELS = 12, /**< of referrers above a member */
};

/** A search for the holders of members, one row after the other. */
typedef struct lg__holder_search {
    const lg_analysis *analysis;
    const lg_analysis *at_rest; /**< see lg__analysis_at_rest */
    lg_places *places;
    uint32_t *place_of;
    lg__hop_walk walk;
    uint32_t place;                    /**< of the members */
    uint32_t node;                     /**< whose referrers are visited */
    uint32_t above[LG__HOLDER_LEVELS]; /**< places of the groups on the way */
    uint32_t level;
    uint32_t left;     /**< how many references may still be looked at */
    uint32_t members;  /**< how many there are */
    lg__groups *found; /**< on this level */
    lg__groups *kept;  /**< holders of the row */
    uint8_t *reached;  /**< [node] the roots lead to it around all containers */
    lg__gathered weak; /**< the dicts of weak dictionaries */
    bool failed;
} lg__holder_search;

/** Begins a search, which lg__holder_search_end ends in any case. */
lg_status lg__holder_search_begin(const lg_analysis *analysis,
                                  const lg_monitor *monitor,
                                  lg__holder_search *out, lg_error *err);
void lg__holder_search_end(lg__holder_search *of);
/** Returns whether the node is a member or below one, or of a group on the way.
 */
bool lg__holder_search_is_inside(const lg__holder_search *to, uint32_t node);
/** Finds the holders of members of one place. The first `level` places above
 *  are no holders. Returns false when memory ran out. */
bool lg__holders_find(lg__holder_search *to, const lg__gathered *members,
                      uint32_t level, lg__groups *kept);

/** Returns the last reference on the way from a group to what it leads to. */
static inline uint64_t
lg__group_last_edge(const lg__group *of)
{
    return of->hop.edges[of->hop.edge_count - 1];
}

#endif
