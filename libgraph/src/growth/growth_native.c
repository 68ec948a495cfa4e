// Makes rows of memory that is not Python's.
#include "growth/growth_comparison.h"
#include "native/native_private.h"

#include <string.h>
#include <xxhash.h>

// Smaller growth may be what an allocator rounds up, or a table of the
// interpreter. For mappings, it may be pages that were touched for the first
// time.
static const int64_t LEAST[LG_NATIVE_COUNT] = {
    [LG_NATIVE_MALLOC] = 64 << 10, [LG_NATIVE_STACKS] = 64 << 10,
    [LG_NATIVE_MAPPED] = 4 << 20,  [LG_NATIVE_SMALL] = 64 << 10,
    [LG_NATIVE_CODE] = 64 << 10,   [LG_NATIVE_FREE] = 8 << 20,
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
    [LG_NATIVE_CODE] = 0.05,
    // What grows by moving, as a list does, leaves its former places.
    [LG_NATIVE_FREE] = 1,
};

// An allocator of tensors keeps about this much besides each tensor, on
// whatever device it lies: its record of the block, and what it rounds up. What
// pyarrow keeps in C++ for an array is of that order, for each of its buffers.
enum { BESIDE_TENSOR = 512, BESIDE_ARROW = 640 };

static double
tensors_of(const lg_summary *summary)
{
    return (double)lg__summary_tallied(summary, LG_TALLY_TENSOR);
}

// Counts pyarrow's objects and buffers.
static double
arrows_of(const lg_summary *summary)
{
    const lg__type_sum *sums = summary->types.data;
    double count = 0;
    for (size_t i = 0; i < summary->types.count; i++)
        if (lg__string_is(
                lg__package_of(lg__places_text(summary->places, sums[i].name)),
                "pyarrow"))
            count += (double)sums[i].count;
    return count;
}

static double
rise_of(double newest, double oldest)
{
    return newest > oldest ? newest - oldest : 0;
}

static double
objects_of(const lg_summary *summary, lg_native_kind kind)
{
    return (double)(kind == LG_NATIVE_SMALL ? summary->small : summary->large);
}

// Returns by how much the objects of an allocator differ between two of the
// snapshots.
static double
objects_swung(const lg__comparison *state, lg_native_kind kind)
{
    double least = objects_of(state->summaries[0], kind);
    double most = least;
    for (uint32_t i = 1; i < state->count; i++) {
        double objects = objects_of(state->summaries[i], kind);
        least = objects < least ? objects : least;
        most = objects > most ? objects : most;
    }
    return most - least;
}

// Returns up to how much growth only accompanies that of objects. Objects that
// come and go take what is vague about them along, but by chance alone it does
// not rise every time.
static double
slack_of(const lg__comparison *state, lg_native_kind kind)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg_summary *oldest = state->summaries[0];
    bool sure = lg__rises_beyond_chance(state->x, state->y, state->count);
    double objects =
        sure ? rise_of(objects_of(newest, kind), objects_of(oldest, kind))
             : objects_swung(state, kind);
    double slack = VAGUE[kind] * objects;
    if (kind == LG_NATIVE_MALLOC || kind == LG_NATIVE_MAPPED)
        slack +=
            BESIDE_TENSOR * rise_of(tensors_of(newest), tensors_of(oldest)) +
            BESIDE_ARROW * rise_of(arrows_of(newest), arrows_of(oldest));
    return slack;
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

// Returns by how much an allocator's memory that no object explains fell.
static int64_t
fall_of(const lg__comparison *state, const lg_growth *growth,
        lg_native_kind kind)
{
    const int64_t *each = growth->native[kind];
    int64_t last = each[state->count - 1];
    return last >= 0 && each[0] > last ? each[0] - last : 0;
}

// Returns by how much that of the other allocator fell: which of the two has a
// part of an object is not always known.
static int64_t
fall_beside(const lg__comparison *state, const lg_growth *growth,
            lg_native_kind kind)
{
    return kind == LG_NATIVE_SMALL    ? fall_of(state, growth, LG_NATIVE_MALLOC)
           : kind == LG_NATIVE_MALLOC ? fall_of(state, growth, LG_NATIVE_SMALL)
                                      : 0;
}

// Returns the least growth that counts. Each thread may be in the middle of a
// call that has as much for a moment. Until snapshots list native memory, that
// does not matter: they only say that it should be listed.
static int64_t
least_of(const lg__comparison *state, const lg_growth *growth,
         lg_native_kind kind)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    int64_t threads = (int64_t)lg__summary_tallied(newest, LG_TALLY_THREAD);
    bool calls = kind == LG_NATIVE_MALLOC && growth->has_native && threads > 1;
    return calls ? threads * LEAST[kind] : LEAST[kind];
}

