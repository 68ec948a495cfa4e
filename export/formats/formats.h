/**
 * The formats. Each has a function that writes the whole file; the stream keeps
 * what fails.
 */
#ifndef LEAKGRAPH_FORMATS_H
#define LEAKGRAPH_FORMATS_H

#include "formats/stream.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/places.h>

typedef struct lg__format {
    const char *name;
    const char *suffix;
    const char *other_suffix; /* or NULL */
    bool packed;              /* its files are compressed */
    /* One of them. */
    void (*write_graph)(lg__stream *out, const lg_graph *graph);
    void (*write_places)(lg__stream *out, const lg_places *places);
    void (*write_stacks)(lg__stream *out, const lg_allocation_stacks *stacks);
} lg__format;

extern const lg__format lg__heapsnapshot;
extern const lg__format lg__graphml, lg__gexf;
extern const lg__format lg__folded, lg__speedscope, lg__allocations;
extern const lg__format lg__pprof;

#endif
