/**
 * Reports: an answer as text or JSON, or as a table.
 *
 * The conventions of leakgraph.h hold. The command and Python show the same
 * reports. JSON is deterministic and ends with a newline.
 */
#ifndef LEAKGRAPH_REPORT_H
#define LEAKGRAPH_REPORT_H

#include <leakgraph/internal/advice.h>
#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/json.h>
#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/table.h>
#include <leakgraph/internal/what_if.h>
#include <leakgraph/internal/why_facts.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_format { LG_FORMAT_TEXT = 0, LG_FORMAT_JSON } lg_format;

/** Writes a member `{"host": 1, "cuda:0": 2}`: bytes by device, as all reports
 *  have them. bytes is [lg_graph_device_count + 1]. O(devices). */
void lg_json_bytes(lg_json *json, const char *name, const lg_graph *graph,
                   const uint64_t *bytes);

/** Text reports, the same for the command and for Python; JSON is deterministic
 *  and ends with a newline. limit: rows (0: all). */
lg_status lg_report_info(const lg_graph *graph, lg_format format, lg_text *out,
                         lg_error *err);
/** The same of a saved graph. Reads and checks only what it prints, not the
 *  references, so it takes a fraction of lg_graph_load, whose flags it takes.
 */
lg_status lg_report_info_file(const char *path, unsigned flags,
                              lg_format format, const lg_monitor *monitor,
                              lg_text *out, lg_error *err);
/** Returns how many objects the snapshot in a file has, which it reads as that
 *  report does; 0 if it cannot. */
uint64_t lg_report_info_objects(const char *path, unsigned flags);

/** All cycles of an answer. The report shows a group as one cycle. */
lg_status lg_report_cycles(const lg_analysis *analysis, const lg_cycles *cycles,
                           lg_format format, lg_text *out, lg_error *err);
/** The dominator tree: of the options, node, scope and min_share count. */
lg_status lg_report_dominators(const lg_analysis *analysis,
                               const lg_dominator_options *options,
                               lg_format format, lg_text *out, lg_error *err);
/** How the roots reach many nodes: the rows of lg_analysis_merged_paths. */
lg_status lg_report_paths(const lg_graph *graph, const lg_merged_paths *paths,
                          lg_format format, lg_text *out, lg_error *err);
/** Rows of nodes in the merged paths that reports of a lg_why show. */
enum { LG_WHY_PATHS = 20 };
/**
 * Reports why objects are alive: for several objects, the merged paths from the
 * roots, then `why`, the answer for the one that retains the most
 * (lg_nodes_biggest). `paths` is what lg_tabulate_paths made for all of them;
 * for one object, text needs none, and JSON has null without. `note` is a line
 * below the title of `why`, such as where it was allocated; NULL stands for
 * what lg_report_allocation writes. JSON has one shape,
 * {"paths": ..., "biggest": ...}, for one and for many.
 */
lg_status lg_report_why(const lg_why *why, const lg_table *paths,
                        const char *note, lg_format format, lg_text *out,
                        lg_error *err);
/** Of so many objects, an answer takes from 0.4 seconds, for plain records, to
 *  ten, for objects that all refer to each other: a reader waits. The path is
 *  known after a sixth to two thirds of the time. */
#define LG_WHY_AHEAD_NODES 1000000
/**
 * Writes for a reader who waits, before there is an analysis, who holds the
 * object: `held by  train.losses[0]` and a newline. That is the path of
 * lg_report_why, which does not depend on the analysis. Writes nothing where
 * the path is not known, or tells nothing: there are several nodes, and the
 * answer is about the one that retains the most; no root reaches the node; it
 * is a root; C code has lost it; the graph is partial. Nor does it write
 * anything if the answer comes soon: the graph is smaller than that, or was
 * saved with its analysis. O(nodes + edges), of which the answer can use most.
 */
lg_status lg_report_why_ahead(const lg_graph *graph, const lg_nodes *nodes,
                              const lg_monitor *monitor, lg_text *out,
                              lg_error *err);
/** Writes how to cut what keeps the node: with which call, with less effort, or
 *  what else to cut. A sentence, or nothing. */
