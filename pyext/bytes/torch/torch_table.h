/**
 * A table by address. It only grows, and lives until the end of the capture.
 */
#ifndef LEAKGRAPH_TORCH_TABLE_H
#define LEAKGRAPH_TORCH_TABLE_H

#include "capture/adapters/capture_adapters.h"

typedef struct lg__torch_slot {
    uintptr_t key;
    void *value; /**< NULL: an empty slot */
} lg__torch_slot;

typedef struct lg__torch_table {
    lg__torch_slot *slots;
    size_t capacity;
    size_t count;
} lg__torch_table;

/** The slot that has the key, or the empty slot for it. NULL when memory ran
 *  out. */
lg__torch_slot *lg__torch_slot_of(lg__adapter_pass *pass,
                                  lg__torch_table *table, uintptr_t key);
/** Fills an empty slot from lg__torch_slot_of. */
void lg__torch_fill(lg__torch_table *table, lg__torch_slot *slot, uintptr_t key,
                    void *value);
#endif
