/**
 * Answers: each function answers one question with a value that holds facts,
 * not text. Reports, pictures and Python only format answers.
 *
 * The conventions of leakgraph.h hold. An answer of this header outlives the
 * analysis, and borrows the graph: keep it for the names, nodes and hops. Bytes
 * by device are numbers in the order of lg_graph_device_name, the host first.
 */
#ifndef LEAKGRAPH_ANSWERS_H
#define LEAKGRAPH_ANSWERS_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a row of the biggest is. */
typedef enum lg_group {
    LG_GROUP_OBJECT = 0, /**< the biggest dominators */
    LG_GROUP_TYPE,       /**< by type: exact retained bytes of all instances */
    LG_GROUP_MODULE,     /**< by module of the type */
} lg_group;

/** Where a node is. */
typedef enum lg_where_kind {
    LG_WHERE_PATH = 0,    /**< where `path` leads */
    LG_WHERE_GARBAGE,     /**< no root reaches it */
    LG_WHERE_INTERPRETER, /**< below the interpreter, which has no path */
} lg_where_kind;

typedef struct lg_where {
    lg_where_kind kind;
    lg_path path;      /**< a shortest one from a root; owned */
    bool in_modules;   /**< a row is about what many modules have, and the path
                            is of one of them */
    lg_node dominator; /**< of garbage, with its owner for a namespace; or
                            LG_NONE */
    lg_hop hop; /**< a reference from there; edge_count 0: there is none */
} lg_where;

void lg_where_free(lg_where *where);

/** An object below a row, or many small ones of one place: where a good part of
 *  the row's bytes gather. */
typedef struct lg_top_part {
    lg_node node;   /**< of several objects the biggest */
    uint64_t count; /**< objects */
    bool varied;    /**< their titles differ */
    uint32_t depth; /**< 1: of the row; 2: of the last part of depth 1 */
    const uint64_t *retained; /**< by all of them together, by device */
    uint64_t weight;          /**< as in lg_top_row */
    lg_text held_by; /**< the path from the root, with `[*]` for what differs */
    size_t lead;     /**< how much of it leads to what this is a part of */
} lg_top_part;

typedef struct lg_top_row {
    lg_node node;   /**< of several objects the biggest; LG_NONE of a group by
                         type or module */
    lg_string name; /**< of such a group: the graph's */
    uint64_t count; /**< objects */
    bool varied;    /**< their titles differ */
    lg_category category; /**< of the node, or of the type; LG_CATEGORY_OTHER
                               for a module */
    const uint64_t *size; /**< of them, by device */
    const uint64_t *retained; /**< by all of them together, by device */
    uint64_t spent;     /**< by allocators on what is retained on the host: see
                             lg_retained_rounding */
    uint64_t weight;    /**< what rows are ranked by: of that retained */
    int by;             /**< lg_native_level: half of what is retained on the
                             host is held by references of this level, or by
                             better ones */
    lg_where where;     /**< of `node` */
    lg_top_part *parts; /**< what is below the objects and has at least 1 % of
                             the total, the biggest first; none of garbage */
    size_t part_count;
} lg_top_row;

/** Packages that are named. */
enum { LG_TOP_PACKAGES = 3 };

typedef struct lg_top {
    lg_group group;
    uint32_t device;  /**< whose bytes rank rows; LG_NONE: all of them */
    lg_top_row *rows; /**< the biggest first */
    size_t count;
    uint64_t total; /**< that weights are parts of */
    const uint64_t
        *reachable; /**< all bytes of what the roots reach, by device */
    const uint64_t *garbage;
    const uint64_t *libraries; /**< by device: what they keep for themselves,
                                    and have no row for; NULL for groups */
    uint64_t library_objects;
    lg_string package[LG_TOP_PACKAGES]; /**< the biggest of those libraries */
    uint32_t package_count;
    const uint64_t *more; /**< by device: all that is in no row and in no
                               library, so that all of it adds up; NULL for
                               groups */
    uint64_t more_objects;
    uint64_t spent;   /**< by allocators on the whole heap, on the host */
    uint32_t devices; /**< and the host */
    uint64_t *bytes;  /**< what the sizes point into */
} lg_top;

/** Start from LG_TOP_OPTIONS_INIT. */
typedef struct lg_top_options {
    size_t size; /**< of this struct */
    lg_group group;
    uint32_t device; /**< whose bytes rank rows; LG_NONE: all of them */
    size_t limit;    /**< rows (0: any number) */
    bool libraries;  /**< what libraries keep for themselves has rows, too */
    const lg_scope *scope; /**< only what it has has a row; for objects only;
                                or NULL */
} lg_top_options;

