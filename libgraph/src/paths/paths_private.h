/**
 * Paths from roots: what makes one better than another, the shortest to one
 * node and to every node, and how names select nodes.
 */
#ifndef LEAKGRAPH_PATHS_PRIVATE_H
#define LEAKGRAPH_PATHS_PRIVATE_H

#include "analysis/analysis_private.h"
#include "paths/author.h"
#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/why_facts.h>

// What makes one path from a root better than another, in all searches.

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
/** Returns the call with which a program cuts the reference of a native
 *  structure; LG_CALL_NONE if there is none, or it is another kind of
 *  reference. */
lg_cutting_call lg__native_edge_call(const lg_graph *graph, uint64_t edge);
/** Returns whether the edge leads to a list of what nothing can unregister:
 *  functions of os.register_at_fork and sys.addaudithook. */
bool lg__native_edge_lasts(const lg_graph *graph, uint64_t edge);
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
/** Returns whether a program can cut the edge, and the edge is an attribute, an
 *  item or a variable. */
bool lg__edge_is_plain(const lg_graph *graph, uint64_t edge);

/** Marks values of classes that their instances may share, [node_count]; NULL
 *  when memory ran out. O(types and their attributes). */
uint8_t *lg__class_values_mark(const lg_graph *graph);
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

/** What leads to nodes only after all else: methods of containers in variables,
 *  such as `append = rows.append`, then what a debugger has, and after that the
 *  copies of a function's variables that `f_locals` is. */
enum {
    LG__LATE_METHOD = 1,
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

/** Makes the hop the best one if it has a smaller penalty, or if `best` has no
 *  edges yet. Returns the penalty of the best one. */
unsigned lg__hop_choose(const lg_graph *graph, const lg_hop *hop, lg_hop *best);

/** Returns a path without hops that begins at the node: at the most telling
 *  root there or at a node folded into it; of several equal ones, the first. */
lg_path lg__path_at(const lg__hop_walk *walk, uint32_t node);

/** Appends hops to a path. If memory runs out, the path stays as it was. */
lg_status lg__path_extend(lg_path *path, const lg_hop *hops, size_t count,
                          lg_error *err);

/** Writes what comes between a holder and what it holds: `.x` and `[0]` as they
 *  are, anything else after a space. */
void lg__format_label(const lg_graph *graph, const lg_hop *hop, lg_text *out);

/** Returns whether a hop leads to an element of a container, or to a value of
 *  one that is not folded away. */
bool lg__hop_is_position(const lg_graph *graph, const lg_hop *hop);
/** Writes a path with every position in a container as `[*]`, and a chain of
 *  objects as one step: `__main__.trainer.losses[*]`, `__main__.head.next`. */
void lg__format_folded_path(const lg_graph *graph, const lg_path *path,
                            lg_text *out);

/** Writes the hops of a path from one on, as the paths above have them. */
void lg__format_path_end(const lg_graph *graph, const lg_path *path,
                         size_t first, bool folded, lg_text *out);

/** Returns the dict of a module that has the target as a parameter or a buffer,
 *  or the parameter whose gradient the target is: a path through it says what
 *  the target is. LG_NONE if there is none, or if the target is a root. The
 *  walk needs the reverse index. */
uint32_t lg__path_entrance(const lg__hop_walk *walk, uint32_t target);
/** Returns whether the path to an entrance leads through one, too: that to a
 *  parameter. */
bool lg__entrance_has_one(const lg_graph *graph, uint32_t entrance);
/** Returns whether a graph of the whole heap has the same entrance, if any. */
bool lg__path_entrance_is_sure(const lg__hop_walk *walk, uint32_t target);
/** Returns whether a partial graph has all references to a node. */
bool lg__node_is_explained(const lg_graph *graph, uint32_t node);
/** Returns whether the path to the target's entrance may lead on to the target:
 *  it begins at a non-native root, and does not pass the target. */
bool lg__path_enters(const lg_path *path, uint32_t target);

/** Returns a hop from `source` to `target` with the least penalty; its
 *  edge_count is 0 if there is none. The walk needs the folds. O(hops out of
 *  the source), or with the reverse index O(hops into the target) if that is
 *  less. */
lg_hop lg__hop_between(const lg__hop_walk *walk, uint32_t source,
                       uint32_t target);

/** Hops from one object to several. It begins as {0}. */
typedef struct lg__hop_list {
    const lg_graph *graph;
    lg_hop *items; /**< [target] what lg__hop_between finds */
    size_t capacity;
    uint32_t *slot; /**< [node] 1 + its index among the targets; all 0
                         between calls */
} lg__hop_list;

/** Finds the hops. None leads from the two roots of dominators. Returns false
 *  when memory ran out. O(hops out of the source), or less for few targets. */
bool lg__hop_list_find(lg__hop_list *list, const lg__hop_walk *walk,
                       uint32_t source, const lg__gathered *targets);
void lg__hop_list_free(lg__hop_list *list);

// The shortest path from a root to every node, as lg_path_from_root measures
// paths.

/** Prepares a walk over all hops for a search for paths. Returns false when
 *  memory ran out. */
bool lg__paths_walk(const lg_graph *graph, lg__hop_walk *out);

typedef struct lg__roottree {
    lg__hop_walk walk;
    uint32_t *before; /**< [node] the node before it; a root: itself;
                           LG_NONE: no root reaches it, or it is folded */
    uint32_t *root;   /**< [node] index of a root's best root; undefined for
                           other nodes */
    bool kept;        /**< the arrays belong to the graph */
} lg__roottree;

/** Makes the tree of all paths. O(nodes + edges) the first time; then the graph
 *  keeps it. */
lg_status lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                           lg__roottree *out, lg_error *err);
/** Makes a tree with only this path; without any, if it is NULL. O(nodes). */
lg_status lg__roottree_of(const lg_graph *graph, const lg_path *path,
                          lg__roottree *out, lg_error *err);
