// Garbage that waits for the collector.
//
// The collector runs when the program has allocated as many objects as its
// first threshold says. Until then, cycles of garbage pile up by design, up to
// that many objects. They are worth a row if they are large, however few they
// are, because the collector counts objects and not bytes; or if the collector
// will not free them.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/cycles.h>

// Nobody looks for garbage that has fewer bytes when the collector runs.
static const double LEAST_BYTES = 16 << 20;

// Returns the first of the numbers "700, 10, 10", or 0.
static uint64_t
first_number(lg_string text)
{
    uint64_t number = 0;
    uint32_t length = 0;
    while (length < text.length && text.data[length] != ',')
        length++;
    (void)lg__decimal_read((lg_string){text.data, length}, &number);
    return number;
}

// Returns whether the collector frees all cycles of the summary that no root
// reaches.
static bool
is_collectable(const lg_summary *summary)
{
    const lg__tally *tallies = summary->tallies.data;
    for (size_t i = 0; i < summary->tallies.count; i++) {
        if (tallies[i].kind != LG_TALLY_CYCLE)
            continue;
        lg_string detail = lg__places_text(summary->places, tallies[i].detail);
        if (!lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_COLLECTABLE)) &&
            !lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_HELD)))
            return false;
    }
    return true;
}

bool
lg__growth_is_waiting(const lg__comparison *state)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg_places *places = newest->places;
    uint64_t threshold =
        first_number(lg__summary_text(newest, "gc.thresholds"));
    uint64_t objects = 0;
    double bytes = 0;
    if (!lg__string_is(lg__summary_text(newest, "gc.enabled"), "yes"))
        return false;
    for (uint32_t i = 0; i < places->items.count; i++) {
        const lg__place_item *item = lg__place_at(places, i);
        if (item->kind != LG_PLACE_GARBAGE)
            continue;
        objects += item->members;
        for (uint32_t on = 0; on < places->each; on++)
            bytes += (double)lg__place_retained(places, i)[on];
    }
    return objects > 0 && objects <= threshold &&
           bytes / (double)objects * (double)threshold < LEAST_BYTES &&
           is_collectable(newest);
}
