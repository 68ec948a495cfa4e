// Makes rows of the growing places, one for each holder.
#include "growth/growth_comparison.h"
#include "growth/growth_private.h"
#include "native/native_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// Which objects native memory grows in step with: in each interval it gains
// about as much for each new object of a type. Often these objects have it, as
// a sqlite3.Connection has its pages, by a pointer that only C can read. That
// is a guess, and reports say so: the row of native memory has the holder of
// these objects. If they gained more than the native memory, their row takes it
// over, as it does with what else only accompanies it. Where several things
// grow at once, chance decides which of them is named, so no row takes the
// memory over. What torch.compile makes is an exception, because it has native
// memory. Lost native memory stays
// what it is, because no object has it: its row says which objects lose it.

// The part by which an interval may differ, and the least bytes for an object:
// less is what malloc adds to any object.
static const double OUT_OF_STEP = 0.25;
static const double LEAST_EACH = 512;
enum { INTERVALS = 2 };

// Returns the bytes for each new object, or 0: they are not in step.
static double
bytes_for_each(const lg__comparison *state, const lg_growth_row *native,
               const uint64_t *counts)
{
    uint32_t last = state->count - 1;
    double objects = (double)counts[last] - (double)counts[0];
    if (last < INTERVALS || objects < last)
        return 0;
    double each = (double)native->gained / objects;
    for (uint32_t i = 1; i <= last; i++) {
        double gained = (double)native->bytes[i * state->each] -
                        (double)native->bytes[(i - 1) * state->each];
        double expected = each * ((double)counts[i] - (double)counts[i - 1]);
        double apart =
            gained > expected ? gained - expected : expected - gained;
        if (expected <= 0 || apart > OUT_OF_STEP * expected)
            return 0;
    }
    return each < LEAST_EACH ? 0 : each;
}

// The objects that native memory is in step with.
typedef struct owner {
    lg_string type;
    double each;     // bytes for each new object
    uint32_t rivals; // other rows that it is in step with
    uint32_t place;  // they are its members
    uint32_t node;   // one of them, or LG_NONE
} owner;

// Looks at the places of a type, of which no row is.
static void
find_place(const lg__comparison *state, const lg_growth_row *native,
           lg_string type, owner *best)
{
    uint32_t name = lg__places_seek(state->newest, type);
    for (uint32_t i = 0; i < state->newest->items.count; i++) {
        const lg__place_item *item = lg__place_at(state->newest, i);
        if (item->type != name)
            continue;
        memset(state->members, 0, state->count * sizeof *state->members);
        lg__comparison_add_members(state, i, state->members);
        uint32_t node = state->analysis != NULL ? item->example : LG_NONE;
        double each = bytes_for_each(state, native, state->members);
        if (each > best->each)
            *best = (owner){type, each, 0, i, node};
    }
}

// Looks at what accumulates first, because the other types are its parts.
static owner
find_owner(const lg__comparison *state, const lg_growth *growth,
           const lg_growth_row *native)
{
    owner best = {.place = LG_NONE, .node = LG_NONE};
    uint32_t in_step = 0;
    for (size_t i = 0; i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        double each = row->verdict == LG_GROWTH_ACCUMULATES
                          ? bytes_for_each(state, native, row->counts)
                          : 0;
        owner made = {row->type, each, 0, row->place, row->node};
        if (each > 0 && lg__growth_is_of_compiled(state, row))
            return made;
        if (each == 0 || !lg__growth_is_telling(row->type))
            continue;
        in_step++;
        if (each > best.each)
            best = made;
    }
    best.rivals = in_step > 1 ? in_step - 1 : 0;
    for (size_t i = 0; i < growth->type_count && best.each == 0; i++) {
        const lg_growth_type *type = &growth->types[i];
        if (lg__growth_is_telling(type->name) &&
            bytes_for_each(state, native, type->counts) > 0)
            find_place(state, native, type->name, &best);
    }
    return best;
}

