/**
 * The report on tensors, row by row or in groups.
 */
#ifndef LG_REPORT_TENSORS_H
#define LG_REPORT_TENSORS_H

#include "paths/paths_private.h"
#include "bytes/bytes_private.h"
#include "report/where.h"
#include "report/table.h"

typedef struct lg__tensor_report {
    const lg_graph *graph;
    const lg_analysis *analysis; /**< or NULL */
    lg__roottree tree;
    lg__storages storages;
    lg_tensor_rows rows;
    lg_table *table;
    lg_table *facts;
} lg__tensor_report;

/** A fact of a row's tensor; empty if there is none. */
lg_string lg__tensor_fact(const lg__tensor_report *report,
                          const lg_tensor_row *row, const char *key);
/** The bytes on a device; `rows` are lg_tensor_rows. */
uint64_t lg__tensor_bytes_on(const void *rows, uint32_t device);

/** Adds the holder of the row's storage. */
lg_status lg__tensor_holder_format(const lg__tensor_report *report,
                                   const lg_tensor_row *row, lg_text *out,
                                   lg_error *err);
/** Facts of either table. */
enum {
    LG__TENSORS_GROUP,
    LG__TENSORS_STORAGES,
    LG__TENSORS_BYTES,
    LG__TENSORS_NOT_INSPECTED,
    LG__TENSORS_FINDINGS,
};

/** Makes the table: a row for each group, up to the limit (0: all). */
lg_status lg__tabulate_tensor_groups(lg__tensor_report *report,
                                     lg_tensor_group group, size_t limit,
                                     lg_error *err);
/** "kind", "device", ... */
const char *lg__tensor_group_name(lg_tensor_group group);

#endif
