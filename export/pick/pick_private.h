/**
 * Picks what to draw: the state that the breadth-first walk (neighbours.c), the
 * folding of siblings that are alike (sibling_groups.c) and the path
 * (root_path.c) share.
 */
#ifndef LEAKGRAPH_PICK_PRIVATE_H
#define LEAKGRAPH_PICK_PRIVATE_H

#include <leakgraph/analysis.h>
#include <leakgraph/internal/columns.h>

#include "view/view_private.h"

/* Larger strings and numbers get a node of their own. */
#define LG__ATOM_LIMIT 4096u

typedef struct lg__root_mark {
    uint32_t node;
    uint32_t root; /* index for lg_graph_root */
} lg__root_mark;

typedef struct lg__view_picker {
    const lg_graph *graph;
    const lg_columns *columns;
    lg_view_options options; /* complete, without defaults */
    lg_view *view;
    uint32_t *slots;      /* open addressing: index in the view plus one */
    size_t slot_count;    /* a power of two */
    lg__root_mark *roots; /* by node, without native and given roots */
    size_t root_count;
    size_t target;    /* nodes that a picture should not exceed; 0: max_nodes */
    uint64_t *inside; /* one bit per node: the subjects hold it themselves */
    uint64_t *seen;   /* one bit per node: the current group has it */
} lg__view_picker;

lg_status lg__picker_open(lg__view_picker *picker, const lg_graph *graph,
                          const lg_view_options *options, lg_error *err);
/** The options of a picture of a tree from the top down. Of those given (or
 *  NULL), max_nodes counts. */
lg_status lg__view_tree_options(lg_view_options *out,
                                const lg_view_options *given, uint32_t usual,
                                lg_error *err);
/** LG_EINVAL if there is no such node, or if a picture needs more boxes. */
lg_status lg__view_check(const lg_graph *graph, uint32_t node,
                         uint32_t max_nodes, lg_error *err);
/** Frees all but the view. */
void lg__picker_close(lg__view_picker *picker);

/** The index of the node in the view; SIZE_MAX: not drawn. */
size_t lg__picker_find(const lg__view_picker *picker, uint32_t node);
/** Draws an object unless the view has it. */
lg_status lg__picker_draw(lg__view_picker *picker, uint32_t node,
                          uint32_t depth, size_t *out, lg_error *err);
/** Draws an edge for a hop between two drawn nodes. */
lg_status lg__picker_link(lg__view_picker *picker, const lg_hop *hop,
                          size_t source, size_t target, lg__view_edge **out,
                          lg_error *err);
/** Draws the references to a drawn object that the snapshot does not show. */
lg_status lg__picker_draw_native(lg__view_picker *picker, size_t index,
                                 lg_error *err);
/** Adds the hop's label, short where a mapping's key is an object. */
void lg__picker_label(const lg__view_picker *picker, const lg_hop *hop,
                      lg_text *out);
/** Returns how many more nodes the picture has room for. */
size_t lg__picker_room(const lg__view_picker *picker);
lg_category lg__picker_category(const lg__view_picker *picker, uint32_t node);
/** Returns the last word of the type's name: `Tensor`. */
void lg__picker_name_type(const lg__view_picker *picker, uint32_t type,
                          lg_text *out);
/** Returns the hop's attribute or namespace key, read without building its
 *  label; empty for other kinds of hop. */
lg_string lg__hop_name(const lg__view_picker *picker, const lg_hop *hop);
bool lg__is_dunder(lg_string name);
bool lg__is_weak_reference(const lg__view_picker *picker, uint32_t node);
/** True for a class, a module, code, or a function without data of its own. */
bool lg__is_context(const lg__view_picker *picker, uint32_t node);
/** True if the hop leads from data into the program, or is weak. */
bool lg__hop_leads_out(const lg__view_picker *picker, const lg_hop *hop);
/** The edge kind that a person sees in the hop. */
unsigned lg__hop_kind(const lg__view_picker *picker, const lg_hop *hop);
/** Returns the hop's end that is the neighbour in the view's direction. */
uint32_t lg__hop_end(const lg__view_picker *picker, const lg_hop *hop);

/** Draws the neighbours of the nodes drawn so far, breadth first. */
lg_status lg__picker_walk(lg__view_picker *picker, const lg_monitor *monitor,
                          lg_error *err);
/** Draws a path with at most `room` nodes, three or more. The middle of a
 *  longer path becomes one node, or two around a hop to cut. cuts[i] says
 *  whether to cut hop i (LG__TONE_FREES); NULL: cut none. */
lg_status lg__picker_draw_path(lg__view_picker *picker, const lg_path *path,
                               const bool *cuts, size_t room, lg_error *err);
/** Draws the same from the drawn node at `at`, where the path's first hop
 *  begins. */
lg_status lg__picker_draw_hops(lg__view_picker *picker, const lg_hop *hops,
                               size_t count, const bool *cuts, size_t room,
                               size_t at, lg_error *err);
/** Marks a node as the subject, drawn or not, and draws its references from
 *  native code. */
lg_status lg__picker_mark_subject(lg__view_picker *picker, uint32_t node,
                                  lg_error *err);
/** Draws an object below the drawn one at `owner`, which dominates it. */
lg_status lg__picker_draw_owned(lg__view_picker *picker, size_t owner,
                                uint32_t node, size_t *out, lg_error *err);

/** Returns false to stop the visit. */
typedef bool (*lg__picked_visit)(void *context, const lg_hop *hop);

/** Visits the hops of one node, one at a time, in the direction of a view. */
lg_status lg__hops_each(const lg_graph *graph, uint32_t node,
                        lg_direction direction, lg__picked_visit visit,
                        void *context, lg_error *err);

#endif
