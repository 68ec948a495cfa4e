/**
 * Paths from roots: what makes one better than another, the shortest to one
 * node and to every node, and how names select nodes.
 */
#ifndef LG_PATHS_PRIVATE_H
#define LG_PATHS_PRIVATE_H

#include "analysis/analysis_private.h"

#include <leakgraph/scope.h>

// What makes one path from a root better than another, for all searches.

/** Roots from the most telling to the least. */
enum {
    LG__RANK_THREAD = 0,
    LG__RANK_USER_MODULE,
    LG__RANK_BOOKKEEPING,
    LG__RANK_INTERPRETER,
    LG__RANK_STATIC,
    LG__RANK_NATIVE,
    LG__RANK_NONE,
};

/** The rank of the root with that index. */
uint8_t lg__root_rank(const lg_graph *graph, uint32_t index);

/** Whether a program can cut the edge: not an object's own namespace or type,
 *  an item of a tuple, a field of a function, what native structures refer to,
 *  a thread's frame, or a temporary of a frame. */
bool lg__edge_can_be_cut(const lg_graph *graph, uint64_t edge);
/** The name of an attribute, or the text of a key; else empty. */
lg_string lg__edge_name(const lg_graph *graph, uint64_t edge);
/** Whether it leads to the results that a shell of IPython keeps. */
bool lg__edge_is_of_shell(const lg_graph *graph, uint64_t edge);
/** Whether a program can cut the edge, and it is an attribute, an item or a
 *  variable. */
bool lg__edge_is_plain(const lg_graph *graph, uint64_t edge);

/** How little a hop tells: 0 for a local, an attribute, a key. */
unsigned lg__hop_penalty(const lg_graph *graph, const lg_hop *hop);

/** The penalty of a path with one hop more. It leaves room for a rank, and for
 *  three bits more, in 32 bits: so one number compares paths by the ranks of
 *  their roots, and then by their penalties. */
enum { LG__PENALTY_BITS = 26 };
static inline uint32_t
lg__penalty_add(uint32_t sum, unsigned more)
{
    const uint32_t most = (1u << LG__PENALTY_BITS) - 1;
    return more < most - sum ? sum + more : most;
}

/** Makes the hop the best one if it has a smaller penalty, or `best` has no
 *  edges yet. Returns the penalty of the best one. */
unsigned lg__hop_choose(const lg_graph *graph, const lg_hop *hop, lg_hop *best);

/** The most telling root that is the node, or a node folded into it; the first
 *  of several. LG_ROOT_NONE: there is none. */
lg_root lg__root_at(const lg__walk *walk, uint32_t node);

/** Appends hops to a path. The path is as it was if memory runs out. */
lg_status lg__path_extend(lg_path *path, const lg_hop *hops, size_t count,
                          lg_error *err);

/** The dict of a module that has the target as a parameter or a buffer: a path
 *  through it says what the target is. LG_NONE: there is none, or the target is
 *  a root. The walk has the reverse index. */
uint32_t lg__path_entrance(const lg__walk *walk, uint32_t target);
/** Whether the path to its entrance may lead on to the target: it begins at a
 *  root that is not native, and does not pass the target. */
bool lg__path_enters(const lg_path *path, uint32_t target);

/** A hop from `source` to `target` with the least penalty; edge_count 0 if
 *  there is none. The walk needs the folds. O(hops out of the source), or with
 *  the reverse index O(hops into the target) if that is less. */
lg_hop lg__hop_between(const lg__walk *walk, uint32_t source, uint32_t target);

/** Hops from one object to several. Begins as {0}. */
typedef struct lg__hop_list {
    const lg_graph *graph;
    lg_hop *items; /**< [target], as lg__hop_between finds them */
    size_t capacity;
    uint32_t *slot; /**< [node] 1 + its place among the targets; all 0 in
                         between */
} lg__hop_list;

