// Turns spans into buffers: sorts the spans of each device by address and
// passes over them once. Spans that overlap form a group, a maximal union,
// which becomes one node. A span inside an inline one belongs to no group: its
// holder refers to the object that has those bytes.
#include "base/base_private.h"

#include <leakgraph/internal/capture_builder.h>
#include "build/build_private.h"

#include <string.h>

// A span's place in the order of the pass, and its next sort key.
typedef struct ranked {
    uint32_t number;
    uint32_t index;
} ranked;

typedef struct sweep {
    lg_builder *builder;
    lg__span *spans;
    ranked *ranks;      // the spans in order
    lg__vector holders; // lg__span: those of a group, sorted by holder
    uint32_t inline_holder;
    uint64_t inline_end; // end of the inline span that reaches furthest so far
    size_t first;        // first span of the open group
    uint64_t begin;
    uint64_t end;     // equal to begin: no group is open
    uint64_t covered; // how far inline spans reached when the group was opened
} sweep;

void
lg_builder_add_span(lg_builder *builder, const lg_span *span)
{
    struct lg_builder_rest *rest = builder->rest;
    if (span->holder == LG_NONE)
        return;
    lg__span *place = lg__vector_extend(&rest->allocator, &rest->span, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = (lg__span){*span, (uint32_t)(rest->span.count - 1)};
}

const lg_span *
lg_builder_span_at(const lg_builder *builder, size_t i)
{
    const lg__vector *all = &builder->rest->span;
    return i < all->count ? &((const lg__span *)all->data)[i].span : NULL;
}

static lg__span *
span_at(const sweep *state, size_t rank)
{
    return &state->spans[state->ranks[rank].index];
}

// Returns a part of a span's sort key: 0 and 1 are the address, 2 is the
// device. A missing address, 0 - 1, wraps round to the largest.
static uint32_t
number_of(const lg_span *span, int part)
{
    uint64_t address = span->address - 1;
    return part == 0   ? (uint32_t)address
           : part == 1 ? (uint32_t)(address >> 32)
                       : span->device;
}

// Sorts by device and address. Spans without an address come last, and inline
// spans before others that begin at the same address. Equal spans stay in order
// of arrival.
static bool
sort_spans(sweep *state, size_t count)
{
    const lg_allocator *allocator = &state->builder->rest->allocator;
    size_t placed = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            if (!(state->spans[i].span.flags & LG_SPAN_INLINE) == (pass == 1))
                state->ranks[placed++].index = (uint32_t)i;
    for (int part = 0; part < 3; part++) {
        for (size_t i = 0; i < count; i++)
            state->ranks[i].number = number_of(&span_at(state, i)->span, part);
        if (!lg__radix_sort(allocator, state->ranks, count,
                            sizeof *state->ranks))
            return false;
    }
    return true;
}

static int
compare_holders(const void *left, const void *right)
{
    const lg__span *a = left;
    const lg__span *b = right;
    if (a->span.holder != b->span.holder)
        return a->span.holder < b->span.holder ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static uint64_t
sum(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

static uint64_t
end_of(const lg_span *span)
{
    return sum(span->address, span->length);
}

static void
add_size(lg_builder *builder, uint32_t node, uint64_t bytes)
{
    if (bytes > 0)
        lg_builder_set_size(builder, node,
                            sum(lg_builder_size(builder, node), bytes));
}

static void
refer(lg_builder *builder, const lg_span *span, uint32_t target)
{
    lg_builder_add_late_edge(builder, span->holder, target,
                             LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED, span->label);
}

// Returns whether a span's type and text count more: an owner's before a
// borrower's, then a longer span's.
static bool
is_better(const lg__span *span, const lg__span *than)
{
    unsigned owner = span->span.flags & LG_SPAN_OWNER;
    if (than == NULL)
        return true;
    if (owner != (than->span.flags & LG_SPAN_OWNER))
        return owner;
    if (span->span.length != than->span.length)
        return span->span.length > than->span.length;
    return span->order < than->order;
}

static void
set_memory(lg_builder *builder, uint32_t buffer, unsigned flags)
{
    if (flags & LG_SPAN_PINNED)
        lg_builder_add_fact(builder, buffer, "memory", "pinned", 6);
    else if (flags & LG_SPAN_MAPPED)
        lg_builder_add_fact(builder, buffer, "memory", "mapped", 6);
}

static void
set_bytes(lg_builder *builder, uint32_t buffer, uint64_t bytes, uint64_t extra)
{
    lg_builder_set_size(builder, buffer, sum(bytes, extra));
    if (extra != 0)
        lg_builder_add_fact_number(builder, buffer, "bytes", bytes);
}

// Returns the type, or LG_NONE, which the checks find, if there is none such.
static uint32_t
known_type(const lg_builder *builder, uint32_t type)
{
    return type < builder->rest->table[LG__TYPE_NAME].count ? type : LG_NONE;
}

// Adds the buffer node of a group of spans. They are on one device, sorted by
// holder.
static void
add_buffer(lg_builder *builder, const lg__span *spans, size_t count,
           uint64_t address, uint64_t bytes)
{
    const lg__span *typed = NULL;
    const lg__span *texted = NULL;
    const lg__span *filed = NULL;
    unsigned flags = 0;
    uint64_t extra = 0;
    uint32_t device = spans[0].span.device;
    uint32_t buffer = lg_builder_add_node(builder, address);
    if (buffer == LG_NONE)
        return;
    builder->node_flags[buffer] = LG_NODE_SYNTHETIC | LG_NODE_BUFFER;
    for (size_t i = 0; i < count; i++) {
        const lg_span *span = &spans[i].span;
        if (is_better(&spans[i], typed))
            typed = &spans[i];
        if (span->text != 0 && is_better(&spans[i], texted))
            texted = &spans[i];
        if (span->file != 0 && is_better(&spans[i], filed))
            filed = &spans[i];
        flags |= span->flags;
        if (device == 0)
            extra = sum(extra, span->extra);
        else
            add_size(builder, span->holder, span->extra);
        if (i == 0 || span->holder != spans[i - 1].span.holder)
            refer(builder, span, buffer);
    }
    lg_builder_put_type(builder, buffer, known_type(builder, typed->span.type));
    if (texted != NULL)
        lg_builder_set_text_id(builder, buffer, texted->span.text);
    if (device != 0)
        lg_builder_set_device(builder, buffer, device);
    set_bytes(builder, buffer, bytes, extra);
    set_memory(builder, buffer, flags);
    if (filed != NULL)
        lg_builder_add_fact_ids(builder, buffer,
                                lg_builder_intern(builder, "file", 4),
                                filed->span.file);
}

// Returns the bytes of the open group that lie in objects: those that reached
// into it when it was opened, and the inline spans that begin in it.
static uint64_t
inline_bytes(const sweep *state, size_t end)
{
    uint64_t covered = state->covered;
    if (covered < state->begin)
        covered = state->begin;
    if (covered > state->end)
        covered = state->end;
    uint64_t bytes = covered - state->begin;
    for (size_t i = state->first; i < end; i++) {
        const lg_span *span = &span_at(state, i)->span;
        uint64_t reach = end_of(span);
        if (!(span->flags & LG_SPAN_INLINE) || span->address == 0 ||
            span->address >= state->end)
            continue;
        reach = reach < state->end ? reach : state->end;
        uint64_t from = span->address > covered ? span->address : covered;
        if (reach > from) {
            bytes += reach - from;
            covered = reach;
        }
    }
    return bytes;
}

// Makes the buffer of the open group, whose spans come before index `end`.
// Spans that went elsewhere have length 0 by now.
static void
close_group(sweep *state, size_t end)
{
    lg_builder *builder = state->builder;
    uint64_t bytes = state->end - state->begin;
    if (bytes == 0)
        return;
    bytes -= inline_bytes(state, end);
    if (end - state->first == 1) {
        add_buffer(builder, span_at(state, state->first), 1, state->begin,
                   bytes);
        state->begin = state->end = 0;
        return;
    }
    state->holders.count = 0;
    for (size_t i = state->first; i < end; i++) {
        const lg_span *span = &span_at(state, i)->span;
        if ((span->flags & LG_SPAN_INLINE) || span->length == 0)
            continue;
        lg__span *place =
            lg__vector_extend(&builder->rest->allocator, &state->holders, 1);
        if (place == NULL) {
            lg__builder_fail(builder, LG_ENOMEM);
            return;
        }
        *place = *span_at(state, i);
    }
    lg__span *spans = state->holders.data;
    lg__sort(spans, state->holders.count, sizeof *spans, compare_holders);
    add_buffer(builder, spans, state->holders.count, state->begin, bytes);
    state->begin = state->end = 0;
}

static void
sweep_span(sweep *state, size_t index)
{
    lg_builder *builder = state->builder;
    lg_span *span = &span_at(state, index)->span;
    uint64_t end = end_of(span);
    if (span->flags & LG_SPAN_INLINE) {
        add_size(builder, span->holder, span->extra);
        if (span->address != 0 && end > state->inline_end) {
            state->inline_holder = span->holder;
            state->inline_end = end;
        }
    } else if (span->length == 0) {
        add_size(builder, span->holder, span->extra);
    } else if (span->address == 0) {
        close_group(state, index);
        add_buffer(builder, span_at(state, index), 1, 0, span->length);
    } else if (end <= state->inline_end) {
        add_size(builder, span->holder, span->extra);
        if (span->holder != state->inline_holder)
            refer(builder, span, state->inline_holder);
        span->length = 0;
    } else if (span->address < state->end) {
        state->end = end > state->end ? end : state->end;
    } else {
        close_group(state, index);
        state->first = index;
        state->begin = span->address;
        state->end = end;
        state->covered = state->inline_end;
    }
}

static lg_status
check_spans(const lg_builder *builder, lg_error *err)
{
    const struct lg_builder_rest *rest = builder->rest;
    const lg__span *spans = rest->span.data;
    for (size_t i = 0; i < rest->span.count; i++) {
        if (spans[i].span.holder >= builder->node_count)
            return lg_error_set(err, LG_EINVAL,
                                "the holder of span %zu is no node", i);
        if (spans[i].span.device > rest->table[LG__DEVICE_NAME].count)
            return lg_error_set(err, LG_EINVAL,
                                "span %zu lies on a device that was not added",
                                i);
    }
    return LG_OK;
}

static void
sweep_spans(sweep *state, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && span_at(state, i)->span.device !=
                         span_at(state, i - 1)->span.device) {
            close_group(state, i);
            state->inline_end = 0;
        }
        sweep_span(state, i);
    }
    close_group(state, count);
}

lg_status
lg__finish_spans(lg_builder *builder, lg_error *err)
{
    struct lg_builder_rest *rest = builder->rest;
    size_t count = rest->span.count;
    size_t size = count * sizeof(ranked);
    sweep state = {.builder = builder, .spans = rest->span.data};
    lg_status status = check_spans(builder, err);
    if (status != LG_OK || count == 0)
        return status;
    state.holders.element = sizeof(lg__span);
    state.ranks = lg__allocate(&rest->allocator, size);
    if (state.ranks == NULL || !sort_spans(&state, count))
        lg__builder_fail(builder, LG_ENOMEM);
    else
        sweep_spans(&state, count);
    if (state.ranks != NULL)
        lg__deallocate(&rest->allocator, state.ranks, size);
    lg__vector_free(&rest->allocator, &state.holders);
    lg__vector_free(&rest->allocator, &rest->span);
    return lg__builder_status(builder, err);
}