#define LG_TOP_OPTIONS_INIT                                                    \
    {                                                                          \
        .size = sizeof(lg_top_options), .device = LG_NONE                      \
    }

/**
 * Finds what retains the most.
 *
 * Objects: the rows are objects that gather bytes, none below another. An
 * object that passes most of what it retains on to one other object does not
 * gather. Neither do modules, threads, frames and the interpreter: what they
 * dominate has rows instead. A linked list, which passes bytes on little by
 * little, has a row for its first link. Small objects that similar objects hold
 * by the same name share a row. Rows, libraries and the rest add up to the
 * whole heap.
 *
 * Types and modules: the rows are groups, with the exact bytes that all objects
 * of a group together retain.
 *
 * LG_EINVAL if there is no such device. O(nodes + edges); for groups, as much
 * for each 64 of them.
 */
lg_status lg_analysis_top(const lg_analysis *analysis,
                          const lg_top_options *options,
                          const lg_monitor *monitor, lg_top *out,
                          lg_error *err);
void lg_top_free(lg_top *top);

/** The column that types are sorted by; the names decide between equals. */
typedef enum lg_sort {
    LG_SORT_SIZE = 0, /**< the biggest first */
    LG_SORT_COUNT,    /**< the most objects first */
    LG_SORT_TYPE,     /**< by name */
} lg_sort;

typedef struct lg_type_row {
    uint32_t type;
    lg_string name;       /**< of the type */
    uint64_t count;       /**< objects */
    uint64_t bytes;       /**< shallow, on the host and all devices */
    const uint64_t *size; /**< of that, by device */
    uint64_t spent; /**< by allocators on those of the host: lg_node_spent */
} lg_type_row;

typedef struct lg_types {
    lg_type_row *rows; /**< of types with an object */
    size_t count;
    size_t total;         /**< types, before the limit */
    uint64_t objects;     /**< of all types, as the next two */
    const uint64_t *size; /**< by device */
    uint64_t spent;
    uint64_t *sizes; /**< what the sizes point into */
} lg_types;

/** Start from LG_TYPE_OPTIONS_INIT. */
typedef struct lg_type_options {
    size_t size; /**< of this struct */
    lg_sort by;
    size_t limit;          /**< rows (0: any number) */
    const lg_scope *scope; /**< only what it has counts; or NULL */
    const lg_node *nodes;  /**< only these count; NULL: all */
    size_t node_count;
} lg_type_options;

#define LG_TYPE_OPTIONS_INIT                                                   \
    {                                                                          \
        .size = sizeof(lg_type_options)                                        \
    }

/** Counts objects by type. options may be NULL. Works on partial graphs, too.
 *  O(nodes + types log types). */
lg_status lg_graph_types(const lg_graph *graph, const lg_type_options *options,
                         lg_types *out, lg_error *err);
void lg_types_free(lg_types *types);

/** The immediate dominator as answers show it: an object stands for the
 *  namespace or closure that folds into it, so that answers do not depend on
 *  whether this Python keeps attributes in a dict. LG_NONE as in
 *  lg_node_dominator. */
lg_node lg_node_owner(const lg_analysis *analysis, lg_node node);
/** Keeps of the nodes those that one of the holders owns, at once or through
 *  others. LG_EINVAL if there is no such node; the list is as it was then.
 *  O(nodes of the graph). */
lg_status lg_nodes_keep_owned(const lg_analysis *analysis,
                              const lg_node *holders, size_t count,
                              lg_nodes *nodes, lg_error *err);

/** The nodes that `node` dominates immediately as answers show them, the
 *  biggest retained bytes first. Instead of a namespace or a closure
 *  that folds into a dominator, the list has what that dominates. For garbage
 *  in a component, it has what the component dominates. LG_EINVAL if there is
 *  no such node. */
lg_status lg_node_owned(const lg_analysis *analysis, lg_node node,
                        lg_nodes *out, lg_error *err);
/** The same for nodes that the roots reach and no node dominates. */
lg_status lg_roots_owned(const lg_analysis *analysis, lg_nodes *out,
                         lg_error *err);

/** `limit` nodes that `node` dominates, behind the `first` ones; *total: how
 * many there are in all. O(all of them * log (first + limit)). */
lg_status lg_node_owned_range(const lg_analysis *analysis, lg_node node,
                              size_t first, size_t limit, lg_nodes *out,
                              size_t *total, lg_error *err);

typedef enum lg_dominator_top {
    LG_TOP_OBJECT = 0, /**< a node */
    LG_TOP_REACHABLE,  /**< everything that the roots reach: no node */
    LG_TOP_GARBAGE,    /**< everything that no root reaches: no node */
} lg_dominator_top;

