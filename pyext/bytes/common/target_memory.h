/**
 * Reads structures of a library without trusting a pointer. Copies whole pages
 * through the kernel (lg__pass_read) and keeps them until others replace them,
 * because related objects lie close together. A copy may be stale, but all of
 * it was mapped.
 *
 * Also finds the class of a C++ object from its vtable, by the type information
 * of the Itanium C++ ABI, which gcc and clang follow.
 */
#ifndef LEAKGRAPH_TARGET_MEMORY_H
#define LEAKGRAPH_TARGET_MEMORY_H

#include "capture/adapters/capture_adapters.h"

#include <string.h>

enum {
    LG__PAGE = 4096,
    LG__WINDOW_PAGES = 8, /**< copied at once, from the wanted one on */
    LG__WINDOW = LG__WINDOW_PAGES * LG__PAGE,
    LG__WINDOWS = 1024,
};

/** A range of memory whose address is a multiple of its size. */
typedef struct lg__window {
    uintptr_t number; /**< address of the range; 0: none */
    char *copy;       /**< NULL: never used */
    uint8_t tried;    /**< one bit per page */
    uint8_t readable;
} lg__window;

/** A direct-mapped cache: range n has window n % LG__WINDOWS. A window gets the
 *  room for its copy when it is first used. Few windows are, and the room of
 *  these lies together, so it has few huge pages that the system must clear. */
typedef struct lg__memory {
    lg__window windows[LG__WINDOWS];
    char *next_copy; /**< the room of the next window; there is room for all */
} lg__memory;

/** Opens a cache that lives until the end of the capture; NULL when memory ran
 *  out. */
lg__memory *lg__memory_open(lg__adapter_pass *pass);

/** Drops all copies, because the memory has changed. */
void lg__memory_forget(lg__memory *memory);

/** Copies the page of an address anew; returns what lg__memory_at returns. */
const char *lg__memory_fetch(lg__memory *memory, uintptr_t address);

/** The copy of an address, valid to the end of its page and until the next call
 *  of a function of this header; NULL if the address is not readable. */
static inline const char *
lg__memory_at(lg__memory *memory, uintptr_t address)
{
    uintptr_t number = address / LG__WINDOW;
    const lg__window *window = &memory->windows[number % LG__WINDOWS];
    unsigned page = address / LG__PAGE % LG__WINDOW_PAGES;
    if (window->number != number || !(window->readable >> page & 1))
        return lg__memory_fetch(memory, address);
    return window->copy + address % LG__WINDOW;
}

/** Copies bytes; false, with *to undefined, if any byte is not readable. */
bool lg__memory_copy(lg__memory *memory, uintptr_t address, void *to,
                     size_t length);

/** The word at an address; 0 if it is not readable. */
static inline uintptr_t
lg__memory_word(lg__memory *memory, uintptr_t address)
{
    uintptr_t word = 0;
    if (address % LG__PAGE > LG__PAGE - sizeof word)
        return lg__memory_copy(memory, address, &word, sizeof word) ? word : 0;
    const char *copy = lg__memory_at(memory, address);
    if (copy != NULL)
        memcpy(&word, copy, sizeof word);
    return word;
}

/** Returns whether a word may be the address of a C++ object: aligned as malloc
 *  aligns, and inside the address space of a process. */
static inline bool
lg__is_address(uintptr_t word)
{
    return (word & 15) == 0 && word >= 4096 && word >> 47 == 0;
}

/** The bytes that malloc uses for the block at this address, with its header; 0
 *  if it does not look like a block. */
size_t lg__memory_block(lg__memory *memory, uintptr_t address);
/** Returns whether lg__memory_block agrees with malloc about a new block of
 * this size; tries once per process. */
bool lg__memory_knows_malloc(lg__memory *memory);

enum { LG__RTTI_NAME = 256, LG__RTTI_DEPTH = 8 };

/** The mangled names of an object's class and of its bases at offset 0, nearest
 *  first. */
typedef struct lg__rtti {
    unsigned count;
    char name[LG__RTTI_DEPTH][LG__RTTI_NAME]; /**< cut if longer */
} lg__rtti;

/** Reads them from the address of a vtable, which is an object's first word.
 *  False if that is no vtable. */
bool lg__rtti_read(lg__memory *memory, uintptr_t vtable, lg__rtti *out);
/** Returns whether the class or one of those bases has this mangled name. */
bool lg__rtti_is_a(const lg__rtti *rtti, const char *mangled);
/** The last part of a mangled name, as people write it: "MulBackward0",
 *  "CppNode<Doubled>". */
void lg__rtti_shorten(const char *mangled, char *out, size_t size);

#endif
