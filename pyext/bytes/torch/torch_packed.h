/**
 * Packed weights: classes of other libraries that PyTorch's kernels read, and
 * the blocks of malloc that they own. Private to this folder.
 */
#ifndef LEAKGRAPH_TORCH_PACKED_H
#define LEAKGRAPH_TORCH_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lg_torch;
struct lg_torch_task;

/** What torch_packed.c knows of a class, from its name. */
typedef enum lg_torch_packed {
    LG_TORCH_PACKED_NONE = 0,
    /* Objects of LG_TORCH_CUSTOM. */
    LG_TORCH_PACKED_WHOLE,    /**< all members prove what they are */
    LG_TORCH_PACKED_INNER,    /**< so do those of the block of the first one */
    LG_TORCH_PACKED_HALF,     /**< the first one: FBGEMM's 16-bit numbers */
    LG_TORCH_PACKED_ROWS,     /**< the first one: QNNPACK's weights */
    LG_TORCH_PACKED_OPERATOR, /**< ... its operator, XNNPACK's, its weights */
    /* What these own, or blocks with the counts of such. */
    LG_TORCH_PACKED_MATRIX, /**< FBGEMM's 8-bit numbers */
    LG_TORCH_PACKED_DEPTHWISE,
    LG_TORCH_PACKED_VECTOR,
    LG_TORCH_PACKED_LEAF, /**< its block is all there is to see */
} lg_torch_packed;

/* torch_block.c */

/** The bytes of a block, if what malloc has around it agrees; 0 for all else,
 *  such as an address inside a block. */
size_t lg_torch_block_at(struct lg_torch *torch, uintptr_t address);
/** Returns whether malloc would give such a block to who asks for `bytes`,
 *  aligned to a cache line. */
bool lg_torch_block_fits(struct lg_torch *torch, uintptr_t address,
                         uint64_t bytes);

/* torch_packed.c */

/** Adds what an object of LG_TORCH_CUSTOM owns. */
void lg_torch_walk_packed(struct lg_torch *torch,
                          const struct lg_torch_task *task);

#endif