typedef struct lg_dominator_row {
    lg_dominator_top top;
    lg_node node;       /**< LG_NONE: everything; the biggest of several */
    uint64_t count;     /**< nodes for which the row stands; 0 for a top */
    uint32_t parent;    /**< the row above; LG_NONE for a top */
    uint32_t depth;     /**< 0 for a top */
    uint32_t component; /**< the cycle of garbage that the node stands for, or
                             LG_NONE */
    lg_hop hop; /**< a reference from the parent; edge_count 0: there is none,
                     or no parent */
    bool by_member; /**< the parent stands for a cycle of garbage, and another
                         member of that has the reference */
    const uint64_t *retained; /**< by device */
    uint64_t total;           /**< of all devices */
    uint64_t owned;           /**< nodes that lg_node_owned has */
    uint64_t left_out;        /**< those of them without a row */
    uint64_t left_out_bytes;  /**< retained by them */
    uint64_t equal;           /**< those of them that are like one with a row */
} lg_dominator_row;

typedef struct lg_dominator_tree {
    lg_dominator_row *rows; /**< parents before children, the biggest first */
    size_t count;
    uint64_t total;    /**< bytes that shares are parts of */
    uint64_t left_out; /**< nodes worth a row for which there was no room */
    uint32_t devices;  /**< and the host */
    uint64_t *bytes;   /**< what `retained` points into */
} lg_dominator_tree;

/** Start from LG_DOMINATOR_OPTIONS_INIT. */
typedef struct lg_dominator_options {
    size_t size;         /**< of this struct */
    const lg_node *node; /**< whose tree; NULL: that of everything */
    bool alive;          /**< of everything, leave garbage out; that the roots
                              reach nothing has its row, too */
    double min_share;    /**< a row retains at least this part of the total */
    size_t limit;        /**< rows, the biggest first (0: all) */
    uint32_t depth;      /**< of rows (0: any) */
    uint32_t alike;      /**< rows of one type below one row (0: any) */
    bool equals;         /**< of rows that are like each other below one row, at
                              positions, of one type and within a quarter of
                              the bytes, only the biggest */
    uint32_t links; /**< nothing below that many of one type in a row (0: any):
                         each element of a linked list dominates the rest */
    bool together;  /**< nodes of one type below one row, each too small for a
                         row of its own, have one together if their sum is not;
                         with `equals`, those that are like another one, too,
                         which comes behind that one, whatever its bytes */
    const lg_scope *scope; /**< rows only for what it has, and for what leads
                                there; or NULL */
} lg_dominator_options;

#define LG_DOMINATOR_OPTIONS_INIT                                              \
    {                                                                          \
        .size = sizeof(lg_dominator_options)                                   \
    }

/** Finds which objects go with which: the rows that retain the most, up to the
 *  limit; the rest is counted. LG_EINVAL for a node that does not exist, or a
 *  share outside 0 to 1. O(nodes + edges) at first, then O(nodes owned by
 *  rows). */
lg_status lg_analysis_dominator_tree(const lg_analysis *analysis,
                                     const lg_dominator_options *options,
                                     const lg_monitor *monitor,
                                     lg_dominator_tree *out, lg_error *err);
void lg_dominator_tree_free(lg_dominator_tree *tree);

typedef enum lg_thread_kind {
    LG_THREAD_STACK = 0, /**< a thread */
    LG_THREAD_FRAME,     /**< a frame on its stack */
    LG_THREAD_SUSPENDED, /**< what waits to be resumed: a generator, a task */
    LG_THREAD_LOCAL,     /**< a local variable of one of these two */
} lg_thread_kind;

typedef struct lg_thread_row {
    lg_thread_kind kind;
    uint32_t parent;      /**< the row that it belongs to, or LG_NONE */
    uint32_t depth;       /**< 0 of a thread and of what is suspended */
    uint32_t number;      /**< of a frame: 0 is the innermost */
    lg_node node;         /**< of a variable: its value, what is in its cell */
    lg_string name;       /**< of a thread and of a variable; the graph's */
    bool held_elsewhere;  /**< of a variable: its frame is not the only holder;
                               false without an analysis */
    bool shared;          /**< of a variable: its value is a small atom, such
                               as 0 or a short str, which anybody may have */
    lg_where elsewhere;   /**< of a value with another holder, unless it is
                               shared: a path around the frame; any other kind:
                               only the frame's own is known */
    const uint64_t *size; /**< its own bytes, by device */
    const uint64_t *retained; /**< by device; all 0 without an analysis */
    size_t repeats; /**< of what is suspended: how many right behind it are just
                         like it (function, line, variables, sizes); 0 of
                         these and of all other rows */
    bool repeated;  /**< it is one of these, or a variable of one */
} lg_thread_row;

