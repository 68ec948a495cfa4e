/** Lists the native memory: what may refer to blocks, then the blocks. */
#include "heap/heap.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>

#include <Python.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

/**
 * The pools of pymalloc, CPython 3.9 to 3.15.
 *
 * obmalloc.c: an arena is a mapping with pools of equal size, each for blocks
 * of one size. A pool begins with a header of 48 bytes. The table of arenas has
 * no name outside CPython, and each interpreter has one; but a header proves
 * itself: its sizes fit each other, and the blocks that are in use and those in
 * its list of free blocks add up.
 */

/** A pool, as its header says. */
typedef struct pool_head {
    uintptr_t start;
    uint32_t bytes; /**< of the pool */
    uint32_t arena; /**< number of its arena in its interpreter */
    uint32_t used;  /**< blocks */
    uint32_t size;  /**< of a block */
    uint32_t end;   /**< of the blocks that were used once */
    uintptr_t free; /**< the first free block, or 0 */
} pool_head;

/** No arena is larger. */
#define ARENA_MOST ((uintptr_t)2 << 20)

/** Places in a header, and its size. */
enum {
    POOL_USED = 0,
    POOL_FREE = 8,
    POOL_NEXT = 16,
    POOL_ARENA = 32,
    POOL_SIZE_CLASS = 36,
    POOL_END = 40,
    POOL_LAST = 44,
    HEADER = 48,
};

enum {
    ALIGN = 16,
    LARGEST = 512,
    SMALL_POOL = 4096,  /* up to 3.9, and where addresses are short */
    LARGE_POOL = 16384, /* from 3.10 on */
    MOST_BLOCKS = LARGE_POOL / ALIGN,
};

/** One bit for each block of a pool: it is free. */
typedef struct free_bits {
    uint64_t words[MOST_BLOCKS / 64];
} free_bits;

/** Follows the free blocks. False if the list leaves the used part, meets a
 *  block twice, or does not have the blocks that are not in use. */
static bool
read_free(const pool_head *pool, free_bits *out)
{
    uint32_t made = (pool->end - HEADER) / pool->size;
    uint32_t count = 0;
    memset(out, 0, sizeof *out);
    for (uintptr_t at = pool->free; at != 0; at = lg__word_at(at)) {
        uintptr_t place = at - pool->start - HEADER;
        uintptr_t number = place / pool->size;
        if (place % pool->size != 0 || number >= made ||
            out->words[number / 64] >> number % 64 & 1)
            return false;
        out->words[number / 64] |= (uint64_t)1 << number % 64;
        count++;
    }
    return count + pool->used == made;
}

/** Reads the pool that begins with this page. False: there is none. */
static bool
pool_read(const lg__area *area, uintptr_t page, pool_head *out)
{
    uint32_t size_class = lg__half_at(page + POOL_SIZE_CLASS);
    uint32_t last = lg__half_at(page + POOL_LAST);
    if (size_class >= LARGEST / ALIGN)
        return false;
    *out = (pool_head){.start = page,
                       .arena = lg__half_at(page + POOL_ARENA),
                       .used = lg__half_at(page + POOL_USED),
                       .size = (size_class + 1) * ALIGN,
                       .end = lg__half_at(page + POOL_END),
                       .free = lg__word_at(page + POOL_FREE)};
    out->bytes = last + out->size;
    free_bits bits;
    return (out->bytes == SMALL_POOL || out->bytes == LARGE_POOL) &&
           page % out->bytes == 0 && out->bytes <= area->end - page &&
           out->end >= HEADER && out->end <= out->bytes &&
           (out->end - HEADER) % out->size == 0 &&
           (out->used == 0 || read_free(out, &bits));
}

/** Adds its blocks in use. */
static void
pool_list(const pool_head *pool, lg__blocks *blocks)
{
    free_bits bits;
    if (pool->used == 0 || !read_free(pool, &bits))
        return;
    uint32_t made = (pool->end - HEADER) / pool->size;
    for (uint32_t i = 0; i < made; i++)
        if (!(bits.words[i / 64] >> i % 64 & 1))
            lg__blocks_add(blocks, pool->start + HEADER + i * pool->size,
                           pool->size, LG_ALLOCATOR_PYTHON);
}

