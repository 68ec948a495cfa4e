// Finds how the processes of one job differ, and what each of them repeats.
#include "growth/growth_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/text.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Places of all ranks, and what each rank has there.
typedef struct lg__rank_table {
    lg_places *places; /**< of all ranks together */
    uint32_t count;    /**< number of places */
    uint32_t ranks;
    uint32_t each;           /**< number of kinds of devices, and the host */
    lg_string *kinds;        /**< [each] */
    uint64_t *members;       /**< [count][ranks] */
    uint64_t *bytes;         /**< [count][each][ranks] retained */
    uint64_t *covered;       /**< [count][each][ranks] bytes that rows for
                                  places below report */
    uint64_t *usual_members; /**< [ranks] scratch memory */
    uint64_t *sorted;        /**< [ranks] scratch memory */
    uint64_t *rest;          /**< [count] whether the place is leakgraph's */
    uint8_t *is_own;         /**< [count] leakgraph's */
} lg__rank_table;

// Returns the index of a rank's number in `bytes` and `covered`.
static inline size_t
rank_cell(const lg__rank_table *table, uint32_t place, uint32_t kind,
          uint32_t rank)
{
    return ((size_t)place * table->each + kind) * table->ranks + rank;
}

// Puts what each rank has at each place side by side.

// How many of the biggest places of each rank are compared: as many as a
// summary's file has.
enum { MOST_PLACES = 8192 };

// Returns the kind of a device: `cuda` for `cuda:1`.
static lg_string
device_kind(lg_string device)
{
    const char *colon = memchr(device.data, ':', device.length);
    if (colon)
        device.length = (uint32_t)(colon - device.data);
    return device;
}

// Returns the median, the lower one of an even number, and reorders the
// numbers.
static uint64_t
rank_median(uint64_t *numbers, uint32_t count)
{
    lg__sort(numbers, count, sizeof *numbers, lg__ascending64);
    return numbers[(count - 1) / 2];
}

// Returns the bytes of a rank at a place, on the host and all devices.
static uint64_t
rank_bytes(const lg__rank_table *table, uint32_t place, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t kind = 0; kind < table->each; kind++)
        sum += table->bytes[rank_cell(table, place, kind, rank)];
    return sum;
}

// Returns the bytes on a kind of device that no row for a place below reports.
static uint64_t
rank_rest(const lg__rank_table *table, uint32_t place, uint32_t kind,
          uint32_t rank)
{
    size_t at = rank_cell(table, place, kind, rank);
    return table->bytes[at] > table->covered[at]
               ? table->bytes[at] - table->covered[at]
               : 0;
}

static uint32_t
kind_of(const lg__rank_table *table, lg_string device)
{
    lg_string kind = device_kind(device);
    for (uint32_t i = 0; i < table->each; i++)
        if (lg__string_same(table->kinds[i], kind))
            return i;
    return LG_NONE;
}

static bool
find_kinds(lg__rank_table *table)
{
    uint32_t devices = table->places->each;
    table->kinds = lg__calloc(devices, sizeof *table->kinds);
    for (uint32_t i = 0; table->kinds && i < devices; i++) {
        lg_string name = lg_places_device_name(table->places, i);
        if (kind_of(table, name) == LG_NONE)
            table->kinds[table->each++] = device_kind(name);
    }
    return table->kinds != NULL;
}

static bool
make_room(lg__rank_table *table)
{
    size_t places = table->count;
    size_t cells = places * table->each;
    table->members = lg__calloc(places * table->ranks + 1, sizeof(uint64_t));
    table->bytes = lg__calloc(cells * table->ranks + 1, sizeof(uint64_t));
    table->usual_members = lg__calloc(places + 1, sizeof(uint64_t));
    table->covered = lg__calloc(cells * table->ranks + 1, sizeof(uint64_t));
    table->sorted = lg__calloc(table->ranks, sizeof(uint64_t));
    table->rest = lg__calloc(table->ranks, sizeof(uint64_t));
    table->is_own = lg__calloc(places + 1, 1);
    return table->members && table->bytes && table->usual_members &&
           table->covered && table->sorted && table->rest && table->is_own;
}

