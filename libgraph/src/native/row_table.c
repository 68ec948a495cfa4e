// Rows by open addressing. The key of a slot stands in its row.
#include "native/row_table.h"

#include "native/native_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 1 << 10 };

void
lg__row_table_free(const lg_allocator *allocator, lg__row_table *table)
{
    if (table->slot != NULL)
        lg__deallocate(allocator, table->slot,
                       (table->mask + 1) * sizeof *table->slot);
    *table = (lg__row_table){.key = table->key};
}

// A table grows once three quarters of its slots are used, so a search ends.
static uint32_t *
slot_of(const lg__row_table *table, const lg__vector *rows, const void *key)
{
    uint64_t part[LG__ROW_KEY_MOST / sizeof(uint64_t)] = {0};
    memcpy(part, key, table->key);
    size_t at = (size_t)(lg__native_key(part[0], part[1], 4) >> 7);
    for (;; at++) {
        uint32_t *slot = &table->slot[at & table->mask];
        if (*slot == 0 ||
            memcmp((const char *)rows->data + (*slot - 1) * rows->element, key,
                   table->key) == 0)
            return slot;
    }
}

static bool
grow(const lg_allocator *allocator, lg__row_table *table,
     const lg__vector *rows)
{
    lg__row_table old = *table;
    const size_t capacity =
        old.slot != NULL ? 2 * (old.mask + 1) : FIRST_CAPACITY;
    uint32_t *slot = lg__allocate(allocator, capacity * sizeof *slot);
    if (slot == NULL)
        return false;
    memset(slot, 0, capacity * sizeof *slot);
    table->slot = slot;
    table->mask = capacity - 1;
    for (size_t i = 0; old.slot != NULL && i <= old.mask; i++)
        if (old.slot[i] != 0)
            *slot_of(table, rows,
                     (const char *)rows->data +
                         (old.slot[i] - 1) * rows->element) = old.slot[i];
    lg__row_table_free(allocator, &old);
    return true;
}

uint32_t *
lg__row_at(const lg_allocator *allocator, lg__row_table *table,
           const lg__vector *rows, const void *key)
{
    if ((table->slot == NULL || 4 * table->used > 3 * table->mask) &&
        !grow(allocator, table, rows))
        return NULL;
    uint32_t *slot = slot_of(table, rows, key);
    table->used += *slot == 0;
    return slot;
}