// Returns the row that has the place, or one above it; NULL if none has.
static lg_growth_row *
row_of(const lg__comparison *state, lg_growth *growth, uint32_t place)
{
    for (uint32_t at = place; at != LG_NONE;
         at = lg__place_at(state->newest, at)->parent)
        for (size_t i = 0; i < growth->count; i++)
            if (growth->rows[i].verdict == LG_GROWTH_ACCUMULATES &&
                growth->rows[i].place == at)
                return &growth->rows[i];
    return NULL;
}

// Takes off what there was in the first snapshot: nobody knows whose it is.
static void
keep_gain(const lg__comparison *state, const lg_growth *growth,
          const lg_growth_row *native)
{
    uint64_t *numbers = growth->numbers;
    uint64_t *bytes = numbers + (native->bytes - numbers);
    for (size_t on = 0; on < state->each; on++) {
        const uint64_t first = bytes[on];
        for (size_t i = on; i < (size_t)state->count * state->each;
             i += state->each)
            bytes[i] = bytes[i] > first ? bytes[i] - first : 0;
    }
}

// Gives the row what the native memory has gained.
static void
hand_over(const lg__comparison *state, const lg_growth *growth,
          const lg_growth_row *native, lg_growth_row *row)
{
    keep_gain(state, growth, native);
    lg__growth_add_bytes(state, growth, native, row);
    row->each_in_step += native->each_in_step;
}

// Returns whether the native memory stays a row.
static bool
settle(const lg__comparison *state, lg_growth *growth, lg_growth_row *native)
{
    owner found = find_owner(state, growth, native);
    if (found.place == LG_NONE)
        return true;
    native->in_step = found.type;
    native->each_in_step = (uint64_t)found.each;
    native->rivals = found.rivals;
    native->place = found.place;
    native->node = found.node;
    lg_growth_row *row = row_of(state, growth, found.place);
    bool is_whole =
        row != NULL && row->gained >= native->gained && found.rivals == 0;
    if (is_whole)
        hand_over(state, growth, native, row);
    return !is_whole;
}

static bool
is_of_allocators(const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_NATIVE &&
           (row->native == LG_NATIVE_MALLOC || row->native == LG_NATIVE_MAPPED);
}

static bool
is_lost(const lg__comparison *state, const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_ACCUMULATES &&
           !lg__growth_is_of_objects(state, row) &&
           lg__string_is(
               lg__places_text(state->newest,
                               lg__place_top(state->newest, row->place)->type),
               LG__NATIVE_LOST);
}

// Gives a row the objects and bytes of another one, which then is no row.
static void
add_row_to(const lg__comparison *state, lg_growth *growth, lg_growth_row *row,
           lg_growth_row *other)
{
    lg__growth_add_counts(state, growth, other, row);
    lg__growth_add_bytes(state, growth, other, row);
    row->types += other->types;
    other->verdict = LG_GROWTH_VERDICT_COUNT;
}

// Drops rows that have no verdict any more: another one has what they had, or
// nothing of them lasts.
static void
drop_without_verdict(lg_growth *growth)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].verdict != LG_GROWTH_VERDICT_COUNT)
            growth->rows[kept++] = growth->rows[i];
    growth->count = kept;
}

// C code may lose blocks of so many sizes, such as copies of texts, that none
// of these sizes is worth a row. They are one.
static void
join_lost(const lg__comparison *state, lg_growth *growth)
{
    lg_growth_row *lead = NULL;
    for (size_t i = 0; i < growth->count; i++) {
        lg_growth_row *row = &growth->rows[i];
        if (!is_lost(state, row) || row->degree >= LG_GROWTH_LATE ||
            !lg__growth_is_vague(state, growth, row))
            continue;
        if (lead != NULL)
            add_row_to(state, growth, lead, row);
        else
            lead = row;
    }
    drop_without_verdict(growth);
}

// Notes which objects lose the memory. If the memory is nearly all that becomes
// more with them, its row tells of them, too.
static void
set_losers(const lg__comparison *state, lg_growth *growth, lg_growth_row *row)
{
    owner found = find_owner(state, growth, row);
    row->in_step = found.type;
    row->each_in_step = (uint64_t)found.each;
    row->rivals = found.rivals;
    row->losers = found.place;
    lg_growth_row *of = row_of(state, growth, found.place);
    if (of != NULL && found.rivals == 0)
        of->minor = lg_growth_is_minor(of, row);
}