// Returns whether the process has become larger by most of what malloc keeps: a
// program that frees what it has makes no new pages. Where other things grow
// much faster, what malloc keeps is their by-product.
static bool
is_resident(const lg__comparison *state, const lg_growth *growth,
            lg_native_kind kind, int64_t gained)
{
    enum { LEAST_RESIDENT_PART = 2, LEAST_CAUSE = 4 };
    const int64_t *rss = growth->accounts[LG_ACCOUNT_RSS];
    uint32_t last = state->count - 1;
    return kind != LG_NATIVE_FREE ||
           (rss[0] >= 0 && rss[last] >= 0 &&
            (rss[last] - rss[0]) * LEAST_RESIDENT_PART >= gained &&
            rss[last] - rss[0] <= gained * LEAST_CAUSE);
}

// Returns what all garbage of a summary keeps.
static int64_t
garbage_of(const lg_summary *summary)
{
    const lg_places *places = summary->places;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < places->items.count; i++)
        if (lg__place_at(places, i)->kind == LG_PLACE_GARBAGE)
            sum += lg_bytes_sum(lg__place_retained(places, i), places->each);
    return (int64_t)sum;
}

// Returns whether the memory goes with garbage that waits for the collector,
// and gained several times as much in each interval: objects of libraries have
// some that no pointer shows. A leak goes on when the collector has run.
static bool
goes_with_garbage(const lg__comparison *state, const int64_t *numbers)
{
    enum { PART = 4 };
    if (!state->is_waiting)
        return false;
    int64_t before = garbage_of(state->summaries[0]);
    for (uint32_t i = 1; i < state->count; i++) {
        int64_t garbage = garbage_of(state->summaries[i]);
        if ((numbers[i] - numbers[i - 1]) * PART > garbage - before)
            return false;
        before = garbage;
    }
    return true;
}

static bool
is_growing(lg__comparison *state, const lg_growth *growth, lg_native_kind kind)
{
    const int64_t *numbers = growth->native[kind];
    uint32_t last = state->count - 1;
    for (uint32_t i = 0; i <= last; i++) {
        if (numbers[i] < 0)
            return false;
        state->y[i] = (double)numbers[i];
    }
    int64_t gained = numbers[last] - numbers[0];
    int64_t more = gained - fall_beside(state, growth, kind);
    return more >= least_of(state, growth, kind) &&
           (uint64_t)more >= state->options.min_bytes &&
           (double)more >= slack_of(state, kind) &&
           is_resident(state, growth, kind, more) &&
           lg__trend_of(state->x, state->y, state->count) == LG__TREND_GROWS &&
           is_steady(state, gained) && !goes_with_garbage(state, numbers);
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
                           .losers = LG_NONE,
                           .place = LG_NONE,
                           .key = key_of(kind),
                           .type = {text, (uint32_t)strlen(text)},
                           .types = 1,
                           .node = LG_NONE};
    lg__growth_rate(state, bytes, lg__growth_slope(state, bytes), row);
    out->native_gained += row->gained;
    return true;
}

bool
lg__growth_native(lg__comparison *state, lg_growth *out)
{
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++)
        if (is_growing(state, out, (lg_native_kind)kind) &&
            !add_row(state, (lg_native_kind)kind, out))
            return false;
    return true;
}

static lg_string
top_type(const lg_places *places, uint32_t place)
{
    return lg__places_text(places, lg__place_top(places, place)->type);
}

bool
lg__growth_is_type_of_blocks(lg_string type)
{
    return lg__string_contains(type, "-byte block") ||
           lg__string_contains(type, "::");
}

bool
lg__growth_is_of_objects(const lg__comparison *state, const lg_growth_row *row)
{
    return row->node != LG_NONE
               ? !lg__node_is_block(state->analysis->graph, row->node)
               : !lg__growth_is_type_of_blocks(row->type);
}

// Whether the members are nodes of the graph, whose references are counted.
static bool
is_counted(const lg__comparison *state, const lg_growth_row *row)
{
    return lg__growth_is_of_objects(state, row) &&
           !lg__string_contains(row->type, LG__NATIVE_HIDDEN);
}

