/** What makes one path from a root better than another, in all searches: roots,
 *  references and hops. */
#ifndef LEAKGRAPH_MEASURE_H
#define LEAKGRAPH_MEASURE_H

#include "analysis/analysis_private.h"

#include <leakgraph/graph.h>
#include <leakgraph/internal/why_facts.h>

/** Ranks of roots, from the most telling to the least. */
enum {
    LG__RANK_THREAD = 0,
    LG__RANK_USER_MODULE,
    LG__RANK_BOOKKEEPING,
    LG__RANK_INTERPRETER,
    LG__RANK_STATIC,
    LG__RANK_NATIVE,
    LG__RANK_NONE,
};

/** Returns the rank of the root with that index. */
uint8_t lg__root_rank(const lg_graph *graph, uint32_t index);

/** Returns whether a program can cut the edge. It cannot cut an object's own
 *  namespace or type, an item of a tuple, a field of a frozen dataclass, a
 *  field of a function, what native structures refer to, a thread's frame, a
 *  temporary of a frame, and others that lg_node_cuts lists. */
bool lg__edge_can_be_cut(const lg_graph *graph, uint64_t edge);
/** Returns whether a program can take out what the node has: not of a text, a
 *  tuple or an array, which it replaces by another. */
bool lg__node_can_be_emptied(const lg_graph *graph, uint32_t node);
/** Returns the call with which a program cuts the reference of a native
 *  structure; LG_CALL_NONE if there is none, or it is another kind of
 *  reference. */
lg_cutting_call lg__native_edge_call(const lg_graph *graph, uint64_t edge);
/** Returns the name of an attribute, or the text of a key; else empty. */
lg_string lg__edge_name(const lg_graph *graph, uint64_t edge);
/** A reference: an edge and what it is an edge of. */
typedef struct lg__reference {
    uint32_t source;
    uint64_t edge;
} lg__reference;
/** Returns the last edge of a hop. */
lg__reference lg__hop_reference(const lg_graph *graph, const lg_hop *hop);
/** Returns whether the reference is an attribute of an object: in the object
 *  itself, or in its namespace. */
bool lg__reference_is_attribute(const lg_graph *graph, const lg__folds *folds,
                                lg__reference reference);
/** Returns whether both are one reference: the same edge, or one attribute that
 *  is stored twice, in the object and in its namespace. From CPython 3.13 on, a
 *  namespace may show the values in the object. */
bool lg__references_are_one(const lg_graph *graph, const lg__folds *folds,
                            lg__reference one, lg__reference other);
/** Returns whether the edge leads to the results that a shell of IPython
 *  keeps. */
bool lg__edge_is_of_shell(const lg_graph *graph, uint64_t edge);

/** Sets a bit of values of classes that their instances may share, in marks of
 *  all nodes. O(types and their attributes). */
void lg__class_values_mark(const lg_graph *graph, uint8_t bit, uint8_t *marks);
/** Returns whether the last edge of a hop from an object leads to what its
 * class has under the same name: `logger.manager` is `Logger.manager`. No path
 * from a root takes such a hop. Ask only for marked targets. */
bool lg__edge_repeats_class(const lg_graph *graph, uint32_t source,
                            uint64_t edge);

/** Returns how little a hop tells: 0 for a local, an attribute or a key. */
unsigned lg__hop_penalty(const lg_graph *graph, const lg_hop *hop);

/** Returns the penalty of a path with one hop more. A penalty leaves room in 32
 *  bits for a rank and three further bits, so that one number compares paths
 *  first by the ranks of their roots, then by penalty. */
enum { LG__PENALTY_BITS = 26 };
static inline uint32_t
lg__penalty_add(uint32_t sum, unsigned more)
{
    const uint32_t most = (1u << LG__PENALTY_BITS) - 1;
    return more < most - sum ? sum + more : most;
}

/** What leads to nodes only after all else: in lg__roottree_at_rest, running
 * frames and what wakes tasks; methods of containers in variables, such as
 * `append = rows.append`, then what a debugger has, and after that the copies
 * of a function's variables that `f_locals` is. */
enum {
    LG__LATE_RUNNING = 1,
    LG__LATE_METHOD,
    LG__LATE_DEBUGGER,
    LG__LATE_COPY,
    LG__LATE_LEVELS,
};

/** Finds the level of each node, [node_count]; 0 for most. *out is NULL if that
 *  is so for all, and belongs to the graph. Returns false when memory ran out.
 *  O(nodes) the first time. */
bool lg__late_find(const lg_graph *graph, const uint8_t **out);
/** Returns the highest level of the nodes that the path passes. */
unsigned lg__late_level(const uint8_t *late, const lg_path *path);

/** What a reference of a kind adds to lg__hop_penalty. */
extern const uint8_t lg__penalties[LG_EDGE_KIND_COUNT];

#endif
