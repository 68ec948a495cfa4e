// Counts of keys by open addressing. An entry of another epoch is free, so a
// new epoch forgets all entries at once.
#include "native/native_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 1 << 10 };

bool
lg__tally_open(const lg_allocator *allocator, lg__tally *tally)
{
    size_t size = FIRST_CAPACITY * sizeof *tally->entries;
    *tally = (lg__tally){.capacity = FIRST_CAPACITY, .epoch = 1};
    tally->mask = FIRST_CAPACITY - 1;
    tally->entries = lg__allocate(allocator, size);
    if (tally->entries != NULL)
        memset(tally->entries, 0, size);
    return tally->entries != NULL;
}

void
lg__tally_free(const lg_allocator *allocator, lg__tally *tally)
{
    lg__deallocate(allocator, tally->entries,
                   tally->capacity * sizeof *tally->entries);
    *tally = (lg__tally){0};
}

void
lg__tally_clear(lg__tally *tally, size_t expected)
{
    size_t wanted = 16;
    while (wanted < 2 * expected && wanted < tally->capacity)
        wanted *= 2;
    tally->mask = wanted - 1;
    tally->used = 0;
    if (++tally->epoch == 0) {
        memset(tally->entries, 0, tally->capacity * sizeof *tally->entries);
        tally->epoch = 1;
    }
}

static lg__tally_entry *
entry_of(const lg__tally *tally, uint64_t key)
{
    size_t slot = (size_t)(key >> 7) & tally->mask;
    while (tally->entries[slot].epoch == tally->epoch &&
           tally->entries[slot].key != key)
        slot = (slot + 1) & tally->mask;
    return &tally->entries[slot];
}

uint32_t
lg__tally_find(const lg__tally *tally, uint64_t key)
{
    const lg__tally_entry *entry = entry_of(tally, key);
    return entry->epoch == tally->epoch ? entry->count : 0;
}

// Moves the entries to a table of twice the size.
static bool
grow(const lg_allocator *allocator, lg__tally *tally)
{
    lg__tally old = *tally;
    size_t wanted = 2 * (old.mask + 1);
    size_t capacity = wanted > old.capacity ? wanted : old.capacity;
    size_t size = capacity * sizeof *tally->entries;
    lg__tally_entry *entries = lg__allocate(allocator, size);
    if (entries == NULL)
        return false;
    memset(entries, 0, size);
    tally->entries = entries;
    tally->capacity = capacity;
    tally->mask = wanted - 1;
    for (size_t i = 0; i <= old.mask; i++)
        if (old.entries[i].epoch == old.epoch)
            *entry_of(tally, old.entries[i].key) = old.entries[i];
    lg__deallocate(allocator, old.entries, old.capacity * sizeof *old.entries);
    return true;
}

uint32_t *
lg__tally_at(const lg_allocator *allocator, lg__tally *tally, uint64_t key)
{
    lg__tally_entry *entry = entry_of(tally, key);
    if (entry->epoch == tally->epoch)
        return &entry->count;
    if (2 * tally->used > tally->mask) {
        if (!grow(allocator, tally))
            return NULL;
        entry = entry_of(tally, key);
    }
    *entry = (lg__tally_entry){key, 0, tally->epoch};
    tally->used++;
    return &entry->count;
}
