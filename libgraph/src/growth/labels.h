/** Labels of steps, which a walk over a graph writes into its table. */
#ifndef LEAKGRAPH_LABELS_H
#define LEAKGRAPH_LABELS_H

#include "growth/growth_private.h"

/** The last step to a node, as a place writes it. */
typedef struct lg__step {
    lg_place_kind kind;
    uint32_t label;
} lg__step;

/** How many names are cached; instances of a class share their keys. */
enum { LG__NAMES_CACHED = 1024 };

/** Which of 64 nodes have a text, and where the texts begin. */
typedef struct lg__text_block {
    uint64_t has;
    uint32_t first;
} lg__text_block;

/** Writes the labels of a graph's references into a table. */
typedef struct lg__labels {
    const lg_graph *graph;
    const lg__fold *folds;
    const uint32_t *dominator;
    lg_places *places;
    uint32_t *dotted; /**< [string_count] 1 + number of `.string` in the table
                           for a string of the graph; 0: not added yet. The
                           highest bit says that it names a definition */
    uint32_t *plain;  /**< [string_count] the same, of the string itself */
    lg__text_block *texts;            /**< [node_count / 64 + 1] */
    uint32_t named[LG__NAMES_CACHED]; /**< nodes of keys, indexed by their
                                           lower bits */
    uint32_t names[LG__NAMES_CACHED]; /**< their texts */
    uint32_t item;                    /**< numbers of frequent labels: `[*]` */
    uint32_t key;
    uint32_t none;    /**< the empty string */
    uint64_t *locals; /**< a bit per node: it is the dict of what a thread
                           has in a threading.local, or a thread */
    bool has_locals;  /**< there is such a dict */
    lg_text scratch;
} lg__labels;

/** The name that a module gives one of its values, as strings of the graph. */
typedef struct lg__module_name {
    uint64_t edge;
    uint32_t module;
    uint32_t name;
} lg__module_name;

/** A reference, and its source. */
typedef struct lg__via {
    uint64_t edge; /**< LG__NO_EDGE: there is none */
    uint32_t source;
} lg__via;

#define LG__NO_EDGE UINT64_MAX

/** Returns the number of the graph's string that names the reference; LG_NONE
 *  for a folded position, or if it has no name. */
uint32_t lg__label_name(lg__labels *labels, lg__via via);
/** Returns whether the node is a namespace, so that its keys are names: one
 *  that is folded into its owner, or what a thread has in a threading.local. */
bool lg__label_is_namespace(const lg__labels *labels, uint32_t node);
/** Returns the number of the graph's string that is the node's text, or
 *  LG_NONE. */
uint32_t lg__label_text(const lg__labels *labels, uint32_t node);
/** Returns whether a string of the graph names a part of a definition, such as
 *  `__doc__` or `__bases__`. */
bool lg__label_defines(lg__labels *labels, uint32_t name);
/** Writes the step to an attribute of that name. Returns false when memory ran
 *  out. */
bool lg__label_attribute(lg__labels *labels, uint32_t name, lg__step *out);
lg_status lg__labels_begin(lg__labels *labels, lg_error *err);
/** Returns whether objects of the type have names of their own: functions,
 *  classes ... */
bool lg__label_has_own_name(const lg_graph *graph, uint32_t type);
/** Returns whether a module may name objects of the type. */
bool lg__label_by_module(const lg_graph *graph, uint32_t type);
/** Writes the step to a node that a root holds, or to garbage that nothing
 *  holds. `name` is a module's for it, or NULL. Returns false when memory ran
 *  out. */
bool lg__label_top(lg__labels *labels, uint32_t node, lg_place_kind kind,
                   const lg__module_name *name, lg__step *out);
/** Writes the step to a node by the reference of its dominator or of the
 *  dominator's namespace. Returns false when memory ran out. */
bool lg__label_step(lg__labels *labels, uint32_t node, lg__via via,
                    lg__step *out);
void lg__labels_free(lg__labels *labels);

#endif
