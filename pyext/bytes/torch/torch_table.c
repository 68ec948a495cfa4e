#include "bytes/torch/torch_table.h"

enum { FIRST_CAPACITY = 256 };

static size_t
place_of(const lg_torch_table *table, uintptr_t key)
{
    return (key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20 &
           (table->capacity - 1);
}

/** The slot that has the key, or the empty slot for it. */
static lg_torch_slot *
find(const lg_torch_table *table, uintptr_t key)
{
    size_t at = place_of(table, key);
    while (table->slots[at].value != NULL && table->slots[at].key != key)
        at = (at + 1) & (table->capacity - 1);
    return &table->slots[at];
}

static bool
grow(lg_adapter_pass *pass, lg_torch_table *table)
{
    lg_torch_table grown = *table;
    grown.capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
    grown.slots = lg_pass_keep(pass, grown.capacity * sizeof *grown.slots);
    if (grown.slots == NULL)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i].value != NULL)
            *find(&grown, table->slots[i].key) = table->slots[i];
    *table = grown;
    return true;
}

lg_torch_slot *
lg_torch_slot_of(lg_adapter_pass *pass, lg_torch_table *table, uintptr_t key)
{
    if (2 * table->count >= table->capacity && !grow(pass, table))
        return NULL;
    return find(table, key);
}

void
lg_torch_fill(lg_torch_table *table, lg_torch_slot *slot, uintptr_t key,
              void *value)
{
    *slot = (lg_torch_slot){key, value};
    table->count++;
}