/** Returns the entrance of a node that is not folded, if its path leads through
 *  one; else LG_NONE. */
uint32_t lg__roottree_entrance(const lg__roottree *tree, uint32_t node);
/** Finds the path to one node, the same as lg_path_from_root. LG_ENOTFOUND,
 *  without a message, if no root reaches the node. */
lg_status lg__roottree_path(const lg__roottree *tree, uint32_t node,
                            lg_path *out, lg_error *err);
void lg__roottree_free(lg__roottree *tree);

/** A search for the tree of all paths by a helper. */
typedef struct lg__tree_ahead lg__tree_ahead;

/** Starts the search if the graph is large and does not have the tree yet; else
 *  returns NULL, which the other functions take. The graph keeps the tree;
 *  without it, lg__roottree_new looks for it as ever. */
lg__tree_ahead *lg__tree_ahead_begin(const lg_graph *graph);
/** Waits until the search is over. The monitor is asked in the meantime; if it
 *  refuses, this returns LG_ECANCELLED. */
lg_status lg__tree_ahead_wait(lg__tree_ahead *ahead, const lg_monitor *monitor,
                              lg_error *err);
/** Gives up a search that is not over, and frees it. */
void lg__tree_ahead_end(lg__tree_ahead *ahead);

// Paths to any number of nodes. One search costs at most a walk over the whole
// graph. So does the tree of all paths, which pays off from a handful of nodes
// on. Once the graph has the tree, a path costs only its own length.

/** It begins as {.graph = graph}. */
typedef struct lg__finder {
    const lg_graph *graph;
    lg__roottree tree;
    uint32_t searches;
} lg__finder;

/** Finds the path that lg_path_from_root finds. */
lg_status lg__finder_path(lg__finder *finder, uint32_t node,
                          const lg_monitor *monitor, lg_path *out,
                          lg_error *err);
void lg__finder_free(lg__finder *finder);

/** Returns the index of a module's root, or LG_NONE. */
uint32_t lg__module_find(const lg_graph *graph, const char *name,
                         size_t length);

/** Sorts edges and drops repetitions. Returns how many are left. */
size_t lg__edges_unify(uint64_t *edges, size_t count);

/** Adds the part of a hop's label that all elements of its container share:
 *  without index and key. For a frame, that is its function. */
void lg__hop_common(const lg_graph *graph, const lg_hop *hop, lg_text *out);

// Facts that are equal for similar things. They are keys to group by, not text
// for people. Each begins on a line of its own.

/** Adds the type of a node; for a function, class, module or frame, also its
 *  name. Adds nothing for LG_NONE. */