// Fills in a rank, also at places that are big only on other ranks.
static void
fill_rank(lg__rank_table *table, uint32_t rank, const lg_places *from)
{
    uint32_t count = lg_places_count(from);
    for (uint32_t i = 0; i < count; i++) {
        lg_place place = lg_places_at(from, i);
        size_t at = lg_places_find(table->places, place.key);
        if (at == LG_NONE)
            continue;
        uint64_t *bytes = table->bytes + at * table->each * table->ranks + rank;
        table->members[at * table->ranks + rank] += place.members;
        for (uint32_t on = 0; on < from->each; on++) {
            uint32_t kind = kind_of(table, lg_places_device_name(from, on));
            bytes[(size_t)kind * table->ranks] += place.retained[on];
        }
    }
}

static void
find_usual(lg__rank_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        lg_place place = lg_places_at(table->places, i);
        memcpy(table->sorted, table->members + (size_t)i * table->ranks,
               table->ranks * sizeof *table->sorted);
        table->usual_members[i] = rank_median(table->sorted, table->ranks);
        table->is_own[i] = place.parent == LG_NONE
                               ? lg__growth_is_own(place.label)
                               : table->is_own[place.parent];
    }
}

static bool
prune(const lg_summary *const *summaries, uint32_t count, lg_places **out)
{
    uint64_t least;
    for (uint32_t i = 0; i < count; i++)
        if (!lg__places_prune(lg_summary_places(summaries[i]), MOST_PLACES,
                              &out[i], &least))
            return false;
    return true;
}

// Frees everything except the places, if `out` of lg_ranks_find has taken them
// over.
static void
rank_table_free(lg__rank_table *table)
{
    lg_places_free(table->places);
    lg__free(table->kinds);
    lg__free(table->members);
    lg__free(table->bytes);
    lg__free(table->usual_members);
    lg__free(table->covered);
    lg__free(table->sorted);
    lg__free(table->rest);
    lg__free(table->is_own);
    *table = (lg__rank_table){0};
}

static lg_status
rank_table_new(const lg_summary *const *summaries, size_t count,
               lg__rank_table *out, lg_error *err)
{
    lg__rank_table table = {.ranks = (uint32_t)count};
    lg_places **pruned = lg__calloc(count, sizeof *pruned);
    lg_status status = LG_OK;
    if (!pruned || !prune(summaries, table.ranks, pruned))
        status = lg__error_memory(err);
    if (!status)
        status = lg_places_merge((const lg_places *const *)pruned, count,
                                 &table.places, err);
    table.count = status ? 0 : lg_places_count(table.places);
    if (!status && (!find_kinds(&table) || !make_room(&table)))
        status = lg__error_memory(err);
    for (uint32_t i = 0; !status && i < table.ranks; i++)
        fill_rank(&table, i, lg_summary_places(summaries[i]));
    if (!status)
        find_usual(&table);
    for (size_t i = 0; pruned && i < count; i++)
        lg_places_free(pruned[i]);
    lg__free(pruned);
    if (status)
        rank_table_free(&table);
    else
        *out = table;
    return status;
}

// Finds the places where ranks differ, and the places that all ranks repeat.

// Numbers of members that differ by less than a tenth are alike, and so are
// bytes.
enum { ALIKE = 10 };

typedef struct search {
    lg__rank_table *table;
    uint64_t min_bytes;
    uint8_t *closed; // [count] what is here belongs to a place above
    uint8_t *far;    // [count][ranks] whether the rank differs here
} search;

static uint64_t
members_of(const search *state, uint32_t place, uint32_t rank)
{
    return state->table->members[(size_t)place * state->table->ranks + rank];
}

// Returns whether only this rank has the place, or only this rank lacks it,
// against the usual.
static bool
is_lone(const search *state, uint32_t place, uint32_t rank)
{
    return (members_of(state, place, rank) == 0) !=
           (state->table->usual_members[place] == 0);
}

