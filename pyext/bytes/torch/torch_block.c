/** Recognises blocks of malloc by the words around them. */
#include "bytes/torch/torch.h"

enum { WORD = sizeof(uintptr_t) };

/** Whether the words before the block agree: if they say that the previous
 *  block is free, it ends where this one begins. The header alone proves
 *  nothing, because malloc leaves it when it joins a freed block with the
 *  previous one. */
static bool
fits_before(lg_torch *torch, uintptr_t address)
{
    if (lg_memory_word(torch->memory, address - WORD) & 1)
        return true;
    uintptr_t size = lg_memory_word(torch->memory, address - 2 * WORD);
    uintptr_t header = address - size - WORD;
    return size % 16 == 0 && size < address &&
           (lg_memory_word(torch->memory, header) & ~(uintptr_t)7) == size;
}

size_t
lg_torch_block_at(lg_torch *torch, uintptr_t address)
{
    size_t size =
        lg_is_address(address) ? lg_memory_block(torch->memory, address) : 0;
    if (size == 0 || !lg_memory_knows_malloc(torch->memory))
        return 0;
    if (lg_memory_word(torch->memory, address - WORD) & 2) {
        /* The block is a mapping of its own, with padding before it. */
        uintptr_t padding = lg_memory_word(torch->memory, address - 2 * WORD);
        uintptr_t start = address - 2 * WORD - padding;
        return size % LG_PAGE == 0 && start % LG_PAGE == 0 ? size : 0;
    }
    uintptr_t next = lg_memory_word(torch->memory, address + size - WORD);
    size_t next_size = next & ~(uintptr_t)7;
    bool fits = next & 1 && next_size >= 32 && next_size % 16 == 0;
    return fits && next_size >> 40 == 0 && fits_before(torch, address) ? size
                                                                       : 0;
}

bool
lg_torch_block_fits(lg_torch *torch, uintptr_t address, uint64_t bytes)
{
    enum { ALIGNED = 64, MAPPED = 2 * LG_PAGE };
    size_t size = lg_torch_block_at(torch, address);
    if (size == 0 || bytes == 0 || size - WORD < bytes)
        return false;
    bool mapped = lg_memory_word(torch->memory, address - WORD) & 2;
    return size - bytes <= (mapped ? MAPPED : ALIGNED);
}

bool
lg_torch_is_vector(lg_torch *torch, const uintptr_t *words)
{
    return words[1] >= words[0] && words[2] >= words[1] &&
           lg_torch_block_fits(torch, words[0], words[2] - words[0]);
}
