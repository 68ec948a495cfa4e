#include "heap/heap.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>

#include <Python.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

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

/** Lists all blocks, and removes those that are free after all. */
static bool
list(lg__native *self, const lg__native_facts *facts)
{
    lg__listing *listing = &self->listing;
    uint64_t fast = 0;
    if (!lg__listing_run(listing))
        return false;
    if (!lg__blocks_ascend(&listing->blocks)) {
        listing->failure = "the blocks of malloc overlap";
        return false;
    }
    listing->failure = lg__malloc_kept_mark(&self->heaps, &facts->malloc,
                                            &listing->blocks, &fast);
    if (listing->failure != NULL || !adds_up(self, &facts->malloc, fast))
        return false;
    uint64_t kept = lg__blocks_drop_freed(&listing->blocks);
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
    self->passing = self->passing || lg__malloc_heaps_are_busy(&self->heaps);
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
        lg__listing_free(&self->listing);
    if (self->heaps.areas != NULL)
        lg__malloc_heaps_free(&self->heaps);
    lg__areas_free(&self->areas);
}