// Returns whether the rank has more or fewer members than usual for each object
// above.
static bool
accumulates(const search *state, uint32_t above, uint32_t place, uint32_t rank)
{
    const lg__rank_table *table = state->table;
    double here = (double)members_of(state, place, rank) *
                  (double)table->usual_members[above];
    double usual = (double)table->usual_members[place] *
                   (double)members_of(state, above, rank);
    double more = here > usual ? here : usual;
    double less = here > usual ? usual : here;
    return more > 0 && (more - less) * ALIKE > more;
}

// Returns whether the place has nine tenths of what is above it.
static bool
is_most_of(const search *state, uint32_t above, uint32_t place, uint32_t rank)
{
    uint64_t whole = rank_bytes(state->table, above, rank);
    return rank_bytes(state->table, place, rank) >= whole - whole / ALIKE;
}

// Returns whether the row is about the place above: a named thing that only
// some ranks have, unless one part has almost all of its bytes. Elements belong
// to their container.
static bool
belongs_above(const search *state, uint32_t index, const lg_place *place,
              uint32_t rank)
{
    bool element = place->kind == LG_PLACE_ITEM || place->kind == LG_PLACE_KEY;
    if (is_lone(state, place->parent, rank))
        return element || !is_most_of(state, place->parent, index, rank);
    if (is_lone(state, index, rank))
        return element;
    return accumulates(state, place->parent, index, rank);
}

// Adds to `far` the ranks whose bytes on one kind of device are far from the
// usual.
static bool
find_far(const search *state, const uint64_t *bytes, uint8_t *far)
{
    const lg__rank_table *table = state->table;
    bool any = false;
    memcpy(table->sorted, bytes, table->ranks * sizeof *bytes);
    uint64_t usual = rank_median(table->sorted, table->ranks);
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t apart = bytes[i] > usual ? bytes[i] - usual : usual - bytes[i];
        if (apart < state->min_bytes)
            continue;
        far[i] = 1;
        any = true;
    }
    return any;
}

// Finds the ranks that differ at the place, with everything there counted.
static void
find_different(const search *state, uint32_t place)
{
    const lg__rank_table *table = state->table;
    uint8_t *far = state->far + (size_t)place * table->ranks;
    for (size_t kind = 0; kind < table->each; kind++)
        find_far(state,
                 table->bytes +
                     ((size_t)place * table->each + kind) * table->ranks,
                 far);
}

// Returns whether a row for a place above covers this one. Only ranks that
// differ both here and above decide.
static bool
is_closed(const search *state, uint32_t index)
{
    const lg__rank_table *table = state->table;
    lg_place place = lg_places_at(table->places, index);
    if (table->is_own[index])
        return true;
    if (place.parent == LG_NONE)
        return false;
    if (state->closed[place.parent])
        return true;
    const uint8_t *here = state->far + (size_t)index * table->ranks;
    const uint8_t *above = state->far + (size_t)place.parent * table->ranks;
    for (uint32_t rank = 0; rank < table->ranks; rank++)
        if (here[rank] && above[rank] &&
            belongs_above(state, index, &place, rank))
            return true;
    return false;
}

// Finds the ranks that differ in what no row below reports.
static bool
rest_differs(const search *state, uint32_t place)
{
    const lg__rank_table *table = state->table;
    uint8_t *far = state->far + (size_t)place * table->ranks;
    bool any = false;
    for (uint32_t kind = 0; kind < table->each; kind++) {
        for (uint32_t rank = 0; rank < table->ranks; rank++)
            table->rest[rank] = rank_rest(table, place, kind, rank);
        any |= find_far(state, table->rest, far);
    }
    return any;
}

static void
cover_above(const search *state, uint32_t place, bool is_shown)
{
    const lg__rank_table *table = state->table;
    uint32_t parent = lg_places_at(table->places, place).parent;
    size_t cells = (size_t)table->each * table->ranks;
    const uint64_t *from =
        (is_shown ? table->bytes : table->covered) + place * cells;
    for (size_t i = 0; parent != LG_NONE && i < cells; i++)
        table->covered[parent * cells + i] += from[i];
}

