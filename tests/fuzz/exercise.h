/**
 * The work of the fuzzer and of the replay.
 */
#ifndef LEAKGRAPH_EXERCISE_H
#define LEAKGRAPH_EXERCISE_H

#include <leakgraph/base.h>

/** Corrects the checksums of the bytes, so that damage gets past them, and
 *  loads the bytes as a file. If that succeeds, passes the graph to `ask`.
 *  Returns whether the reader accepted the file. */
bool exercise_load(const uint8_t *data, size_t size,
                   void (*ask)(const lg_graph *graph));

/** Bytes of the version and the counts that stand in a summary's header. */
enum { EXERCISE_COUNTS = 24 };
/** Loads the bytes as a summary as they are; and as those of a header and the
 *  frame behind them, with right checksums, and compares what that gives.
 *  Returns whether the reader accepted the latter. */
bool exercise_summary(const uint8_t *data, size_t size);
/** A whole file of a summary as those bytes, for free(); NULL if it is none. */
uint8_t *exercise_unpack(const uint8_t *file, size_t size, size_t *length);

/** Joins targets of references from the bytes: their number, first edges and
 *  types of four nodes, and a block. Returns whether the block is sound. */
bool exercise_targets(const uint8_t *data, size_t size);

/** Calls every accessor and every report that needs no analysis. */
void exercise_graph(const lg_graph *graph);
/** Calls every verb: analyses, reports, and views as text, JSON and DOT. */
void exercise_answers(const lg_graph *graph);
/** Writes reports, and asks for every page that `view` serves. */
void exercise_pages(const lg_graph *graph);

#endif
