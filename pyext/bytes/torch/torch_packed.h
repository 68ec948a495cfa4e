/**
 * Packed weights: classes of other libraries that PyTorch's kernels read, and
 * the blocks of malloc that they own.
 */
#ifndef LEAKGRAPH_TORCH_PACKED_H
#define LEAKGRAPH_TORCH_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lg__torch;
struct lg__torch_task;

/** What torch_packed.c knows of a class, from its name. */
typedef enum lg__torch_packed {
    LG__TORCH_PACKED_NONE = 0,
    /* Classes of objects of LG__TORCH_CUSTOM. */
    LG__TORCH_PACKED_WHOLE, /**< the words of all members prove what they are */
    LG__TORCH_PACKED_INNER, /**< ... and those of the first member's block */
    LG__TORCH_PACKED_HALF,  /**< the first member: FBGEMM's 16-bit numbers */
    LG__TORCH_PACKED_ROWS,  /**< the first member: QNNPACK's weights */
    LG__TORCH_PACKED_OPERATOR, /**< members: an operator, XNNPACK's, QNNPACK's
                                 weights */
    /* Classes of what these own, or of blocks with their counts. */
    LG__TORCH_PACKED_MATRIX, /**< FBGEMM's 8-bit numbers */
    LG__TORCH_PACKED_DEPTHWISE,
    LG__TORCH_PACKED_VECTOR,
    LG__TORCH_PACKED_LEAF, /**< there is nothing but its own block */
} lg__torch_packed;

/* torch_block.c */

/** The bytes of a block of malloc, if the words around it agree; 0 otherwise,
 *  for example for an address inside a block. */
size_t lg__torch_block_at(struct lg__torch *torch, uintptr_t address);
/** Returns whether malloc would give such a block for `bytes`, aligned to a
 *  cache line. */
bool lg__torch_block_fits(struct lg__torch *torch, uintptr_t address,
                          uint64_t bytes);
/** Returns whether three words are a vector's begin, end and limit. Elements
 *  that it had once lie behind its end. */
bool lg__torch_is_vector(struct lg__torch *torch, const uintptr_t *words);

/* torch_packed.c */

/** Adds what an object of LG__TORCH_CUSTOM owns. */
void lg__torch_walk_packed(struct lg__torch *torch,
                           const struct lg__torch_task *task);

#endif
