// Guesses what a block without an owner is. The sizes come from PyTorch's
// getChosenWorkspaceSize (aten/src/ATen/cuda/CublasHandlePool.cpp): 4096 KiB *
// 2 + 16 KiB * 8, and 4096 KiB * 8 on Hopper.
#include "bytes/bytes_private.h"

#include <string.h>
#include <strings.h>

const char *
lg_evidence_name(lg_evidence evidence)
{
    static const char *const names[] = {
        "cuBLAS workspace", "private pool", "backward", "autocast cache",
        "held by C++",      "in flux",      "unknown",
    };
    size_t index = (size_t)evidence;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

static bool
mentions(lg_string text, const char *word)
{
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= text.length; at++)
        if (strncasecmp(text.data + at, word, length) == 0)
            return true;
    return false;
}

static bool
is_cublas_size(uint64_t bytes)
{
    return bytes == (4096u * 2 + 16 * 8) * 1024 || bytes == 4096u * 8 * 1024;
}

lg_evidence
lg__evidence_of(const lg_block *block, lg_string pool, lg_string frames)
{
    if (block->in_flux)
        return LG_EVIDENCE_IN_FLUX;
    if (pool.length > 0)
        return LG_EVIDENCE_GRAPH_POOL;
    if (mentions(frames, "cublas") || is_cublas_size(block->requested) ||
        is_cublas_size(block->size))
        return LG_EVIDENCE_CUBLAS;
    if (mentions(frames, "autocast") || mentions(frames, "cached_cast"))
        return LG_EVIDENCE_AUTOCAST;
    if (mentions(frames, "backward") || mentions(frames, "autograd"))
        return LG_EVIDENCE_BACKWARD;
    return frames.length > 0 ? LG_EVIDENCE_FRAMES : LG_EVIDENCE_UNKNOWN;
}