/**
 * What is known of the address space before it is searched: malloc's heaps, the
 * variables of libraries that no file has, and the stacks of threads.
 */

typedef enum known_kind {
    KNOWN_HEAP = 0,
    KNOWN_RANGE, /**< what may refer to blocks */
    KNOWN_DEAD,  /**< below a stack pointer: nobody reads it */
} known_kind;

typedef struct known_part {
    uintptr_t start, end;
    uint8_t kind;     /**< known_kind */
    uint8_t range;    /**< lg_range_kind */
    const char *name; /**< of the range */
    const lg__malloc_heap *heap;
} known_part;

/** Ascending by their starts; they may overlap. */
typedef struct known_parts {
    known_part *items;
    size_t count, room;
} known_parts;

/** A stack is hardly longer, and what a thread keeps at its end hardly larger.
 */
#define LONGEST_STACK ((uintptr_t)8 << 20)
#define LOCAL_BELOW ((uintptr_t)16 << 10)
#define LOCAL_ABOVE ((uintptr_t)4 << 10)

static uintptr_t
most(uintptr_t a, uintptr_t b)
{
    return a > b ? a : b;
}

static uintptr_t
least(uintptr_t a, uintptr_t b)
{
    return a < b ? a : b;
}

static void
append_part(known_parts *parts, known_part part)
{
    if (part.start < part.end && parts->count < parts->room)
        parts->items[parts->count++] = part;
}

static void
add_part(known_parts *parts, uintptr_t start, uintptr_t end, lg_range_kind kind,
         const char *name)
{
    append_part(parts, (known_part){.start = start & ~(uintptr_t)7,
                                    .end = end & ~(uintptr_t)7,
                                    .kind = KNOWN_RANGE,
                                    .range = (uint8_t)kind,
                                    .name = name});
}

/** Adds the variables of an image behind those that its file has. */
static void
add_variables(const lg__areas *areas, const lg__image *image,
              known_parts *parts)
{
    for (size_t i = 0; i < areas->count; i++) {
        const lg__area *area = &areas->items[i];
        if (area->kind != LG__AREA_FILE && area->start < image->end &&
            area->end > image->start)
            add_part(parts, area->start, least(area->end, image->end),
                     LG_RANGE_DATA, image->path);
    }
}

/** Adds a stack from its pointer on, up to the next thread's variables. */
static void
add_stack(const lg__area *area, uintptr_t pointer, uintptr_t end,
          known_parts *parts)
{
    uintptr_t low = pointer > LONGEST_STACK ? pointer - LONGEST_STACK : 0;
    append_part(parts, (known_part){.start = most(area->start, low),
                                    .end = pointer & ~(uintptr_t)(LG__PAGE - 1),
                                    .kind = KNOWN_DEAD});
    end = least(end, least(area->end, pointer + LONGEST_STACK));
    add_part(parts, pointer, end, LG_RANGE_STACK, "");
}

/** Adds the variables of a thread, around the address that names it. */
static void
add_locals(const lg__area *area, uintptr_t at, known_parts *parts)
{
    uintptr_t low = at > LOCAL_BELOW ? at - LOCAL_BELOW : 0;
    if (area != NULL && area->kind == LG__AREA_ANONYMOUS)
        add_part(parts, most(area->start, low),
                 least(area->end, at + LOCAL_ABOVE), LG_RANGE_LOCAL, "");
}

/** Adds the stack and the variables of the thread that a pointer is of. */
static void
add_thread(const lg__listing *listing, size_t i, known_parts *parts)
{
    const lg__stack_pointers *stacks = listing->stacks;
    uintptr_t at = stacks->items[i].at;
    const lg__area *area = lg__area_at(listing->areas, at);
    if (area == NULL || area->kind == LG__AREA_FILE)
        return;
    const lg__stack_pointer *next =
        i + 1 < stacks->count ? &stacks->items[i + 1] : NULL;
    if (!stacks->items[i].is_end) {
        uintptr_t end =
            next != NULL && next->is_end ? next->at - LOCAL_BELOW : area->end;
        add_stack(area, at, end, parts);
    } else {
        add_locals(area, at, parts);
    }
}

