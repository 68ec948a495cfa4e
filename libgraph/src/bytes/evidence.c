// Says what a block without an owner is: by the functions that allocated it, or
// else by its size. The sizes come from PyTorch's getChosenWorkspaceSize
// (aten/src/ATen/cuda/CublasHandlePool.cpp): 4096 KiB * 2 + 16 KiB * 8, and
// 4096 KiB * 8 on Hopper.
#include "bytes/bytes_private.h"

#include <string.h>

const char *
lg_evidence_name(lg_evidence evidence)
{
    static const char *const names[] = {
        "cuBLAS workspace", "probably cuBLAS workspace",
        "private pool",     "DDP buckets",
        "backward",         "autocast cache",
        "held by C++",      "in flux",
        "unknown state",    "not listed",
        "unknown",
    };
    size_t index = (size_t)evidence;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

// Takes the first frame off. The format is "function (file:line) < function
// ...".
static lg_string
next_frame(lg_string *rest)
{
    static const char between[] = " < ";
    lg_string frame = *rest;
    for (uint32_t at = 0; at + 3 <= rest->length; at++)
        if (memcmp(rest->data + at, between, 3) == 0) {
            frame.length = at;
            rest->data += at + 3;
            rest->length -= at + 3;
            return frame;
        }
    rest->length = 0;
    return frame;
}

// Returns the function of a frame without its file, whose path says nothing.
static lg_string
function_of(lg_string frame)
{
    uint32_t at = frame.length;
    if (at == 0 || frame.data[at - 1] != ')')
        return frame;
    for (at--;
         at > 0 && frame.data[at - 1] >= '0' && frame.data[at - 1] <= '9';)
        at--;
    if (at == 0 || frame.data[at - 1] != ':')
        return frame;
    while (at > 1 && !(frame.data[at - 2] == ' ' && frame.data[at - 1] == '('))
        at--;
    if (at > 1)
        frame.length = at - 2;
    return frame;
}

// Returns whether a function is C++, which has namespaces; Python's functions
// have none.
static bool
is_native(lg_string function)
{
    return lg__string_contains(function, "::");
}

static bool
ends_as(lg_string text, const char *word)
{
    uint32_t length = (uint32_t)strlen(word);
    return text.length >= length &&
           memcmp(text.data + text.length - length, word, length) == 0 &&
           (text.length == length ||
            text.data[text.length - length - 1] == '.');
}

// Returns the evidence that a frame gives, or LG_EVIDENCE_UNKNOWN.
static lg_evidence
decided_by(lg_string function)
{
    static const struct {
        const char *word;
        lg_evidence evidence;
    } natives[] = {
        {"Reducer::", LG_EVIDENCE_BUCKETS},
        {"CUDABlas", LG_EVIDENCE_CUBLAS},
        {"CUBlas", LG_EVIDENCE_CUBLAS},
        {"cublas", LG_EVIDENCE_CUBLAS},
        {"cuda::blas::", LG_EVIDENCE_CUBLAS},
        {"autocast::cached_cast", LG_EVIDENCE_AUTOCAST},
        {"autograd::Engine", LG_EVIDENCE_BACKWARD},
    };
    if (!is_native(function))
        return ends_as(function, "backward") ||
                       ends_as(function, "_engine_run_backward")
                   ? LG_EVIDENCE_BACKWARD
                   : LG_EVIDENCE_UNKNOWN;
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (lg__string_contains(function, natives[i].word))
            return natives[i].evidence;
    return LG_EVIDENCE_UNKNOWN;
}

static bool
is_cublas_size(const lg_block *block)
{
    const uint64_t sizes[] = {(4096u * 2 + 16 * 8) * 1024, 4096u * 8 * 1024};
    return block->requested == sizes[0] || block->requested == sizes[1] ||
           block->size == sizes[0] || block->size == sizes[1];
}

// Uses the size as a hint only if no C++ function was recorded.
static lg_evidence
evidence_of_frames(const lg_block *block, lg_string frames)
{
    bool any = false, any_native = false;
    while (frames.length > 0) {
        lg_string function = function_of(next_frame(&frames));
        if (lg__is_metadata(function))
            continue;
        lg_evidence decided = decided_by(function);
        if (decided != LG_EVIDENCE_UNKNOWN)
            return decided;
        any = true;
        any_native = any_native || is_native(function);
    }
    if (!any_native && is_cublas_size(block))
        return LG_EVIDENCE_CUBLAS_SIZE;
    return any ? LG_EVIDENCE_FRAMES : LG_EVIDENCE_UNKNOWN;
}

bool
lg__is_metadata(lg_string frame)
{
    static const char name[] = "user_metadata ";
    return frame.length >= sizeof name - 1 &&
           memcmp(frame.data, name, sizeof name - 1) == 0;
}

lg_evidence
lg__evidence_of(const lg_block *block, lg_string pool, lg_string frames)
{
    if (block->in_flux)
        return LG_EVIDENCE_IN_FLUX;
    if (block->state == LG_BLOCK_STRANGE)
        return LG_EVIDENCE_STATE;
    if (pool.length > 0)
        return LG_EVIDENCE_GRAPH_POOL;
    return evidence_of_frames(block, frames);
}
