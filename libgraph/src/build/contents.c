// Hashes the contents of objects and of the memory that they own. Outside of
// the builder, only the equality of two hashes is ever visible.
#include "build/build_private.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum {
    HEAD = 4096,       // bytes of a span to hash first
    STEP = 256 << 10,  // bytes to read at once
    ASKED_EACH = 4096, // number of spans after which it asks whether to go on
};

// A span to compare. Spans with equal numbers may have equal contents.
typedef struct candidate {
    uint32_t number;
    uint32_t other;
    uint32_t span;
} candidate;

typedef struct comparing {
    lg_builder *builder;
    const lg_comparison *options;
    const lg__span *spans;
    candidate *items;
    size_t count;
    uint8_t *held;  // [node] number of its spans: 0, 1, or more
    uint8_t *bytes; // [STEP]
    uint64_t read;
    uint64_t left_out;
} comparing;

void
lg_builder_compare_contents(lg_builder *builder, const lg_comparison *options)
{
    builder->rest->compare = *options;
    builder->rest->compares = true;
    lg_builder_set_info(builder, "contents", "yes");
}

static uint64_t
hash_kind(uint64_t seed, uint64_t kind, uint64_t length)
{
    const uint64_t both[] = {kind, length};
    return XXH3_64bits_withSeed(both, sizeof both, seed);
}

static void
add_content(lg_builder *builder, uint32_t node, uint64_t hash)
{
    struct lg_builder_rest *rest = builder->rest;
    lg__content *place = lg__vector_extend(&rest->allocator, &rest->content, 1);
    if (place == NULL)
        lg__builder_fail(builder, LG_ENOMEM);
    else
        *place = (lg__content){(uint32_t)hash, (uint32_t)(hash >> 32), node};
}

void
lg_builder_add_contents(lg_builder *builder, lg_node node, uint64_t kind,
                        const void *bytes, size_t length)
{
    const struct lg_builder_rest *rest = builder->rest;
    if (!rest->compares || node >= builder->node_count)
        return;
    uint64_t seed = hash_kind(rest->compare.seed, kind, length);
    add_content(builder, node, XXH3_64bits_withSeed(bytes, length, seed));
}

static bool
goes_on(comparing *to, double done)
{
    if (lg__monitor_goes_on(to->options->monitor, "comparing contents", done,
                            NULL))
        return true;
    lg__builder_fail(to->builder, LG_ECANCELLED);
    return false;
}

// Hashes a part of a span. Returns false if the part cannot be read.
static bool
hash_part(comparing *to, const lg_span *span, uint64_t begin, uint64_t end,
          uint64_t *hash)
{
    for (uint64_t at = begin; at < end; at += STEP) {
        size_t length = end - at < STEP ? (size_t)(end - at) : STEP;
        const void *from = (const void *)(uintptr_t)(span->address + at);
        if (!to->options->read(to->bytes, from, length))
            return false;
        *hash = XXH3_64bits_withSeed(to->bytes, length, *hash);
        to->read += length;
    }
    return true;
}

// Hashes the type of the buffer and that of its elements, which stands before
// the shape in `float32[100]`. Leaves out the shape, because a view of another
// shape may own the memory.
static uint64_t
kind_of(const comparing *to, const lg_span *span)
{
    const struct lg_builder_rest *rest = to->builder->rest;
    const uint64_t *offset = rest->table[LG__STRING_OFFSET].data;
    const char *text = rest->table[LG__STRING_BYTES].data;
    size_t length = 0;
    if (span->text < rest->table[LG__STRING_OFFSET].count - 1) {
        length = (size_t)(offset[span->text + 1] - offset[span->text]);
        text += offset[span->text];
    }
    const char *shape = length > 0 ? memchr(text, '[', length) : NULL;
    length = shape != NULL ? (size_t)(shape - text) : length;
    return UINT64_C(1) << 63 | XXH3_64bits_withSeed(text, length, span->type);
}

static bool
is_comparable(const comparing *to, const lg_span *span)
{
    const unsigned kinds = LG_SPAN_OWNER | LG_SPAN_INLINE | LG_SPAN_MAPPED;
    return (span->flags & kinds) == LG_SPAN_OWNER && span->device == 0 &&
           span->address != 0 && span->length > 0 &&
           to->held[span->holder] == 1;
}

static void
collect(comparing *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to->held[to->spans[i].span.holder] |=
            to->held[to->spans[i].span.holder] ? 2 : 1;
    for (size_t i = 0; i < count; i++) {
        const lg_span *span = &to->spans[i].span;
        if (is_comparable(to, span))
            to->items[to->count++] =
                (candidate){(uint32_t)span->address,
                            (uint32_t)(span->address >> 32), (uint32_t)i};
    }
}

