#include "bytes/common/mappings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* proc(5): `start-end permissions offset device inode path`. Anonymous pages
   have the inode 0. */
static bool
is_mapped(const char *line, lg_range *out)
{
    char *at;
    uintptr_t start = strtoul(line, &at, 16);
    uintptr_t end = *at == '-' ? strtoul(at + 1, &at, 16) : 0;
    for (int column = 0; column < 3 && at != NULL; column++)
        at = strchr(at + 1, ' ');
    *out = (lg_range){start, end};
    return at != NULL && strtoul(at, NULL, 10) != 0;
}

static size_t
read_all(FILE *file, lg_range *items, size_t room)
{
    char line[512];
    size_t count = 0;
    lg_range found;
    bool whole = true; /* the last line ended where the buffer did */
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        bool begun = whole;
        whole = strchr(line, '\n') != NULL;
        if (!begun || !is_mapped(line, &found))
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