typedef struct lg_threads {
    lg_thread_row *rows; /**< threads with their frames, innermost first, then
                              what is suspended, what retains the most first;
                              each frame with its variables behind it */
    size_t count;
    bool analysed;    /**< sizes are those retained, too */
    bool scoped;      /**< whether a scope limits rows */
    uint32_t devices; /**< and the host */
    uint64_t *bytes;  /**< what `size` and `retained` point into */
} lg_threads;

/** Finds what each thread was doing, and what is suspended, with their local
 *  variables. `analysis` may be NULL. O(nodes + edges). */
lg_status lg_graph_threads(const lg_graph *graph, const lg_analysis *analysis,
                           const lg_scope *scope, lg_threads *out,
                           lg_error *err);
void lg_threads_free(lg_threads *threads);
/** What reports call a row: the name of a thread or a variable, and of a frame
 *  `train() train.py:12`. */
void lg_thread_label(const lg_graph *graph, const lg_thread_row *row,
                     lg_text *out);

/** Storages of torch, each once, with who holds it. */
typedef struct lg_tensors {
    lg_tensor_rows rows;
    lg_where *held_by; /**< [rows.count] */
} lg_tensors;

/** Start from LG_TENSOR_OPTIONS_INIT. */
typedef struct lg_tensor_options {
    size_t size;           /**< of this struct */
    uint32_t device;       /**< storages on this device; LG_NONE: on any */
    lg_tensor_group group; /**< of reports and tables: what a row adds up */
    size_t limit;          /**< rows, the biggest first (0: all) */
    const lg_scope *scope; /**< storages that it has; or NULL */
} lg_tensor_options;

#define LG_TENSOR_OPTIONS_INIT                                                 \
    {                                                                          \
        .size = sizeof(lg_tensor_options), .device = LG_NONE                   \
    }

/** lg_graph_storages with who holds each: for a parameter, its model, not the
 *  optimizer that has it, too. `analysis` may be NULL: then the answer does not
 *  say what garbage is part of. options may be NULL; its group does not count.
 *  O(nodes + edges). */
lg_status lg_graph_tensors(const lg_graph *graph, const lg_analysis *analysis,
                           const lg_tensor_options *options, lg_tensors *out,
                           lg_error *err);
void lg_tensors_free(lg_tensors *tensors);

/** What keeps a figure alive from outside of it and its parts. */
typedef enum lg_figure_holder_kind {
    LG_HOLDER_PYPLOT = 0, /**< its registry of open figures */
    LG_HOLDER_ANIMATION,
    LG_HOLDER_CALLBACK,
    LG_HOLDER_VARIABLE,
    LG_HOLDER_NATIVE, /**< references that the snapshot does not show */
    LG_HOLDER_KIND_COUNT,
} lg_figure_holder_kind;

/** "pyplot", "animation", "callback", "variable", "native". */
const char *lg_figure_holder_kind_name(lg_figure_holder_kind kind);

typedef struct lg_figure_holder {
    lg_figure_holder_kind kind;
    lg_path path; /**< from a root to the figure or a part; not of native */
    lg_node node; /**< of native: what it refers to; else LG_NONE */
} lg_figure_holder;

typedef struct lg_figure_holders {
    lg_figure_holder *items; /**< by kind, the nearest first, each once */
    size_t count;
    uint64_t more; /**< the count of those left out */
} lg_figure_holders;

/** Figures with who holds each. Sums are those of all figures, before the
 *  limit. */
typedef struct lg_figures {
    lg_figure_rows rows;
    lg_figure_holders *held_by; /**< [rows.count] */
    lg_nodes nodes;     /**< the figures of the rows, their parts, and what only
                             one of them keeps alive; ascending */
    size_t total;       /**< figures */
    uint64_t open;      /**< pyplot has them */
    uint64_t closed;    /**< pyplot no longer has them */
    uint64_t own;       /**< pyplot never had them */
    uint64_t garbage;   /**< of those pyplot does not have */
    uint64_t canvas;    /**< bytes of pixels */
    uint64_t *retained; /**< by device */
} lg_figures;

/** Every matplotlib.figure.Figure, in `limit` (0: any number of) rows, with a
 *  few holders of each. O(nodes + edges), and some paths for each row. */
lg_status lg_analysis_figures(const lg_analysis *analysis,
                              const lg_scope *scope, size_t limit,
                              lg_figures *out, lg_error *err);
void lg_figures_free(lg_figures *figures);

#ifdef __cplusplus
}
#endif

#endif
