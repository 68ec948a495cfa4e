#include "heap/listing.h"
#include "heap/known_parts.h"

#include <stdio.h>

/** The pass through one area. */
typedef struct pass {
    lg__listing *listing;
    const lg__known_parts *parts;
    size_t next;         /* part */
    uintptr_t arena_end; /* pages before it are of the last arena of Python */
} pass;

enum { FIRST_ROOM = 4096 };

/** Adds a range, or makes the last one longer. */
static void
add_range(lg__listing *self, uintptr_t from, uintptr_t to, lg_range_kind kind,
          const char *name)
{
    const lg_allocator *allocator = self->areas->allocator;
    lg_native_range *last =
        self->range_count > 0 ? &self->ranges[self->range_count - 1] : NULL;
    if (last != NULL && last->to == from && last->kind == kind &&
        strcmp(last->name, name) == 0) {
        last->to = to;
        return;
    }
    if (self->range_count == self->range_room) {
        size_t room = self->range_room ? 2 * self->range_room : FIRST_ROOM;
        lg_native_range *grown = allocator->resize(
            allocator->context, self->ranges, self->range_room * sizeof *grown,
            room * sizeof *grown);
        self->blocks.failed = self->blocks.failed || grown == NULL;
        if (grown == NULL)
            return;
        self->ranges = grown;
        self->range_room = room;
    }
    self->ranges[self->range_count++] = (lg_native_range){from, to, kind, name};
}

/** Where the pools of an arena end that begins with this pool. */
static uintptr_t
end_of_arena(const lg__area *area, const lg__pool *first)
{
    uintptr_t end = first->start + first->bytes;
    uintptr_t most = first->start + LG__ARENA_MOST;
    lg__pool pool;
    for (uintptr_t at = end; at < most && at + first->bytes <= area->end;
         at += first->bytes)
        if (lg__pool_read(area, at, &pool) && pool.arena == first->arena)
            end = at + pool.bytes;
    return end;
}

/** The end of a chunk of Python's own stack for frames that begins with a page,
 *  or 0 (from 3.11 on: pystate.c, _PyStackChunk: the chunk before, its size,
 * and how many words of it are in use). The graph has what frames refer to, and
 *  the rest is stale. */
static uintptr_t
end_of_frames(const lg__area *area, uintptr_t page)
{
    enum { LEAST = 1 << 14, MOST = 1 << 26 };
    uintptr_t before = lg__word_at(page);
    uintptr_t size = lg__word_at(page + 8), used = lg__word_at(page + 16);
    bool is = size >= LEAST && size <= MOST && (size & (size - 1)) == 0 &&
              before % LG__PAGE == 0 && used <= size / 8 &&
              size <= area->end - page;
    return is ? page + size : 0;
}

/** Lists what begins with a page; returns its end. */
static uintptr_t
list_page(pass *self, const lg__area *area, uintptr_t page)
{
    lg__listing *listing = self->listing;
    lg__pool pool;
    bool in_arena = page < self->arena_end;
    if (!in_arena) {
        uintptr_t end = lg__malloc_mapped_list(area, page, &listing->blocks,
                                               &listing->account);
        if (end != 0)
            return end;
    }
    if (lg__pool_read(area, page, &pool)) {
        if (!in_arena) {
            self->arena_end = end_of_arena(area, &pool);
            listing->account.python += self->arena_end - page;
        }
        lg__pool_list(&pool, &listing->blocks);
        return page + pool.bytes;
    }
    uintptr_t frames = in_arena ? 0 : end_of_frames(area, page);
    if (frames != 0)
        return frames;
    if (!in_arena)
        add_range(listing, page, page + LG__PAGE, LG_RANGE_OTHER, "");
    return page + LG__PAGE;
}

/** Lists the pages that exist up to a known part. Returns where that ends: a
 *  block may reach farther, because what is known of threads is an estimate. */
static uintptr_t
list_gap(pass *self, const lg__area *area, uintptr_t from, uintptr_t to)
{
    uintptr_t page = (from + LG__PAGE - 1) & ~(uintptr_t)(LG__PAGE - 1);
    uintptr_t last = to & ~(uintptr_t)(LG__PAGE - 1);
    while (page < last) {
        uintptr_t end = lg__pages_present(self->listing->areas, &page, last);
        while (page < end)
            page = list_page(self, area, page);
    }
    return page > to ? page : to;
}

static void
list_part(pass *self, const lg__known_part *part, uintptr_t from, uintptr_t to)
{
    lg__listing *listing = self->listing;
    if (part->kind == LG__KNOWN_RANGE)
        add_range(listing, from, to, (lg_range_kind)part->range, part->name);
    else if (part->kind == LG__KNOWN_HEAP && from == part->start)
        listing->failure = lg__malloc_heap_list(part->heap, &listing->blocks,
                                                &listing->account);
}

/** Lists an area of private memory, part by part. A heap may go on in the next
 *  area. */
static void
list_area(pass *self, const lg__area *area)
{
    uintptr_t at = area->start;
    while (at < area->end && self->listing->failure == NULL) {
        while (self->next < self->parts->count &&
               self->parts->items[self->next].end <= at)
            self->next++;
        const lg__known_part *part = &self->parts->items[self->next];
        if (self->next == self->parts->count || part->start >= area->end) {
            list_gap(self, area, at, area->end);
            return;
        }
        if (part->start > at)
            at = list_gap(self, area, at, part->start);
        uintptr_t to = part->end < area->end ? part->end : area->end;
        if (at < to)
            list_part(self, part, at, to);
        at = at > to ? at : to;
    }
}

/** Lists an area of a file, if it is a program's or a library's. */
static void
list_file(lg__listing *self, const lg__area *area)
{
    const lg__image *image = lg__image_of_area(self->images, area);
    if (image != NULL)
        add_range(self, area->start, area->end,
                  area->writable ? LG_RANGE_DATA : LG_RANGE_CODE, image->path);
}

bool
lg__listing_run(lg__listing *self)
{
    lg__known_parts parts = {NULL, 0, 0};
    pass through = {.listing = self, .parts = &parts};
    if (!lg__known_parts_collect(self, &parts))
        return false;
    for (size_t i = 0; i < self->areas->count && self->failure == NULL; i++) {
        const lg__area *area = &self->areas->items[i];
        if (area->kind == LG__AREA_FILE)
            list_file(self, area);
        else
            list_area(&through, area);
    }
    lg__known_parts_free(self, &parts);
    return !self->blocks.failed && self->failure == NULL;
}

void
lg__listing_free(lg__listing *self)
{
    const lg_allocator *allocator = self->areas->allocator;
    if (self->ranges != NULL)
        allocator->resize(allocator->context, self->ranges,
                          self->range_room * sizeof *self->ranges, 0);
    self->ranges = NULL;
    lg__blocks_free(&self->blocks);
}
