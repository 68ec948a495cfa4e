/**
 * The bytes from malloc that leakgraph keeps: analyses, and snapshots from
 * files. arena.h counts what captures keep.
 */
#ifndef LEAKGRAPH_OWN_H
#define LEAKGRAPH_OWN_H

#include <stdatomic.h>
#include <stdint.h>

/** The counted bytes of one owner. */
typedef _Atomic uint64_t lg__own_share;

/** Sets the share to `bytes`, and updates the sum of all. Any thread may call
 *  it. */
void lg__own_share_set(lg__own_share *share, uint64_t bytes);
/** The sum of all shares. */
uint64_t lg__own_bytes(void);

#endif
