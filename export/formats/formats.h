/**
 * The writers of formats. Each writes the whole file; the stream keeps what
 * fails.
 */
#ifndef LEAKGRAPH_FORMATS_H
#define LEAKGRAPH_FORMATS_H

#include "formats/stream.h"

#include <leakgraph/internal/allocations.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/places.h>

void lg__write_heapsnapshot(lg__stream *out, const lg_graph *graph);
void lg__write_graphml(lg__stream *out, const lg_graph *graph);
void lg__write_gexf(lg__stream *out, const lg_graph *graph);

void lg__write_folded(lg__stream *out, const lg_places *places);
void lg__write_speedscope(lg__stream *out, const lg_places *places);
void lg__write_allocations(lg__stream *out, const lg_allocation_stacks *stacks);
void lg__write_pprof(lg__stream *out, const lg_places *places);

#endif
