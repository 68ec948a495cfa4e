/**
 * Copies the account of PyTorch's caching allocator out of Python objects: the
 * result of torch.cuda.memory._snapshot(), or the same from a file. It reads
 * all layouts that PyTorch has had: a bare list of segments, blocks without an
 * address, `history` instead of `requested_size` and `frames`, and both names
 * of a pending block.
 */
#ifndef LEAKGRAPH_BYTES_CUDA_H
#define LEAKGRAPH_BYTES_CUDA_H

#include <Python.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/segments.h>

/** String ids are indexes of `texts`, 0 for none. The device of a segment is
 *  its ordinal, from 0. Blocks are in the order of segments and addresses, and
 *  fill each segment without a gap. */
typedef struct lg__dump {
    lg_segment *segments;
    size_t segment_count;
    lg_block *blocks;
    size_t block_count;
    char **texts; /**< texts[0] is NULL */
    size_t text_count;
    char strange_states[160]; /**< the names of unknown states of blocks */
} lg__dump;

/** Copies a snapshot, with the GIL held. Leave out the frames, which are most
 *  of it, if only the states of blocks matter. LG_EINVAL says what is wrong and
 *  where; no exception stays set. O(segments log + blocks). */
lg_status lg__dump_read(PyObject *snapshot, bool with_frames, lg__dump *out,
                        lg_error *err);
void lg__dump_free(lg__dump *dump);

#endif
