/**
 * Memory that an object shows without owning it: who keeps it alive, and
 * whether that one's bytes are counted already.
 */
#ifndef LEAKGRAPH_EXPORTER_H
#define LEAKGRAPH_EXPORTER_H

#include "capture/adapters/adapter.h"

/** The part of an lg_span that is about the memory itself. */
typedef struct lg_shown_memory {
    const void *address; /**< NULL: not known */
    uint64_t length;
    uint32_t type;  /**< id of the buffer's type: "numpy.memory" */
    uint32_t text;  /**< string id: `float64[3]`; 0: none */
    uint32_t label; /**< string id of the edge's name; 0: "data" */
    unsigned flags; /**< LG_SPAN_ bits */
} lg_shown_memory;

/** Adds a span. */
void lg_shown_memory_add(lg_adapter_pass *pass, uint32_t holder,
                         const lg_shown_memory *memory);

/** Notes that `exporter` keeps the memory alive, which somebody else looks at.
 *  Nothing is added where it is the exporter's own business (bytearray, mmap,
 *  array) or where the exporter passes on what another array has. `holder` is
 *  the node to charge if the exporter has none. */
void lg_exporter_add(lg_adapter_pass *pass, PyObject *exporter, uint32_t holder,
                     const lg_shown_memory *memory);

#endif
