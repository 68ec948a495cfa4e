/**
 * The report on tensors, row by row or in groups.
 */
#ifndef LEAKGRAPH_REPORT_TENSORS_H
#define LEAKGRAPH_REPORT_TENSORS_H

#include "bytes/bytes_private.h"
#include "report/report_private.h"

typedef struct lg__tensor_report {
    const lg_graph *graph;
    const lg_analysis *analysis; /**< or NULL */
    lg_tensors tensors;          /**< for groups, without the holders */
    lg_table *table;
    lg_table *facts;
} lg__tensor_report;

/** Facts of both tables. */
enum {
    LG__TENSORS_GROUP,
    LG__TENSORS_STORAGES,
    LG__TENSORS_BYTES,
    LG__TENSORS_NOT_INSPECTED,
    LG__TENSORS_FINDINGS,
};

/** Makes the table, with a row for each group up to the limit (0: all). */
lg_status lg__tabulate_tensor_groups(lg__tensor_report *report,
                                     lg_tensor_group group, size_t limit,
                                     lg_error *err);
/** Returns "kind", "device", ... */
const char *lg__tensor_group_name(lg_tensor_group group);

#endif
