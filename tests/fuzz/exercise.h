/**
 * What the fuzzer and the replay do with bytes.
 */
#ifndef LG_EXERCISE_H
#define LG_EXERCISE_H

#include <leakgraph/base.h>

/** Loads the bytes as a file after putting its checksums right, so that damage
 *  gets past them; then, if that worked, shows the graph to `ask`. Returns
 *  whether it was accepted. */
bool exercise_load(const uint8_t *data, size_t size,
                   void (*ask)(const lg_graph *graph));

/** Every accessor and every report that needs no analysis. */
void exercise_graph(const lg_graph *graph);
/** Every verb: analyses, reports, views as text, JSON and DOT. */
void exercise_answers(const lg_graph *graph);

#endif
