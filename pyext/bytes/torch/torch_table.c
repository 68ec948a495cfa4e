// Open addressing with linear probing. At least half of the slots are empty, so
// each search ends; nothing is ever removed, so a search may stop at the first
// empty slot.
#include "bytes/torch/torch_table.h"

enum { FIRST_CAPACITY = 256 };

static size_t
place_of(const lg__torch_table *table, uintptr_t key)
{
    return (key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 &
           (table->capacity - 1);
}

/** The slot that has the key, or the empty slot for it. */
static lg__torch_slot *
find(const lg__torch_table *table, uintptr_t key)
{
    size_t at = place_of(table, key);
    while (table->slots[at].value != NULL && table->slots[at].key != key)
        at = (at + 1) & (table->capacity - 1);
    return &table->slots[at];
}

static bool
grow(lg__adapter_pass *pass, lg__torch_table *table)
{
    lg__torch_table grown = *table;
    grown.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    grown.slots = lg__pass_keep(pass, grown.capacity * sizeof *grown.slots);
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].value != NULL)
            *find(&grown, table->slots[i].key) = table->slots[i];
    *table = grown;
    return true;
}

lg__torch_slot *
lg__torch_slot_of(lg__adapter_pass *pass, lg__torch_table *table, uintptr_t key)
{
    if (2 * table->count >= table->capacity && !grow(pass, table))
        return NULL;
    return find(table, key);
}

void
lg__torch_fill(lg__torch_table *table, lg__torch_slot *slot, uintptr_t key,
               void *value)
{
    *slot = (lg__torch_slot){key, value};
    table->count++;
}
