/**
 * Structures of a library, read without trusting a pointer: whole pages are
 * copied through the kernel (lg_survey_read) and kept a while, since what
 * belongs together lies together. A copy may be stale, never half mapped.
 *
 * Private to this folder.
 */
#ifndef LEAKGRAPH_BYTES_MEMORY_H
#define LEAKGRAPH_BYTES_MEMORY_H

#include "adapter.h"

typedef struct lg_memory lg_memory;

/** Lasts until the end of the capture; NULL when memory ran out. */
lg_memory *lg_memory_open(lg_survey *survey);

/** Drops all copies: what they show has gone. */
void lg_memory_forget(lg_memory *memory);

/** Copies bytes; false, with *to undefined, if any cannot be read. */
bool lg_memory_copy(lg_memory *memory, uintptr_t address, void *to,
                    size_t length);
/** The word at an address; 0 if it cannot be read. */
uintptr_t lg_memory_word(lg_memory *memory, uintptr_t address);

/** Whether a word may be the address of a C++ object: malloc's alignment, and
 *  inside the address space of a process. */
static inline bool
lg_is_address(uintptr_t word)
{
    return (word & 15) == 0 && word >= 4096 && word >> 47 == 0;
}

/** What malloc spends on the block that begins at this address, its own header
 *  included; 0 if that does not look like a block. */
size_t lg_memory_block(lg_memory *memory, uintptr_t address);
/** Whether lg_memory_block agrees with malloc about a block of this size that
 *  was just allocated; tried once for each process. */
bool lg_memory_knows_malloc(lg_memory *memory);

#endif
