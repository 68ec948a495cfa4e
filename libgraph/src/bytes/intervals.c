// Sorts intervals of device memory and finds where they overlap.
#include "bytes/bytes_private.h"

#include <inttypes.h>
#include <stdlib.h>

static int
compare(const void *left, const void *right)
{
    const lg__piece *a = left;
    const lg__piece *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Returns whether a ends before b begins.
static bool
is_before(const lg__piece *a, const lg__piece *b)
{
    return a->device != b->device ? a->device < b->device : a->end <= b->begin;
}

void
lg__pieces_meet(const lg__pieces *left, const lg__pieces *right,
                void (*visit)(void *context, uint32_t left, uint32_t right,
                              uint64_t bytes),
                void *context)
{
    size_t first = 0;
    for (size_t i = 0; i < left->count; i++) {
        const lg__piece *at = &left->items[i];
        while (first < right->count && is_before(&right->items[first], at))
            first++;
        for (size_t j = first;
             j < right->count && !is_before(at, &right->items[j]); j++) {
            const lg__piece *other = &right->items[j];
            uint64_t begin =
                at->begin > other->begin ? at->begin : other->begin;
            uint64_t end = at->end < other->end ? at->end : other->end;
            if (end > begin)
                visit(context, at->index, other->index, end - begin);
        }
    }
}

static lg_status
start(size_t count, lg__pieces *out, lg_error *err)
{
    out->items = lg__wide_alloc((count + 1) * sizeof *out->items);
    out->count = 0;
    return out->items == NULL ? lg__error_memory(err) : LG_OK;
}

static void
add(lg__pieces *to, uint64_t address, uint64_t bytes, uint32_t device,
    size_t index)
{
    uint64_t end = bytes < UINT64_MAX - address ? address + bytes : UINT64_MAX;
    to->items[to->count++] = (lg__piece){address, end, device, (uint32_t)index};
}

// Sorts the pieces. Overlapping pieces are an error.
static lg_status
settle(lg__pieces *pieces, const char *what, lg_error *err)
{
    lg__piece *items = pieces->items;
    qsort(items, pieces->count, sizeof *items, compare);
    for (size_t i = 1; i < pieces->count; i++)
        if (items[i].device == items[i - 1].device &&
            items[i].begin < items[i - 1].end)
            return lg_error_set(err, LG_EINVAL,
                                "%s %u at 0x%" PRIx64
                                " begins inside of %s %u, which goes to "
                                "0x%" PRIx64,
                                what, items[i].index, items[i].begin, what,
                                items[i - 1].index, items[i - 1].end);
    return LG_OK;
}

lg_status
lg__pieces_of_segments(const lg_graph *graph, const lg_allocator_state *state,
                       lg__pieces *out, lg_error *err)
{
    lg_status status = start(state->segment_count, out, err);
    for (size_t i = 0; i < state->segment_count && status == LG_OK; i++) {
        const lg_segment *at = &state->segments[i];
        add(out, at->address, at->size, at->device, i);
        if (at->device == 0 ||
            at->device > graph->device_count + state->more_device_count)
            status = lg_error_set(err, LG_EINVAL,
                                  "segment %zu is on device %u, which is not "
                                  "there",
                                  i, at->device);
        else if (at->size > UINT64_MAX - at->address)
            status = lg_error_set(err, LG_EINVAL,
                                  "segment %zu ends beyond all addresses", i);
    }
    return status == LG_OK ? settle(out, "segment", err) : status;
}

lg_status
lg__pieces_of_blocks(const lg_allocator_state *state, lg__pieces *out,
                     lg_error *err)
{
    lg_status status = start(state->block_count, out, err);
    for (size_t i = 0; i < state->block_count && status == LG_OK; i++) {
        const lg_block *at = &state->blocks[i];
        if (at->segment >= state->segment_count)
            return lg_error_set(err, LG_EINVAL,
                                "block %zu is of segment %u, and there are %zu",
                                i, at->segment, state->segment_count);
        const lg_segment *in = &state->segments[at->segment];
        uint64_t offset = at->address - in->address;
        if (at->address < in->address || offset > in->size ||
            at->size > in->size - offset)
            status = lg_error_set(err, LG_EINVAL,
                                  "block %zu at 0x%" PRIx64 " (%" PRIu64
                                  " bytes) is not inside of its segment %u",
                                  i, at->address, at->size, at->segment);
        add(out, at->address, at->size, in->device, i);
    }
    return status == LG_OK ? settle(out, "block", err) : status;
}

// Cuts overlaps, which buffers of a graph from a file may have: the later
// buffer then begins where the earlier one ends.
lg_status
lg__pieces_of_buffers(const lg_graph *graph, lg__pieces *out, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t count = 0;
    for (uint32_t i = 0; i < graph->placed_count; i++)
        count +=
            (columns->node_flags[graph->device_node[i]] & LG_NODE_BUFFER) != 0;
    lg_status status = start(count, out, err);
    for (uint32_t i = 0; i < graph->placed_count && status == LG_OK; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t address = columns->address[node];
        if ((columns->node_flags[node] & LG_NODE_BUFFER) && address != 0)
            add(out, address, lg__buffer_bytes(graph, node),
                graph->device_id[i], node);
    }
    if (status != LG_OK)
        return status;
    qsort(out->items, out->count, sizeof *out->items, compare);
    for (size_t i = 1; i < out->count; i++) {
        lg__piece *at = &out->items[i];
        const lg__piece *before = at - 1;
        if (at->device == before->device && at->begin < before->end)
            at->begin = before->end;
        if (at->end < at->begin)
            at->end = at->begin;
    }
    return LG_OK;
}
