/** Labels of steps, which a walk over a graph writes into its table. */
#ifndef LEAKGRAPH_LABELS_H
#define LEAKGRAPH_LABELS_H

#include "growth/growth_private.h"

/** The last step to a node, as a place writes it. */
typedef struct lg__step {
    lg_place_kind kind;
    uint32_t label;
} lg__step;

/** Names that get labels together. */
typedef struct lg__expected {
    uint32_t count;
    uint32_t names[LG__NAMES_AT_ONCE]; /**< strings of the graph */
} lg__expected;

/** What lg__labels.dotted and .plain contain for an expected name. */
#define LG__LABEL_EXPECTED UINT32_MAX
/** The name is one of a definition. */
#define LG__LABEL_DEFINES (UINT32_C(1) << 31)

/** Writes the labels of a graph's references into a table. */
typedef struct lg__labels {
    const lg_graph *graph;
    const lg__folds *folds;
    const lg_analysis *analysis;
    lg_places *places;
    uint32_t *dotted; /**< [string_count] 1 + number of `.string` in the table
                           for a string of the graph, and LG__LABEL_DEFINES;
                           LG__LABEL_EXPECTED; or 0: not added yet */
    uint32_t *plain;  /**< [string_count] the same, of the string itself */
    lg__expected expected[2]; /**< plain and dotted names */
    const lg__marked_block *texts;
    uint32_t item; /**< numbers of frequent labels: `[*]` */
    uint32_t key;
    uint32_t none;      /**< the empty string */
    uint64_t *locals;   /**< a bit per node: it is the dict of what a thread
                             has in a threading.local, or a thread */
    bool has_locals;    /**< there is such a dict */
    uint64_t *numbered; /**< a bit for each string of the graph: it is one of
                             many names that differ in their numbers; NULL: no
                             such string is known */
    lg_text scratch;
} lg__labels;

/** The name that a module gives one of its values, as strings of the graph. */
typedef struct lg__module_name {
    uint64_t edge;
    uint32_t module;
    uint32_t name;
} lg__module_name;

/** The edge of no reference. */
#define LG__NO_EDGE UINT64_MAX

/** Returns the number of the graph's string that names the reference; LG_NONE
 *  for a folded position, or if it has no name. */
uint32_t lg__label_name(lg__labels *labels, lg__reference reference);
/** Returns the number of the graph's string that is the node's text, or
 *  LG_NONE. */
static inline uint32_t
lg__label_text(const lg__labels *labels, uint32_t node)
{
    return lg__text_of(labels->texts, labels->graph->text_string, node);
}

/** Returns where lg__labels.dotted or .plain has a name. */
static inline uint32_t *
lg__label_entry(const lg__labels *labels, bool dotted, uint32_t name)
{
    return dotted ? &labels->dotted[name] : &labels->plain[name];
}

/** Returns what lg__labels.dotted or .plain has for a name, after adding its
 *  label if it is new; 0 when memory ran out. */
uint32_t lg__label_find(lg__labels *labels, bool dotted, uint32_t name);

/** Returns whether a string of the graph names a part of a definition, such as
 *  `__doc__` or `__bases__`. */
static inline bool
lg__label_defines(lg__labels *labels, uint32_t name)
{
    uint32_t known = labels->dotted[name];
    return (known != 0 ? known : lg__label_find(labels, true, name)) &
           LG__LABEL_DEFINES;
}

/** Writes the step to an attribute of that name. Returns false when memory ran
 *  out. */
bool lg__label_attribute(lg__labels *labels, uint32_t name, lg__step *out);
/** Returns whether a name has a number. */
bool lg__label_has_digit(lg_string text);
/** Adds the names that are expected. If memory ran out, they get their labels
 *  when they are needed. */
void lg__labels_add_expected(lg__labels *labels, bool dotted);
/** Expects that the label of a name will be needed, with a dot before it if it
 *  is `dotted`. Call lg__labels_add_expected before it is. To add the labels of
 *  many names together is quicker, because their texts lie far apart. */
static inline void
lg__label_expect(lg__labels *labels, bool dotted, uint32_t name)
{
    uint32_t *known = lg__label_entry(labels, dotted, name);
    lg__expected *expected = &labels->expected[dotted];
    if (*known != 0)
        return;
    *known = LG__LABEL_EXPECTED;
    expected->names[expected->count++] = name;
    if (expected->count == LG__NAMES_AT_ONCE)
        lg__labels_add_expected(labels, dotted);
}

lg_status lg__labels_begin(lg__labels *labels, lg_error *err);
/** Returns whether objects of the type have names of their own: functions,
 *  classes ... */
bool lg__label_has_own_name(const lg_graph *graph, uint32_t type);
/** Writes the step to a node that a root holds, or to garbage that nothing
 *  holds. `name` is a module's for it, or NULL. Classes and functions that no
 *  module names may be made again and again, each with a name of its own, so
 *  these are one step for many. Returns false when memory ran out. */
bool lg__label_top(lg__labels *labels, uint32_t node, lg_place_kind kind,
                   const lg__module_name *name, lg__step *out);
/** Writes the step to a node by the reference of its dominator or of the
 *  dominator's namespace. Returns false when memory ran out. */
bool lg__label_step(lg__labels *labels, uint32_t node, lg__reference reference,
                    lg__step *out);
void lg__labels_free(lg__labels *labels);

#endif