/** From one of the two roots of dominators there are no hops. False if memory
 *  ran out. O(hops out of the source), or less for few targets. */
bool lg__hop_list_find(lg__hop_list *list, const lg__walk *walk,
                       uint32_t source, const lg__gathered *targets);
void lg__hop_list_free(lg__hop_list *list);

// The shortest path from a root to every node, by the measure of
// lg_path_from_root.

/** A walk over all hops, with what a search for paths needs. False if memory
 *  ran out. */
bool lg__paths_walk(const lg_graph *graph, lg__walk *out);

typedef struct lg__roottree {
    lg__walk walk;
    uint32_t *before; /**< [node] the node before it; itself at a root; LG_NONE:
                           no root reaches it, or it is folded */
    uint32_t *root;   /**< [node] of a root node: its best root's index */
    bool kept;        /**< the arrays are the graph's */
} lg__roottree;

/** O(nodes + edges) the first time: the graph keeps the tree. */
lg_status lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                           lg__roottree *out, lg_error *err);
/** The same with nothing but the path of lg_path_from_root to one node: it
 * costs no more than that. */
lg_status lg__roottree_to(const lg_graph *graph, uint32_t node,
                          const lg_monitor *monitor, lg__roottree *out,
                          lg_error *err);
/** The node before the last one of a path to `node`, which is not folded: its
 *  entrance, or as in `before`. */
uint32_t lg__roottree_before(const lg__roottree *tree, uint32_t node);
/** The path to one node, the same as by lg_path_from_root. LG_ENOTFOUND,
 *  without a message, if no root reaches it. */
lg_status lg__roottree_path(const lg__roottree *tree, uint32_t node,
                            lg_path *out, lg_error *err);
void lg__roottree_free(lg__roottree *tree);

// Paths to any number of nodes. One search costs up to a walk of the whole
// graph, and so does the tree of all paths, which pays from a handful of nodes
// on. Where the graph has the tree, a path costs its own length.

/** Begins as {.graph = graph}. */
typedef struct lg__finder {
    const lg_graph *graph;
    lg__roottree tree;
    uint32_t searches;
} lg__finder;

/** Like lg_path_from_root. */
lg_status lg__finder_path(lg__finder *finder, uint32_t node,
                          const lg_monitor *monitor, lg_path *out,
                          lg_error *err);
void lg__finder_free(lg__finder *finder);

/** Sorts edges, and drops what is there twice. Returns how many are left. */
size_t lg__edges_unify(uint64_t *edges, size_t count);
/** The same for nodes. */
size_t lg__nodes_unify(uint32_t *nodes, size_t count);

/** Adds what the label of a hop shares with those of all elements of its
 *  container: no index and no key; of a frame its function. */
void lg__hop_common(const lg_graph *graph, const lg_hop *hop, lg_text *out);

// Facts that are the same for things that are alike, as keys to group by: they
// are not for people. Each begins on a line of its own.

/** The type of a node; of a function, a class, a module or a frame its name,
 *  too. LG_NONE: nothing. */
void lg__sort_common(const lg_graph *graph, uint32_t node, lg_text *out);
/** A hop without its index, key or line. Returns how much was added. */
size_t lg__hop_facts(const lg_graph *graph, const lg_hop *hop, lg_text *out);
/** The root and the hops of a path; the same hop over and over counts once. */
void lg__path_common(const lg_graph *graph, const lg_path *path, lg_text *out);

// The hops of a path that would each free its target.

/** Sets suspect[i] for each hop of the path without which no root reaches the
 *  target; returns how many there are. Hops that no program can cut, as from a
 *  thread to its frame, do not count. The walk has the reverse index. */
size_t lg__suspects_mark(const lg_analysis *analysis, const lg__walk *walk,
                         const lg_path *path, uint32_t target, bool *suspect);

// The shortest paths of many targets, merged from the roots down.

