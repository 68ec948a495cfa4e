/**
 * What leakgraph keeps in the memory of malloc: analyses and snapshots from
 * files. What captures keep, arena.h counts.
 */
#ifndef LEAKGRAPH_OWN_H
#define LEAKGRAPH_OWN_H

#include <stdatomic.h>
#include <stdint.h>

/** What one owner has, as far as it was counted. */
typedef _Atomic uint64_t lg_own_share;

/** Sets the share to `bytes`, and the sum of all accordingly. Any thread. */
void lg_own_set(lg_own_share *share, uint64_t bytes);
/** The sum of all shares. */
uint64_t lg_own_bytes(void);

#endif
