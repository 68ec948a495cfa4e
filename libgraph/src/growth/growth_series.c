// Series of numbers, by snapshot and device of a comparison.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/retained.h>

#include <string.h>

// 1 GiB. A hundred snapshots of a process with 20,000 types and eight devices
// need a sixth of it.
enum { MOST_NUMBERS = 1 << 27 };
// What gained less than this part before the last of several snapshots came
// with it.
static const double BEFORE = 0.1;

lg_status
lg__comparison_check(const lg__comparison *state, size_t rows, const char *what,
                     lg_error *err)
{
    if (rows <= MOST_NUMBERS / lg__comparison_numbers(state))
        return LG_OK;
    return lg_error_set(err, LG_EINVAL,
                        "%u snapshots with %zu %s on %u devices are too many "
                        "to compare: compare fewer snapshots",
                        state->count, rows, what, state->each);
}

uint64_t *
lg__growth_numbers(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    size_t count = lg__comparison_numbers(state);
    uint64_t *numbers = lg__vector_extend(&allocator, &state->numbers, count);
    if (numbers != NULL)
        memset(numbers, 0, count * sizeof *numbers);
    return numbers;
}

void
lg__comparison_find(const lg__comparison *state, uint32_t place, uint32_t *at)
{
    uint64_t key = lg__place_at(state->newest, place)->key;
    for (uint32_t i = 0; i + 1 < state->count; i++)
        at[i] = lg_places_find(state->summaries[i]->places, key);
    at[state->count - 1] = place;
}

void
lg__comparison_add_members(const lg__comparison *state, uint32_t place,
                           uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++)
        if (state->at[i] != LG_NONE)
            series[i] += lg__place_at(state->summaries[i]->places, state->at[i])
                             ->members;
}

static uint32_t
find_device(const lg__comparison *state, lg_string name)
{
    uint32_t device = 0;
    while (!lg__string_same(state->devices[device], name))
        device++;
    return device;
}

void
lg__comparison_add_bytes(const lg__comparison *state, uint32_t snapshot,
                         const uint64_t *bytes, uint64_t *series)
{
    const lg_places *places = state->summaries[snapshot]->places;
    for (uint32_t i = 0; i < places->each; i++)
        series[(size_t)snapshot * state->each +
               find_device(state, lg_places_device_name(places, i))] +=
            bytes[i];
}

uint64_t
lg__comparison_total(const lg__comparison *state, const uint64_t *series,
                     uint32_t snapshot)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->each; i++)
        sum += series[(size_t)snapshot * state->each + i];
    return sum;
}

int64_t
lg__comparison_gained(const lg__comparison *state, const uint64_t *series)
{
    return (int64_t)(lg__comparison_total(state, series, state->count - 1) -
                     lg__comparison_total(state, series, 0));
}

double
lg_growth_rate(const lg_growth *growth, const lg_growth_row *row)
{
    return growth->has_steps ? row->per_step : row->per_interval;
}

double
lg_growth_leak_rate(const lg_growth *growth, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].lead == row)
            sum += lg_growth_rate(growth, &growth->rows[i]);
    return sum;
}

int64_t
lg_growth_leak_gained(const lg_growth *growth, size_t row)
{
    int64_t sum = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].lead == row)
            sum += growth->rows[i].gained;
    return sum;
}

uint64_t
lg_growth_shared(const lg_growth *growth, const lg_growth_row *row)
{
    size_t each = (size_t)growth->devices + 1;
    if (row->holder_count == 0 || row->each_in_step > 0)
        return 0;
    uint64_t bytes =
        lg_bytes_sum(row->bytes + (growth->snapshots - 1) * each, each);
    return 2 * row->freed_total < bytes ? bytes : 0;
}

void
lg_growth_leak_series(const lg_growth *growth, size_t row, uint64_t *series)
{
    size_t each = (size_t)growth->devices + 1;
    for (uint32_t i = 0; i < growth->snapshots; i++)
        series[i] = 0;
    for (size_t r = 0; r < growth->count; r++)
        for (size_t i = 0;
             growth->rows[r].lead == row && i < growth->snapshots * each; i++)
            series[i / each] += growth->rows[r].bytes[i];
}

static bool
is_counted(const lg_growth *growth, const lg_growth_row *row)
{
    return row->counts[growth->snapshots - 1] != row->counts[0];
}

static uint64_t
number_at(const lg_growth *growth, const lg_growth_row *row, uint32_t snapshot)
{
    size_t each = (size_t)growth->devices + 1;
    if (is_counted(growth, row))
        return row->counts[snapshot];
    uint64_t sum = 0;
    for (size_t on = 0; on < each; on++)
        sum += row->bytes[snapshot * each + on];
    return sum;
}

bool
lg_growth_series(const lg_growth *growth, const lg_growth_row *row,
                 uint64_t *series)
{
    for (uint32_t i = 0; i < growth->snapshots; i++)
        series[i] = number_at(growth, row, i);
    return is_counted(growth, row);
}

bool
lg_growth_came_last(const lg_growth *growth, const lg_growth_row *row)
{
    const uint32_t last = growth->snapshots - 1;
    if (last < 2)
        return false;
    double first = (double)number_at(growth, row, 0);
    double before = (double)number_at(growth, row, last - 1) - first;
    double gained = (double)number_at(growth, row, last) - first;
    return before < BEFORE * gained;
}

void
lg__growth_add_bytes(const lg__comparison *state, const lg_growth *growth,
                     const lg_growth_row *companion, lg_growth_row *row)
{
    uint64_t *numbers = growth->numbers;
    uint64_t *bytes = numbers + (row->bytes - numbers);
    for (size_t i = 0; i < (size_t)state->count * state->each; i++)
        bytes[i] += companion->bytes[i];
    row->gained += companion->gained;
    row->per_step += companion->per_step;
    row->per_interval += companion->per_interval;
}

void
lg__growth_add_counts(const lg__comparison *state, const lg_growth *growth,
                      const lg_growth_row *other, lg_growth_row *row)
{
    uint64_t *counts = growth->numbers + (row->counts - growth->numbers);
    for (uint32_t i = 0; i < state->count; i++)
        counts[i] += other->counts[i];
}

void
lg__comparison_limit(const lg__comparison *state, uint32_t place,
                     uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        double sum = (double)lg__comparison_total(state, series, i);
        double most = state->at[i] == LG_NONE
                          ? 0
                          : (double)lg__place_total(state->summaries[i]->places,
                                                    state->at[i]);
        for (uint32_t on = 0; on < state->each && sum > most; on++) {
            uint64_t *number = &series[(size_t)i * state->each + on];
            *number = (uint64_t)((double)*number * (most / sum));
        }
    }
}
