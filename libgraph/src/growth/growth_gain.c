// Accounts for the bytes that all objects gained: how many of them rows
// explain. The retained bytes of places nest, so what a row has within another
// row counts once.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/retained.h>

#include <string.h>

// Returns by how many bytes a place, or all that it retains, became larger.
static int64_t
gain_of(const lg__comparison *state, uint32_t place, bool whole)
{
    const lg_places *oldest = state->summaries[0]->places;
    const lg_places *newest = state->newest;
    uint32_t before = lg_places_find(oldest, lg__place_at(newest, place)->key);
    int64_t now =
        (int64_t)lg_bytes_sum(whole ? lg__place_retained(newest, place)
                                    : lg__place_own(newest, place),
                              newest->each);
    if (before == LG_NONE)
        return now;
    return now - (int64_t)lg_bytes_sum(whole
                                           ? lg__place_retained(oldest, before)
                                           : lg__place_own(oldest, before),
                                       oldest->each);
}

// Returns what the places explain that have one of these bits. A place comes
// after the one above it, which hands it the bit.
static int64_t
explain(const lg__comparison *state, unsigned whole, unsigned own)
{
    enum { ABOVE = 1 << 7 };
    uint8_t *told = state->told;
    int64_t sum = 0;
    for (uint32_t i = 0; i < state->newest->items.count; i++) {
        uint32_t parent = lg__place_at(state->newest, i)->parent;
        bool above = parent != LG_NONE && (told[parent] & (ABOVE | whole)) != 0;
        told[i] = (uint8_t)((told[i] & ~ABOVE) | (above ? ABOVE : 0));
        if (!above && (told[i] & (whole | own)) != 0)
            sum += gain_of(state, i, (told[i] & whole) != 0);
    }
    return sum;
}

// Adds up the info texts that say what all places have on a device.
static int64_t
all_of(const lg_summary *summary)
{
    static const char prefix[] = "places.";
    lg_string key;
    lg_string value;
    uint64_t bytes;
    uint64_t sum = 0;
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++)
        if (key.length >= sizeof prefix &&
            memcmp(key.data, prefix, sizeof prefix - 1) == 0 &&
            lg__decimal_read(value, &bytes))
            sum += bytes;
    return (int64_t)sum;
}

void
lg__growth_gain(const lg__comparison *state, lg_growth *out)
{
    out->objects_gained = all_of(state->summaries[state->count - 1]) -
                          all_of(state->summaries[0]);
    out->told_gained = explain(state, LG__TOLD_WHOLE, LG__TOLD_OWN);
    // Other objects may have lost bytes meanwhile.
    if (out->objects_gained > 0 && out->told_gained > out->objects_gained)
        out->told_gained = out->objects_gained;
    out->stopped_gained =
        explain(state, LG__TOLD_WHOLE_STOPPED, LG__TOLD_OWN_STOPPED);
}