// Pointers do not tell everything: a snapshot may find none to a block that is
// held, and libraries fill tables of their own. So what C code keeps for itself
// or has lost counts from the same size on as memory that no object explains.
// By as much as that fell, blocks were in use before any pointer led to them. A
// place that begins with a block, or with a hidden object in one, has several
// native holders.
bool
lg__growth_is_vague(const lg__comparison *state, const lg_growth *growth,
                    const lg_growth_row *row)
{
    if (row->place == LG_NONE || row->verdict == LG_GROWTH_NATIVE)
        return false;
    lg_string top = top_type(state->newest, row->place);
    bool lost = lg__string_is(top, LG__NATIVE_LOST);
    if ((lost && is_counted(state, row)) ||
        (!lg__place_is_native(state->newest, row->place) &&
         !lg__string_contains(top, "-byte block") &&
         !lg__string_begins(top, LG__NATIVE_HIDDEN)))
        return false;
    int64_t gained = row->gained - fall_of(state, growth, LG_NATIVE_SMALL) -
                     fall_of(state, growth, LG_NATIVE_MALLOC);
    // A library that takes its buffers once leaves a jump.
    bool jumped =
        row->degree == LG_GROWTH_LATE || row->degree == LG_GROWTH_IDLE;
    return jumped || gained < LEAST[LG_NATIVE_MALLOC] ||
           (lost && (double)gained < VAGUE[LG_NATIVE_MALLOC] *
                                         (double)growth->objects_gained);
}

bool
lg__place_is_native(const lg_places *places, uint32_t place)
{
    static const char *const tops[] = {LG__NATIVE_LOST, LG__NATIVE_VARIABLES,
                                       LG__NATIVE_STACKS, LG__NATIVE_LOCALS,
                                       LG__NATIVE_ELSEWHERE};
    lg_string type = top_type(places, place);
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        if (lg__string_is(type, tops[i]))
            return true;
    return false;
}

// Returns what helps if the buffer of itertools.tee() has the place, or NULL.
static const char *
fix_of_tee(const lg_places *places, uint32_t place)
{
    uint32_t above = lg__place_at(places, place)->parent;
    lg_string type =
        above == LG_NONE
            ? (lg_string){"", 0}
            : lg__places_text(places, lg__place_at(places, above)->type);
    return lg__string_is(type, "itertools._tee") ||
                   lg__string_is(type, LG__PIECE)
               ? "itertools.tee() keeps what one of its iterators has read and "
                 "another has not. Read them in step, let go of one that "
                 "nobody reads, or make a list if each reads all."
               : NULL;
}

static const char *
fix_of_place(const lg__comparison *state, const lg_growth_row *row)
{
    lg_string type = top_type(state->newest, row->place);
    if (lg__string_is(type, LG__NATIVE_LOST) &&
        lg__growth_is_of_objects(state, row))
        return "No pointer in the process leads to these objects, and yet "
               "their counts of references are not 0: C code has not given "
               "references back. Look for a missing Py_DECREF in the extension "
               "that makes them.";
    if (lg__string_is(type, LG__NATIVE_LOST))
        return "No pointer in the process leads to these blocks: C code has "
               "lost them, or finds them without a pointer. If objects become "
               "more at the same rate, close these and see whether the blocks "
               "go. Otherwise run the program under memray run --native to "
               "see the line that allocates them, and report it to the "
               "library.";
    return lg__string_is(type, LG__NATIVE_VARIABLES)
               ? "The library keeps them for the whole process. See its manual "
                 "for a limit, or for a function that lets go of them."
               : fix_of_tee(state->newest, row->place);
}

static const char *
fix_of_native(const lg_growth_row *row)
{
    return row->each_in_step > 0
               ? "If these objects should be gone, close them and let go of "
                 "them: what C libraries allocated for them probably goes, too."
               : lg_native_kind_fix(row->native);
}

void
lg__growth_set_fixes(const lg__comparison *state, lg_growth *out)
{
    for (size_t i = 0; i < out->count; i++) {
        lg_growth_row *row = &out->rows[i];
        row->fix = row->verdict == LG_GROWTH_NATIVE ? fix_of_native(row)
                                                    : fix_of_place(state, row);
    }
}

bool
lg_growth_needs_native(const lg_growth *growth)
{
    for (size_t i = 0; i < growth->count && !growth->has_native; i++) {
        const lg_growth_row *row = &growth->rows[i];
        bool nameless =
            row->verdict == LG_GROWTH_NATIVE &&
            (row->native == LG_NATIVE_MALLOC || row->native == LG_NATIVE_SMALL);
        if (!row->minor && (nameless || row->each_in_step > 0))
            return true;
    }
    return false;
}
