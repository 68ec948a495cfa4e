#include "attach/room.h"
#include "attach/injected.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** A cache line: two stubs share none. */
#define STEP 64
/** How much of a stack is searched, in parts. A thread that visits a stub is
 *  never so deep below it. */
#define STACK_PARTS 64
#define PART_WORDS 512

typedef enum state { LOST, EMPTY, USED } state;

/** What the bytes of a room are now: zero, a stub that has been there, or
 *  something else. */
static state
state_of(const lg__remote *remote, uint64_t room)
{
    static const unsigned char zero[LG__STUB_BYTES];
    unsigned char bytes[LG__STUB_BYTES];
    const uint64_t mark = LG__STUB_MARK;
    if (!lg__remote_read(remote, room, bytes, sizeof bytes))
        return LOST;
    if (memcmp(bytes, &mark, sizeof mark) == 0)
        return USED;
    return memcmp(bytes, zero, sizeof bytes) == 0 ? EMPTY : LOST;
}

/** Notes the rooms between the last byte of the program and the end of the
 *  mapping. */
static void
note_rooms(const lg__remote *remote, uint64_t from, const lg__mapping *in,
           lg__rooms *out)
{
    uint64_t here = (from + STEP - 1) & ~(uint64_t)(STEP - 1);
    for (; here + LG__STUB_BYTES <= in->end && out->count < LG__ROOMS;
         here += LG__STUB_BYTES)
        if (state_of(remote, here) != LOST)
            out->items[out->count++] = (lg__room){here, *in};
}

/** Finds where the program ends in the mapping, by the headers of its file,
 *  whose first byte is mapped at `image`. */
static void
note_text(const lg__remote *remote, uint64_t image, const lg__mapping *in,
          lg__rooms *out)
{
    lg__remote_headers headers;
    if (!lg__remote_headers_read(remote, image, &headers))
        return;
    for (size_t i = 0; i < headers.count; i++) {
        const Elf64_Phdr *one = &headers.items[i];
        uint64_t used = headers.bias + one->p_vaddr + one->p_memsz;
        if (one->p_type == PT_LOAD && (one->p_flags & PF_X) &&
            used > in->start && used <= in->end)
            note_rooms(remote, used, in, out);
    }
}

static bool
is_text(const lg__mapping *self)
{
    return self->readable && self->executable && !self->writable &&
           !self->shared;
}

/** Whether a process never unloads that file. `program` is the path of what it
 *  runs. */
static bool
is_permanent(const char *path, const char *program)
{
    static const char *const names[] = {"libpython", "libc.so",   "libc-",
                                        "ld-linux",  "ld-2.",     "libm.so",
                                        "libm-",     "libpthread"};
    const char *name = strrchr(path, '/') + 1;
    if (strcmp(path, program) == 0)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/** Whether the file whose first byte is mapped there belongs to the program,
 *  which may also have mapped a copy to read it. */
static bool
is_loaded(const lg__remote_images *images, uint64_t start)
{
    for (size_t i = 0; i < images->count; i++)
        if (images->items[i].start == start)
            return images->items[i].loaded;
    return false;
}

/** The headers of a file come before its text. */
bool
lg__rooms_find(const lg__remote *remote, const lg__remote_images *images,
               lg__rooms *out)
{
    char path[64], program[LG__MAPS_LINE] = "", line[LG__MAPS_LINE];
    uint64_t image = 0;
    lg__maps maps = {.descriptor = remote->maps};
    lg__mapping one;
    *out = (lg__rooms){.count = 0};
    snprintf(path, sizeof path, "/proc/%d/exe", remote->process);
    if (readlink(path, program, sizeof program - 1) < 0)
        return false;
    lg__maps_rewind(&maps);
    while (lg__maps_next(&maps, line, &one)) {
        if (one.path[0] != '/')
            continue;
        if (one.offset == 0)
            image = one.start;
        bool fits = is_text(&one) && is_permanent(one.path, program) &&
                    is_loaded(images, image);
        one.path = NULL;
        if (fits)
            note_text(remote, image, &one, out);
    }
    return true;
}

/** Whether the process still has the mapping that the room was found in. */
static bool
is_mapped(const lg__remote *remote, const lg__room *room)
{
    lg__mapping now;
    bool guarded;
    const lg__mapping *in = &room->in;
    return lg__remote_mapping_at(remote, room->start, &now, &guarded) &&
           is_text(&now) && now.start == in->start && now.end == in->end &&
           now.offset == in->offset && now.device == in->device &&
           now.inode == in->inode;
}

/** Marks the rooms into which one of the words points. */
static void
mark_pointed(const lg__rooms *self, const uint64_t *words, size_t count,
             bool *pointed)
{
    for (int i = 0; i < self->count; i++)
        for (size_t j = 0; j < count; j++)
            pointed[i] |= words[j] - self->items[i].start < LG__STUB_BYTES;
}

uint64_t
lg__rooms_choose(const lg__rooms *self, const lg__remote *remote,
                 uint64_t stack)
{
    bool pointed[LG__ROOMS] = {false};
    uint64_t words[PART_WORDS];
    stack &= ~(uint64_t)7;
    for (size_t i = 0; i < STACK_PARTS; i++, stack += sizeof words)
        mark_pointed(self, words,
                     lg__remote_read_part(remote, stack, words, sizeof words) /
                         8,
                     pointed);
    for (state wanted = USED; wanted > LOST; wanted--)
        for (int i = 0; i < self->count; i++)
            if (!pointed[i] &&
                state_of(remote, self->items[i].start) == wanted &&
                is_mapped(remote, &self->items[i]))
                return self->items[i].start;
    return 0;
}

bool
lg__rooms_contain(const lg__rooms *self, uint64_t instruction)
{
    for (int i = 0; i < self->count; i++)
        if (instruction - self->items[i].start < LG__STUB_BYTES)
            return true;
    return false;
}
