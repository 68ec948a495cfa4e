/**
 * The formats of lg_graph_export, for those who offer a choice.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_EXPORT_FORMATS_H
#define LEAKGRAPH_EXPORT_FORMATS_H

#include <leakgraph/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_export_format {
    LG_EXPORT_HEAPSNAPSHOT = 0, /**< Chrome DevTools, the Memory panel */
    LG_EXPORT_GRAPHML,
    LG_EXPORT_GEXF,        /**< Gephi */
    LG_EXPORT_FOLDED,      /**< flame graphs: a line for each place */
    LG_EXPORT_SPEEDSCOPE,  /**< speedscope: a profile for each device */
    LG_EXPORT_PPROF,       /**< pprof: a sample for each place */
    LG_EXPORT_ALLOCATIONS, /**< flame graphs: the frames that allocated, then
                                the place that holds; of a snapshot that knows
                                them */
} lg_export_format;

/** Finds the format named "graphml", say, or, if the name is NULL, the format
 *  that the suffix of the path stands for. LG_EINVAL lists the formats. */
lg_status lg_export_format_find(const char *name, const char *path,
                                lg_export_format *out, lg_error *err);
/** Whether the format needs an analysis: it has places, not objects. */
bool lg_export_needs_analysis(lg_export_format format);

/** lg_graph_export with a format that is found already. */
lg_status lg_export_file(const lg_graph *graph, const lg_analysis *analysis,
                         lg_export_format format, const char *path,
                         const lg_monitor *monitor, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
