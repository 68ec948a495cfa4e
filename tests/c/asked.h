/** What tests ask for: options of answers and pictures, and reports. */
#ifndef LEAKGRAPH_ASKED_H
#define LEAKGRAPH_ASKED_H

#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>

#define TREE(of, share)                                                        \
    (const lg_dominator_options)                                               \
    {                                                                          \
        .size = sizeof(lg_dominator_options), .node = of, .min_share = share   \
    }

#define BOXES(most)                                                            \
    (const lg_view_options)                                                    \
    {                                                                          \
        .size = sizeof(lg_view_options), .max_nodes = most                     \
    }

/** Calls lg_report_paths for these nodes; limit 0: all rows. */
lg_status paths_report(const lg_analysis *analysis, const uint32_t *nodes,
                       size_t count, size_t limit, lg_format format,
                       lg_text *out);

/** Asks the question with these options, such as "limit=3 group=type" (NULL:
 *  none). analysis may be NULL. */
lg_status question_table(const char *name, const lg_graph *graph,
                         const lg_analysis *analysis, const char *options,
                         lg_table **out, lg_error *err);
/** Writes the answer. */
lg_status question_report(const char *name, const lg_graph *graph,
                          const lg_analysis *analysis, const char *options,
                          lg_format format, lg_text *out);

/** Writes the tensors on a device (LG_NONE: any), by group; limit 0: all rows.
 *  analysis may be NULL. */
lg_status tensors_report(const lg_graph *graph, const lg_analysis *analysis,
                         uint32_t device, lg_tensor_group group, size_t limit,
                         lg_format format, lg_text *out);

/** Answers top with these options, as a table or a report. */
lg_status top_table(const lg_analysis *analysis, const lg_top_options *options,
                    lg_table **out, lg_error *err);
lg_status top_report(const lg_analysis *analysis, const lg_top_options *options,
                     lg_format format, lg_text *out, lg_error *err);

/** Makes the scope of lg_scope_new, and requires that there is one. */
lg_scope *scope_of(const lg_graph *graph, bool mine, const char *module);

#endif
