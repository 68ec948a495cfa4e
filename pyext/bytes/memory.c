#include "memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SLOTS = 4096, AHEAD = 4 };

/** Direct mapped: page p lives in slot p % SLOTS. */
struct lg_memory {
    uintptr_t page[SLOTS]; /**< 1 + number of the page held; 0: none */
    char *copies;
};

lg_memory *
lg_memory_open(lg_survey *survey)
{
    lg_memory *memory = lg_survey_keep(survey, sizeof *memory);
    char *copies = lg_survey_keep(survey, (size_t)SLOTS * PAGE);
    if (memory == NULL || copies == NULL)
        return NULL;
    memory->copies = copies;
    return memory;
}

void
lg_memory_forget(lg_memory *memory)
{
    memset(memory->page, 0, sizeof memory->page);
}

static char *
copy_of(lg_memory *memory, uintptr_t page)
{
    return memory->copies + page % SLOTS * PAGE;
}

/** Copies this page, and the next few, which are often wanted next. */
static bool
fetch(lg_memory *memory, uintptr_t page)
{
    lg_piece pieces[AHEAD];
    for (size_t i = 0; i < AHEAD; i++) {
        uintptr_t number = page + i;
        memory->page[number % SLOTS] = 0;
        pieces[i].from = (const void *)(number * PAGE);
        pieces[i].to = copy_of(memory, number);
        pieces[i].length = PAGE;
    }
    lg_survey_read(pieces, AHEAD);
    for (size_t i = 0; i < AHEAD; i++)
        if (pieces[i].read)
            memory->page[(page + i) % SLOTS] = page + i + 1;
    return pieces[0].read;
}

bool
lg_memory_copy(lg_memory *memory, uintptr_t address, void *to, size_t length)
{
    char *out = to;
    while (length > 0) {
        uintptr_t page = address / PAGE;
        size_t offset = address % PAGE;
        size_t some = length < PAGE - offset ? length : PAGE - offset;
        if (memory->page[page % SLOTS] != page + 1 && !fetch(memory, page))
            return false;
        memcpy(out, copy_of(memory, page) + offset, some);
        address += some;
        out += some;
        length -= some;
    }
    return true;
}

uintptr_t
lg_memory_word(lg_memory *memory, uintptr_t address)
{
    uintptr_t word;
    return lg_memory_copy(memory, address, &word, sizeof word) ? word : 0;
}

/** glibc's malloc keeps a block's size in the word before it, with three flags;
 *  bit 1: a mapping of its own, whose lead is in the word before that. Another
 *  malloc is asked by its own function. */
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
    memory->page[address / PAGE % SLOTS] = 0;
    memory->page[(address - 16) / PAGE % SLOTS] = 0;
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
