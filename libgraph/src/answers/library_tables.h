/** The tables that libraries keep for themselves, and who keeps them. */
#ifndef LEAKGRAPH_LIBRARY_TABLES_H
#define LEAKGRAPH_LIBRARY_TABLES_H

#include "analysis/analysis_private.h"

/** Recognises the tables that libraries and the interpreter keep for
 *  themselves. Release with lg__library_tables_end, also on failure. */
typedef struct lg__library_tables {
    const lg_analysis *analysis;
    uint8_t *known; /**< [node] whether it retains something that a program
                       made; for a module, whether it belongs to a library */
    uint8_t *type;  /**< [type] whether programs make objects of it */
} lg__library_tables;

/** Returns false when memory ran out. */
bool lg__library_tables_begin(lg__library_tables *tables,
                              const lg_analysis *analysis);
/** Returns the package of the library, or the interpreter, that keeps the node,
 *  whatever the node retains; empty if none does. O(1). */
lg_string lg__library_tables_keeper(lg__library_tables *tables, uint32_t node,
                                    uint32_t keeper);
/** Marks the nodes that retain something that a program made. O(nodes). */
void lg__library_tables_mark(lg__library_tables *tables);
/** Returns whether the node retains something that a program made. Needs the
 *  marks. */
bool lg__library_tables_retains(const lg__library_tables *tables,
                                uint32_t node);
void lg__library_tables_end(lg__library_tables *tables);

#endif
