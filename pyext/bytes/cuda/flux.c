// Finds what changed between two snapshots of an allocator.
#include "bytes/cuda/dump.h"

#include <stdlib.h>

typedef struct identity {
    uint64_t address, size, requested;
    uint32_t device, state;
} identity;

static identity
identity_of(const lg__dump *dump, const lg_block *block)
{
    return (identity){block->address, block->size, block->requested,
                      dump->segments[block->segment].device, block->state};
}

static int
by_identity(const void *left, const void *right)
{
    const identity *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->requested != b->requested)
        return a->requested < b->requested ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

lg_status
lg__dump_compare(lg__dump *dump, const lg__dump *later, lg_error *err)
{
    identity *known = malloc((later->block_count + 1) * sizeof *known);
    if (known == NULL)
        return lg_error_set(err, LG_ENOMEM,
                            "memory ran out while allocator snapshots were "
                            "compared");
    for (size_t i = 0; i < later->block_count; i++)
        known[i] = identity_of(later, &later->blocks[i]);
    qsort(known, later->block_count, sizeof *known, by_identity);
    for (size_t i = 0; i < dump->block_count; i++) {
        identity wanted = identity_of(dump, &dump->blocks[i]);
        dump->blocks[i].in_flux = bsearch(&wanted, known, later->block_count,
                                          sizeof *known, by_identity) == NULL;
    }
    free(known);
    return LG_OK;
}
