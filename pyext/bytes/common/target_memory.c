#include "bytes/common/target_memory.h"
#include "capture/adapters/capture_adapters.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

lg__memory *
lg__memory_open(lg__adapter_pass *pass)
{
    lg__memory *memory = lg__pass_keep(pass, sizeof *memory);
    char *copies = lg__pass_keep_apart(pass, (size_t)LG__WINDOWS * LG__WINDOW);
    if (memory == NULL || copies == NULL)
        return NULL;
    memory->next_copy = copies;
    return memory;
}

void
lg__memory_forget(lg__memory *memory)
{
    for (size_t i = 0; i < LG__WINDOWS; i++)
        memory->windows[i].number = 0;
}

/** Copies pages of a window, from the first one on. */
static void
fill(lg__window *window, unsigned first)
{
    lg__memory_piece pieces[LG__WINDOW_PAGES];
    for (unsigned i = first; i < LG__WINDOW_PAGES; i++) {
        uintptr_t from = window->number * LG__WINDOW + i * LG__PAGE;
        pieces[i].from = (const void *)from;
        pieces[i].to = window->copy + i * LG__PAGE;
        pieces[i].length = LG__PAGE;
    }
    lg__pass_read(pieces + first, LG__WINDOW_PAGES - first);
    for (unsigned i = first; i < LG__WINDOW_PAGES; i++) {
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
lg__memory_fetch(lg__memory *memory, uintptr_t address)
{
    uintptr_t number = address / LG__WINDOW;
    lg__window *window = &memory->windows[number % LG__WINDOWS];
    unsigned page = address / LG__PAGE % LG__WINDOW_PAGES;
    if (number == 0 || address >> 47 != 0)
        return NULL;
    if (window->copy == NULL) {
        window->copy = memory->next_copy;
        memory->next_copy += LG__WINDOW;
    }
    if (window->number != number) {
        window->number = number;
        window->tried = window->readable = 0;
    }
    if (!(window->tried >> page & 1))
        fill(window, page);
    return window->readable >> page & 1 ? window->copy + address % LG__WINDOW
                                        : NULL;
}

bool
lg__memory_copy(lg__memory *memory, uintptr_t address, void *to, size_t length)
{
    char *out = to;
    while (length > 0) {
        size_t left = LG__PAGE - address % LG__PAGE;
        size_t some = length < left ? length : left;
        const char *copy = lg__memory_at(memory, address);
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
block_of_glibc(lg__memory *memory, uintptr_t address)
{
    uintptr_t head[2];
    if (!lg__memory_copy(memory, address - sizeof head, head, sizeof head))
        return 0;
    size_t size = head[1] & ~(size_t)7;
    if (size < 32 || size % 16 != 0 || size >> 46 != 0)
        return 0;
    return head[1] & 2 ? size + head[0] : size;
}

static bool
agrees(lg__memory *memory, size_t size)
{
    void *block = malloc(size);
    if (block == NULL)
        return false;
    uintptr_t address = (uintptr_t)block;
    lg__memory_forget(memory);
    size_t usable = malloc_usable_size(block);
    size_t found = block_of_glibc(memory, address);
    free(block);
    return found == usable + 8 || (size > 1 << 20 && found >= usable + 8);
}

bool
lg__memory_knows_malloc(lg__memory *memory)
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
lg__memory_block(lg__memory *memory, uintptr_t address)
{
    if (lg__memory_knows_malloc(memory))
        return block_of_glibc(memory, address);
    return malloc_usable_size((void *)address);
}

/* The kernel reads foreign memory, so that a stale pointer gives an error
   instead of a crash. */

enum { BATCH = IOV_MAX };

/** Appends a range to a list, or joins it to the last range if they touch.
 *  Returns the length of the list. */
static size_t
append(struct iovec *list, size_t count, const void *base, size_t length)
{
    struct iovec *last = count ? &list[count - 1] : NULL;
    if (last != NULL && (const char *)last->iov_base + last->iov_len == base) {
        last->iov_len += length;
        return count;
    }
    list[count] = (struct iovec){(void *)(uintptr_t)base, length};
    return count + 1;
}

/** Copies as many whole pieces as possible; returns how many. The kernel stops
 *  at the first byte that it cannot read. */
static size_t
copy_some(pid_t self, const lg__memory_piece *pieces, size_t count)
{
    struct iovec from[BATCH], to[BATCH];
    size_t froms = 0, tos = 0;
    from[0] = to[0] = (struct iovec){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        froms = append(from, froms, pieces[i].from, pieces[i].length);
        tos = append(to, tos, pieces[i].to, pieces[i].length);
    }
    ssize_t copied = process_vm_readv(self, to, tos, from, froms, 0);
    size_t whole = 0;
    while (copied > 0 && whole < count &&
           (size_t)copied >= pieces[whole].length)
        copied -= (ssize_t)pieces[whole++].length;
    return whole;
}

void
lg__pass_read(lg__memory_piece *pieces, size_t count)
{
    pid_t self = getpid();
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < BATCH ? count - done : BATCH;
        size_t whole = copy_some(self, pieces + done, batch);
        for (size_t i = 0; i < whole; i++)
            pieces[done + i].read = true;
        done += whole;
        /* Read the piece alone: the kernel may have failed at the piece that it
           was joined with. */
        if (whole < batch) {
            pieces[done].read = lg__peek(pieces[done].to, pieces[done].from,
                                         pieces[done].length);
            done++;
        }
    }
}

/** The type_info of a class: the word before the first entry of its vtable. */
static uintptr_t
info_of(lg__memory *memory, uintptr_t vtable)
{
    if (vtable % sizeof(uintptr_t) != 0 || vtable < 4096 || vtable >> 47 != 0)
        return 0;
    return lg__memory_word(memory, vtable - sizeof(uintptr_t));
}

/** The name of a type_info: its second word. A leading asterisk marks a class
 *  that only one library has. */
static bool
read_name(lg__memory *memory, uintptr_t info, char *out)
{
    uintptr_t words[2];
    if (info % sizeof(uintptr_t) != 0 || info < 4096 || info >> 47 != 0 ||
        !lg__memory_copy(memory, info, words, sizeof words))
        return false;
    uintptr_t at = words[1];
    size_t length = 0;
    if (at < 4096 || at >> 47 != 0)
        return false;
    for (; length + 1 < LG__RTTI_NAME; length++) {
        char c;
        if (!lg__memory_copy(memory, at + length, &c, 1) || c < 0)
            return false;
        out[length] = c;
        if (c == '\0')
            break;
        if (c <= ' ')
            return false;
    }
    out[length] = '\0';
    if (out[0] == '*')
        memmove(out, out + 1, length);
    return out[0] == 'N' || out[0] == 'S' || (out[0] >= '1' && out[0] <= '9');
}

/** The type_info of the base at offset 0, or 0. A type_info is itself an object
 *  with a vtable; its class says how many bases there are. */
static uintptr_t
base_of(lg__memory *memory, uintptr_t info)
{
    char kind[LG__RTTI_NAME];
    uintptr_t of_info = info_of(memory, lg__memory_word(memory, info));
    if (of_info == 0 || !read_name(memory, of_info, kind))
        return 0;
    if (strstr(kind, "__si_class_type_info") != NULL)
        return lg__memory_word(memory, info + 2 * sizeof(uintptr_t));
    if (strstr(kind, "__vmi_class_type_info") == NULL)
        return 0;
    uintptr_t base[3]; /* flags and count; first base; its offset << 8 */
    if (!lg__memory_copy(memory, info + 2 * sizeof(uintptr_t), base,
                         sizeof base) ||
        base[2] >> 8 != 0)
        return 0;
    return base[1];
}

bool
lg__rtti_read(lg__memory *memory, uintptr_t vtable, lg__rtti *out)
{
    uintptr_t info = info_of(memory, vtable);
    out->count = 0;
    while (info != 0 && out->count < LG__RTTI_DEPTH &&
           read_name(memory, info, out->name[out->count])) {
        out->count++;
        info = base_of(memory, info);
    }
    return out->count > 0;
}

bool
lg__rtti_is_a(const lg__rtti *rtti, const char *mangled)
{
    for (unsigned i = 0; i < rtti->count; i++)
        if (strcmp(rtti->name[i], mangled) == 0)
            return true;
    return false;
}

/** One length-prefixed part of a mangled name; NULL if there is none. */
static const char *
read_part(const char *at, const char **part, size_t *length)
{
    size_t count = 0;
    while (*at >= '0' && *at <= '9' && count < LG__RTTI_NAME)
        count = count * 10 + (size_t)(*at++ - '0');
    if (count == 0 || strnlen(at, count) < count)
        return NULL;
    *part = at;
    *length = count;
    return at + count;
}

void
lg__rtti_shorten(const char *mangled, char *out, size_t size)
{
    const char *part = mangled, *inner = NULL;
    size_t length = strlen(mangled), inner_length = 0;
    bool in_arguments = false;
    for (const char *at = mangled; *at != '\0';) {
        const char *found;
        size_t found_length;
        const char *next = read_part(at, &found, &found_length);
        if (next == NULL) {
            in_arguments = in_arguments || *at == 'I';
            at++;
            continue;
        }
        if (in_arguments) {
            inner = found;
            inner_length = found_length;
        } else {
            part = found;
            length = found_length;
        }
        at = next;
    }
    if (inner != NULL)
        snprintf(out, size, "%.*s<%.*s>", (int)length, part, (int)inner_length,
                 inner);
    else
        snprintf(out, size, "%.*s", (int)length, part);
}