static void
sift_part(known_part *items, size_t count, size_t root)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && items[child].start < items[child + 1].start)
            child++;
        if (items[root].start >= items[child].start)
            return;
        known_part part = items[root];
        items[root] = items[child];
        items[child] = part;
    }
}

/** Heapsort: needs no memory. */
static void
sort_parts(known_part *items, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        sift_part(items, count, i - 1);
    for (size_t end = count; end > 1; end--) {
        known_part first = items[0];
        items[0] = items[end - 1];
        items[end - 1] = first;
        sift_part(items, end - 1, 0);
    }
}

/** False if memory ran out. O(n log n). */
static bool
known_parts_collect(const lg__listing *listing, known_parts *out)
{
    const lg_allocator *allocator = listing->areas->allocator;
    const lg__malloc_heaps *heaps = listing->heaps;
    out->count = 0;
    out->room = heaps->count + 2 * listing->images->count +
                2 * listing->stacks->count + 64;
    out->items = allocator->resize(allocator->context, NULL, 0,
                                   out->room * sizeof *out->items);
    if (out->items == NULL)
        return false;
    for (size_t i = 0; i < heaps->count; i++)
        append_part(out, (known_part){.start = heaps->items[i].base,
                                      .end = heaps->items[i].end,
                                      .kind = KNOWN_HEAP,
                                      .heap = &heaps->items[i]});
    for (size_t i = 0; i < listing->images->count; i++)
        add_variables(listing->areas, &listing->images->items[i], out);
    for (size_t i = 0; i < listing->stacks->count; i++)
        add_thread(listing, i, out);
    add_locals(lg__area_at(listing->areas, listing->main_thread),
               listing->main_thread, out);
    sort_parts(out->items, out->count);
    return true;
}

static void
known_parts_free(const lg__listing *listing, known_parts *parts)
{
    const lg_allocator *allocator = listing->areas->allocator;
    if (parts->items != NULL)
        allocator->resize(allocator->context, parts->items,
                          parts->room * sizeof *parts->items, 0);
    parts->items = NULL;
}

