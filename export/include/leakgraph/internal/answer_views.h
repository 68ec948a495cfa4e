/**
 * Pictures of answers other than why.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_ANSWER_VIEWS_H
#define LEAKGRAPH_ANSWER_VIEWS_H

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/growth.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/cycles.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Pictures of heaps up to this many objects show what objects retain unless
 *  somebody asks for something else: the analysis takes a second or less. */
#define LG_VIEW_QUICK_NODES 2000000

/** Whether an analysis of the whole graph is that quick. False for a partial
 *  graph, which has none. */
bool lg_view_is_quick(const lg_graph *graph);

/**
 * Draws a cycle: its shortest round, the hop to cut, the path that holds it or
 * whatever keeps the collector from freeing it, and the biggest objects that it
 * retains.
 */
lg_status lg_view_cycle(const lg_analysis *analysis, const lg_cycle *cycle,
                        lg_view **out, lg_error *err);

/**
 * Draws a dominator tree, the biggest first; folds the others into "312 more".
 * Of `tree`, node, scope and min_share count. `options` may be NULL; only its
 * max_nodes counts (0: 60; at least 3).
 */
lg_status lg_view_dominators(const lg_analysis *analysis,
                             const lg_dominator_options *tree,
                             const lg_view_options *options,
                             const lg_monitor *monitor, lg_view **out,
                             lg_error *err);

/**
 * Draws how the roots reach many nodes: their merged shortest paths as a tree
 * from the roots down, the biggest branches first. Each box says how many nodes
 * are behind it, and what these retain together. `options` may be NULL; only
 * its max_nodes counts (0: 48; at least 3). Folds long runs and small branches.
 * LG_ENOTFOUND if no root reaches any of the nodes.
 */
lg_status lg_view_paths(const lg_analysis *analysis, const lg_node *nodes,
                        size_t count, const lg_view_options *options,
                        const lg_monitor *monitor, lg_view **out,
                        lg_error *err);

/**
 * Draws what grows: the paths from the roots to the first 12 rows, as a tree of
 * places of the newest snapshot. Each row shows its series. Snapshots and
 * summaries give the same picture.
 */
lg_status lg_view_growth(const lg_growth *growth, lg_view **out, lg_error *err);

/**
 * Draws leaks: how the roots reach each of their holders, and what these hold
 * together, with the series of the rows that lead them. Orange references go
 * when the holders let go, and then `freed` goes, by device (NULL: what goes
 * with the holders of the one row). A row without holders is left out.
 * LG_ENOTFOUND if the first row has none. `analysis` is of the newest
 * snapshot.
 */
lg_status lg_view_leaks(const lg_growth *growth, const size_t *rows,
                        size_t count, const uint64_t *freed,
                        const lg_analysis *analysis, lg_view **out,
                        lg_error *err);

/** Counts the nodes that a view draws. */
size_t lg_view_node_count(const lg_view *view);

#ifdef __cplusplus
}
#endif

#endif
