// Finds out why garbage piles up: what the collector was told, or what stops
// it.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/cycles.h>

#include <string.h>

const char *
lg_growth_reason_text(lg_growth_reason reason)
{
    static const char *const texts[] = {
        [LG_GROWTH_NO_REASON] = "",
        [LG_GROWTH_DISABLED] = "the collector is disabled",
        [LG_GROWTH_NO_THRESHOLD] = "the collector's threshold is 0",
        [LG_GROWTH_NOT_RUN] = "the collector has not run",
        [LG_GROWTH_SAVED] = "gc.DEBUG_SAVEALL lets gc.garbage keep it",
        [LG_GROWTH_LISTED] = "gc.garbage keeps it",
        [LG_GROWTH_FROZEN] = "gc.freeze() hides it from the collector",
        [LG_GROWTH_NATIVE_HOLDER] = "native code refers to it",
        [LG_GROWTH_UNTRAVERSED] =
            "the collector does not see a reference in it",
        [LG_GROWTH_UNTRACKED] = "the collector does not track an object in it",
        [LG_GROWTH_WAITS] =
            "garbage that goes when the collector reaches its threshold",
    };
    return (unsigned)reason < LG_GROWTH_REASON_COUNT ? texts[reason] : "";
}

// Returns the reason for garbage that the collector could free.
static lg_growth_reason
reason_of_rest(const lg_summary *newest)
{
    lg_string thresholds = lg__summary_text(newest, "gc.thresholds");
    if (lg__string_is(lg__summary_text(newest, "gc.enabled"), "no"))
        return LG_GROWTH_DISABLED;
    return thresholds.length > 1 && thresholds.data[0] == '0' &&
                   thresholds.data[1] == ','
               ? LG_GROWTH_NO_THRESHOLD
               : LG_GROWTH_NOT_RUN;
}

static lg_growth_reason
reason_of_cycle(const lg_summary *newest, lg_string detail)
{
    static const struct {
        lg_cycle_reason why;
        lg_growth_reason reason;
    } reasons[] = {
        {LG_REASON_FROZEN, LG_GROWTH_FROZEN},
        {LG_REASON_NATIVE, LG_GROWTH_NATIVE_HOLDER},
        {LG_REASON_UNTRAVERSED, LG_GROWTH_UNTRAVERSED},
        {LG_REASON_UNTRACKED, LG_GROWTH_UNTRACKED},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (lg__string_is(detail, lg_cycle_reason_name(reasons[i].why)))
            return reasons[i].reason;
    return lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_COLLECTABLE))
               ? reason_of_rest(newest)
               : LG_GROWTH_NO_REASON;
}

// Finds the reason. The cycles that gained the most come first. A summary has a
// limited number of cycles; the missing ones count as similar.
static lg_growth_reason
find_reason(const lg_summary *newest, const lg_growth *growth)
{
    for (size_t i = 0; i < growth->tally_count; i++)
        if (growth->tallies[i].kind == LG_TALLY_CYCLE)
            return reason_of_cycle(newest, growth->tallies[i].detail);
    return LG_GROWTH_NO_REASON;
}

bool
lg__place_is_listed(const lg_places *places, uint32_t place)
{
    const lg__place_item *item = lg__place_at(places, place);
    if (item->kind != LG_PLACE_ITEM || item->parent == LG_NONE)
        return false;
    // The interpreter has the list, too, so no module dominates it.
    const lg__place_item *list = lg__place_at(places, item->parent);
    return list->kind == LG_PLACE_ROOT &&
           lg__string_is(lg__places_text(places, list->label), "gc.garbage");
}

// Sets why a row of garbage piles up, or that it has settled because it waits.
static void
set_reason(const lg__comparison *state, lg_growth_reason usual,
           lg_growth_row *row)
{
    lg_string flags =
        lg__summary_text(state->summaries[state->count - 1], "gc.debug");
    bool saves = lg__string_contains(flags, "DEBUG_SAVEALL");
    if (state->is_waiting && row->verdict == LG_GROWTH_SETTLED &&
        lg__place_is_garbage(state->newest, row->place))
        row->reason = LG_GROWTH_WAITS;
    if (row->verdict != LG_GROWTH_GARBAGE)
        return;
    if (lg__place_is_listed(state->newest, row->place))
        row->reason = saves ? LG_GROWTH_SAVED : LG_GROWTH_LISTED;
    else
        row->reason = usual;
}

void
lg__growth_reasons(const lg__comparison *state, lg_growth *out)
{
    lg_growth_reason usual =
        find_reason(state->summaries[state->count - 1], out);
    for (size_t i = 0; i < out->count; i++)
        set_reason(state, usual, &out->rows[i]);
    for (size_t i = 0; i < out->stopped_count; i++)
        set_reason(state, usual, &out->stopped[i]);
}
