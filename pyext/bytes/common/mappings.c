#include "bytes/common/mappings.h"
#include "bytes/common/maps.h"

/* Counts all, and fills as many items as have room. */
static size_t
read_all(FILE *file, lg_range *items, size_t room)
{
    char line[LG_MAPS_LINE];
    lg_map found;
    size_t count = 0;
    rewind(file);
    while (lg_maps_next(file, line, &found)) {
        if (found.inode == 0)
            continue;
        if (count < room)
            items[count] = (lg_range){found.start, found.end};
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
