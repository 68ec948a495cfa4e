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
    /* Classes of objects of LG_TORCH_CUSTOM. */
    LG_TORCH_PACKED_WHOLE, /**< the words of all members prove what they are */
    LG_TORCH_PACKED_INNER, /**< ... and those of the first member's block */
    LG_TORCH_PACKED_HALF,  /**< the first member: FBGEMM's 16-bit numbers */
    LG_TORCH_PACKED_ROWS,  /**< the first member: QNNPACK's weights */
    LG_TORCH_PACKED_OPERATOR, /**< members: an operator, XNNPACK's, QNNPACK's
                                 weights */
    /* Classes of what these own, or of blocks with their counts. */
    LG_TORCH_PACKED_MATRIX, /**< FBGEMM's 8-bit numbers */
    LG_TORCH_PACKED_DEPTHWISE,
    LG_TORCH_PACKED_VECTOR,
    LG_TORCH_PACKED_LEAF, /**< there is nothing but its own block */
} lg_torch_packed;

/* torch_block.c */

/** The bytes of a block of malloc, if the words around it agree; 0 otherwise,
 *  for example for an address inside a block. */
size_t lg_torch_block_at(struct lg_torch *torch, uintptr_t address);
/** Returns whether malloc would give such a block for `bytes`, aligned to a
 *  cache line. */
bool lg_torch_block_fits(struct lg_torch *torch, uintptr_t address,
                         uint64_t bytes);
/** Returns whether three words are a vector's begin, end and limit. Elements
 *  that it had once lie behind its end. */
bool lg_torch_is_vector(struct lg_torch *torch, const uintptr_t *words);

/* torch_packed.c */

/** Adds what an object of LG_TORCH_CUSTOM owns. */
void lg_torch_walk_packed(struct lg_torch *torch,
                          const struct lg_torch_task *task);

#endif