/** The pass through one area. */
typedef struct pass {
    lg__listing *listing;
    const known_parts *parts;
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
end_of_arena(const lg__area *area, const pool_head *first)
{
    uintptr_t end = first->start + first->bytes;
    uintptr_t most = first->start + ARENA_MOST;
    pool_head pool;
    for (uintptr_t at = end; at < most && at + first->bytes <= area->end;
         at += first->bytes)
        if (pool_read(area, at, &pool) && pool.arena == first->arena)
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
    pool_head pool;
    bool in_arena = page < self->arena_end;
    if (!in_arena) {
        uintptr_t end = lg__malloc_mapped_list(area, page, &listing->blocks,
                                               &listing->account);
        if (end != 0)
            return end;
    }
    if (pool_read(area, page, &pool)) {
        if (!in_arena) {
            self->arena_end = end_of_arena(area, &pool);
            listing->account.python += self->arena_end - page;
        }
        pool_list(&pool, &listing->blocks);
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
list_part(pass *self, const known_part *part, uintptr_t from, uintptr_t to)
{
    lg__listing *listing = self->listing;
    if (part->kind == KNOWN_RANGE)
        add_range(listing, from, to, (lg_range_kind)part->range, part->name);
    else if (part->kind == KNOWN_HEAP && from == part->start)
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
        const known_part *part = &self->parts->items[self->next];
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

/** Fills in the members from `blocks` on, given the others and the allocator of
 *  the blocks. False if memory ran out, or with a failure. */
static bool
listing_run(lg__listing *self)
{
    known_parts parts = {NULL, 0, 0};
    pass through = {.listing = self, .parts = &parts};
    if (!known_parts_collect(self, &parts))
        return false;
    for (size_t i = 0; i < self->areas->count && self->failure == NULL; i++) {
        const lg__area *area = &self->areas->items[i];
        if (area->kind == LG__AREA_FILE)
            list_file(self, area);
        else
            list_area(&through, area);
    }
    known_parts_free(self, &parts);
    return !self->blocks.failed && self->failure == NULL;
}

static void
blocks_free(lg__blocks *blocks)
{
    if (blocks->items != NULL)
        blocks->allocator->resize(blocks->allocator->context, blocks->items,
                                  blocks->room * sizeof *blocks->items, 0);
    *blocks = (lg__blocks){.allocator = blocks->allocator};
}

static void
listing_free(lg__listing *self)
{
    const lg_allocator *allocator = self->areas->allocator;
    if (self->ranges != NULL)
        allocator->resize(allocator->context, self->ranges,
                          self->range_room * sizeof *self->ranges, 0);
    self->ranges = NULL;
    blocks_free(&self->blocks);
}

/** How far the sum of the blocks may lie from malloc's account: other threads
 *  go on between its count and the fork. */
enum { ONE_IN = 100 };
#define SLACK ((uint64_t)64 << 10)

void
lg__native_open(void)
{
    lg__malloc_facts_open();
}

/** Python numbers the main thread first. */
static uintptr_t
main_thread(void)
{
    PyThreadState *thread =
        PyInterpreterState_ThreadHead(PyInterpreterState_Main());
    while (thread != NULL && thread->id != 1)
        thread = PyThreadState_Next(thread);
    return thread != NULL ? (uintptr_t)thread->thread_id : 0;
}

void
lg__native_facts_read(lg__native_facts *out)
{
    memset(out, 0, sizeof *out);
    out->main_thread = main_thread();
    lg__malloc_facts_read(&out->malloc);
    lg__stack_pointers_of_python(&out->stacks);
    lg__stack_pointers_read(&out->stacks);
}

void
lg__native_facts_free(lg__native_facts *facts)
{
    free(facts->stacks.items);
    facts->stacks.items = NULL;
}

int
lg__native_pagemap(void)
{
    return open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

static uint64_t
distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/** Compares the blocks with malloc's own account. `fast` bytes of them are free
 *  there. False, with a failure, if they differ. */
static bool
adds_up(lg__native *self, const lg__malloc_facts *facts, uint64_t fast)
{
    lg__listing *listing = &self->listing;
    uint64_t found = listing->account.in_use;
    uint64_t told = facts->in_use + facts->mapped;
    listing->account.expected = told;
    if (!facts->counted ||
        distance(found, told + fast) <= told / ONE_IN + SLACK)
        return true;
    snprintf(self->failure, sizeof self->failure,
             "the blocks that were found have %llu bytes, but malloc counts "
             "%llu",
             (unsigned long long)found, (unsigned long long)told);
    listing->failure = self->failure;
    self->passing = true;
    return false;
}

/** Returns whether blocks ascend and do not overlap. */
static bool
ascend(const lg__blocks *blocks)
{
    for (size_t i = 1; i < blocks->count; i++) {
        const lg_native_block *before = &blocks->items[i - 1];
        if (lg_block_address(before) + lg_block_bytes(before) >
            lg_block_address(&blocks->items[i]))
            return false;
    }
    return true;
}

/** Removes freed blocks of malloc; returns their bytes, with headers. */
static uint64_t
drop_freed(lg__blocks *blocks)
{
    uint64_t bytes = 0;
    size_t kept = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        lg_native_block *block = &blocks->items[i];
        if (block->kind == LG__BLOCK_FREED)
            bytes += lg_block_bytes(block) + 8;
        else
            blocks->items[kept++] = *block;
    }
    blocks->count = kept;
    return bytes;
}

/** Lists all blocks, and removes those that are free after all. */
static bool
list(lg__native *self, const lg__native_facts *facts)
{
    lg__listing *listing = &self->listing;
    uint64_t fast = 0;
    if (!listing_run(listing))
        return false;
    if (!ascend(&listing->blocks)) {
        listing->failure = "the blocks of malloc overlap";
        return false;
    }
    listing->failure = lg__malloc_kept_mark(&self->heaps, &facts->malloc,
                                            &listing->blocks, &fast);
    if (listing->failure != NULL || !adds_up(self, &facts->malloc, fast))
        return false;
    uint64_t kept = drop_freed(&listing->blocks);
    listing->account.cached = kept;
    listing->account.in_use -= kept;
    listing->account.arenas = self->heaps.arena_count;
    return true;
}

/** The words of a range, through the kernel: a file may be shorter by now. */
static const uint64_t *
words_at(void *context, uint64_t address, uint64_t bytes)
{
    lg__native *self = context;
    return bytes <= sizeof self->words &&
                   lg__peek(self->words, (const void *)(uintptr_t)address,
                            (size_t)bytes)
               ? self->words
               : NULL;
}

static bool
symbol_at(void *context, uint64_t address, lg_native_symbol *out)
{
    lg__native *self = context;
    const lg__area *area = lg__area_at(&self->areas, (uintptr_t)address);
    lg__image *image =
        area != NULL ? lg__image_of_area(&self->images, area) : NULL;
    return image != NULL && lg__image_symbol(image, (uintptr_t)address, out);
}

/** What a type object says, if the graph has it as a node. */
static lg_native_type
type_of(const lg_graph *graph, uint32_t id)
{
    lg_node node = lg_graph_type(graph, id).node;
    uint64_t address =
        node != LG_NONE ? lg_columns_address(lg_graph_columns(graph), node) : 0;
    PyTypeObject type;
    lg_native_type out = {0, 0, 0};
    if (address == 0 ||
        !lg__peek(&type, (const void *)(uintptr_t)address, sizeof type))
        return out;
    out.address = address;
    if (type.tp_basicsize > 0 && type.tp_basicsize < INT32_MAX)
        out.fixed = (uint32_t)type.tp_basicsize;
    out.items = type.tp_itemsize > 0;
    return out;
}

static lg_status
no_memory(lg_error *err)
{
    return lg_error_set(err, LG_ENOMEM, "memory ran out for native blocks");
}

lg_status
lg__native_add_types(lg__native *self, const lg_graph *graph,
                     lg_native_memory *out, lg_error *err)
{
    uint32_t count = lg_graph_type_count(graph);
    const lg_allocator *allocator = self->areas.allocator;
    self->types = allocator->resize(allocator->context, NULL, 0,
                                    (count + 1) * sizeof *self->types);
    if (self->types == NULL)
        return no_memory(err);
    self->type_room = count + 1;
    for (uint32_t i = 0; i < count; i++)
        self->types[i] = type_of(graph, i);
    out->types = self->types;
    out->type_count = count;
    return LG_OK;
}

static void
lend(lg__native *self, lg_native_memory *out)
{
    *out = (lg_native_memory){.blocks = self->listing.blocks.items,
                              .block_count = self->listing.blocks.count,
                              .ranges = self->listing.ranges,
                              .range_count = self->listing.range_count,
                              .account = self->listing.account,
                              .words = words_at,
                              .symbol = symbol_at,
                              .context = self};
}

lg_status
lg__native_list(lg__native *self, const lg__native_facts *facts, int pagemap,
                const lg_allocator *allocator, lg_native_memory *out,
                lg_error *err)
{
    *out = (lg_native_memory){.failure = "/proc/self/maps cannot be read"};
    if (!lg__areas_read(&self->areas, allocator, pagemap))
        return LG_OK;
    lg__image_list_read(&self->images, &self->areas);
    self->listing = (lg__listing){.areas = &self->areas,
                                  .heaps = &self->heaps,
                                  .images = &self->images,
                                  .stacks = &facts->stacks,
                                  .main_thread = facts->main_thread,
                                  .blocks = {.allocator = allocator}};
    out->failure = NULL;
    if (!lg__malloc_heaps_find(&self->heaps, &self->areas, &facts->malloc))
        out->failure = self->heaps.failure;
    else if (list(self, facts))
        lend(self, out);
    else if ((out->failure = self->listing.failure) == NULL)
        return no_memory(err);
    self->passing = self->passing || self->heaps.busy;
    return LG_OK;
}

void
lg__native_free(lg__native *self)
{
    const lg_allocator *allocator = self->areas.allocator;
    if (allocator == NULL)
        return;
    if (self->types != NULL)
        allocator->resize(allocator->context, self->types,
                          self->type_room * sizeof *self->types, 0);
    self->types = NULL;
    if (self->listing.areas != NULL)
        listing_free(&self->listing);
    if (self->heaps.areas != NULL)
        lg__malloc_heaps_free(&self->heaps);
    lg__areas_free(&self->areas);
}
