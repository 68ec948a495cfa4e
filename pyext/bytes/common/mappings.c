#include "bytes/common/mappings.h"

#include <stdio.h>

/* proc(5): `start-end permissions offset device inode path`. Anonymous pages
   have the inode 0. */
static bool
read_line(FILE *file, lg_range *out, bool *mapped)
{
    unsigned long start, end, inode;
    int last;
    if (fscanf(file, "%lx-%lx %*s %*s %*s %lu", &start, &end, &inode) != 3)
        return false;
    while ((last = getc(file)) != '\n' && last != EOF)
        continue;
    *out = (lg_range){start, end};
    *mapped = inode != 0;
    return true;
}

static size_t
read_all(FILE *file, lg_range *items, size_t room)
{
    size_t count = 0;
    lg_range found;
    bool mapped;
    rewind(file);
    while (read_line(file, &found, &mapped)) {
        if (!mapped)
            continue;
        if (count < room)
            items[count] = found;
        count++;
    }
    return count;
}

lg_mappings
lg_mappings_read(lg_adapter_pass *pass)
{
    lg_mappings out = {0};
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL)
        return out;
    size_t room = read_all(file, NULL, 0) + 16;
    out.items = lg_pass_keep(pass, room * sizeof *out.items);
    size_t count = out.items != NULL ? read_all(file, out.items, room) : 0;
    out.count = count < room ? count : room;
    fclose(file);
    return out;
}

bool
lg_mappings_have(const lg_mappings *mappings, uintptr_t address)
{
    return lg_ranges_have(mappings->items, mappings->count, address);
}
