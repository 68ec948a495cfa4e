// Writes the first line of a comparison: what grows, and how much of what all
// objects gained is explained.
#include "report/report_growth_facts.h"

#include <leakgraph/internal/wording.h>

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
add_rows(const lg_growth *growth, const told *rows, lg_text *out)
{
    if (rows->growing > 0) {
        add_places(rows->growing, "grows", "grow", rows->gained, out);
    } else if (rows->uneven > 0) {
        add_places(rows->uneven, "grew, and is idle now",
                   "grew, and are idle now", rows->gained, out);
    } else {
        lg_text_add(out, "Nothing grows without a limit; ");
        add_places(rows->filling, "fills", "fill", rows->gained, out);
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

// Writes what is left if no row grows: that places grew and stopped, that
// objects gained bytes here and there, or that nothing grows.
static void
add_rest(const lg_growth *growth, lg_text *out)
{
    bool whole = !growth->scoped && growth->known == 0;
    size_t stopped = count_stopped(growth);
    if (whole && stopped > 0) {
        lg_text_add(out, "Nothing goes on growing; ");
        add_places(stopped, "grew and stopped", "grew and stopped",
                   growth->stopped_gained + growth->told_gained, out);
    } else if (whole && is_of_size(growth, growth->objects_gained)) {
        lg_text_add(out, "No place goes on growing; all objects together "
                         "gained ");
        lg_text_add_size(out, (uint64_t)growth->objects_gained);
    } else {
        lg_text_add(out, nothing_grows(growth));
    }
}

// Writes `; rows explain 61.9 MiB of 63.3 MiB`. With a scope or a baseline,
// rows are missing that would explain more.
static void
add_account(const lg_growth *growth, lg_text *out)
{
    int64_t rows = growth->told_gained;
    if (growth->scoped || growth->known > 0 || rows < 0 ||
        growth->objects_gained < LEAST_GAINED)
        return;
    lg_text_add(out, "; rows explain ");
    lg_text_add_size(out, (uint64_t)rows);
    lg_text_add(out, " of ");
    lg_text_add_size(out, (uint64_t)growth->objects_gained);
}

void
lg_growth_headline(const lg_growth *growth, lg_text *out)
{
    told rows = count_rows(growth);
    if (rows.growing + rows.uneven + rows.filling > 0) {
        add_rows(growth, &rows, out);
        add_account(growth, out);
    } else {
        add_rest(growth, out);
    }
}
