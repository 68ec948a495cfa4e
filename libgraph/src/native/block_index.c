// From an address to the block that has it, and from a block to the library
// that its first word shows. A mebibyte in which blocks lie has a table of its
// pages, and a hash finds the table, because heaps lie far apart.
#include "native/native_private.h"

#include <string.h>

// There are more than twice as many slots as regions, so a search ends.
static size_t
region_slot(const lg__block_index *index, uint64_t number)
{
    size_t slot =
        (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & index->mask;
    while (index->region[slot] != 0 && index->region[slot] != number)
        slot = (slot + 1) & index->mask;
    return slot;
}

static uint64_t
last_region(const lg_native_block *block)
{
    return (lg__block_end(block) - 1) >> LG__REGION_BITS;
}

static size_t
count_regions(const lg_native_block *blocks, uint32_t count)
{
    size_t regions = 0;
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = lg_block_address(&blocks[i]) >> LG__REGION_BITS;
        uint64_t end = last_region(&blocks[i]);
        begin = begin > last ? begin : last + 1;
        if (end >= begin)
            regions += end - begin + 1;
        last = end > last ? end : last;
    }
    return regions;
}

// Fills the pages of a region. *next is the first block that ends in it or
// behind it.
static void
fill_region(lg__block_index *index, uint64_t number, uint32_t *page,
            uint32_t *next)
{
    uint32_t block = *next;
    for (uint32_t i = 0; i <= LG__REGION_PAGES; i++) {
        uint64_t begin =
            (number << LG__REGION_BITS) + ((uint64_t)i << LG__PAGE_BITS);
        while (block < index->count &&
               lg__block_end(&index->blocks[block]) <= begin)
            block++;
        page[i] = block;
    }
    *next = block;
}

static void
fill_regions(lg__block_index *index)
{
    uint64_t last = 0;
    uint32_t place = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < index->count; i++) {
        uint64_t number =
            lg_block_address(&index->blocks[i]) >> LG__REGION_BITS;
        uint64_t end = last_region(&index->blocks[i]);
        for (number = number > last ? number : last + 1; number <= end;
             number++) {
            size_t slot = region_slot(index, number);
            index->region[slot] = number;
            index->place[slot] = place;
            fill_region(index, number,
                        index->page + (size_t)place * (LG__REGION_PAGES + 1),
                        &next);
            next = next > 0 ? next - 1 : 0;
            place++;
        }
        last = end > last ? end : last;
    }
}

bool
lg__block_index_open(lg__native *native)
{
    lg__block_index *index = &native->index;
    index->blocks = native->memory->blocks;
    index->count = native->blocks;
    if (index->count == 0)
        return true;
    size_t regions = count_regions(index->blocks, index->count);
    index->mask = 63;
    while (index->mask < 2 * regions)
        index->mask = 2 * index->mask + 1;
    index->region = lg__native_take_zero(native, index->mask + 1, 8);
    index->place = lg__native_take(native, index->mask + 1, 4);
    index->page = lg__native_take(native, regions, 4 * (LG__REGION_PAGES + 1));
    if (index->region == NULL || index->place == NULL || index->page == NULL)
        return false;
    index->lowest = lg_block_address(&index->blocks[0]);
    index->highest = lg__block_end(&index->blocks[index->count - 1]);
    fill_regions(index);
    return true;
}

// Blocks of a page have much the same size, so the block is near the place that
// the address has in its page. The entry of a page is the first block that ends
// behind the beginning of the page. So a block that has an address of the page
// is that block, or one up to the entry of the next page, and the walk from the
// guess stays between the two.
uint32_t
lg__block_find(const lg__block_index *index, uint64_t address)
{
    enum { PAGE = 1 << LG__PAGE_BITS };
    if (!lg__block_index_spans(index, address))
        return LG_NONE;
    size_t slot = region_slot(index, address >> LG__REGION_BITS);
    if (index->region[slot] == 0)
        return LG_NONE;
    const uint32_t *page = index->page +
                           (size_t)index->place[slot] * (LG__REGION_PAGES + 1) +
                           (address >> LG__PAGE_BITS & (LG__REGION_PAGES - 1));
    const uint32_t end = page[1] < index->count ? page[1] + 1 : index->count;
    const uint64_t part = (end - page[0]) * (address % PAGE);
    uint32_t block = page[0] + (uint32_t)(part >> LG__PAGE_BITS);
    while (block > page[0] && lg_block_address(&index->blocks[block]) > address)
        block--;
    while (block + 1 < end &&
           lg_block_address(&index->blocks[block + 1]) <= address)
        block++;
    const lg_native_block *last = &index->blocks[block];
    return lg_block_has(last, address - lg_block_address(last)) ? block
                                                                : LG_NONE;
}

bool
lg__block_is_near(const lg__block_index *index, uint64_t address)
{
    return lg__block_index_spans(index, address) &&
           index->region[region_slot(index, address >> LG__REGION_BITS)] != 0;
}

const lg_native_range *
lg__range_find(const lg_native_memory *memory, uint64_t address)
{
    size_t low = 0;
    size_t high = memory->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->ranges[middle].to <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < memory->range_count && memory->ranges[low].from <= address
               ? &memory->ranges[low]
               : NULL;
}

const lg_native_range *
lg__first_library(const lg__native *native, uint32_t block)
{
    uint64_t word = lg__block_word(&native->memory->blocks[block], 0);
    const lg_native_range *range = lg__range_find(native->memory, word);
    return range != NULL && range->kind <= LG_RANGE_CODE && *range->name != '\0'
               ? range
               : NULL;
}