void lg__sort_common(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds what is equal for the same nodes, within this graph only: of most types
 *  the number of the name, which takes less time than the name. */
void lg__sort_number(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds a hop without its index, key or line. Returns how much it added. */
size_t lg__hop_facts(const lg_graph *graph, const lg_hop *hop, lg_text *out);
/** Adds the root and the hops of a path. A hop that repeats counts once. */
void lg__path_common(const lg_graph *graph, const lg_path *path, lg_text *out);

// The hops of a path each of which would free its target.

/** Sets suspect[i] for each hop of the path without which no root reaches
 *  the target. Returns how many there are. Hops that no program can cut,
 *  such as from a thread to its frame, do not count. The walk needs the
 *  reverse index. */
size_t lg__suspects_mark(const lg_analysis *analysis, const lg__hop_walk *walk,
                         const lg_path *path, uint32_t target, bool *suspect);

// The shortest paths of many targets, merged from the roots down.

/** Nodes of paths that agree in what leads to them and in their type. */
typedef struct lg__merged {
    uint32_t parent;  /**< its index in the tree; LG_NONE for a root */
    uint32_t root;    /**< its index among the graph's roots, or LG_NONE */
    uint32_t node;    /**< an example */
    lg_hop hop;       /**< from a node of the parent; edge_count is 0 for a
                           root */
    bool varied;      /**< the hops differ in index or key */
    uint32_t type;    /**< of the example; the types of the others have the
                           same name */
    uint32_t nodes;   /**< how many nodes are merged */
    uint64_t targets; /**< targets at or below them */
    uint64_t ends;    /**< targets among them */
    uint64_t total;   /**< bytes that those targets retain, none counted
                           twice */
    size_t bytes;     /**< index of the same bytes by device in the tree's
                           `bytes` */
} lg__merged;

typedef struct lg__merged_tree {
    lg__merged *items; /**< parents before children, biggest first */
    size_t count;
    uint64_t *bytes;      /**< [count * (device_count + 1)] */
    uint64_t targets;     /**< number of distinct targets */
    uint64_t unreachable; /**< number of targets that no root reaches */
} lg__merged_tree;

/** Merges nodes whose type names and labels agree; all indexes and keys count
 *  as one label. O(nodes + edges), plus O(items log items) to order them. */
lg_status lg__paths_merge(const lg_analysis *analysis, const uint32_t *targets,
                          size_t count, const lg_monitor *monitor,
                          lg__merged_tree *out, lg_error *err);
void lg__merged_tree_free(lg__merged_tree *tree);

// Which of the merged paths get a row.

enum {
    LG__PRUNE_FOLDED = 0, /**< counted in "12 more", with everything below it */
    LG__PRUNE_SHOWN,
    LG__PRUNE_PASSED, /**< in the middle of a long path without branches */
};

typedef struct lg__pruned {
    uint32_t *end;  /**< [count] the index after its last descendant */
    uint8_t *state; /**< [count] folded items come last among siblings */
} lg__pruned;

/** What to show: lg_merged_options, in bytes and targets instead of shares. */
typedef struct lg__pruning {
    size_t limit;
    size_t most;
    uint32_t head;
    uint32_t tail;
    uint64_t min_bytes; /**< an item with less than both limits is folded */
    uint64_t min_targets;
} lg__pruning;

/** Shows the `limit` biggest items (0: all) with everything above them, or as
 *  many fewer as fit into `most` rows (0: any number). O(count log count). Free
 *  with lg__pruned_free, also on failure. */
lg_status lg__paths_prune(const lg__merged_tree *tree,
                          const lg__pruning *options, lg__pruned *out,
                          lg_error *err);
void lg__pruned_free(lg__pruned *pruned);
/** Returns the state of an item's row. If only one item would be left out, it
 *  gets a row of its own instead. */
uint8_t lg__pruned_state(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);
/** Returns the item of the next row, after items passed in a row and after
 *  folded siblings. */
uint32_t lg__pruned_next(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);

// Names that users write, with globs, and suggestions if nothing matches.

/** Returns whether `name` matches `pattern`, in which `*` matches any text. */
bool lg__glob_matches(const char *pattern, size_t length, lg_string name);

/** The nearest known name. Keep the sought name while you use the guess. */
typedef struct lg__guess {
    const char *wanted;
    size_t length;
    lg_string best;
    size_t distance;
} lg__guess;

lg__guess lg__guess_new(const char *wanted, size_t length);
void lg__guess_offer(lg__guess *guess, lg_string candidate);

// Which module keeps which node.

/** What keeps a node that no module keeps; LG_NONE: nothing known. */
#define LG__KEPT_BY_PROGRAM (LG_NONE - 1)     /**< by a thread */
#define LG__KEPT_BY_INTERPRETER (LG_NONE - 2) /**< or by a static object */

typedef struct lg__keepers {
    lg__roottree tree;
    uint32_t *shifted; /**< [node] of those that somebody asked about */
    lg__gathered path; /**< scratch */
    bool failed;       /**< memory ran out: answers are wrong */
} lg__keepers;

/** O(nodes + edges) unless the graph has the tree of paths. *out begins as
 *  {0}. */
lg_status lg__keepers_begin(const lg_graph *graph, const lg_monitor *monitor,
                            lg__keepers *out, lg_error *err);
/** Returns the module at which the shortest path from a root to the node
 *  begins, or whose function runs in the frame there. */
uint32_t lg__keepers_of(lg__keepers *keepers, uint32_t node);
void lg__keepers_end(lg__keepers *keepers);
/** Returns the module whose function runs in a frame or waits to;
 *  LG__KEPT_BY_PROGRAM if it is unknown. */
uint32_t lg__frame_module(const lg_graph *graph, uint32_t frame);

/** Returns one byte a node: whether it is in the scope. NULL means that all
 *  are. */
const uint8_t *lg__scope_marks(const lg_scope *scope);
/** Returns whether a function of the scope's modules runs in the frame or waits
 *  to. */
bool lg__scope_runs(const lg_scope *scope, uint32_t frame);

#endif
