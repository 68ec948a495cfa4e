// The memory that the rule takes while it works, and how far it is.
#include "native/native_private.h"

#include <string.h>

void *
lg__native_take(lg__native *native, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    for (int i = 0; i < LG__MOST_PIECES; i++) {
        if (native->piece[i].block != NULL)
            continue;
        void *block = lg__allocate(&native->allocator, bytes);
        native->piece[i] = (lg__scratch){block, bytes};
        return block;
    }
    return NULL;
}

void *
lg__native_take_zero(lg__native *native, size_t count, size_t size)
{
    void *block = lg__native_take(native, count, size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

bool
lg__native_take_ids(lg__native *native, size_t count, uint64_t limit,
                    lg__ids *out)
{
    *out = lg__ids_below(limit);
    out->bytes = lg__native_take_zero(native, lg__ids_bytes(*out, count), 1);
    return out->bytes != NULL;
}

void
lg__native_drop(lg__native *native, void *block)
{
    for (int i = 0; i < LG__MOST_PIECES && block != NULL; i++)
        if (native->piece[i].block == block) {
            lg__deallocate(&native->allocator, block, native->piece[i].size);
            native->piece[i].block = NULL;
            return;
        }
}

// A round goes through the words of all blocks, and through all vertices.
void
lg__native_report(lg__native *native)
{
    const lg_monitor *monitor = native->memory->monitor;
    const double all =
        (LG__NATIVE_ROUNDS + 2.0) * (2.0 * native->blocks + native->nodes);
    if (monitor != NULL)
        monitor->tick(monitor->context, "finding who holds native memory",
                      (double)native->work < all ? (double)native->work / all
                                                 : 1);
}

void
lg__table_drop(const lg_allocator *allocator, lg__key_table *table)
{
    if (table->entries != NULL)
        lg__key_table_free(allocator, table);
}

void
lg__native_close(lg__native *native)
{
    const lg_allocator *allocator = &native->allocator;
    for (int i = 0; i < LG__MOST_PIECES; i++)
        lg__native_drop(native, native->piece[i].block);
    lg__table_drop(allocator, &native->handles);
    lg__table_drop(allocator, &native->shared);
    lg__table_drop(allocator, &native->plain);
    lg__word_rows_free(allocator, &native->words);
    lg__compact_free(allocator, &native->first_word);
    lg__vector_free(allocator, &native->outer);
    lg__vector_free(allocator, &native->way);
    lg__vector_free(allocator, &native->group);
    lg__vector_free(allocator, &native->link);
    lg__policy_free(&native->policy);
}
