#include "heap/areas.h"

#include <unistd.h>

/** Pages whose state is read at once. */
enum { PAGES = 1024 };

/** The bytes of paths that are kept; the names of the rest are lost. */
#define MOST_TEXT ((size_t)4 << 20)

/** An area of which more is not looked at: nobody fills it. */
#define MOST_AREA ((uintptr_t)1 << 42)

static void *
grow(const lg_allocator *allocator, void *old, size_t old_size, size_t size)
{
    return allocator->resize(allocator->context, old, old_size, size);
}

/** Keeps a path, once for neighbours of the same file. */
static const char *
keep_path(lg__areas *areas, const char *path)
{
    size_t size = strlen(path) + 1;
    const lg__area *last =
        areas->count > 0 ? &areas->items[areas->count - 1] : NULL;
    if (last != NULL && strcmp(last->path, path) == 0)
        return last->path;
    if (areas->text_bytes + size > MOST_TEXT)
        return "";
    char *kept = areas->texts + areas->text_bytes;
    memcpy(kept, path, size);
    areas->text_bytes += size;
    return kept;
}

/** Returns whether the mapping is an area, and of which kind. */
static bool
classify(const lg__mapping *mapping, lg__area *out)
{
    bool named = mapping->path[0] == '[';
    *out = (lg__area){.start = mapping->start,
                      .end = mapping->end,
                      .offset = mapping->offset,
                      .inode = mapping->inode,
                      .writable = mapping->writable,
                      .path = mapping->path};
    if (!mapping->readable || mapping->shared)
        return false;
    if (mapping->inode != 0)
        out->kind = LG__AREA_FILE;
    else if (strcmp(mapping->path, "[heap]") == 0)
        out->kind = LG__AREA_HEAP;
    else if (strcmp(mapping->path, "[stack]") == 0)
        out->kind = LG__AREA_STACK;
    else
        return mapping->writable &&
               (!named || strncmp(mapping->path, "[anon", 5) == 0) &&
               mapping->end - mapping->start < MOST_AREA;
    return true;
}

static bool
add_part(lg__areas *areas, lg__area area)
{
    if (areas->count == areas->room) {
        size_t room = areas->room ? 2 * areas->room : 1024;
        lg__area *grown =
            grow(areas->allocator, areas->items, areas->room * sizeof *grown,
                 room * sizeof *grown);
        if (grown == NULL)
            return false;
        areas->items = grown;
        areas->room = room;
    }
    area.path = keep_path(areas, area.path);
    areas->items[areas->count++] = area;
    return true;
}

/** Adds an area without what is leakgraph's own. */
static bool
add(lg__areas *areas, lg__area area, const lg__range *own, size_t owned)
{
    for (size_t i = 0; i < owned && area.start < area.end; i++) {
        if (own[i].end <= area.start || own[i].start >= area.end)
            continue;
        lg__area before = area;
        before.end = own[i].start;
        if (before.start < before.end && !add_part(areas, before))
            return false;
        area.offset += own[i].end - area.start;
        area.start = own[i].end;
    }
    return area.start >= area.end || add_part(areas, area);
}

static bool
read_all(lg__areas *areas, lg__maps *maps)
{
    static lg__range own[LG__OWN_RANGES];
    char line[LG__MAPS_LINE];
    lg__mapping mapping;
    lg__area area;
    size_t owned = 0;
    areas->texts = grow(areas->allocator, NULL, 0, MOST_TEXT);
    areas->items = grow(areas->allocator, NULL, 0, 1024 * sizeof *areas->items);
    areas->room = 1024;
    if (areas->texts == NULL || areas->items == NULL)
        return false;
    owned = lg__own_ranges_copy(own);
    while (lg__maps_next(maps, line, &mapping))
        if (classify(&mapping, &area) && !add(areas, area, own, owned))
            return false;
    return areas->count > 0;
}

bool
lg__areas_read(lg__areas *out, const lg_allocator *allocator, int pagemap)
{
    lg__maps maps;
    *out = (lg__areas){.allocator = allocator, .pagemap = pagemap};
    if (!lg__maps_open(&maps, "/proc/self/maps"))
        return false;
    bool done = read_all(out, &maps);
    lg__maps_close(&maps);
    if (!done)
        lg__areas_free(out);
    return done;
}

void
lg__areas_free(lg__areas *areas)
{
    if (areas->texts != NULL)
        grow(areas->allocator, areas->texts, MOST_TEXT, 0);
    if (areas->items != NULL)
        grow(areas->allocator, areas->items, areas->room * sizeof(lg__area), 0);
    areas->texts = NULL;
    areas->items = NULL;
    areas->count = 0;
}

const lg__area *
lg__area_at(const lg__areas *areas, uintptr_t address)
{
    size_t low = 0, high = areas->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (areas->items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < areas->count && areas->items[low].start <= address
               ? &areas->items[low]
               : NULL;
}

/** Bits 62 and 63 of an entry: swapped out, present
 *  (Documentation/admin-guide/mm/pagemap.rst). A page that guards a stack seems
 *  to be swapped out in some kernels. */
static bool
exists(uint64_t entry, uintptr_t page)
{
    char byte;
    return entry >> 63 != 0 ||
           (entry >> 62 != 0 && lg__peek(&byte, (const void *)page, 1));
}

uintptr_t
lg__pages_present(const lg__areas *areas, uintptr_t *from, uintptr_t to)
{
    uint64_t entries[PAGES];
    bool found = false;
    uintptr_t at = *from;
    while (areas->pagemap >= 0 && at < to) {
        uintptr_t pages = (to - at + LG__PAGE - 1) / LG__PAGE;
        size_t count = pages < PAGES ? (size_t)pages : PAGES;
        if (pread(areas->pagemap, entries, count * sizeof *entries,
                  (off_t)(at / LG__PAGE * sizeof *entries)) !=
            (ssize_t)(count * sizeof *entries))
            return to;
        for (size_t i = 0; i < count; i++, at += LG__PAGE) {
            if (exists(entries[i], at) == found)
                continue;
            if (found)
                return at;
            *from = at;
            found = true;
        }
    }
    if (!found && areas->pagemap >= 0)
        *from = to;
    return to;
}