/** What nodes of the paths have in common: what leads there, and their type. */
typedef struct lg__merged {
    uint32_t parent;  /**< index in the tree; LG_NONE for a root */
    uint32_t root;    /**< its index among the graph's roots, or LG_NONE */
    uint32_t node;    /**< one node as an example */
    lg_hop hop;       /**< from a parent's node; edge_count 0 for a root */
    bool varied;      /**< the hops differ in their index or key */
    uint32_t type;    /**< of the example; the others have one of that name */
    uint32_t nodes;   /**< how many are merged here */
    uint64_t targets; /**< that lie at or below */
    uint64_t ends;    /**< that lie here */
    uint64_t total;   /**< retained by those targets, no byte twice */
    size_t bytes;     /**< the same by device begins here in the tree's */
} lg__merged;

typedef struct lg__merged_tree {
    lg__merged *items; /**< parents before children, biggest first */
    size_t count;
    uint64_t *bytes;      /**< [count * (device_count + 1)] */
    uint64_t targets;     /**< each of them once */
    uint64_t unreachable; /**< targets that no root reaches */
} lg__merged_tree;

/** Merges where the type's name and the label agree; indexes and keys count as
 *  one label. O(nodes + edges), and O(items log items) to order them. */
lg_status lg__paths_merge(const lg_analysis *analysis, const uint32_t *targets,
                          size_t count, const lg_monitor *monitor,
                          lg__merged_tree *out, lg_error *err);
void lg__merged_tree_free(lg__merged_tree *tree);

// Which of the merged paths get a row.

enum {
    LG__PRUNE_FOLDED = 0, /**< one of "12 more", with all that is below it */
    LG__PRUNE_SHOWN,
    LG__PRUNE_PASSED, /**< in the middle of a long path without branches */
};

typedef struct lg__pruned {
    uint32_t *end;  /**< [count] the index behind all that is below */
    uint8_t *state; /**< [count]; of siblings those folded come last */
} lg__pruned;

/** The choice: lg_merged_options, with bytes and targets instead of shares. */
typedef struct lg__pruning {
    size_t limit;
    size_t most;
    uint32_t head;
    uint32_t tail;
    uint64_t min_bytes; /**< an item with less than both is folded */
    uint64_t min_targets;
} lg__pruning;

/** Shows the `limit` (0: all) biggest, each with all above it, or as many fewer
 *  as leave no more than `most` (0: any number of) rows. O(count log count).
 *  Free with lg__pruned_free, also on failure. */
lg_status lg__paths_prune(const lg__merged_tree *tree,
                          const lg__pruning *options, lg__pruned *out,
                          lg_error *err);
void lg__pruned_free(lg__pruned *pruned);
/** What has a row. A folded item that would be the only one left out has a row
 *  of its own. */
uint8_t lg__pruned_state(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);
/** The item of the next row: after those passed in a row, and after the folded
 *  siblings. */
uint32_t lg__pruned_next(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);

// Parts of selecting: names resolved hop by hop, globs, and what to suggest if
// nothing matches.

/** Whether `name` matches `pattern`, in which `*` stands for any text. */
bool lg__glob_matches(const char *pattern, size_t length, lg_string name);

/** The node that a name such as `train.losses[0]['x'].y` stands for. */
lg_status lg__name_resolve(const lg_graph *graph, const char *name,
                           uint32_t *out, lg_error *err);

/** The same for what follows `thread `: `MainThread in main() app.py:3 local
 * x`.
 */
lg_status lg__thread_resolve(const lg_graph *graph, const char *name,
                             uint32_t *out, lg_error *err);
/** The thread that a text begins with, or LG_NONE; takes its name off. */
uint32_t lg__thread_begin(const lg_graph *graph, const char **text);
/** Takes the hop off the text whose label, as reports write it, is the longest
 *  there, and follows it. LG_ENOTFOUND, without a message: there is none. */
lg_status lg__shown_step_follow(const lg_graph *graph, const char **text,
                                uint32_t *node, lg_error *err);

