/** Recognises blocks of malloc by the words around them. */
#include "bytes/torch/torch.h"

enum { WORD = sizeof(uintptr_t) };

/** Whether the words before the block agree: if they say that the previous
 *  block is free, it ends where this one begins. The header alone proves
 *  nothing, because malloc leaves it when it joins a freed block with the
 *  previous one. */
static bool
fits_before(lg__torch *torch, uintptr_t address)
{
    if (lg__memory_word(torch->memory, address - WORD) & 1)
        return true;
    uintptr_t size = lg__memory_word(torch->memory, address - 2 * WORD);
    uintptr_t header = address - size - WORD;
    return size % 16 == 0 && size < address &&
           (lg__memory_word(torch->memory, header) & ~(uintptr_t)7) == size;
}

size_t
lg__torch_block_at(lg__torch *torch, uintptr_t address)
{
    size_t size =
        lg__is_address(address) ? lg__memory_block(torch->memory, address) : 0;
    if (size == 0 || !lg__memory_knows_malloc(torch->memory))
        return 0;
    if (lg__memory_word(torch->memory, address - WORD) & 2) {
        /* The block is a mapping of its own, with padding before it. */
        uintptr_t padding = lg__memory_word(torch->memory, address - 2 * WORD);
        uintptr_t start = address - 2 * WORD - padding;
        return size % LG__PAGE == 0 && start % LG__PAGE == 0 ? size : 0;
    }
    uintptr_t next = lg__memory_word(torch->memory, address + size - WORD);
    size_t next_size = next & ~(uintptr_t)7;
    bool fits = next & 1 && next_size >= 32 && next_size % 16 == 0;
    return fits && next_size >> 40 == 0 && fits_before(torch, address) ? size
                                                                       : 0;
}

bool
lg__torch_block_fits(lg__torch *torch, uintptr_t address, uint64_t bytes)
{
    enum { ALIGNED = 64, MAPPED = 2 * LG__PAGE };
    size_t size = lg__torch_block_at(torch, address);
    if (size == 0 || bytes == 0 || size - WORD < bytes)
        return false;
    bool mapped = lg__memory_word(torch->memory, address - WORD) & 2;
    return size - bytes <= (mapped ? MAPPED : ALIGNED);
}

bool
lg__torch_is_vector(lg__torch *torch, const uintptr_t *words)
{
    return words[1] >= words[0] && words[2] >= words[1] &&
           lg__torch_block_fits(torch, words[0], words[2] - words[0]);
}
