#include "bytes/common/mappings.h"
#include "bytes/common/maps.h"

/* Counts all, and fills as many items as have room. */
static size_t
read_all(lg__maps *maps, lg__range *items, size_t room)
{
    char line[LG__MAPS_LINE];
    lg__mapping found;
    size_t count = 0;
    lg__maps_rewind(maps);
    while (lg__maps_next(maps, line, &found)) {
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
    lg__maps maps;
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return out;
    size_t room = read_all(&maps, NULL, 0) + 16;
    out.items = lg__pass_keep(pass, room * sizeof *out.items);
    size_t count = out.items != NULL ? read_all(&maps, out.items, room) : 0;
    out.count = count < room ? count : room;
    lg__maps_close(&maps);
    return out;
}

bool
lg__mappings_have(const lg__mappings *mappings, uintptr_t address)
{
    return lg__ranges_have(mappings->items, mappings->count, address);
}