/** Follows all steps, as people write them or as reports do. `name`: the whole
 *  text, for messages. */
lg_status lg__steps_follow(const lg_graph *graph, const char *steps,
                           const char *name, uint32_t node, uint32_t *out,
                           lg_error *err);
/** The nodes that a text may mean that reports write of what no module and no
 *  thread leads to: `native code: Trainer.model`, `garbage: Child.buffer`. */
lg_status lg__unnamed_select(const lg_graph *graph, const char *text,
                             lg_nodes *out, lg_error *err);
/** What such texts select: each node once; LG_ENOTFOUND, with a message: none.
 */
lg_status lg__nodes_take(const lg__vector *found, const char *text,
                         lg_nodes *out, lg_error *err);
/** The nodes that a path may mean in which reports leave out steps through an
 *  autograd graph: `train.loss.grad_fn … AddBackward0._saved_self`. */
lg_status lg__elided_select(const lg_graph *graph, const char *text,
                            lg_nodes *out, lg_error *err);

/** The module that a name begins with, and the steps behind it. */
lg_status lg__name_begin(const lg_graph *graph, const char *name,
                         uint32_t *node, const char **rest, lg_error *err);
/** Takes one step, `.name` or `[key]`, off the text and writes it as a label.
 *  False if it is malformed: lg__step_malformed says so. */
bool lg__step_take(const char **text, lg_text *step);
lg_status lg__step_malformed(const char *step, const char *name, lg_error *err);
/** Visits the hops from the node that have that label, until the visitor
 *  returns false. With `globs` the step `[*]` is all items and `.*` all
 *  attributes. O(hops of the node). */
lg_status lg__step_walk(const lg_graph *graph, const lg_text *step, bool globs,
                        uint32_t node, lg__hop_visit visit, void *context,
                        lg_error *err);
/** Says that the node has no such step, and which one may be meant. */
lg_status lg__step_missing(const lg_graph *graph, const lg_text *step,
                           uint32_t node, lg_error *err);

/** Suggests the variable of the program's modules that is nearest to what a
 * name begins with, if it is nearer than that. Returns whether there is one. */
bool lg__variable_suggest(const lg_graph *graph, const char *name,
                          size_t distance, lg_error *err);

/** Whether a text without a prefix looks like such a name. */
bool lg__name_is_likely(const char *text);

/** A module's root index, or LG_NONE. */
uint32_t lg__module_find(const lg_graph *graph, const char *name,
                         size_t length);

/** The nearest known name; keep it while you use the guess. */
typedef struct lg__guess {
    const char *wanted;
    size_t length;
    lg_string best;
    size_t distance;
} lg__guess;

lg__guess lg__guess_new(const char *wanted, size_t length);
void lg__guess_offer(lg__guess *guess, lg_string candidate);

// Which module keeps what.

/** Kept by something else than a module; LG_NONE: by nothing that is known. */
#define LG__KEPT_BY_PROGRAM (LG_NONE - 1)     /**< by a thread */
#define LG__KEPT_BY_INTERPRETER (LG_NONE - 2) /**< or by a static object */

/** The module that the shortest path from a root to each node begins at, or
 *  whose function runs in the frame at its beginning. *out is [node_count], and
 *  released with free(). O(nodes + edges). */
lg_status lg__keepers_find(const lg_graph *graph, const lg_monitor *monitor,
                           uint32_t **out, lg_error *err);
/** The module whose function runs in a frame, or waits to; LG__KEPT_BY_PROGRAM:
 *  it is not known. */
uint32_t lg__frame_module(const lg_graph *graph, uint32_t frame);

/** One byte a node: whether it is in the scope. NULL: everything. */
const uint8_t *lg__scope_marks(const lg_scope *scope);
/** Whether a function of these modules runs in the frame, or waits to. */
bool lg__scope_runs(const lg_scope *scope, uint32_t frame);

#endif