void lg_why_hint_format(const lg_why *why, lg_text *out);
/** Writes "allocated in FUNCTION (FILE:LINE) < ...", or nothing if no allocator
 *  recorded it. */
void lg_report_allocation(const lg_why *why, lg_text *out);
/** What would die, by type, in at most `limit` (0: all) rows; below them, what
 *  would live on, who holds it, and what to cut next. */
lg_status lg_report_what_if(const lg_graph *graph, const lg_what_if *answer,
                            size_t limit, lg_format format, lg_text *out,
                            lg_error *err);
lg_status lg_report_memory(const lg_graph *graph,
                           const lg_allocator_state *state, lg_format format,
                           lg_text *out, lg_error *err);
/** Each finding: what, where, how much, why, and the fix. */
lg_status lg_report_findings(const lg_analysis *analysis,
                             const lg_findings *findings, lg_format format,
                             lg_text *out, lg_error *err);

/** What is known of a snapshot: the table has facts and no rows. This and each
 *  function below makes what the report of the same name shows; the table is
 *  the caller's. `limit` is the greatest number of rows (0: all). */
lg_status lg_tabulate_info(const lg_graph *graph, lg_table **out,
                           lg_error *err);
/** How the roots reach many nodes, as rows with a depth; see lg_report_paths.
 */
lg_status lg_tabulate_paths(const lg_graph *graph, const lg_merged_paths *paths,
                            lg_table **out, lg_error *err);
/** The answer of the question `memory`, of accounts that lg_graph_accounts made
 *  from the graph. */
lg_status lg_tabulate_accounts(const lg_graph *graph,
                               const lg_accounts *accounts, lg_table **out,
                               lg_error *err);
/** The rows of the question `ranks` alone. */
lg_status lg_tabulate_rank_differences(const lg_ranks *ranks, size_t limit,
                                       lg_table **out, lg_error *err);
/** What every rank has: each, together, type and holder. limit 0: all rows. */
lg_status lg_tabulate_rank_repeats(const lg_ranks *ranks, size_t limit,
                                   lg_table **out, lg_error *err);
/** The ranks: rank, objects, rss and unexplained. limit 0: all rows. */
lg_status lg_tabulate_rank_sizes(const lg_ranks *ranks, size_t limit,
                                 lg_table **out, lg_error *err);
/** What to do first (lg_advice_choose), a row for each item: kind, bytes that
 * go now, rate, what, held_by, cause, fix, and of a leak its holders (held_by,
 *  holder, alone) and its series, the bytes in each snapshot. */
lg_status lg_tabulate_advice(const lg_answers *answers, const lg_advice *advice,
                             lg_table **out, lg_error *err);
/** Objects in a list: node, retained, size. LG_EINVAL: there is no such node.
 */
lg_status lg_tabulate_nodes(const lg_analysis *analysis, const lg_node *nodes,
                            size_t count, lg_table **out, lg_error *err);
/** References of lg_node_hops_range: label, the node at their other end,
 *  retained, size, weak, and `cut`, the text that names the reference for
 *  lg_graph_references. `inward` says which end that is: the source. */
lg_status lg_tabulate_references(const lg_analysis *analysis,
                                 const lg_hops *hops, bool inward,
                                 lg_table **out, lg_error *err);
/** Writes the shortest path from a root to each of `count` nodes, as all
 *  reports write it: `train.losses[0]`; for garbage, what it is part of; for
 *  LG_NONE, nothing. labels[count] are the caller's, also on failure. O(nodes +
 *  edges) for all of them. */
lg_status lg_nodes_path_labels(const lg_analysis *analysis,
                               const lg_node *nodes, size_t count,
                               const lg_monitor *monitor, lg_text *labels,
                               lg_error *err);
lg_status lg_report_growth(const lg_growth *growth, const lg_graph *newest,
                           size_t limit, lg_format format, lg_text *out,
                           lg_error *err);
/** Adds what that report says beside its tables, a sentence on each line. */
void lg_ranks_format(const lg_ranks *ranks, lg_text *out);
lg_status lg_report_ranks(const lg_ranks *ranks, size_t limit, lg_format format,
                          lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