// Finds the objects that rows of native growth are in step with. What gained
// less than these is joined with their row. The rows and the types must be
// complete.
static void
growth_in_step(const lg__comparison *state, lg_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++)
        if (is_of_allocators(&growth->rows[i]) &&
            !settle(state, growth, &growth->rows[i]))
            growth->rows[i].verdict = LG_GROWTH_VERDICT_COUNT;
        else if (is_lost(state, &growth->rows[i]))
            set_losers(state, growth, &growth->rows[i]);
    drop_without_verdict(growth);
}

// Accounts for the bytes that all objects gained: how many of them rows
// explain. The retained bytes of places nest, so what a row has within another
// row counts once.

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

// Adds up the info texts that say what all places have on a device. Those of a
// damaged file may say more than any process has.
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
    return sum <= INT64_MAX ? (int64_t)sum : INT64_MAX;
}

// Sets what objects gained, and what rows and stopped rows explain of it.
static void
growth_gain(const lg__comparison *state, lg_growth *out)
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

// The content of a container comes before the container, which then has no row.
static const uint8_t ranks[LG_GROWTH_VERDICT_COUNT] = {
    [LG_GROWTH_ACCUMULATES] = 0, [LG_GROWTH_GARBAGE] = 1,
    [LG_GROWTH_IN_PLACE] = 2,    [LG_GROWTH_NATIVE] = 3,
    [LG_GROWTH_SETTLED] = 4,
};

// A container with a limit that fills by less is as its programmer wants it,
// unless it will have much when it is full.
static const int64_t LEAST_FILLING = 1 << 20;
static const uint64_t MUCH_WHEN_FULL = 64 << 20;

// What pauses comes right after what grows in the same way.
static unsigned
rank_of(const lg__grown *grown)
{
    unsigned verdict = ranks[grown->verdict];
    return grown->pace <= LG__PACE_UNEVEN
               ? 2 * verdict + grown->pace
               : 2 * LG_GROWTH_VERDICT_COUNT * grown->pace + verdict;
}

// Compares by rank, group, and weight. The first place of a group leads
// it.
static int
compare_grown(const void *left, const void *right)
{
    const lg__grown *a = left;
    const lg__grown *b = right;
    unsigned left_rank = rank_of(a);
    unsigned right_rank = rank_of(b);
    if (left_rank != right_rank)
        return left_rank < right_rank ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void
add_place(const lg__comparison *state, uint32_t place, bool own,
          uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_places *places = state->summaries[i]->places;
        if (state->at[i] != LG_NONE)
            lg__comparison_add_bytes(
                state, i,
                own ? lg__place_own(places, state->at[i])
                    : lg__place_retained(places, state->at[i]),
                series);
    }
}

// Returns whether the container is the same in all snapshots. Then the growth
// of its own bytes is part of the row.
static bool
is_lasting(const lg__comparison *state, uint32_t place)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++)
        if (state->at[i] == LG_NONE ||
            lg__place_at(state->summaries[i]->places, state->at[i])->members !=
                lg__place_at(state->newest, place)->members)
            return false;
    return true;
}

static void
fill_row(lg__comparison *state, const lg__grown *grown, size_t count,
         uint64_t *numbers, lg_growth_row *row)
{
    uint64_t *counts = numbers;
    uint64_t *bytes = numbers + state->count;
    const lg__place_item *lead = lg__place_at(state->newest, grown->place);
    bool contained = grown->group != grown->place && grown->group != LG_NONE;
    bool in_place = grown->verdict == LG_GROWTH_IN_PLACE;
    *row = (lg_growth_row){
        .verdict = (lg_growth_verdict)grown->verdict,
        .finding = LG_NONE,
        .losers = LG_NONE,
        .place = grown->place,
        .key = lead->key,
        .type = lg__places_text(state->newest, lead->type),
        .node = state->analysis != NULL ? lead->example : LG_NONE,
    };
    for (size_t i = 0; i < count; i++) {
        uint32_t place = grown[i].place;
        add_place(state, place, in_place, bytes);
        if (lg__place_at(state->newest, place)->kind != lead->kind)
            continue;
        lg__comparison_add_members(state, place, counts);
        row->types +=
            i == 0 || lg__place_at(state->newest, place)->type != lead->type;
    }
    if (contained && lg__growth_is_led_back_to(state, grown->group))
        lg__comparison_limit(state, grown->group, bytes);
    double slope = in_place ? lg__table_slope(state, grown->place, NULL)
                            : lg__growth_slope(state, bytes);
    if (contained && is_lasting(state, grown->group)) {
        slope = lg__table_slope(state, grown->group, bytes);
        add_place(state, grown->group, true, bytes);
    }
    lg__growth_rate(state, bytes, slope, row);
}

