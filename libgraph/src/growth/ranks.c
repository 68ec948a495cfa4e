// Finds how the processes of one job differ, and what each of them repeats.
#include "growth/ranks_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// An answer in progress.
typedef struct making {
    const lg_summary *const *summaries;
    lg__rank_table table;
    uint64_t min_bytes;
    uint8_t *differs;    // [places] whether a rank differs there
    uint8_t *repeats;    // [places] whether all ranks repeat it
    uint64_t *libraries; // [kinds of devices]
    bool repeating;      // rows are about what is repeated
    uint64_t *next;      // the next unused number
} making;

static uint64_t *
take_numbers(making *state, size_t count)
{
    uint64_t *numbers = state->next;
    state->next += count;
    return numbers;
}

// Returns the bytes at the place that no row for a place below reports; for
// repeated places, all bytes.
static uint64_t
cell_of(const making *state, uint32_t place, uint32_t kind, uint32_t rank)
{
    const lg__rank_table *table = &state->table;
    if (!state->repeating)
        return lg__rank_rest(table, place, kind, rank);
    return table->bytes[lg__rank_cell(table, place, kind, rank)];
}

static const uint64_t *
times(making *state, const uint64_t *each)
{
    uint64_t *together = take_numbers(state, state->table.each);
    for (uint32_t kind = 0; kind < state->table.each; kind++)
        together[kind] = each[kind] * state->table.ranks;
    return together;
}

static lg_rank_row
make_row(making *state, uint32_t place)
{
    const lg__rank_table *table = &state->table;
    uint64_t *counts = take_numbers(state, table->ranks);
    uint64_t *bytes = take_numbers(state, (size_t)table->ranks * table->each);
    lg_rank_row row = {.place = place,
                       .type = lg_places_at(table->places, place).type,
                       .counts = counts,
                       .bytes = bytes};
    uint32_t fewest = 0;
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t sum = 0;
        counts[i] = table->members[(size_t)place * table->ranks + i];
        for (uint32_t kind = 0; kind < table->each; kind++) {
            uint64_t cell = cell_of(state, place, kind, i);
            bytes[(size_t)i * table->each + kind] = cell;
            sum += cell;
        }
        table->rest[i] = table->sorted[i] = sum;
        if (sum < table->rest[fewest])
            fewest = i;
    }
    row.each = bytes + (size_t)fewest * table->each;
    row.least = table->rest[fewest];
    row.together = state->repeating ? times(state, row.each) : NULL;
    row.usual = lg__rank_median(table->sorted, table->ranks);
    return row;
}

static uint64_t
size_of(int64_t bytes)
{
    return (uint64_t)(bytes < 0 ? -bytes : bytes);
}

// Finds the outlier of the row that was made last, whose sums are still in
// table.rest.
static void
find_outlier(const making *state, lg_rank_row *row)
{
    for (uint32_t i = 0; i < state->table.ranks; i++) {
        int64_t apart = (int64_t)(state->table.rest[i] - row->usual);
        if (size_of(apart) > size_of(row->apart)) {
            row->apart = apart;
            row->outlier = i;
        }
        row->others += size_of(apart) >= state->min_bytes;
    }
    row->others -= row->others > 0;
}

