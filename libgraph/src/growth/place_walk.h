/** What the parts of the walk share that puts every node into a place. */
#ifndef LEAKGRAPH_PLACE_WALK_H
#define LEAKGRAPH_PLACE_WALK_H

#include "growth/labels.h"

// Marks of a node, besides the number of its place.

/** The node is a part of a definition, such as a code object or the bases of a
 *  class, and so is everything below it. */
#define LG__PLACE_DEFINITION (UINT32_C(1) << 31)
/** The node is a part of a member, or another member of its place dominates it.
 */
#define LG__PLACE_INNER (UINT32_C(1) << 30)
/** The step to the node, or one above it, leads back to a place above, so
 *  another member of the node's place may dominate the node. */
#define LG__PLACE_BACK (UINT32_C(1) << 29)
/** The node is a function, a class or a module, or a part of one. */
#define LG__PLACE_DEFINED (UINT32_C(1) << 28)
#define LG__PLACE_MARKS                                                        \
    (LG__PLACE_DEFINITION | LG__PLACE_INNER | LG__PLACE_BACK |                 \
     LG__PLACE_DEFINED)

/** A type, as the walk sees it. */
typedef struct lg__walk_type {
    uint32_t name; /**< number of its name in the table */
    uint32_t top;  /**< place of its nodes that have no name, and that nothing
                        but the super-root dominates; LG_NONE: not found yet */
    uint32_t
        marks; /**< of its nodes: LG__PLACE_DEFINITION, LG__PLACE_DEFINED */
    bool code; /**< it is the type of code objects */
    bool in_function; /**< its nodes are parts of a function */
    bool in_class;    /**< its nodes are parts of a class */
    bool may_fold;    /**< its nodes may be parts of others */
    bool titled;      /**< its nodes have names of their own */
    bool by_module;   /**< a module may name its nodes */
} lg__walk_type;

/** Where the references are that a dominator has outside of itself. */
typedef struct lg__known_space {
    uint32_t above;
    uint32_t source;
} lg__known_space;

/** A step below a place leads to one place. The walk remembers some of these,
 *  because objects of one class take the same few steps. */
typedef struct lg__taken_step {
    uint64_t from;  /**< the parent; below it, the payload of the reference or
                         the string of the label */
    uint32_t by;    /**< number of the type's name; below it, lg_edge_kind or,
                         after those, lg_place_kind */
    uint32_t place; /**< LG_NONE: empty */
} lg__taken_step;

/** The last place that a path below a turn visited first. The visits before it
 *  have the others. */
typedef struct lg__place_visit {
    uint32_t before; /**< LG_NONE: the path visited this place, and those above
                          it, before its first turn */
    uint32_t place;
    uint32_t highest; /**< the highest number of all places visited */
} lg__place_visit;

/** Where a step to a place leads from a visit. */
typedef struct lg__visit_step {
    uint32_t from;
    uint32_t place;
    uint32_t to; /**< 1 + the number of a visit; 0: this slot is free */
} lg__visit_step;

enum { LG__SPACES_KNOWN = 256 };
/** The bits of a reference's number that a place keeps. */
#define LG__VIA_MASK ((UINT64_C(1) << 40) - 1)
enum { LG__TAKEN_BITS = 11, LG__TAKEN = 1 << LG__TAKEN_BITS };

/** The arrays of a walk, in one block that begins with `place`. */
typedef struct lg__walk_room {
    uint32_t *place;       /**< see lg__place_walk */
    uint64_t *early;       /**< see lg__place_walk */
    uint64_t *locals;      /**< see lg__labels */
    lg__walk_type *types;  /**< [type] */
    lg__text_block *texts; /**< see lg__labels */
    uint32_t *dotted;
    uint32_t *plain;
    uint32_t *visited; /**< see lg__place_walk */
} lg__walk_room;

/** Allocates zeroes, which lg__places_of_free frees. Returns false when memory
 *  ran out. */
bool lg__walk_room_begin(const lg_graph *graph, lg__walk_room *out);

typedef struct lg__place_walk {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_places *places;
    lg__labels labels;
    lg__walk_type *types;
    uint32_t *place;      /**< [node] first the lower bits of the number of the
                               reference by which its dominator holds it, or
                               LG_NONE; for nodes that only the super-root
                               dominates, an index into `names`; later its marks
                               and its place */
    lg__vector names;     /**< lg__module_name */
    uint64_t *early;      /**< a bit per node: it got its place before its
                               turn */
    uint32_t *visited;    /**< [node] its last visit, if it is marked with
                               LG__PLACE_BACK */
    lg__vector visits;    /**< lg__place_visit */
    lg__visit_step *step; /**< [step_mask + 1] open addressing */
    uint32_t step_mask;
    uint32_t step_count;
    lg__taken_step taken[LG__TAKEN];          /**< indexed by hash */
    lg__known_space spaces[LG__SPACES_KNOWN]; /**< indexed by the lower bits
                                                   of `above` */
} lg__place_walk;

