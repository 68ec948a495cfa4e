// Counts of keys by open addressing. An entry of another epoch is free, so a
// new epoch forgets all entries at once.
#include "native/native_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 1 << 10 };

bool
lg__key_table_open(const lg_allocator *allocator, lg__key_table *table)
{
    size_t size = FIRST_CAPACITY * sizeof *table->entries;
    *table = (lg__key_table){.capacity = FIRST_CAPACITY, .epoch = 1};
    table->mask = FIRST_CAPACITY - 1;
    table->entries = lg__allocate(allocator, size);
    if (table->entries != NULL)
        memset(table->entries, 0, size);
    return table->entries != NULL;
}

void
lg__key_table_free(const lg_allocator *allocator, lg__key_table *table)
{
    lg__deallocate(allocator, table->entries,
                   table->capacity * sizeof *table->entries);
    *table = (lg__key_table){0};
}

// Uses only the first entries if few keys are expected, so that they lie close
// together.
void
lg__key_table_clear(lg__key_table *table, size_t expected)
{
    size_t wanted = 16;
    while (wanted < 2 * expected && wanted < table->capacity)
        wanted *= 2;
    table->mask = wanted - 1;
    table->used = 0;
    if (++table->epoch == 0) {
        memset(table->entries, 0, table->capacity * sizeof *table->entries);
        table->epoch = 1;
    }
}

// At most half of the entries belong to the epoch, so a search ends at one that
// does not.
static lg__key_count *
entry_of(const lg__key_table *table, uint64_t key)
{
    size_t slot = (size_t)(key >> 7) & table->mask;
    while (table->entries[slot].epoch == table->epoch &&
           table->entries[slot].key != key)
        slot = (slot + 1) & table->mask;
    return &table->entries[slot];
}

uint32_t
lg__key_table_find(const lg__key_table *table, uint64_t key)
{
    const lg__key_count *entry = entry_of(table, key);
    return entry->epoch == table->epoch ? entry->count : 0;
}

// Moves the entries to a table of twice the size.
static bool
grow(const lg_allocator *allocator, lg__key_table *table)
{
    lg__key_table old = *table;
    size_t wanted = 2 * (old.mask + 1);
    size_t capacity = wanted > old.capacity ? wanted : old.capacity;
    size_t size = capacity * sizeof *table->entries;
    lg__key_count *entries = lg__allocate(allocator, size);
    if (entries == NULL)
        return false;
    memset(entries, 0, size);
    table->entries = entries;
    table->capacity = capacity;
    table->mask = wanted - 1;
    for (size_t i = 0; i <= old.mask; i++)
        if (old.entries[i].epoch == old.epoch)
            *entry_of(table, old.entries[i].key) = old.entries[i];
    lg__deallocate(allocator, old.entries, old.capacity * sizeof *old.entries);
    return true;
}

uint32_t *
lg__key_table_at(const lg_allocator *allocator, lg__key_table *table,
                 uint64_t key)
{
    lg__key_count *entry = entry_of(table, key);
    if (entry->epoch == table->epoch)
        return &entry->count;
    if (2 * table->used > table->mask) {
        if (!grow(allocator, table))
            return NULL;
        entry = entry_of(table, key);
    }
    *entry = (lg__key_count){key, 0, table->epoch};
    table->used++;
    return &entry->count;
}
