#include "bytes/common/mappings.h"
#include "bytes/common/maps.h"

/* Counts all, and fills as many items as have room. */
static size_t
read_all(FILE *file, lg__range *items, size_t room)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    size_t count = 0;
    rewind(file);
    while (lg__maps_next(file, line, &found)) {
        if (found.inode == 0)
            continue;
        if (count < room)
            items[count] = (lg__range){found.start, found.end};
        count++;
    }
    return count;
}

lg__mappings
lg__mappings_read(lg__adapter_pass *pass)
{
    lg__mappings out = {0};
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL)
        return out;
    size_t room = read_all(file, NULL, 0) + 16;
    out.items = lg__pass_keep(pass, room * sizeof *out.items);
    size_t count = out.items != NULL ? read_all(file, out.items, room) : 0;
    out.count = count < room ? count : room;
    fclose(file);
    return out;
}

bool
lg__mappings_have(const lg__mappings *mappings, uintptr_t address)
{
    return lg__ranges_have(mappings->items, mappings->count, address);
}
