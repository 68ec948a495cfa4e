/**
 * A table by address. It only grows, and lives until the end of the capture.
 * Private to this folder.
 */
#ifndef LEAKGRAPH_TORCH_TABLE_H
#define LEAKGRAPH_TORCH_TABLE_H

#include "capture/adapters/adapter.h"

typedef struct lg_torch_slot {
    uintptr_t key;
    void *value; /**< NULL: an empty slot */
} lg_torch_slot;

typedef struct lg_torch_table {
    lg_torch_slot *slots;
    size_t capacity;
    size_t count;
} lg_torch_table;

/** The slot that has the key, or the empty slot for it. NULL when memory ran
 *  out. */
lg_torch_slot *lg_torch_slot_of(lg_adapter_pass *pass, lg_torch_table *table,
                                uintptr_t key);
/** Fills an empty slot from lg_torch_slot_of. */
void lg_torch_fill(lg_torch_table *table, lg_torch_slot *slot, uintptr_t key,
                   void *value);
#endif