// Marks the places where a rank differs, and fills `covered`. Returns false
// when memory ran out. A parent comes before its children. So the first pass,
// from above, finds what rows above cover, and the second, from below, knows
// what rows below report when the turn of a place comes.
static bool
ranks_differ(lg__rank_table *table, uint64_t min_bytes, uint8_t *marks)
{
    search state = {.table = table, .min_bytes = min_bytes};
    state.closed = lg__alloc((size_t)table->count + 1);
    state.far = lg__calloc((size_t)table->count + 1, table->ranks);
    bool enough = state.closed && state.far;
    for (uint32_t i = 0; enough && i < table->count; i++) {
        find_different(&state, i);
        state.closed[i] = is_closed(&state, i);
    }
    for (uint32_t i = enough ? table->count : 0; i-- > 0;) {
        marks[i] = !state.closed[i] && rest_differs(&state, i);
        if (!state.closed[i])
            cover_above(&state, i, marks[i]);
    }
    lg__free(state.closed);
    lg__free(state.far);
    return enough;
}

// Finds the rank with the fewest bytes, what it has, and whether the others
// have about as much.
static uint32_t
fewest_of(const lg__rank_table *table, uint32_t place, uint64_t *least,
          bool *alike)
{
    uint32_t fewest = 0;
    uint64_t most = 0;
    *least = UINT64_MAX;
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t bytes = rank_bytes(table, place, i);
        if (bytes < *least) {
            *least = bytes;
            fewest = i;
        }
        most = bytes > most ? bytes : most;
    }
    *alike = most - *least <= most / ALIKE;
    return fewest;
}

static void
add_each(const lg__rank_table *table, uint32_t place, uint32_t rank,
         uint64_t *bytes)
{
    for (uint32_t kind = 0; kind < table->each; kind++)
        bytes[kind] += table->bytes[rank_cell(table, place, kind, rank)];
}

static bool
is_library(const lg_place *place)
{
    lg_string package = place->label;
    if (place->kind == LG_PLACE_ROOT && package.length == 0)
        return true;
    for (uint32_t i = 0; i < package.length; i++)
        if (package.data[i] == '.')
            package.length = i;
    return lg__package_is_well_known(package);
}

// Marks variables of modules as a whole, or, where ranks differ in one, its
// parts.
static bool
ranks_repeat(const lg__rank_table *table, uint64_t min_bytes, uint8_t *marks,
             uint64_t *libraries)
{
    enum { LOOK_INSIDE = 1, SHOWN = 2 };
    uint8_t *state = lg__calloc((size_t)table->count + 1, 1);
    if (!state)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        lg_place place = lg_places_at(table->places, i);
        bool alike;
        uint64_t least;
        uint32_t fewest = fewest_of(table, i, &least, &alike);
        bool inside =
            place.parent == LG_NONE || state[place.parent] == LOOK_INSIDE;
        if (!inside || table->is_own[i])
            continue;
        if (place.parent == LG_NONE && is_library(&place)) {
            add_each(table, i, fewest, libraries);
        } else if (least >= min_bytes) {
            bool shown = alike && place.kind != LG_PLACE_ROOT;
            state[i] = shown ? SHOWN : LOOK_INSIDE;
            marks[i] = shown;
        }
    }
    lg__free(state);
    return true;
}

// Names each process of a job, so that no two have the same name.

// How much a name contains.
enum { RANK, PID, POSITION };

// Writes a name: the number in the job, or the index among the summaries.
// Workers that a rank starts inherit its number, so the process id
// distinguishes them, or, if that is equal, as it can be on two machines, their
// index.
static void
write_name(const lg_summary *summary, uint32_t index, int detail, lg_text *out)
{
    lg_string rank = lg__summary_text(summary, "rank");
    lg_string pid = lg__summary_text(summary, "pid");
    if (rank.length > 0)
        lg_text_add_bytes(out, rank.data, rank.length);
    else
        lg_text_addf(out, "%" PRIu32, index);
    if (detail >= PID && pid.length > 0)
        lg_text_addf(out, " (pid %.*s)", (int)pid.length, pid.data);
    if (detail >= POSITION)
        lg_text_addf(out, " (snapshot %" PRIu32 ")", index);
}

