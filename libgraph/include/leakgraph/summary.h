/**
 * Summaries of snapshots, and what grows from one to the next.
 *
 * The conventions of leakgraph.h hold. Snapshots are compared by their places,
 * never by the identity of objects, because addresses are used again. A summary
 * is what a comparison needs of a snapshot: its places, types and accounts,
 * without its nodes.
 */
#ifndef LEAKGRAPH_SUMMARY_H
#define LEAKGRAPH_SUMMARY_H

#include <leakgraph/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Never changes once made, and borrows nothing. */
typedef struct lg_summary lg_summary;

/** Makes the summary of an analysed graph, with its 256 biggest findings and
 *  cycles. Costs as much as the questions "findings" and "cycles" and two walks
 *  through the graph. */
LG_API lg_status lg_summary_new(const lg_analysis *analysis,
                                const lg_monitor *monitor, lg_summary **out,
                                lg_error *err);

LG_API void lg_summary_free(lg_summary *summary);

/** Writes a summary, as lg_graph_save writes a graph. If there are more than
 *  8,192 places, it keeps the biggest, with all that is above them; if there
 *  are more than 1,024 types, those with the most bytes. The file usually has
 *  less than 200 KB. It has no text of the user's except names of variables,
 *  types and modules, and what lg_graph_info says. */
LG_API lg_status lg_summary_save(const lg_summary *summary, const char *path,
                                 lg_error *err);

/** Opens a saved summary. As lg_graph_load, it checks everything, and a hostile
 *  file gives LG_EFORMAT. */
LG_API lg_status lg_summary_load(const char *path, lg_summary **out,
                                 lg_error *err);

/**
 * Compares summaries, the oldest first, and makes the table of what grows: the
 * biggest growth first, with what holds it. `newest` is the analysis of the
 * newest snapshot, which adds paths and what to cut; it may be NULL. The table
 * borrows nothing. LG_EINVAL for fewer than two summaries.
 */
LG_API lg_status lg_growth_table(const lg_summary *const *summaries,
                                 size_t count, const lg_analysis *newest,
                                 const lg_monitor *monitor, lg_table **out,
                                 lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
