// Writes the first line of a comparison: what grows, and how much of what all
// objects gained is explained.
#include "report/report_growth_facts.h"

#include <leakgraph/internal/wording.h>

#include <string.h>

// Less is what any program gains while it runs.
static const int64_t LEAST_GAINED = 64 << 10;

// Returns whether so many bytes are worth a word: nobody asked for less.
static bool
is_of_size(const lg_growth *growth, int64_t gained)
{
    return gained >= LEAST_GAINED && (uint64_t)gained >= growth->min_bytes;
}

static const char *
nothing_grows(const lg_growth *growth)
{
    return growth->known > 0 ? "Nothing else grows"
           : growth->scoped  ? "Nothing that the chosen modules hold grows"
                             : "Nothing grows";
}

typedef struct told {
    size_t growing; // rows
    size_t uneven;  // rows that are idle
    size_t filling;
    int64_t gained; // bytes of the rows that the first line counts
} told;

static told
count_rows(const lg_growth *growth)
{
    told all = {.growing = lg_growth_growing(growth)};
    for (size_t i = 0; i < growth->count; i++) {
        all.uneven += growth->rows[i].degree == LG_GROWTH_IDLE;
        all.filling += growth->rows[i].degree == LG_GROWTH_FILLING;
    }
    for (size_t i = 0; i < growth->count; i++) {
        lg_growth_degree degree = growth->rows[i].degree;
        bool counted = all.growing > 0  ? degree < LG_GROWTH_IDLE
                       : all.uneven > 0 ? degree == LG_GROWTH_IDLE
                                        : degree == LG_GROWTH_FILLING;
        all.gained += counted ? growth->rows[i].gained : 0;
    }
    return all;
}

static void
add_places(size_t count, const char *one, const char *several, int64_t gained,
           lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " place " : " places ");
    lg_text_add(out, count == 1 ? one : several);
    lg_text_add(out, ": ");
    lg_text_add_change(out, (double)gained);
}

static void
add_filling(size_t count, int64_t gained, lg_text *out)
{
    lg_text_add(out, "Nothing grows without a limit; ");
    add_places(count, "fills", "fill", gained, out);
}

static void
add_rows(const lg_growth *growth, const told *rows, lg_text *out)
{
    if (rows->growing > 0) {
        add_places(rows->growing, "grows", "grow", rows->gained, out);
    } else if (rows->uneven > 0) {
        add_places(rows->uneven, "grew, and is idle now",
                   "grew, and are idle now", rows->gained, out);
    } else {
        add_filling(rows->filling, rows->gained, out);
    }
    lg_text_add(out, " in ");
    lg_text_add_count(out, growth->snapshots);
    lg_text_add(out, " snapshots");
    if (!growth->has_steps || growth->unit != LG_PER_SECOND)
        return;
    lg_text_add(out, " over ");
    lg_text_add_fixed(
        out, growth->steps[growth->snapshots - 1] - growth->steps[0], 1);
    lg_text_add(out, " s");
}

// Returns how many places grew and stopped: rows, or what they leave out.
static size_t
count_stopped(const lg_growth *growth)
{
    size_t stopped = growth->stopped_count;
    for (size_t i = 0; i < growth->count; i++)
        stopped += growth->rows[i].degree == LG_GROWTH_STOPPED &&
                   is_of_size(growth, growth->rows[i].gained);
    return stopped;
}

// Returns what garbage gained that the collector frees by itself.
static int64_t
gained_by_waiting(const lg_growth *growth)
{
    int64_t gained = 0;
    for (size_t i = 0; i < growth->stopped_count; i++)
        if (growth->stopped[i].reason == LG_GROWTH_WAITS)
            gained += growth->stopped[i].gained;
    return gained;
}

// Returns the type that gained most, of those whose objects become more in
// each interval, or NULL. What keeps many objects in one block, as
// itertools.tee() does, pauses from block to block, but its objects do not. A
// row whose number rises in each interval explains them: it fills something
// small. Garbage that waits for the collector explains most of them, too.
static const lg_growth_type *
find_rising(const lg_growth *growth)
{
    enum { LEAST_PART = 4 };
    int64_t all = growth->objects_gained;
    if (all <= 0 || gained_by_waiting(growth) > all - all / LEAST_PART)
        return NULL;
    for (size_t i = 0; i < growth->count; i++)
        if (lg_growth_rises(growth->rows[i].counts, growth->snapshots))
            return NULL;
    for (size_t i = 0; i < growth->type_count; i++) {
        const lg_growth_type *type = &growth->types[i];
        if (type->gained * LEAST_PART < all)
            return NULL;
        if (lg_growth_rises(type->counts, growth->snapshots))
            return type;
    }
    return NULL;
}