typedef struct named {
    lg_string name;
    uint32_t index;
} named;

static int
by_name(const void *left, const void *right)
{
    const named *a = left;
    const named *b = right;
    int order = lg__string_compare(a->name, b->name);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

// Writes all names, and sets pointers to them.
static bool
write_names(const lg_summary *const *summaries, uint32_t count,
            const uint8_t *detail, named *names, lg_text *out)
{
    out->length = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t begin = out->length;
        write_name(summaries[i], i, detail[i], out);
        names[i] = (named){{NULL, (uint32_t)(out->length - begin)}, i};
    }
    const char *at = out->data;
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        names[i].name.data = at;
        at += names[i].name.length;
    }
    return !out->failed;
}

// Extends the names that are equal.
static void
tell_apart(named *names, uint32_t count, uint8_t *detail, int more)
{
    lg__sort(names, count, sizeof *names, by_name);
    for (uint32_t i = 1; i < count; i++)
        if (lg__string_same(names[i - 1].name, names[i].name))
            detail[names[i - 1].index] = detail[names[i].index] = (uint8_t)more;
}

// Names the ranks. The names point into *out, which is released with free().
// Returns false when memory ran out.
static bool
rank_names(const lg_summary *const *summaries, uint32_t count, lg_rank *ranks,
           char **out)
{
    lg_text text = {0};
    uint8_t *detail = lg__calloc(count, 1);
    named *names = lg__alloc(count * sizeof *names);
    bool fine = detail != NULL && names != NULL;
    for (int more = PID; fine && more <= POSITION; more++) {
        fine = write_names(summaries, count, detail, names, &text);
        if (fine)
            tell_apart(names, count, detail, more);
    }
    fine = fine && write_names(summaries, count, detail, names, &text);
    for (uint32_t i = 0; i < count && fine; i++)
        ranks[i].name = names[i].name;
    lg__free(detail);
    lg__free(names);
    if (fine)
        *out = text.data;
    else
        lg_text_free(&text);
    return fine;
}

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
        return rank_rest(table, place, kind, rank);
    return table->bytes[rank_cell(table, place, kind, rank)];
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
    row.usual = rank_median(table->sorted, table->ranks);
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
            if (lg__string_same(table->kinds[kind], device_kind(device)))
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
    out->native_usual = (int64_t)rank_median(table->sorted, table->ranks);
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
    out->numbers = lg__calloc((differing + repeated + 1) * row +
                                  (repeated + 1) * table->each,
                              sizeof(uint64_t));
    out->rows = lg__calloc(differing + 1, sizeof *out->rows);
    out->repeated = lg__calloc(repeated + 1, sizeof *out->repeated);
    out->ranks = lg__calloc(table->ranks, sizeof *out->ranks);
    if (!out->numbers || !out->rows || !out->repeated || !out->ranks)
        return lg__error_memory(err);
    state->next = out->numbers;
    out->libraries = take_numbers(state, table->each);
    memcpy(out->libraries, state->libraries,
           table->each * sizeof *out->libraries);
    fill_ranks(state, out->ranks);
    if (!rank_names(state->summaries, table->ranks, out->ranks, &out->names))
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
    state->differs = lg__calloc((size_t)table->count + 1, 1);
    state->repeats = lg__calloc((size_t)table->count + 1, 1);
    state->libraries = lg__calloc(table->each, sizeof *state->libraries);
    if (!state->differs || !state->repeats || !state->libraries ||
        !ranks_differ(table, state->min_bytes, state->differs) ||
        !ranks_repeat(table, state->min_bytes, state->repeats,
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
    status = rank_table_new(summaries, count, &state.table, err);
    if (!status)
        status = compare(&state, &made, err);
    if (!status)
        hand_over(&state, &made);
    rank_table_free(&state.table);
    lg__free(state.differs);
    lg__free(state.repeats);
    lg__free(state.libraries);
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
    lg__free(ranks->device_names);
    lg__free(ranks->ranks);
    lg__free(ranks->rows);
    lg__free(ranks->repeated);
    lg__free(ranks->numbers);
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
