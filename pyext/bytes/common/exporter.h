/**
 * Memory that an object shows without owning it: the object that keeps it
 * alive, and whether its bytes already count.
 */
#ifndef LEAKGRAPH_EXPORTER_H
#define LEAKGRAPH_EXPORTER_H

#include "capture/adapters/capture_adapters.h"

/** The part of an lg_span that describes the memory itself. */
typedef struct lg__shown_memory {
    const void *address; /**< NULL: unknown */
    uint64_t length;
    uint32_t type;  /**< id of the buffer's type: "numpy.memory" */
    uint32_t text;  /**< string id: `float64[3]`; 0: none */
    uint32_t label; /**< string id of the edge's name; 0: "data" */
    unsigned flags; /**< LG_SPAN_ bits */
} lg__shown_memory;

/** Adds a span. */
void lg__shown_memory_add(lg__adapter_pass *pass, uint32_t holder,
                          const lg__shown_memory *memory);

/** Notes that `exporter` keeps alive memory that another object uses. Adds
 *  nothing if the exporter has an adapter (bytearray, mmap, array) or shows the
 *  memory of another array. `holder` is the node to charge if the exporter has
 *  none. */
void lg__exporter_add(lg__adapter_pass *pass, PyObject *exporter,
                      uint32_t holder, const lg__shown_memory *memory);

#endif
