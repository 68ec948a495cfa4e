/**
 * What the fuzzer and the replay do with bytes.
 */
#ifndef LG_EXERCISE_H
#define LG_EXERCISE_H

#include <leakgraph/leakgraph.h>

/** Loads the bytes as a file after putting its checksums right, so that damage
 *  gets past them; then, if that worked, asks the graph everything. Returns
 *  whether it was accepted. */
bool exercise_bytes(const uint8_t *data, size_t size);

#endif
