// Makes rows of memory that is not Python's.
#include "growth/growth_private.h"

#include <string.h>
#include <xxhash.h>

// Smaller growth may be what an allocator rounds up, or a table of the
// interpreter. For mappings, it may be pages that were touched for the first
// time.
static const int64_t LEAST[LG_NATIVE_COUNT] = {
    [LG_NATIVE_MALLOC] = 64 << 10,
    [LG_NATIVE_STACKS] = 64 << 10,
    [LG_NATIVE_MAPPED] = 4 << 20,
    [LG_NATIVE_SMALL] = 64 << 10,
};
// Sizes of objects are not known to the byte, so growth of an allocator counts
// only from this part of the growth of its objects.
static const double VAGUE[LG_NATIVE_COUNT] = {
    [LG_NATIVE_MALLOC] = 0.05,
    [LG_NATIVE_STACKS] = 0.05,
    [LG_NATIVE_MAPPED] = 0.05,
    // For classes derived from containers, it is not known how their bytes lie
    // in blocks.
    [LG_NATIVE_SMALL] = 0.2,
};

// An allocator of tensors keeps about this much besides each tensor, on
// whatever device it lies: its record of the block, and what it rounds up.
enum { BESIDE_TENSOR = 512 };

static double
tensors_of(const lg_summary *summary)
{
    const lg__tally *tallies = summary->tallies.data;
    double count = 0;
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == LG_TALLY_TENSOR)
            count += (double)tallies[i].count;
    return count;
}

static double
objects_gained(const lg__comparison *state, lg_native_kind kind)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg_summary *oldest = state->summaries[0];
    bool small = kind == LG_NATIVE_SMALL;
    double last = (double)(small ? newest->small : newest->large);
    double gained = last - (double)(small ? oldest->small : oldest->large);
    return gained > 0 ? gained : 0;
}

// Returns up to how much growth only accompanies that of objects.
static double
slack_of(const lg__comparison *state, lg_native_kind kind)
{
    double tensors = tensors_of(state->summaries[state->count - 1]) -
                     tensors_of(state->summaries[0]);
    bool has_tensors = kind == LG_NATIVE_MALLOC || kind == LG_NATIVE_MAPPED;
    return VAGUE[kind] * objects_gained(state, kind) +
           (has_tensors && tensors > 0 ? BESIDE_TENSOR * tensors : 0);
}

// Returns whether most of the growth is steady: a library that takes its
// buffers once, in whatever interval, leaves a jump.
static bool
is_steady(const lg__comparison *state, int64_t gained)
{
    enum { LEAST_STEADY_PART = 2 };
    double span = state->x[state->count - 1] - state->x[0];
    double slope = lg__slope_of(state->x, state->y, state->count);
    return slope * span * LEAST_STEADY_PART >= (double)gained;
}

static bool
is_growing(lg__comparison *state, const int64_t *numbers, lg_native_kind kind)
{
    uint32_t last = state->count - 1;
    for (uint32_t i = 0; i <= last; i++) {
        if (numbers[i] < 0)
            return false;
        state->y[i] = (double)numbers[i];
    }
    int64_t gained = numbers[last] - numbers[0];
    return gained >= LEAST[kind] &&
           (uint64_t)gained >= state->options.min_bytes &&
           (double)gained >= slack_of(state, kind) &&
           lg__trend_of(state->x, state->y, state->count) == LG__TREND_GROWS &&
           is_steady(state, gained);
}

// Returns a key that no place can have, because the key of a place is a hash of
// four words.
static uint64_t
key_of(lg_native_kind kind)
{
    uint64_t words[2] = {UINT64_MAX, (uint64_t)kind};
    return XXH3_64bits(words, sizeof words);
}

static bool
add_row(lg__comparison *state, lg_native_kind kind, lg_growth *out)
{
    const int64_t *each = out->native[kind];
    const char *text = lg_native_kind_text(kind);
    uint64_t *numbers = lg__growth_numbers(state);
    if (numbers == NULL)
        return false;
    uint64_t *bytes = numbers + state->count;
    // For these, only the difference means something.
    bool vague = kind == LG_NATIVE_MAPPED || kind == LG_NATIVE_SMALL;
    int64_t zero = vague ? each[0] : 0;
    for (uint32_t i = 0; i < state->count; i++)
        bytes[(size_t)i * state->each] =
            each[i] > zero ? (uint64_t)(each[i] - zero) : 0;
    lg_growth_row *row = &out->rows[out->count++];
    *row = (lg_growth_row){.verdict = LG_GROWTH_NATIVE,
                           .native = kind,
                           .finding = LG_NONE,
                           .place = LG_NONE,
                           .key = key_of(kind),
                           .type = {text, (uint32_t)strlen(text)},
                           .types = 1,
                           .node = LG_NONE};
    lg__growth_rate(state, bytes, row);
    return true;
}

bool
lg__growth_native(lg__comparison *state, lg_growth *out)
{
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++)
        if (is_growing(state, out->native[kind], (lg_native_kind)kind) &&
            !add_row(state, (lg_native_kind)kind, out))
            return false;
    return true;
}
