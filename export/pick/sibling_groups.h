/**
 * A group: the neighbours of one node, sorted into families that are alike. It
 * takes one pass over the node's hops and memory only for what may be drawn, so
 * a list of five million elements costs one read of it.
 */
#ifndef LEAKGRAPH_SIBLING_GROUPS_H
#define LEAKGRAPH_SIBLING_GROUPS_H

#include "pick/pick_private.h"

/* Families in reading order. */
typedef enum lg__view_rank {
    LG__RANK_PLAIN = 0,
    LG__RANK_BACKGROUND, /* classes, methods */
    LG__RANK_VALUES, /* small values; this and later ranks are one family each
                      */
    LG__RANK_NOISE,  /* `__doc__`, `__module__` ... */
    LG__RANK_INSIDE, /* backward: the subject holds it, and it refers back */
} lg__view_rank;

typedef struct lg__view_sibling {
    lg_hop hop;
    uint64_t order; /* index of its first hop among the node's hops */
    uint64_t count; /* hops to this neighbour */
} lg__view_sibling;

typedef struct lg__view_family {
    uint32_t type; /* label of the first */
    unsigned kind;
    bool mixed; /* other members have other types */
    lg__view_rank rank;
    uint64_t count; /* number of distinct objects */
    lg_bytes bytes;
    uint32_t owner;         /* dominator of the first, with an analysis */
    lg_bytes retained;      /* by the members with that owner, which so share
                               nothing; the own bytes of other members also count */
    uint64_t order;         /* of the first */
    lg__view_sibling *kept; /* the first ones */
    size_t kept_count;
    size_t kept_capacity;
    lg_hop last;
    size_t share; /* nodes that it may draw */
} lg__view_family;

typedef struct lg__view_group {
    lg__view_picker *picker;
    uint32_t node;
    bool subject;
    size_t keep; /* siblings kept of a family */
    lg__view_family *families;
    size_t count;
    size_t capacity;
    uint32_t *slots; /* open addressing: index in families plus one */
    size_t slot_count;
    lg__view_sibling *links; /* hops to nodes that are drawn already */
    size_t link_count;
    size_t link_capacity;
    uint32_t *link_of; /* [view nodes] 1 + index in links */
    uint64_t total;    /* number of distinct neighbours that are not drawn yet
                        */
    uint64_t hidden;   /* of those, the number left out of the picture */
    uint64_t order;
    bool failed;
} lg__view_group;

lg_status lg__group_gather(lg__view_group *group, lg__view_picker *picker,
                           uint32_t node, lg_error *err);
void lg__group_free(lg__view_group *group);
/** Returns what one member adds to the bytes that the family retains. */
lg_bytes lg__family_retained(const lg__view_picker *picker,
                             lg__view_family *family, uint32_t other);

#endif