// Sorts by both numbers: one per pass. Each pass exchanges them.
static bool
sort(comparing *to)
{
    const lg_allocator *allocator = &to->builder->rest->allocator;
    for (int pass = 0; pass < 2; pass++) {
        if (!lg__radix_sort(allocator, to->items, to->count, sizeof *to->items))
            return false;
        for (size_t i = 0; i < to->count; i++) {
            candidate *item = &to->items[i];
            *item = (candidate){item->other, item->number, item->span};
        }
    }
    return true;
}

// Returns whether the bytes exceed what the capture may still read.
static bool
is_beyond(const comparing *to, uint64_t bytes)
{
    uint64_t most = to->options->most;
    return most > 0 && (to->read > most || bytes > most - to->read);
}

// Hashes the beginning of each span, and makes that hash its number. Of several
// holders of the same memory, only the first counts.
static void
hash_heads(comparing *to)
{
    size_t kept = 0;
    uint64_t beyond = 0;
    for (size_t i = 0; i < to->count; i++) {
        const lg_span *span = &to->spans[to->items[i].span].span;
        uint64_t head = span->length < HEAD ? span->length : HEAD;
        uint64_t hash =
            hash_kind(to->options->seed, kind_of(to, span), span->length);
        if (i % ASKED_EACH == 0 && !goes_on(to, 0))
            break;
        if (span->address < beyond)
            continue;
        beyond = span->address + span->length;
        if (is_beyond(to, head))
            to->left_out += span->length;
        else if (hash_part(to, span, 0, head, &hash))
            to->items[kept++] = (candidate){
                (uint32_t)hash, (uint32_t)(hash >> 32), to->items[i].span};
    }
    to->count = kept;
}

static bool
is_same(const candidate *a, const candidate *b)
{
    return a->number == b->number && a->other == b->other;
}

// Hashes the rest of a span whose beginning equals that of another one.
static void
hash_rest(comparing *to, const candidate *item)
{
    const lg_span *span = &to->spans[item->span].span;
    uint64_t hash = (uint64_t)item->other << 32 | item->number;
    uint64_t rest = span->length < HEAD ? 0 : span->length - HEAD;
    if (is_beyond(to, rest))
        to->left_out += span->length;
    else if (hash_part(to, span, HEAD, span->length, &hash))
        add_content(to->builder, span->holder, hash);
}

static void
hash_rests(comparing *to)
{
    for (size_t i = 0; i < to->count; i++) {
        const candidate *item = &to->items[i];
        if ((i > 0 && is_same(item - 1, item)) ||
            (i + 1 < to->count && is_same(item, item + 1)))
            hash_rest(to, item);
        if (!goes_on(to, (double)i / (double)to->count))
            return;
    }
}

static void
note_left_out(comparing *to)
{
    char text[32];
    if (to->left_out == 0)
        return;
    snprintf(text, sizeof text, "%llu", (unsigned long long)to->left_out);
    lg_builder_set_info(to->builder, "contents.left_out", text);
}

void
lg_builder_add_span_contents(lg_builder *builder)
{
    struct lg_builder_rest *rest = builder->rest;
    const lg_allocator *allocator = &rest->allocator;
    size_t count = rest->span.count;
    size_t room = count * sizeof(candidate);
    comparing to = {.builder = builder,
                    .options = &rest->compare,
                    .spans = rest->span.data};
    if (!rest->compares || count == 0)
        return;
    to.items = lg__allocate(allocator, room);
    to.held = lg__allocate(allocator, builder->node_count);
    to.bytes = lg__allocate(allocator, STEP);
    if (to.items == NULL || to.held == NULL || to.bytes == NULL) {
        lg__builder_fail(builder, LG_ENOMEM);
        goto done;
    }
    memset(to.held, 0, builder->node_count);
    collect(&to, count);
    if (!sort(&to)) {
        lg__builder_fail(builder, LG_ENOMEM);
        goto done;
    }
    hash_heads(&to);
    if (builder->status == LG_OK && !sort(&to))
        lg__builder_fail(builder, LG_ENOMEM);
    if (builder->status == LG_OK)
        hash_rests(&to);
    note_left_out(&to);
done:
    lg__deallocate(allocator, to.items, room);
    lg__deallocate(allocator, to.held, builder->node_count);
    lg__deallocate(allocator, to.bytes, STEP);
}
