// Sorts the segments and blocks of devices' allocators.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <string.h>

uint32_t
lg_builder_add_segment(lg_builder *builder, const lg_segment *segment)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__segment *place = lg__vector_extend(&rest->allocator, &rest->segment, 1);
    if (place == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        return LG_NONE;
    }
    uint32_t index = (uint32_t)(rest->segment.count - 1);
    *place = (lg__segment){*segment, index};
    return index;
}

void
lg_builder_add_block(lg_builder *builder, const lg_block *block)
{
    struct lg_builder_rest *rest = builder->rest;
    lg_block *place = lg__vector_extend(&rest->allocator, &rest->block, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = *block;
}

static int
compare_segments(const void *left, const void *right)
{
    const lg__segment *a = left;
    const lg__segment *b = right;
    if (a->segment.device != b->segment.device)
        return a->segment.device < b->segment.device ? -1 : 1;
    if (a->segment.address != b->segment.address)
        return a->segment.address < b->segment.address ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Compares blocks. The segments are sorted already, so their order includes the
// device.
static int
compare_blocks(const void *left, const void *right)
{
    const lg_block *a = left;
    const lg_block *b = right;
    if (a->segment != b->segment)
        return a->segment < b->segment ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static lg_status
sort_segments(struct lg_builder_rest *rest, lg_error *err)
{
    size_t count = rest->segment.count;
    lg__segment *segments = rest->segment.data;
    if (count == 0)
        return LG_OK;
    lg__sort(segments, count, sizeof *segments, compare_segments);
    lg_segment *out =
        lg__vector_extend(&rest->allocator, &rest->table[LG__SEGMENT], count);
    if (out == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        out[i] = segments[i].segment;
    return LG_OK;
}

static lg_status
sort_blocks(struct lg_builder_rest *rest, const uint32_t *place, lg_error *err)
{
    size_t count = rest->block.count;
    lg_block *blocks = rest->block.data;
    if (count == 0)
        return LG_OK;
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].segment >= rest->segment.count)
            return lg_error_set(err, LG_EINVAL,
                                "block %zu lies in a segment that was not "
                                "added",
                                i);
        blocks[i].segment = place[blocks[i].segment];
    }
    lg__sort(blocks, count, sizeof *blocks, compare_blocks);
    lg_block *out =
        lg__vector_extend(&rest->allocator, &rest->table[LG__BLOCK], count);
    if (out == NULL)
        return lg__error_memory(err);
    memcpy(out, blocks, count * sizeof *out);
    return LG_OK;
}

lg_status
lg__finish_blocks(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t size = rest->segment.count * sizeof(uint32_t);
    lg_status status = sort_segments(rest, err);
    if (status != LG_OK)
        return status;
    uint32_t *place = lg__allocate(&rest->allocator, size);
    if (place == NULL)
        return lg__error_memory(err);
    const lg__segment *segments = rest->segment.data;
    for (size_t i = 0; i < rest->segment.count; i++)
        place[segments[i].index] = (uint32_t)i;
    status = sort_blocks(rest, place, err);
    lg__deallocate(&rest->allocator, place, size);
    return status;
}