static int
compare_apart(const void *left, const void *right)
{
    const lg_rank_row *a = left;
    const lg_rank_row *b = right;
    uint64_t x = size_of(a->apart);
    uint64_t y = size_of(b->apart);
    if (x != y)
        return x > y ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int
compare_least(const void *left, const void *right)
{
    const lg_rank_row *a = left;
    const lg_rank_row *b = right;
    if (a->least != b->least)
        return a->least > b->least ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static size_t
count_marks(const uint8_t *marks, uint32_t count)
{
    size_t marked = 0;
    for (uint32_t i = 0; i < count; i++)
        marked += marks[i];
    return marked;
}

static size_t
fill_rows(making *state, const uint8_t *marks, lg_rank_row *rows)
{
    size_t count = 0;
    for (uint32_t i = 0; i < state->table.count; i++) {
        if (!marks[i])
            continue;
        rows[count] = make_row(state, i);
        find_outlier(state, &rows[count++]);
    }
    return count;
}

// Adds bytes on one kind of device.
static void
add_totals(const lg_summary *summary, const lg__rank_table *table,
           uint64_t *bytes)
{
    const lg_places *places = lg_summary_places(summary);
    for (uint32_t on = 0; on < places->each; on++) {
        lg_string device = lg_places_device_name(places, on);
        lg_text key = {0};
        lg_text_addf(&key, "places.%.*s", (int)device.length, device.data);
        int64_t sum = key.data ? lg__summary_bytes(summary, key.data) : -1;
        for (uint32_t kind = 0; sum > 0 && kind < table->each; kind++)
            if (lg__string_same(table->kinds[kind], lg__device_kind(device)))
                bytes[kind] += (uint64_t)sum;
        lg_text_free(&key);
    }
}

static void
fill_ranks(making *state, lg_rank *ranks)
{
    for (uint32_t i = 0; i < state->table.ranks; i++) {
        const lg_summary *summary = state->summaries[i];
        uint64_t *bytes = take_numbers(state, state->table.each);
        add_totals(summary, &state->table, bytes);
        ranks[i] = (lg_rank){
            .bytes = bytes,
            .rss = lg__summary_rss(summary),
            .unexplained = lg__summary_unexplained(summary),
        };
    }
}

// Finds memory without objects that differs, because a library can leak on one
// rank.
static void
find_native(making *state, lg_ranks *out)
{
    lg__rank_table *table = &state->table;
    uint64_t furthest = state->min_bytes - 1; // min_bytes is at least 1
    out->native_usual = -1;
    out->native_outlier = LG_NONE;
    for (uint32_t i = 0; i < table->ranks; i++) {
        if (out->ranks[i].unexplained < 0)
            return;
        table->sorted[i] = (uint64_t)out->ranks[i].unexplained;
    }
    out->native_usual = (int64_t)lg__rank_median(table->sorted, table->ranks);
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t apart = size_of(out->ranks[i].unexplained - out->native_usual);
        if (apart > furthest) {
            furthest = apart;
            out->native_outlier = i;
        }
    }
}

static lg_status
make_rows(making *state, lg_ranks *out, lg_error *err)
{
    const lg__rank_table *table = &state->table;
    size_t differing = count_marks(state->differs, table->count);
    size_t repeated = count_marks(state->repeats, table->count);
    size_t row = (size_t)table->ranks * (table->each + 1);
    out->numbers = lg__wide_calloc((differing + repeated + 1) * row +
                                       (repeated + 1) * table->each,
                                   sizeof(uint64_t));
    out->rows = lg__wide_calloc(differing + 1, sizeof *out->rows);
    out->repeated = lg__wide_calloc(repeated + 1, sizeof *out->repeated);
    out->ranks = lg__wide_calloc(table->ranks, sizeof *out->ranks);
    if (!out->numbers || !out->rows || !out->repeated || !out->ranks)
        return lg__error_memory(err);
    state->next = out->numbers;
    out->libraries = take_numbers(state, table->each);
    memcpy(out->libraries, state->libraries,
           table->each * sizeof *out->libraries);
    fill_ranks(state, out->ranks);
    if (!lg__rank_names(state->summaries, table->ranks, out->ranks,
                        &out->names))
        return lg__error_memory(err);
    find_native(state, out);
    out->row_count = fill_rows(state, state->differs, out->rows);
    state->repeating = true;
    out->repeated_count = fill_rows(state, state->repeats, out->repeated);
    lg__sort(out->rows, out->row_count, sizeof *out->rows, compare_apart);
    lg__sort(out->repeated, out->repeated_count, sizeof *out->repeated,
             compare_least);
    return LG_OK;
}

static lg_status
compare(making *state, lg_ranks *out, lg_error *err)
{
    lg__rank_table *table = &state->table;
    state->differs = lg__wide_calloc((size_t)table->count + 1, 1);
    state->repeats = lg__wide_calloc((size_t)table->count + 1, 1);
    state->libraries = lg__wide_calloc(table->each, sizeof *state->libraries);
    if (!state->differs || !state->repeats || !state->libraries ||
        !lg__ranks_differ(table, state->min_bytes, state->differs) ||
        !lg__ranks_repeat(table, state->min_bytes, state->repeats,
                          state->libraries))
        return lg__error_memory(err);
    return make_rows(state, out, err);
}

// Hands the places and the names of devices over to the answer.
static void
hand_over(making *state, lg_ranks *out)
{
    out->count = state->table.ranks;
    out->devices = state->table.each - 1;
    out->min_bytes = state->min_bytes;
    out->places = state->table.places;
    out->device_names = state->table.kinds;
    state->table.places = NULL;
    state->table.kinds = NULL;
}

lg_status
lg_ranks_find(const lg_summary *const *summaries, size_t count,
              const lg_ranks_options *options, lg_ranks *out, lg_error *err)
{
    lg_ranks_options whole = LG_RANKS_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_ranks_options", err);
    if (status)
        return status;
    if (count < 2)
        return lg_error_set(err, LG_EINVAL,
                            "ranks are compared with each other, and there is "
                            "%zu: give the snapshot of another process, too",
                            count);
    making state = {.summaries = summaries,
                    .min_bytes = whole.min_bytes ? whole.min_bytes : 1};
    lg_ranks made = {0};
    status = lg__rank_table_new(summaries, count, &state.table, err);
    if (!status)
        status = compare(&state, &made, err);
    if (!status)
        hand_over(&state, &made);
    lg__rank_table_free(&state.table);
    lg__wide_free(state.differs);
    lg__wide_free(state.repeats);
    lg__wide_free(state.libraries);
    if (status)
        lg_ranks_free(&made);
    else
        *out = made;
    return status;
}

void
lg_ranks_free(lg_ranks *ranks)
{
    lg_places_free(ranks->places);
    lg__wide_free(ranks->device_names);
    lg__wide_free(ranks->ranks);
    lg__wide_free(ranks->rows);
    lg__wide_free(ranks->repeated);
    lg__wide_free(ranks->numbers);
    free(ranks->names);
    *ranks = (lg_ranks){0};
}

uint64_t
lg_rank_bytes(const lg_ranks *ranks, uint32_t rank)
{
    return lg_bytes_sum(ranks->ranks[rank].bytes, ranks->devices + 1);
}

uint64_t
lg_rank_row_bytes(const lg_ranks *ranks, const lg_rank_row *row, uint32_t rank)
{
    size_t each = (size_t)ranks->devices + 1;
    return lg_bytes_sum(row->bytes + rank * each, each);
}
