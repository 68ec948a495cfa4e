/**
 * The work of the fuzzer and of the replay.
 */
#ifndef LG_EXERCISE_H
#define LG_EXERCISE_H

#include <leakgraph/base.h>

/** Corrects the checksums of the bytes, so that damage gets past them, and
 *  loads the bytes as a file. If that succeeds, passes the graph to `ask`.
 *  Returns whether the reader accepted the file. */
bool exercise_load(const uint8_t *data, size_t size,
                   void (*ask)(const lg_graph *graph));

/** Calls every accessor and every report that needs no analysis. */
void exercise_graph(const lg_graph *graph);
/** Calls every verb: analyses, reports, and views as text, JSON and DOT. */
void exercise_answers(const lg_graph *graph);

#endif
