/**
 * Exports: a graph, or its places, in the formats of other tools.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_EXPORT_H
#define LEAKGRAPH_EXPORT_H

#include <leakgraph/analysis.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes a graph as lg_graph_save does: whole or not at all; the path "-" is
 * standard output. `format` names the format; NULL: the suffix of the path
 * decides. LG_EINVAL lists the formats.
 *
 *   heapsnapshot        Chrome DevTools, the Memory panel
 *   graphml, gexf       every object and every reference
 *   folded, speedscope, pprof
 *                       the shallow bytes of every place, with the steps of its
 *                       path from the roots as frames
 *   allocations         the same, with the frames that allocated before them,
 *                       of a snapshot that knows these
 *
 * All but the first three need the analysis; LG_EINVAL without. O(nodes +
 * edges); memory holds only a part of the file.
 */
LG_API lg_status lg_graph_export(const lg_graph *graph,
                                 const lg_analysis *analysis,
                                 const char *format, const char *path,
                                 const lg_monitor *monitor, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