// Returns whether an earlier row has the growth: one for its members covers a
// container, and one of the same holder covers what pauses beside it.
static bool
is_covered(const lg__comparison *state, const lg__grown *grown)
{
    unsigned bits = grown->verdict == LG_GROWTH_IN_PLACE
                        ? LG__TOLD_MEMBERS | LG__TOLD_IN_PLACE
                        : LG__TOLD_MEMBERS;
    return grown->group != LG_NONE && (state->told[grown->group] & bits) != 0;
}

// Notes the holder of a row.
static void
note_holder(lg__comparison *state, const lg__grown *grown, bool settled)
{
    unsigned bit = grown->verdict == LG_GROWTH_IN_PLACE ? LG__TOLD_IN_PLACE
                                                        : LG__TOLD_MEMBERS;
    if (settled)
        bit = grown->verdict == LG_GROWTH_IN_PLACE ? 0 : LG__TOLD_SETTLED;
    if (grown->group != LG_NONE)
        state->told[grown->group] |= (uint8_t)bit;
}

// Returns whether a container settled with its members.
static bool
settles_with_members(const lg__comparison *state, const lg__grown *grown)
{
    return grown->verdict == LG_GROWTH_IN_PLACE &&
           (state->told[grown->group] & LG__TOLD_SETTLED) != 0;
}

// Notes what a row explains.
static void
note_told(lg__comparison *state, const lg__grown *grown, size_t count,
          bool stopped)
{
    bool in_place = grown->verdict == LG_GROWTH_IN_PLACE;
    unsigned whole = stopped ? LG__TOLD_WHOLE_STOPPED : LG__TOLD_WHOLE;
    unsigned own = stopped ? LG__TOLD_OWN_STOPPED : LG__TOLD_OWN;
    for (size_t i = 0; i < count; i++)
        state->told[grown[i].place] |= (uint8_t)(in_place ? own : whole);
    if (grown->group != LG_NONE && grown->group != grown->place &&
        is_lasting(state, grown->group))
        state->told[grown->group] |= (uint8_t)own;
}

static size_t
count_group(const lg__grown *grown, size_t left)
{
    size_t count = 1;
    while (count < left && grown[count].pace == grown->pace &&
           grown[count].verdict == grown->verdict &&
           grown[count].group == grown->group)
        count++;
    return count;
}

