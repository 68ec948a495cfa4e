/**
 * Parts of selecting nodes: names resolved hop by hop, and the texts by which
 * reports name nodes.
 */
#ifndef LEAKGRAPH_SELECTION_H
#define LEAKGRAPH_SELECTION_H

#include "paths/paths_private.h"

/** Resolves any selector, as lg_graph_select does. */
typedef lg_status lg__select(const lg_graph *graph, const char *selector,
                             const lg_monitor *monitor, lg_nodes *out,
                             lg_error *err);

/** Finds the node of a name such as `train.losses[0]['x'].y`. */
lg_status lg__name_resolve(const lg_graph *graph, const char *name,
                           uint32_t *out, lg_error *err);
/** Returns the thread whose name the text begins with, or LG_NONE. Takes the
 *  name off. */
uint32_t lg__thread_begin(const lg_graph *graph, const char **text);

/** Returns how much of the text is the hop's label as reports write it; 0 if
 * the text does not begin with it. A label that begins with a letter stands
 * after a space. `label` is scratch. */
size_t lg__shown_step_length(const lg_graph *graph, const lg_hop *hop,
                             const char *text, lg_text *label);

/** Follows all steps, written as people or reports write them. `name` is the
 *  whole text, for messages. */
lg_status lg__steps_follow(const lg_graph *graph, const char *steps,
                           const char *name, uint32_t node, uint32_t *out,
                           lg_error *err);
/** Follows the steps that a text has behind the node's title, as reports write
 *  it. LG_ENOTFOUND, without a message, if the text does not begin with the
 *  title, or if the steps lead to nothing. `title` is scratch; `whole` is for
 *  messages. */
lg_status lg__titled_follow(const lg_graph *graph, const char *text,
                            const char *whole, uint32_t node, lg_text *title,
                            uint32_t *target, lg_error *err);
/** Asks the monitor of a selector once for many of the `count` nodes or roots
 *  that it looks at; false, with LG_ECANCELLED in *err, ends the search. */
bool lg__select_goes_on(const lg_monitor *monitor, uint32_t i, uint32_t count,
                        lg_error *err);
/** Takes the found nodes, each once; LG_ENOTFOUND, with a message, if there are
 *  none. */
lg_status lg__nodes_take(lg__gathered *found, const char *text, lg_nodes *out,
                         lg_error *err);
/** Takes one node. */
lg_status lg__nodes_one(uint32_t node, lg_nodes *out, lg_error *err);
/** Finds the nodes that a report may mean by a text that is no selector: `list
 *  of 2 #17`, also behind its place and two spaces, or a path that leaves steps
 *  out (` … `), positions (`[*]`) or keys (` key`). `select` resolves what
 *  stands before the first gap. LG_ENOTFOUND if there are none. */
lg_status lg__pasted_select(const lg_graph *graph, const char *text,
                            lg__select *select, const lg_monitor *monitor,
                            lg_nodes *out, lg_error *err);

/** Finds the module that a name begins with, and the steps after it. */
lg_status lg__name_begin(const lg_graph *graph, const char *name,
                         uint32_t *node, const char **rest, lg_error *err);
/** Takes one step, `.name` or `[key]`, off the text, and writes it as a label.
 *  Returns false if the step is malformed; lg__step_malformed says so. */
bool lg__step_take(const char **text, lg_text *step);
lg_status lg__step_malformed(const char *step, const char *name, lg_error *err);
/** Visits the hops from the node with that label until the visitor returns
 *  false. With `globs`, the step `[*]` means all items, `.*` all attributes and
 *  `.part_*` those with a number there. O(hops of the node). */
lg_status lg__step_walk(const lg_graph *graph, const lg_text *step, bool globs,
                        uint32_t node, lg__hop_visit visit, void *context,
                        lg_error *err);
/** Sets the error for a step that the node does not have, and suggests one. */
lg_status lg__step_missing(const lg_graph *graph, const lg_text *step,
                           uint32_t node, lg_error *err);

/** Suggests the variable of the program's modules that is nearest to the
 *  beginning of a name, if it is nearer than `distance`. Returns whether there
 *  is one. */
bool lg__variable_suggest(const lg_graph *graph, const char *name,
                          size_t distance, lg_error *err);

/** Returns whether a text without a prefix looks like such a name. */
bool lg__name_is_likely(const char *text);

#endif
