#include "bytes/bytes_private.h"

#include <stdlib.h>
#include <string.h>

static int
by_frames(const void *left, const void *right)
{
    const lg_block_stack *a = left;
    const lg_block_stack *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->evidence != b->evidence)
        return a->evidence < b->evidence ? -1 : 1;
    return lg__string_compare(a->frames, b->frames);
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_block_stack *a = left;
    const lg_block_stack *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return by_frames(left, right);
}

lg_status
lg__accounts_stacks(const lg_graph *graph, const lg_allocator_state *state,
                    const uint8_t *fates, lg_accounts *out, lg_error *err)
{
    lg_block_stack *items =
        lg__wide_alloc((state->block_count + 1) * sizeof *items);
    size_t count = 0;
    size_t kept = 0;
    if (items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < state->block_count; i++) {
        lg_string frames = lg__block_frames(graph, state, i);
        const lg_block *block = &state->blocks[i];
        if (fates[i] < LG_EVIDENCE_COUNT && frames.length > 0)
            items[count++] = (lg_block_stack){
                frames, block->size, 1, state->segments[block->segment].device,
                (lg_evidence)fates[i]};
    }
    qsort(items, count, sizeof *items, by_frames);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_frames(&items[kept - 1], &items[i]) == 0) {
            items[kept - 1].bytes += items[i].bytes;
            items[kept - 1].blocks++;
        } else {
            items[kept++] = items[i];
        }
    }
    qsort(items, kept, sizeof *items, biggest_first);
    out->stacks = items;
    out->stack_count = kept;
    return LG_OK;
}