// Writes what all objects gained where no place shows how, and the type that
// becomes more all the time.
static void
add_objects(const lg_growth *growth, const lg_growth_type *rising, lg_text *out)
{
    lg_text_add(out, "No place goes on growing; all objects together gained ");
    lg_text_add_size(out, (uint64_t)growth->objects_gained);
    if (rising == NULL)
        return;
    lg_text_add(out, ", ");
    lg_text_add_size(out, (uint64_t)rising->gained);
    lg_text_add(out, " of it in objects of type ");
    lg__text_add_string(out, rising->name);
    lg_text_add(out, ", which become more in each interval");
}

// Returns whether what fills up to limits explains most of what all objects
// gained.
static bool
is_bounded(const lg_growth *growth)
{
    return growth->bounded > 0 &&
           2 * growth->bounded_gained >= growth->objects_gained;
}

// Writes what is left if no row grows: that places fill up, that objects of a
// type become more all the time, that places grew and stopped, that objects
// gained bytes here and there, or that nothing grows.
static void
add_rest(const lg_growth *growth, lg_text *out)
{
    bool whole = !growth->scoped && growth->known == 0;
    bool gained = whole && is_of_size(growth, growth->objects_gained);
    size_t stopped = whole ? count_stopped(growth) : 0;
    const lg_growth_type *rising =
        gained || stopped > 0 ? find_rising(growth) : NULL;
    if (gained && is_bounded(growth)) {
        add_filling(growth->bounded, growth->bounded_gained, out);
    } else if (stopped > 0 && rising == NULL) {
        lg_text_add(out, "Nothing goes on growing; ");
        add_places(stopped, "grew and stopped", "grew and stopped",
                   growth->stopped_gained + growth->told_gained, out);
    } else if (gained || rising != NULL) {
        add_objects(growth, rising, out);
    } else {
        lg_text_add(out, nothing_grows(growth));
    }
}

// Returns whether the first line has the same number already, with its sign.
static bool
is_said(int64_t gained, const lg_text *number, lg_text *out)
{
    lg_text said = {0};
    lg_text_add_change(&said, (double)gained);
    out->failed |= said.failed;
    bool same = !said.failed && strcmp(said.data + 1, number->data) == 0;
    lg_text_free(&said);
    return same;
}

// Writes `; rows explain 61.9 MiB of 63.3 MiB`: of objects, and of the native
// memory that rows have. If a reader sees no difference, one number is enough:
// that before it, unless rows have others within them. With a scope or a
// baseline, rows are missing that would explain more.
static void
add_account(const lg_growth *growth, int64_t said, lg_text *out)
{
    int64_t rows = growth->told_gained;
    int64_t all = growth->objects_gained;
    lg_text explained = {0};
    lg_text gained = {0};
    if (growth->scoped || growth->known > 0 || rows < 0 || all < LEAST_GAINED)
        return;
    lg_text_add_size(&explained, (uint64_t)(rows + growth->native_gained));
    lg_text_add_size(&gained, (uint64_t)(all + growth->native_gained));
    if (explained.failed || gained.failed)
        out->failed = true;
    else if (strcmp(explained.data, gained.data) != 0)
        lg_text_addf(out, "; rows explain %s of %s", explained.data,
                     gained.data);
    else if (is_said(said, &gained, out))
        lg_text_add(out, "; rows explain all that objects gained");
    else
        lg_text_addf(out, "; rows explain all of the %s that objects gained",
                     gained.data);
    lg_text_free(&explained);
    lg_text_free(&gained);
}

void
lg_growth_headline(const lg_growth *growth, lg_text *out)
{
    told rows = count_rows(growth);
    if (rows.growing + rows.uneven + rows.filling > 0) {
        add_rows(growth, &rows, out);
        add_account(growth, rows.gained, out);
    } else {
        add_rest(growth, out);
    }
}
