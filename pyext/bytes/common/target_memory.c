#include "bytes/common/target_memory.h"

#include <malloc.h>
#include <stdlib.h>

lg_memory *
lg_memory_open(lg_adapter_pass *pass)
{
    lg_memory *memory = lg_pass_keep(pass, sizeof *memory);
    char *copies = lg_pass_keep(pass, (size_t)LG_WINDOWS * LG_WINDOW);
    if (memory == NULL || copies == NULL)
        return NULL;
    for (size_t i = 0; i < LG_WINDOWS; i++)
        memory->windows[i].copy = copies + i * LG_WINDOW;
    return memory;
}

void
lg_memory_forget(lg_memory *memory)
{
    for (size_t i = 0; i < LG_WINDOWS; i++)
        memory->windows[i].number = 0;
}

/** Copies pages of a window, from the first one on. */
static void
fill(lg_window *window, unsigned first)
{
    lg_piece pieces[LG_WINDOW_PAGES];
    for (unsigned i = first; i < LG_WINDOW_PAGES; i++) {
        uintptr_t from = window->number * LG_WINDOW + i * LG_PAGE;
        pieces[i].from = (const void *)from;
        pieces[i].to = window->copy + i * LG_PAGE;
        pieces[i].length = LG_PAGE;
    }
    lg_pass_read(pieces + first, LG_WINDOW_PAGES - first);
    for (unsigned i = first; i < LG_WINDOW_PAGES; i++) {
        window->tried |= (uint8_t)(1u << i);
        if (pieces[i].read)
            window->readable |= (uint8_t)(1u << i);
        else
            window->readable &= (uint8_t) ~(1u << i);
    }
}

/* Nothing is mapped at the lowest addresses, and the highest are the kernel's.
   A word that is no address often looks like one of those. */
const char *
lg_memory_fetch(lg_memory *memory, uintptr_t address)
{
    uintptr_t number = address / LG_WINDOW;
    lg_window *window = &memory->windows[number % LG_WINDOWS];
    unsigned page = address / LG_PAGE % LG_WINDOW_PAGES;
    if (number == 0 || address >> 47 != 0)
        return NULL;
    if (window->number != number) {
        window->number = number;
        window->tried = window->readable = 0;
    }
    if (!(window->tried >> page & 1))
        fill(window, page);
    return window->readable >> page & 1 ? window->copy + address % LG_WINDOW
                                        : NULL;
}

bool
lg_memory_copy(lg_memory *memory, uintptr_t address, void *to, size_t length)
{
    char *out = to;
    while (length > 0) {
        size_t left = LG_PAGE - address % LG_PAGE;
        size_t some = length < left ? length : left;
        const char *copy = lg_memory_at(memory, address);
        if (copy == NULL)
            return false;
        memcpy(out, copy, some);
        address += some;
        out += some;
        length -= some;
    }
    return true;
}

/** glibc's malloc keeps a block's size in the word before it, with three flags.
 *  Bit 1 marks a mapping of its own; the word before then has its padding. Any
 *  other malloc has its own function for this. */
static size_t
block_of_glibc(lg_memory *memory, uintptr_t address)
{
    uintptr_t head[2];
    if (!lg_memory_copy(memory, address - sizeof head, head, sizeof head))
        return 0;
    size_t size = head[1] & ~(size_t)7;
    if (size < 32 || size % 16 != 0 || size >> 46 != 0)
        return 0;
    return head[1] & 2 ? size + head[0] : size;
}

static bool
agrees(lg_memory *memory, size_t size)
{
    void *block = malloc(size);
    if (block == NULL)
        return false;
    uintptr_t address = (uintptr_t)block;
    lg_memory_forget(memory);
    size_t usable = malloc_usable_size(block);
    size_t found = block_of_glibc(memory, address);
    free(block);
    return found == usable + 8 || (size > 1 << 20 && found >= usable + 8);
}

bool
lg_memory_knows_malloc(lg_memory *memory)
{
    enum { UNTRIED, KNOWN, UNKNOWN };
    static int answer;
    if (answer == UNTRIED)
        answer = agrees(memory, 24) && agrees(memory, 1000) &&
                         agrees(memory, (size_t)4 << 20)
                     ? KNOWN
                     : UNKNOWN;
    return answer == KNOWN;
}

size_t
lg_memory_block(lg_memory *memory, uintptr_t address)
{
    if (lg_memory_knows_malloc(memory))
        return block_of_glibc(memory, address);
    return malloc_usable_size((void *)address);
}