/** Chooses the references by which dominators hold nodes, and the names of
 *  nodes that only the super-root dominates. Returns false when memory ran
 *  out. */
bool lg__vias_choose(lg__place_walk *walk);
/** Like lg__via_of, for a node to which `above` itself does not refer. */
lg__via lg__via_search(lg__place_walk *walk, uint32_t node, uint32_t above);

/** Returns whether the node is in the definition of a function, class or
 * module: its code, texts, annotations, bases ... They never change, so they
 * are parts, and so is everything in them. `above` has the definition, or is
 * the namespace of what has it. */
bool lg__is_definition(lg__place_walk *walk, const lg__walk_type *type,
                       uint32_t node, uint32_t above);
bool lg__walk_types_begin(lg__place_walk *walk);
/** Returns the place of a node below `parent`, or one above it; LG_NONE when
 *  memory ran out. */
uint32_t lg__place_find(lg__place_walk *walk, uint32_t parent, uint32_t node,
                        lg__via via, uint32_t type);
/** Returns the place of a node that nothing dominates; LG_NONE when memory ran
 *  out. */
uint32_t lg__place_find_top(lg__place_walk *walk, const lg__step *step,
                            uint32_t type);
/** Returns the visit of a path that leads back for the first time, from the
 *  place `before`; LG_NONE when memory ran out. */
uint32_t lg__visit_first(lg__place_walk *walk, uint32_t before);
/** Returns the visit of a path that steps down to a place after that visit:
 *  the same one if the path has visited the place. LG_NONE when memory ran out.
 *  The visits of a path are read once for each such step, unless the place is
 *  new. */
uint32_t lg__visit_next(lg__place_walk *walk, uint32_t visit, uint32_t place);
void lg__visits_free(lg__place_walk *walk);
/** Writes the bytes of a table with devices, and moves them to their
 *  devices. */
void lg__places_on_devices(lg__place_walk *walk);

/** Adds a node's own bytes and references to its place. */
static inline lg__place_item *
lg__place_add_own(lg__place_walk *walk, uint32_t node, uint32_t place)
{
    const lg_columns *columns = &walk->graph->columns;
    lg__place_item *item = lg__place_at(walk->places, place);
    uint32_t size = columns->size[node];
    item->host[0] +=
        size == UINT32_MAX ? lg_node_size(walk->graph, node) : size;
    item->references +=
        columns->first_edge[node + 1] - columns->first_edge[node];
    return item;
}

/** Adds what a member retains if no other member dominates it. Makes it the
 *  example if the reference to it is the last one. */
static inline void
lg__place_add_outer(lg__place_walk *walk, uint32_t node, uint32_t place,
                    uint64_t via)
{
    lg__place_item *item = lg__place_at(walk->places, place);
    item->host[1] += walk->analysis->host[node];
    via &= LG__VIA_MASK;
    if (item->example == LG_NONE || via > item->via ||
        (via == item->via && node > item->example)) {
        item->example = node;
        item->via = via & LG__VIA_MASK;
    }
}

/** Returns whether the node has a reference to `target` whose number ends with
 *  these bits. */
static inline bool
lg__has_reference(const lg_columns *columns, uint32_t node, uint32_t bits,
                  uint32_t target, lg__via *out)
{
    uint64_t begin = columns->first_edge[node];
    uint64_t edge = begin + (uint32_t)(bits - (uint32_t)begin);
    if (edge >= columns->first_edge[node + 1] ||
        (columns->edge_count > LG_NONE && columns->edge_target[edge] != target))
        return false;
    *out = (lg__via){edge, node};
    return true;
}

/** Returns the reference by which the dominator `above` holds the node. */
static inline lg__via
lg__via_of(lg__place_walk *walk, uint32_t node, uint32_t above)
{
    uint32_t bits = walk->place[node];
    lg__via via;
    if (bits != LG_NONE &&
        lg__has_reference(&walk->graph->columns, above, bits, node, &via))
        return via;
    return lg__via_search(walk, node, above);
}

#endif