static int
compare_rows(const void *left, const void *right)
{
    const lg_growth_row *a = left;
    const lg_growth_row *b = right;
    bool settled = a->verdict == LG_GROWTH_SETTLED;
    if (settled != (b->verdict == LG_GROWTH_SETTLED))
        return settled ? 1 : -1;
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void
sort_rows(lg_growth *growth)
{
    if (growth->count > 0)
        lg__sort(growth->rows, growth->count, sizeof *growth->rows,
                 compare_rows);
}

// Returns whether the scope has what grows. Of native memory it has what is in
// step with objects.
static bool
is_in_scope(const lg__comparison *state, const lg_growth_row *row)
{
    const lg_scope *scope = state->options.scope;
    return scope == NULL ||
           (row->node != LG_NONE && lg_scope_has(scope, row->node));
}

static bool
is_large(const lg__comparison *state, const lg_growth_row *row)
{
    return row->gained > 0 && (uint64_t)row->gained >= state->options.min_bytes;
}

// Returns whether a row says nothing beside what all objects gained: no more
// names than one for each interval, and next to no bytes. A name is in one
// place after the other, as code that has the same name comes to use it.
static bool
is_of_few_names(const lg__comparison *state, const lg_growth *growth,
                const lg_growth_row *row)
{
    enum { NEXT_TO_NOTHING = 1000 };
    uint32_t last = state->count - 1;
    return row->verdict == LG_GROWTH_ACCUMULATES &&
           lg__string_is(row->type, "str") &&
           row->counts[last] <= row->counts[0] + last &&
           row->gained < growth->objects_gained / NEXT_TO_NOTHING;
}

// Returns what the row gained since it first had bytes.
static int64_t
kept_of(const lg__comparison *state, const lg_growth_row *row,
        const uint64_t *numbers)
{
    const uint64_t *bytes = numbers + state->count;
    uint64_t last = lg__comparison_total(state, bytes, state->count - 1);
    for (uint32_t i = 0; i < state->count; i++) {
        uint64_t first = lg__comparison_total(state, bytes, i);
        if (first > 0)
            return (int64_t)(last - first);
    }
    return row->gained;
}

// Returns the pace of a row. Programs that are right warm up, and fill small
// containers: what pauses or has a limit counts only from some size on.
// Finalizers become no more than what they wait for.
static lg__pace
pace_of(const lg__comparison *state, const lg__grown *grown,
        const lg_growth_row *row, const uint64_t *numbers)
{
    const int64_t least_filling =
        row->at_limit < MUCH_WHEN_FULL ? LEAST_FILLING : LG__LEAST_UNEVEN;
    bool small = grown->pace == LG__PACE_UNEVEN
                     ? kept_of(state, row, numbers) < LG__LEAST_UNEVEN
                 : grown->pace == LG__PACE_FILLS ? row->gained < least_filling
                                                 : false;
    return small || lg__growth_waits_for_keys(state, row, numbers) ||
                   lg__growth_finalizers_settle(state, row->node)
               ? LG__PACE_SETTLED
               : (lg__pace)grown->pace;
}

static void
set_limit(const lg__comparison *state, const lg__grown *grown,
          lg_growth_row *row)
{
    lg__limit limit;
    const uint64_t *bytes = row->bytes;
    if (!lg__growth_limit(state, grown->place,
                          (lg_growth_verdict)grown->verdict, &limit) ||
        limit.filled == 0)
        return;
    double each = (double)lg__comparison_total(state, bytes, state->count - 1) /
                  (double)limit.filled;
    row->limit = limit.most;
    row->filled = limit.filled;
    row->at_limit = lg__saturated(each * (double)limit.most);
    row->lifetime = limit.lifetime;
    row->observed = limit.observed;
}

// Sets the rate of what pauses: its median may be nothing.
static void
set_mean_rate(const lg__comparison *state, lg_growth_row *row)
{
    double span = state->x[state->count - 1] - state->x[0];
    lg__growth_rate(state, row->bytes, (double)row->gained / span, row);
}

// Counts what fills up, and is too small for a row.
static void
count_bounded(const lg__comparison *state, const lg_growth_row *row,
              lg_growth *out)
{
    const uint64_t *counts = row->counts;
    if (row->limit == 0 || row->gained <= 0 || !is_in_scope(state, row) ||
        counts[state->count - 1] <= counts[state->count - 2])
        return;
    out->bounded++;
    out->bounded_gained += row->gained;
}

// Reads the series that shows how the row grows: of its objects, or, if their
// number is the same, of its bytes.
static void
read_series(const lg__comparison *state, const lg_growth_row *row)
{
    bool counted = row->counts[state->count - 1] != row->counts[0];
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = counted
                          ? (double)row->counts[i]
                          : (double)lg__comparison_total(state, row->bytes, i);
}

// Sets the degree of a row, whose numbers are complete.
static void
set_degree(const lg__comparison *state, lg__pace pace, lg_growth_row *row)
{
    if (pace == LG__PACE_GROWS)
        return;
    read_series(state, row);
    row->idle = (uint32_t)lg__trend_idle(state->y, state->count);
    row->degree = pace == LG__PACE_SETTLED ? LG_GROWTH_STOPPED
                  : pace == LG__PACE_FILLS
                      ? LG_GROWTH_FILLING
                      : lg__trend_degree(state->y, state->count);
}

// Adds a row unless it is too small. Rows that settled and that nobody asked
// for are kept from some size on, because the first line accounts for them.
// A small row that grows may be the cause of others.
static bool
add_row(lg__comparison *state, const lg__grown *grown, size_t count,
        lg_growth *out)
{
    size_t at = state->numbers.count;
    lg_growth_row *row = &out->rows[out->count];
    uint64_t *numbers = lg__growth_numbers(state);
    if (numbers == NULL)
        return false;
    fill_row(state, grown, count, numbers, row);
    row->counts = numbers;
    row->bytes = numbers + state->count;
    set_limit(state, grown, row);
    lg__pace pace = pace_of(state, grown, row, numbers);
    bool settled = pace == LG__PACE_SETTLED;
    bool left_out = settled && !state->options.settled;
    bool large = is_large(state, row) &&
                 !(settled && settles_with_members(state, grown));
    if (settled)
        count_bounded(state, row, out);
    if (large && left_out && is_in_scope(state, row)) {
        out->settled++;
        out->settled_gained += row->gained;
    }
    if (large)
        note_holder(state, grown, settled);
    if (row->gained <= 0 || (settled && !large) ||
        (left_out && row->gained < LG__LEAST_UNEVEN)) {
        state->numbers.count = at;
        return true;
    }
    if (pace == LG__PACE_UNEVEN)
        set_mean_rate(state, row);
    set_degree(state, pace, row);
    if (settled)
        row->verdict = LG_GROWTH_SETTLED;
    note_told(state, grown, count, left_out);
    out->count++;
    return true;
}

// Returns whether the row is where CPython has a weak reference for each
// subclass of a class, or in there. It goes with the subclasses.
static bool
lists_subclasses(const lg_places *places, const lg_growth_row *row)
{
    if (row->place == LG_NONE)
        return false;
    const lg__place_item *item = lg__place_at(places, row->place);
    if ((item->kind == LG_PLACE_ITEM || item->kind == LG_PLACE_KEY) &&
        item->parent != LG_NONE)
        item = lg__place_at(places, item->parent);
    return lg__string_is(lg__places_text(places, item->label),
                         ".__subclasses__");
}

static void
leave_out_small(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (is_large(state, &out->rows[i]) &&
            !is_of_few_names(state, out, &out->rows[i]) &&
            !lg__growth_is_vague(state, out, &out->rows[i]) &&
            !lists_subclasses(state->newest, &out->rows[i]))
            out->rows[kept++] = out->rows[i];
    out->count = kept;
}

bool
lg_growth_is_minor(const lg_growth_row *row, const lg_growth_row *beside)
{
    enum { MINOR = 200 };
    return row->gained < beside->gained / MINOR;
}

// Sets pointers to the numbers, which stay in place only when all rows exist.
static void
settle_series(lg__comparison *state, lg_growth *out)
{
    uint64_t *numbers = state->numbers.data;
    for (size_t i = 0; i < out->count; i++) {
        out->rows[i].counts = numbers + i * lg__comparison_numbers(state);
        out->rows[i].bytes = out->rows[i].counts + state->count;
    }
    out->numbers = numbers;
    state->numbers = (lg__vector){0};
}

// Returns how many rows have not settled; these come first.
static size_t
count_unsettled(const lg_growth *out)
{
    size_t count = 0;
    while (count < out->count && out->rows[count].verdict != LG_GROWTH_SETTLED)
        count++;
    return count;
}

// Marks rows that gained next to nothing beside the first one that goes on, if
// there are several: they are no news as long as that one is there. What a
// single one is held by may still tell of a leak, so it is marked in the end.
static void
mark_minor(lg_growth *out)
{
    size_t rows = count_unsettled(out);
    size_t lead = 0;
    while (lead < rows && !lg__growth_goes_on(&out->rows[lead]))
        lead++;
    size_t first = rows;
    while (lead < rows && first > 1 &&
           lg_growth_is_minor(&out->rows[first - 1], &out->rows[lead]))
        first--;
    for (size_t i = first; i < rows && rows - first > 1; i++)
        out->rows[i].minor = true;
}

// Moves a row that fills up to a limit behind the last row that grows without
// one, unless that gained next to nothing beside it.
static void
move_back(lg_growth_row *rows, size_t count, size_t from)
{
    lg_growth_row moved = rows[from];
    size_t to = from;
    for (size_t i = from + 1; i < count; i++)
        if (!rows[i].minor && rows[i].degree != LG_GROWTH_FILLING &&
            !lg_growth_is_minor(&rows[i], &moved))
            to = i;
    memmove(&rows[from], &rows[from + 1], (to - from) * sizeof *rows);
    rows[to] = moved;
}

// Lets what grows without a limit lead: a cache that fills may gain more.
static void
lead_with_growing(lg_growth *out)
{
    size_t count = count_unsettled(out);
    for (size_t i = count; i-- > 0;)
        if (out->rows[i].degree == LG_GROWTH_FILLING)
            move_back(out->rows, count, i);
}

static void
leave_out_elsewhere(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (is_in_scope(state, &out->rows[i]))
            out->rows[kept++] = out->rows[i];
    out->elsewhere = out->count - kept;
    out->count = kept;
}

// Rows explain at most what they gained. A row is of one type, and its place
// may have gained more.
static void
limit_told(lg_growth *out)
{
    const size_t unsettled = count_unsettled(out);
    int64_t rows = -out->native_gained;
    for (size_t i = 0; i < unsettled; i++)
        rows += out->rows[i].gained;
    if (rows >= 0 && out->told_gained > rows)
        out->told_gained = rows;
}

// Takes rows that settled, which are last, out of the rows.
static void
set_stopped_apart(const lg__comparison *state, lg_growth *out)
{
    if (state->options.settled)
        return;
    size_t all = out->count;
    out->count = count_unsettled(out);
    out->stopped = out->rows + out->count;
    out->stopped_count = state->options.scope == NULL ? all - out->count : 0;
}

// Returns the place of the tensor whose autograd graph has the place, or the
// place itself: nothing in the source names a node of a graph.
static uint32_t
place_of_tensor(const lg_places *places, uint32_t place)
{
    uint32_t tensor = place;
    for (uint32_t at = place; at != LG_NONE;
         at = lg__place_at(places, at)->parent) {
        const lg__place_item *item = lg__place_at(places, at);
        if (item->parent != LG_NONE &&
            lg__string_is(lg__places_text(places, item->label), ".grad_fn"))
            tensor = item->parent;
    }
    return tensor;
}

// Lets rows of growing graphs name what keeps the graph.
static void
name_tensors(const lg__comparison *state, lg_growth *out)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->rows[i].place != LG_NONE)
            out->rows[i].place =
                place_of_tensor(state->newest, out->rows[i].place);
}

lg_status
lg__growth_rows(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg__grown *found = state->found.data;
    size_t left = state->found.count;
    out->rows = lg__calloc(left + LG_NATIVE_COUNT + 1, sizeof *out->rows);
    if (out->rows == NULL)
        return lg__error_memory(err);
    if (left > 0)
        lg__sort(found, left, sizeof *found, compare_grown);
    while (left > 0) {
        size_t count = count_group(found, left);
        if (!is_covered(state, found) && !add_row(state, found, count, out))
            return lg__error_memory(err);
        found += count;
        left -= count;
    }
    growth_gain(state, out);
    if (!lg__growth_native(state, out))
        return lg__error_memory(err);
    settle_series(state, out);
    sort_rows(out);
    if (!lg__growth_join(state, out))
        return lg__error_memory(err);
    name_tensors(state, out);
    join_lost(state, out);
    growth_in_step(state, out);
    leave_out_small(state, out);
    sort_rows(out);
    limit_told(out);
    set_stopped_apart(state, out);
    mark_minor(out);
    lead_with_growing(out);
    lg__growth_set_fixes(state, out);
    leave_out_elsewhere(state, out);
    return LG_OK;
}
