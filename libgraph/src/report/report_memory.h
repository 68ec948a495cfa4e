/**
 * The report on memory, as JSON.
 */
#ifndef LEAKGRAPH_REPORT_MEMORY_H
#define LEAKGRAPH_REPORT_MEMORY_H

#include "bytes/bytes_private.h"

/** Adds the document to *out. */
lg_status lg__memory_write(const lg_graph *graph, const lg_accounts *accounts,
                           lg_text *out, lg_error *err);

#endif
