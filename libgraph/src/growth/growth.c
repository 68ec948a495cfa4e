// Compares summaries.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/samples.h>

#include <stdlib.h>

const char *const lg__growth_verdicts[] = {"accumulates",      "grows in place",
                                           "garbage piles up", "native",
                                           "settled",          NULL};

const char *
lg_growth_verdict_name(lg_growth_verdict verdict)
{
    return (unsigned)verdict < LG_GROWTH_VERDICT_COUNT
               ? lg__growth_verdicts[verdict]
               : "unknown";
}

const char *
lg_growth_unit_text(lg_growth_unit unit)
{
    static const char *const texts[] = {
        [LG_PER_STEP] = "per step",
        [LG_PER_CALL] = "per call",
        [LG_PER_SECOND] = "per second",
        [LG_PER_SNAPSHOT] = "per snapshot",
    };
    return (unsigned)unit < LG_PER_COUNT ? texts[unit] : "per step";
}

static bool
has_device(const lg__comparison *state, lg_string name)
{
    for (uint32_t i = 0; i < state->each; i++)
        if (lg__string_same(state->devices[i], name))
            return true;
    return false;
}

// Lists the devices, the newest snapshot's first, so that their numbers are
// those of its graph.
static bool
list_devices(lg__comparison *state)
{
    size_t most = 0;
    for (uint32_t i = 0; i < state->count; i++)
        most += state->summaries[i]->places->each;
    state->devices = lg__calloc(most + 1, sizeof *state->devices);
    if (state->devices == NULL)
        return false;
    for (uint32_t i = state->count; i-- > 0;) {
        const lg_places *places = state->summaries[i]->places;
        for (uint32_t j = 0; j < places->each; j++) {
            lg_string name = lg_places_device_name(places, j);
            if (!has_device(state, name))
                state->devices[state->each++] = name;
        }
    }
    return true;
}

// Reads the seconds since the first snapshot, which only some summaries have.
// Returns false if they are not known, or do not ascend.
static bool
read_seconds(lg__comparison *state)
{
    double first = lg_summary_time(state->summaries[0]);
    for (uint32_t i = 0; i < state->count; i++) {
        double time = lg_summary_time(state->summaries[i]);
        state->x[i] = time - first;
        if (time < 0 || (i > 0 && !(state->x[i] > state->x[i - 1])))
            return false;
    }
    return true;
}

static lg_status
read_steps(lg__comparison *state, lg_error *err)
{
    const double *steps = state->options.steps;
    state->has_steps = steps != NULL;
    if (steps == NULL && state->options.unit == LG_PER_SECOND) {
        state->has_steps = read_seconds(state);
        if (state->has_steps)
            return LG_OK;
    }
    for (uint32_t i = 0; i < state->count; i++) {
        state->x[i] = steps != NULL ? steps[i] : (double)i;
        if (i > 0 && !(state->x[i] > state->x[i - 1]))
            return lg_error_set(err, LG_EINVAL,
                                "the steps of snapshots must ascend, and step "
                                "%u does not: give the oldest snapshot first",
                                i + 1);
    }
    return LG_OK;
}

static lg_status
begin(lg__comparison *state, lg_error *err)
{
    size_t places = state->newest->items.count;
    state->x = lg__calloc(state->count, sizeof *state->x);
    state->y = lg__calloc(state->count, sizeof *state->y);
    state->at = lg__calloc(state->count, sizeof *state->at);
    state->members = lg__calloc(state->count, sizeof *state->members);
    state->above = lg__calloc(state->count, sizeof *state->above);
    state->least = lg__calloc(state->count, sizeof *state->least);
    state->told = lg__calloc(places + 1, 1);
    if (!state->x || !state->y || !state->at || !state->members ||
        !state->above || !state->least || !state->told || !list_devices(state))
        return lg__error_memory(err);
    for (uint32_t i = 0; i < state->count; i++) {
        int64_t least =
            lg__summary_bytes(state->summaries[i], LG__SUMMARY_LEAST);
        state->least[i] = least > 0 ? (double)least : 0;
    }
    return read_steps(state, err);
}

static void
end(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &state->found);
    lg__vector_free(&allocator, &state->numbers);
    lg__free(state->x);
    lg__free(state->y);
    lg__free(state->at);
    lg__free(state->members);
    lg__free(state->above);
    lg__free(state->least);
    lg__free(state->told);
    lg__free(state->devices);
}

static lg_status
compare(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg_status status = begin(state, err);
    if (status != LG_OK)
        return status;
    out->snapshots = state->count;
    out->has_steps = state->has_steps;
    out->unit = out->has_steps ? state->options.unit : LG_PER_SNAPSHOT;
    out->devices = state->each - 1;
    out->places = state->newest;
    out->has_native =
        lg__summary_has_native(state->summaries[state->count - 1]);
    out->note = state->options.note;
    out->min_bytes = state->options.min_bytes;
    out->scoped = state->options.scope != NULL;
    if (!lg__growth_search(state))
        return lg__error_memory(err);
    status = lg__growth_accounts(state, out, err);
    if (status == LG_OK && !lg__growth_search_moving(state, out))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__growth_rows(state, out, err);
    if (status == LG_OK)
        status = lg__growth_paths(state, out, err);
    if (status == LG_OK)
        status = lg__growth_tallies(state, out, err);
    if (status == LG_OK)
        lg__growth_reasons(state, out);
    if (out->scoped)
        lg__growth_keep_related(out);
    if (status == LG_OK)
        status = lg__growth_holders(state, out, err);
    out->device_names = state->devices;
    state->devices = NULL;
    out->steps = state->x;
    state->x = NULL;
    return status;
}

lg_status
lg_growth_find(const lg_summary *const *summaries, size_t count,
               const lg_analysis *newest, const lg_growth_options *options,
               const lg_monitor *monitor, lg_growth *out, lg_error *err)
{
    lg_growth_options whole = LG_GROWTH_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_growth_options", err);
    if (status != LG_OK)
        return status;
    if (count < 2)
        return lg_error_set(err, LG_EINVAL,
                            "growth needs two snapshots, and there is %zu: "
                            "take one before the work and one after it",
                            count);
    if (whole.scope != NULL && newest == NULL)
        return lg_error_set(err, LG_EINVAL,
                            "modules can be chosen only if the newest is a "
                            "snapshot, not a summary");
    lg__comparison state = {
        .summaries = summaries,
        .count = (uint32_t)count,
        .newest = summaries[count - 1]->places,
        .analysis = newest,
        .monitor = monitor,
        .options = whole,
        .found = {.element = sizeof(lg__grown)},
        .numbers = {.element = sizeof(uint64_t)},
    };
    lg_growth made = {0};
    status = compare(&state, &made, err);
    end(&state);
    if (status == LG_OK)
        *out = made;
    else
        lg_growth_free(&made);
    return status;
}

bool
lg_growth_check(lg_growth *growth, int64_t max_growth)
{
    growth->is_checked = true;
    growth->max_growth = max_growth;
    return lg_growth_kept(growth) <= max_growth;
}

void
lg_growth_free(lg_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++)
        lg__growth_paths_free(&growth->rows[i]);
    for (size_t i = 0; i < growth->stopped_count; i++)
        lg__growth_paths_free(&growth->stopped[i]);
    lg__free(growth->device_names);
    lg__free(growth->steps);
    lg__free(growth->rows);
    lg__free(growth->types);
    lg__free(growth->numbers);
    lg__free(growth->sums);
    lg__free(growth->tallies);
    lg__free(growth->series);
    *growth = (lg_growth){0};
}
