#include "attach/room.h"
#include "attach/stub.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_HEADERS 64
/** A cache line: two stubs share none. */
#define STEP 64
/** How much of a stack is searched, in parts. A thread that visits a stub is
 *  never so deep below it. */
#define STACK_PARTS 64
#define PART_WORDS 512

/** A mapping of executable bytes of a file. */
typedef struct text {
    uint64_t image; /**< where the file's first byte is mapped */
    uint64_t start;
    uint64_t end;
} text;

/** Whether a stub has been there. */
static bool
is_used(const lg__remote *remote, uint64_t room)
{
    uint64_t mark = 0;
    return lg__remote_read(remote, room, &mark, sizeof mark) &&
           mark == LG__STUB_MARK;
}

/** Notes the rooms between the last byte of the program and the end of the
 *  mapping. */
static void
note_rooms(const lg__remote *remote, uint64_t from, uint64_t end,
           lg__rooms *out)
{
    static const unsigned char zero[LG__STUB_BYTES];
    unsigned char bytes[LG__STUB_BYTES];
    uint64_t here = (from + STEP - 1) & ~(uint64_t)(STEP - 1);
    for (; here + sizeof bytes <= end && out->count < LG__ROOMS;
         here += sizeof bytes)
        if (is_used(remote, here) ||
            (lg__remote_read(remote, here, bytes, sizeof bytes) &&
             memcmp(bytes, zero, sizeof bytes) == 0))
            out->starts[out->count++] = here;
}

/** Finds where the program ends in the mapping, by the headers of its file. */
static void
note_text(const lg__remote *remote, const text *in, lg__rooms *out)
{
    Elf64_Ehdr head;
    Elf64_Phdr parts[MOST_HEADERS];
    if (!lg__remote_read(remote, in->image, &head, sizeof head) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_phnum > MOST_HEADERS ||
        !lg__remote_read(remote, in->image + head.e_phoff, parts,
                         head.e_phnum * sizeof *parts))
        return;
    uint64_t base = head.e_type == ET_EXEC ? 0 : in->image;
    for (size_t i = 0; i < head.e_phnum; i++) {
        uint64_t used = base + parts[i].p_vaddr + parts[i].p_memsz;
        if (parts[i].p_type == PT_LOAD && (parts[i].p_flags & PF_X) &&
            used > in->start && used <= in->end)
            note_rooms(remote, used, in->end, out);
    }
}

/** Reads one line of /proc/PID/maps. The headers of a file come before its
 *  text. */
static void
note_mapping(const lg__remote *remote, const char *line, text *last,
             lg__rooms *out)
{
    uint64_t start, end, offset;
    char rights[8];
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
               &start, &end, rights, &offset, &path) < 4 ||
        path == 0 || line[path] != '/')
        return;
    if (offset == 0)
        last->image = start;
    last->start = start;
    last->end = end;
    if (rights[2] == 'x' && rights[3] == 'p')
        note_text(remote, last, out);
}

bool
lg__rooms_find(const lg__remote *remote, lg__rooms *out)
{
    char path[64], line[4096];
    text last = {0, 0, 0};
    *out = (lg__rooms){.count = 0};
    snprintf(path, sizeof path, "/proc/%d/maps", remote->process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file))
        note_mapping(remote, line, &last, out);
    fclose(file);
    return true;
}

/** Marks the rooms into which one of the words points. */
static void
mark_pointed(const lg__rooms *self, const uint64_t *words, size_t count,
             bool *pointed)
{
    for (int i = 0; i < self->count; i++)
        for (size_t j = 0; j < count; j++)
            pointed[i] |= words[j] - self->starts[i] < LG__STUB_BYTES;
}

uint64_t
lg__rooms_choose(const lg__rooms *self, const lg__remote *remote,
                 uint64_t instruction, uint64_t stack)
{
    bool pointed[LG__ROOMS] = {false};
    uint64_t words[PART_WORDS], second = 0;
    mark_pointed(self, &instruction, 1, pointed);
    stack &= ~(uint64_t)7;
    for (size_t i = 0; i < STACK_PARTS; i++, stack += sizeof words)
        mark_pointed(self, words,
                     lg__remote_read_part(remote, stack, words, sizeof words) /
                         8,
                     pointed);
    for (int i = 0; i < self->count; i++) {
        if (pointed[i])
            continue;
        if (!is_used(remote, self->starts[i]))
            return self->starts[i];
        if (second == 0)
            second = self->starts[i];
    }
    return second;
}
