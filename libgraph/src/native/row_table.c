// Rows by their first two numbers: open addressing.
#include "native/row_table.h"

#include "native/native_private.h"

#include <string.h>

enum { FIRST_CAPACITY = 1 << 10 };

static uint32_t *
slot_of(const lg__row_table *table, const lg__vector *rows, uint32_t a,
        uint32_t b)
{
    size_t at = (size_t)(lg__native_key(a, b, 4) >> 7) & table->mask;
    for (; table->slot[at] != 0; at = (at + 1) & table->mask) {
        uint32_t row[2];
        memcpy(row,
               (const char *)rows->data +
                   (size_t)(table->slot[at] - 1) * rows->element,
               sizeof row);
        if (row[0] == a && row[1] == b)
            break;
    }
    return &table->slot[at];
}

static bool
grow(const lg_allocator *allocator, lg__row_table *table,
     const lg__vector *rows)
{
    const lg__row_table old = *table;
    const size_t capacity =
        old.slot != NULL ? 2 * (old.mask + 1) : FIRST_CAPACITY;
    table->slot = lg__allocate(allocator, capacity * sizeof *table->slot);
    if (table->slot == NULL) {
        *table = old;
        return false;
    }
    memset(table->slot, 0, capacity * sizeof *table->slot);
    table->mask = capacity - 1;
    for (size_t i = 0; old.slot != NULL && i <= old.mask; i++) {
        uint32_t row[2];
        if (old.slot[i] == 0)
            continue;
        memcpy(row,
               (const char *)rows->data +
                   (size_t)(old.slot[i] - 1) * rows->element,
               sizeof row);
        *slot_of(table, rows, row[0], row[1]) = old.slot[i];
    }
    lg__row_table_free(allocator, &(lg__row_table){old.slot, old.mask, 0});
    return true;
}

uint32_t *
lg__row_table_at(const lg_allocator *allocator, lg__row_table *table,
                 const lg__vector *rows, uint32_t a, uint32_t b)
{
    if ((table->slot == NULL || 4 * table->used > 3 * table->mask) &&
        !grow(allocator, table, rows))
        return NULL;
    uint32_t *slot = slot_of(table, rows, a, b);
    table->used += *slot == 0;
    return slot;
}

void
lg__row_table_free(const lg_allocator *allocator, lg__row_table *table)
{
    if (table->slot != NULL)
        lg__deallocate(allocator, table->slot,
                       (table->mask + 1) * sizeof *table->slot);
    *table = (lg__row_table){.slot = NULL};
}
