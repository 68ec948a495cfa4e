/**
 * Accounts: matching what the graph knows with what allocators say.
 */
#ifndef LG_ACCOUNTS_H
#define LG_ACCOUNTS_H

#include "storage.h"

/** What a block is that nothing in the graph lies in. */
lg_evidence lg__evidence_of(const lg_block *block, lg_string pool,
                            lg_string frames);

/** What became of a block of a state, beyond the evidences. */
enum {
    LG__FATE_OWNED =
        LG_EVIDENCE_COUNT, /**< something in the graph lies in it */
    LG__FATE_FREE,         /**< it is not allocated */
};

/** lg_graph_accounts. *fates, unless NULL, gets for each block of the state its
 *  lg_evidence or LG__FATE_; to be released with free(). */
lg_status lg__accounts_make(const lg_graph *graph,
                            const lg_allocator_state *state, uint8_t **fates,
                            lg_accounts *out, lg_error *err);

/** The state to match with: the one given, or the graph's own. */
lg_allocator_state lg__allocator_state(const lg_graph *graph,
                                       const lg_allocator_state *given);
lg_string lg__block_frames(const lg_graph *graph,
                           const lg_allocator_state *state, size_t block);

/** Bytes of the host, summed into the accounts. */
void lg__accounts_host(const lg_graph *graph, const lg__storages *storages,
                       lg_accounts *out);

/** An interval of a device's memory. */
typedef struct lg__piece {
    uint64_t begin;
    uint64_t end;
    uint32_t device;
    uint32_t index; /**< of the segment, block or node that it is */
} lg__piece;

typedef struct lg__pieces {
    lg__piece *items; /**< by device and begin */
    size_t count;
} lg__pieces;

/** Calls `visit` for each pair that shares memory, with how much. Neither side
 *  may overlap itself. O(of both, and of the pairs). */
void lg__pieces_meet(const lg__pieces *left, const lg__pieces *right,
                     void (*visit)(void *context, uint32_t left, uint32_t right,
                                   uint64_t bytes),
                     void *context);

/** Segments and blocks of a state; LG_EINVAL names the first that cannot be. */
lg_status lg__pieces_of_segments(const lg_graph *graph,
                                 const lg_allocator_state *state,
                                 lg__pieces *out, lg_error *err);
lg_status lg__pieces_of_blocks(const lg_allocator_state *state, lg__pieces *out,
                               lg_error *err);
/** Buffers on devices that have an address. */
lg_status lg__pieces_of_buffers(const lg_graph *graph, lg__pieces *out,
                                lg_error *err);

#endif
