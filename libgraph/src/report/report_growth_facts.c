// Writes what a comparison reports besides its rows: types, accounts, findings,
// cycles, tensors, figures and threads, and whether it passed a check.
#include "report/report_growth_facts.h"

#include <leakgraph/internal/wording.h>

#include <inttypes.h>

static int64_t
over(const lg_growth *growth)
{
    int64_t gained = lg_growth_kept(growth);
    return gained > growth->max_growth ? gained - growth->max_growth : 0;
}

// Puts the growing places into a list. `shown`: formats bytes for people.
static void
put_places(lg_table *list, const lg_growth *growth, const lg_graph *graph,
           bool shown)
{
    for (size_t i = 0; i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        lg_text place = {0};
        lg_text holder = {0};
        if (row->degree > LG_GROWTH_IDLE)
            continue;
        lg_text_addf(&place, "%016" PRIx64, row->key);
        lg__format_growth_holder(growth, graph, row, &holder);
        lg__table_row(list);
        if (shown)
            lg__put_count(list, 0,
                          (uint64_t)(row->gained < 0 ? 0 : row->gained));
        else
            lg__put_number(list, 0, row->gained);
        lg__put_formatted(list, 1, &place);
        lg__put_formatted(list, 2, &holder);
    }
}

enum { PASSED, MAX_GROWTH, KEPT, OVER, FAILED, CHECKED };

static const lg_field place_fields[] = {
    {"gained", NULL, "bytes", LG_COLUMN_NUMBER, .together = true},
    {"place", NULL, "as in a row", .together = true},
    {"held_by", NULL, "as in a row", LG_COLUMN_PATH, .together = true},
    {0},
};

static const lg_field check_fields[CHECKED + 1] = {
    [PASSED] = {"passed", NULL, NULL, LG_COLUMN_BOOL, .together = true},
    [MAX_GROWTH] = {"max_growth", NULL, NULL, LG_COLUMN_NUMBER,
                    .together = true},
    [KEPT] = {"gained", NULL, NULL, LG_COLUMN_NUMBER, .together = true},
    [OVER] = {"over", NULL, NULL, LG_COLUMN_NUMBER, .together = true},
    [FAILED] = {"failed", NULL, NULL, LG_COLUMN_LIST, .inner = place_fields},
};

// Adds the result of lg_growth_check as a record, if it was asked for.
static void
put_check(lg_table *facts, size_t column, const lg_growth *growth,
          const lg_graph *graph)
{
    const lg_ask ask = {.graph = graph};
    const lg_field fact = {.inner = check_fields};
    if (!growth->is_checked)
        return;
    lg_table *check = lg__put_empty_list(&ask, growth, &fact, facts, column);
    lg__table_row(check);
    lg__put_bool(check, PASSED, over(growth) == 0);
    lg__put_number(check, MAX_GROWTH, growth->max_growth);
    lg__put_number(check, KEPT, lg_growth_kept(growth));
    lg__put_number(check, OVER, over(growth));
    lg_table *list =
        lg__put_empty_list(&ask, growth, &check_fields[FAILED], check, FAILED);
    if (over(growth) > 0)
        put_places(list, growth, graph, false);
}

static void
format_verdict(const lg_growth *growth, lg_text *out)
{
    lg_text_add(out,
                over(growth) > 0 ? "\nCheck failed: " : "\nCheck passed: ");
    lg_text_add_change(out, (double)lg_growth_kept(growth));
    lg_text_add(out, " in all, and the limit is ");
    lg_text_add_change(out, (double)growth->max_growth);
    lg_text_add(out, ".\n");
    if (over(growth) == 0)
        return;
    lg_text_add(out, "These places grew by ");
    lg_text_add_size(out, (uint64_t)over(growth));
    lg_text_add(out, " too much:\n");
}

void
lg__format_growth_check(lg_table *table, const lg_growth *growth,
                        const lg_graph *graph)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_BYTES, .shown_in = LG__SHOWN,
         .least = 12},
        {NULL, "place", .shown_in = LG__SHOWN, .gap = 2},
        {NULL, "held by", .type = LG_COLUMN_PATH, .shown_in = LG__SHOWN,
         .gap = 2},
    };
    lg_text above = {0};
    if (!growth->is_checked)
        return;
    format_verdict(growth, &above);
    lg_table *part =
        lg__table_part(table, (lg__layout){.shown_in = LG__SHOWN}, columns, 3);
    lg__table_format_above(part, &above);
    if (over(growth) > 0)
        put_places(part, growth, graph, true);
}

// Most rows of types, and tallies to show.
enum { TYPES_SHOWN = 5, TALLIES_SHOWN = 10 };
// What gained less is noise unless there is more of it: each call leaves a
// thread other numbers.
enum { LEAST_MORE = 4 << 10 };

enum {
    SNAPSHOTS,
    IS_GROWING,
    NEEDS_NATIVE,
    SETTLED,
    KNOWN,
    ELSEWHERE,
    GAINED,
    EXPLAINED,
    NATIVE_GAINED,
    NOTE,
    UNEXPLAINED,
    UNEXPLAINED_MALLOC,
    UNEXPLAINED_SMALL,
    CHECK,
    ACCOUNTS,
    TYPES,
    STEPS,
    AREAS,
    TALLIES,
    FACTS = TALLIES + LG_TALLY_COUNT,
};

const lg_field lg__sizes_of_list[] = {
    {.name = "", .type = LG_COLUMN_SIZE},
    {0},
};
const lg_field lg__paths_of_list[] = {
    {.name = "", .type = LG_COLUMN_PATH},
    {0},
};
static const lg_field reals_of_list[] = {
    {.name = "", .type = LG_COLUMN_REAL},
    {0},
};

static const lg_field type_fields[] = {
    {"name", NULL, "module and qualified name of the type", .together = true},
    {"counts", NULL, "number of objects in each snapshot", LG_COLUMN_NUMBERS,
     .together = true},
    {"bytes", NULL, "their shallow sizes together in each snapshot",
     LG_COLUMN_LIST, .inner = lg__sizes_of_list},
    {"gained", NULL, "bytes of the last snapshot less those of the first",
     LG_COLUMN_NUMBER, .together = true},
    {0},
};

static const lg_field account_fields[] = {
    {"name", NULL, "`objects`, `rss`, `malloc`, `arenas`", .together = true},
    {"bytes", NULL, "in each snapshot", LG_COLUMN_NUMBERS, .together = true},
    {"gained", NULL, "bytes of the last snapshot less those of the first",
     LG_COLUMN_NUMBER, .together = true},
    {0},
};

static const lg_field area_fields[] = {
    {"kind", NULL, "`objects`, `leak` or `unexplained`", .together = true},
    {"row", NULL, "index of the row that it shows, or None", LG_COLUMN_COUNT,
     .optional = true},
    {"bytes", NULL, "in each snapshot", LG_COLUMN_NUMBERS, .together = true},
    {0},
};

static const lg_field tally_fields[] = {
    {"name", NULL,
     "a pattern, the hops of a cycle, a kind of tensors, the name of a thread "
     "without its number",
     .together = true},
    {"detail", NULL,
     "of a cycle: `collectable`, or why the collector cannot free it; else "
     "empty",
     .together = true},
    {"held_by", NULL, "of a finding: where to cut; else empty", LG_COLUMN_PATH,
     .together = true},
    {"counts", NULL, "how many in each snapshot; of a finding, what it keeps",
     LG_COLUMN_NUMBERS, .together = true},
    {"bytes", NULL, "in each snapshot", LG_COLUMN_LIST,
     .inner = lg__sizes_of_list},
    {"gained", NULL, "bytes of the last snapshot less those of the first",
     LG_COLUMN_NUMBER, .together = true},
    {"is_new", NULL, "whether the first snapshot has none", LG_COLUMN_BOOL,
     .together = true},
    {"is_growing", NULL, "whether they grow and do not stop", LG_COLUMN_BOOL,
     .together = true},
    {0},
};

#define FACT(member) .offset = offsetof(lg_growth, member)
#define TALLIES_OF(name, help)                                                 \
    {                                                                          \
        name, NULL, help, LG_COLUMN_LIST,                                      \
            .together = true, .inner = tally_fields, .row = "GrowthTally"      \
    }

const lg_field lg__growth_facts[] = {
    [SNAPSHOTS] = {"snapshots", NULL, "how many were compared", LG_COLUMN_COUNT,
                   .together = true},
    [IS_GROWING] = {"is_growing", NULL, "whether a row still grows",
                    LG_COLUMN_BOOL, .together = true},
    [NEEDS_NATIVE] = {"needs_native", NULL,
                      "whether memory of C code grows whose holder snapshots "
                      "with native=True would name",
                      LG_COLUMN_BOOL, .together = true},
    [SETTLED] = {"settled", NULL,
                 "how many rows were left out, because they grew and stopped",
                 LG_COLUMN_COUNT, FACT(settled)},
    [KNOWN] = {"known", NULL, "how many the baseline knows, which are left out",
               LG_COLUMN_COUNT, FACT(known)},
    [ELSEWHERE] = {"elsewhere", NULL,
                   "how many rows the chosen modules do not hold, which are "
                   "left out",
                   LG_COLUMN_COUNT, FACT(elsewhere)},
    [GAINED] = {"gained", NULL,
                "bytes that all objects together gained, on the host and all "
                "devices",
                LG_COLUMN_NUMBER, .together = true},
    [EXPLAINED] = {"explained", NULL,
                   "how many of these bytes the rows explain", LG_COLUMN_NUMBER,
                   .together = true},
    [NATIVE_GAINED] = {"native_gained", NULL,
                       "bytes that rows gained besides: memory of C code that "
                       "is no object",
                       LG_COLUMN_NUMBER, .together = true},
    [NOTE] = {"note", NULL,
              "lines: what is sorted, left out or not inspected, and why; or "
              "None",
              LG_COLUMN_TEXT, .together = true, .optional = true},
    [UNEXPLAINED] = {"unexplained", NULL,
                     "bytes by which memory in use grew more than objects did, "
                     "in malloc and in pymalloc; None: unknown",
                     LG_COLUMN_NUMBER, .together = true, .optional = true},
    [UNEXPLAINED_MALLOC] = {"unexplained_malloc", NULL,
                            "the part of `unexplained` in malloc: native "
                            "memory",
                            LG_COLUMN_NUMBER, .together = true,
                            .optional = true},
    [UNEXPLAINED_SMALL] = {"unexplained_small", NULL,
                           "the part of `unexplained` in pymalloc: ints, "
                           "floats and texts that are not objects of a "
                           "snapshot",
                           LG_COLUMN_NUMBER, .together = true,
                           .optional = true},
    [CHECK] = {"check", NULL,
               "the result of the check that the command was asked for, or "
               "None",
               LG_COLUMN_RECORD, .together = true, .optional = true,
               .inner = check_fields},
    [ACCOUNTS] = {"accounts", NULL,
                  "what the process has in each snapshot, as far as that is "
                  "known",
                  LG_COLUMN_LIST, .together = true, .inner = account_fields,
                  .row = "GrowthAccount"},
    [TYPES] = {"types", NULL, "the types with more bytes at the end",
               LG_COLUMN_LIST, .together = true, .inner = type_fields,
               .row = "GrowthType"},
    [STEPS] = {"steps", NULL, "the steps that were given", LG_COLUMN_LIST,
               .together = true, .inner = reals_of_list},
    [AREAS] = {"areas", NULL, "the areas of a chart of memory", LG_COLUMN_LIST,
               .together = true, .inner = area_fields, .row = "GrowthArea"},
    [TALLIES + LG_TALLY_FINDING] = TALLIES_OF(
        "findings", "findings of the newest snapshot, similar ones together"),
    [TALLIES + LG_TALLY_CYCLE] = TALLIES_OF(
        "cycles", "cycles that no root reaches, by their hops around"),
    [TALLIES + LG_TALLY_TENSOR] =
        TALLIES_OF("tensors", "storages of torch, by kind"),
    [TALLIES + LG_TALLY_FIGURE] =
        TALLIES_OF("figures", "figures of matplotlib"),
    [TALLIES + LG_TALLY_THREAD] =
        TALLIES_OF("threads", "threads, by name without numbers"),
    [FACTS] = {0},
};

// Puts the list of a fact without rows.
static lg_table *
put_list(const lg_growth *growth, lg_table *facts, size_t column)
{
    const lg_ask ask = {0};
    return lg__put_empty_list(&ask, growth, &lg__growth_facts[column], facts,
                              column);
}

static void
put_types(const lg_growth *growth, lg_table *facts, size_t column)
{
    lg_table *list = put_list(growth, facts, column);
    for (size_t i = 0; i < growth->type_count; i++) {
        const lg_growth_type *type = &growth->types[i];
        lg__table_row(list);
        lg__put_string(list, 0, type->name);
        lg__put_numbers(list, 1, type->counts, growth->snapshots);
        lg__put_sizes(list, 2, growth, type->bytes);
        lg__put_number(list, 3, type->gained);
    }
}

static bool
is_known(const lg_growth *growth, const int64_t *bytes)
{
    for (uint32_t i = 0; i < growth->snapshots; i++)
        if (bytes[i] < 0)
            return false;
    return true;
}

static void
put_accounts(const lg_growth *growth, lg_table *facts, size_t column)
{
    lg_table *list = put_list(growth, facts, column);
    for (int i = 0; i < LG_ACCOUNT_COUNT; i++) {
        const int64_t *bytes = growth->accounts[i];
        if (!is_known(growth, bytes))
            continue;
        lg__table_row(list);
        lg__put_literal(list, 0,
                        lg_growth_account_name((lg_growth_account_kind)i));
        lg__put_numbers(list, 1, (const uint64_t *)bytes, growth->snapshots);
        lg__put_number(list, 2, bytes[growth->snapshots - 1] - bytes[0]);
    }
}

static void
put_steps(const lg_growth *growth, lg_table *facts, size_t column)
{
    lg_table *list = put_list(growth, facts, column);
    for (uint32_t i = 0; growth->has_steps && i < growth->snapshots; i++) {
        lg__table_row(list);
        lg__put_real(list, 0, growth->steps[i]);
    }
}

// Adds the areas of the chart of memory.
static void
put_areas(const lg_growth *growth, lg_table *facts, size_t column)
{
    lg_growth_areas areas = {0};
    lg_table *list = put_list(growth, facts, column);
    if (lg_growth_areas_find(growth, &areas, NULL) != LG_OK) {
        if (facts != NULL)
            facts->failed = true;
        return;
    }
    for (size_t i = 0; i < areas.count; i++) {
        lg__table_row(list);
        lg__put_literal(list, 0, lg_area_kind_name(areas.items[i].kind));
        if (areas.items[i].row != SIZE_MAX)
            lg__put_count(list, 1, areas.items[i].row);
        lg__put_numbers(list, 2, areas.items[i].bytes, growth->snapshots);
    }
    lg_growth_areas_free(&areas);
}

// Returns whether the last step of a place has no name: it is that of all that
// several objects hold, and is called after most of them.
static bool
is_nameless(const lg_growth *growth, uint32_t place)
{
    lg_place at = lg_places_at(growth->places, place);
    return at.kind == LG_PLACE_SEVERAL ||
           (at.kind == LG_PLACE_ROOT && at.label.length == 0);
}

// Writes who holds what a finding keeps: a place, or the holder of the row that
// it belongs to. Writes nothing if neither is known.
static void
format_finding_holder(const lg_growth *growth, const lg_graph *newest,
                      const lg_growth_tally *tally, lg_text *out)
{
    uint32_t place = tally->holder != 0
                         ? lg_places_find(growth->places, tally->holder)
                         : LG_NONE;
    if (place == LG_NONE)
        return;
    if (tally->row != LG_NONE && is_nameless(growth, place))
        lg__format_growth_holder(growth, newest, &growth->rows[tally->row],
                                 out);
    else
        lg_place_format(growth->places, place, out);
}

static void
put_tallies(const lg_growth *growth, const lg_graph *newest, lg_tally_kind kind,
            lg_table *facts)
{
    lg_table *list = put_list(growth, facts, TALLIES + (size_t)kind);
    for (size_t i = 0; i < growth->tally_count; i++) {
        const lg_growth_tally *tally = &growth->tallies[i];
        lg_text holder = {0};
        if (tally->kind != kind)
            continue;
        lg__table_row(list);
        lg__put_string(list, 0, tally->name);
        lg__put_string(list, 1, tally->detail);
        format_finding_holder(growth, newest, tally, &holder);
        if (holder.length > 0)
            lg__put_formatted(list, 2, &holder);
        lg__put_numbers(list, 3, tally->counts, growth->snapshots);
        lg__put_sizes(list, 4, growth, tally->bytes);
        lg__put_number(list, 5, tally->gained);
        lg__put_bool(list, 6, tally->is_new);
        lg__put_bool(list, 7, tally->is_growing);
    }
}

void
lg__put_growth_facts(const lg_ask *ask, const void *answer, lg_table *facts)
{
    const lg_growth *growth = answer;
    const lg_graph *newest = ask->graph;
    lg__put_count(facts, SNAPSHOTS, growth->snapshots);
    lg__put_bool(facts, IS_GROWING, lg_growth_growing(growth) > 0);
    lg__put_bool(facts, NEEDS_NATIVE, lg_growth_needs_native(growth));
    lg__put_number(facts, GAINED, growth->objects_gained);
    lg__put_number(facts, EXPLAINED, growth->told_gained);
    lg__put_number(facts, NATIVE_GAINED, growth->native_gained);
    if (growth->note != NULL && growth->note[0] != '\0')
        lg__put_literal(facts, NOTE, growth->note);
    if (growth->unexplained_known || growth->unexplained_small_known)
        lg__put_number(facts, UNEXPLAINED, growth->unexplained);
    if (growth->unexplained_known)
        lg__put_number(facts, UNEXPLAINED_MALLOC, growth->unexplained_malloc);
    if (growth->unexplained_small_known)
        lg__put_number(facts, UNEXPLAINED_SMALL, growth->unexplained_small);
    put_check(facts, CHECK, growth, newest);
    put_accounts(growth, facts, ACCOUNTS);
    put_types(growth, facts, TYPES);
    put_steps(growth, facts, STEPS);
    put_areas(growth, facts, AREAS);
    for (int kind = 0; kind < LG_TALLY_COUNT; kind++)
        put_tallies(growth, newest, (lg_tally_kind)kind, facts);
}

// Writes in which allocators unexplained growth lies, if two are known.
static void
format_parts(const lg_growth *growth, lg_text *out)
{
    const int64_t in_malloc = growth->unexplained_malloc;
    const int64_t in_small = growth->unexplained_small;
    if (!growth->unexplained_known || !growth->unexplained_small_known)
        return;
    lg_text_add(out, " (");
    if (in_malloc != 0) {
        lg_text_add(out, "malloc ");
        lg_text_add_change(out, (double)in_malloc);
    }
    lg_text_add(out, in_malloc != 0 && in_small != 0 ? ", " : "");
    if (in_small != 0) {
        lg_text_add(out, "small blocks of Python ");
        lg_text_add_change(out, (double)in_small);
    }
    lg_text_add(out, ")");
}

// Writes the accounts that have changed.
static void
format_gains(const lg_growth *growth, lg_text *out)
{
    static const char *const words[LG_ACCOUNT_COUNT] = {
        [LG_ACCOUNT_OBJECTS] = "objects",
        [LG_ACCOUNT_RSS] = "resident memory",
        [LG_ACCOUNT_MALLOC] = "malloc",
        [LG_ACCOUNT_ARENAS] = "Python's arenas",
    };
    bool any = false;
    for (int i = 0; i < LG_ACCOUNT_COUNT; i++) {
        const int64_t *bytes = growth->accounts[i];
        int64_t gained = bytes[growth->snapshots - 1] - bytes[0];
        if (!is_known(growth, bytes) || gained == 0)
            continue;
        lg_text_add(out, any ? " · " : "in all: ");
        lg_text_add(out, words[i]);
        lg_text_add(out, " ");
        lg_text_add_change(out, (double)gained);
        any = true;
    }
    lg_text_add(out, any ? "\n" : "");
}

static void
format_accounts(const lg_growth *growth, lg_text *out)
{
    format_gains(growth, out);
    if (growth->unexplained_malloc == 0 && growth->unexplained_small == 0)
        return;
    lg_text_add(out, "growth that no object explains: ");
    lg_text_add_change(out, (double)growth->unexplained);
    format_parts(growth, out);
    lg_text_add(out, "\n");
    if (lg_growth_needs_native(growth))
        lg_text_add(out, "snapshots with native=True (--native) say who holds "
                         "the memory of C code\n");
}

// Writes `and 3 smaller: +1.07 KiB`.
static void
format_minor(const lg_growth *growth, lg_text *out)
{
    size_t count = 0;
    int64_t gained = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].minor) {
            gained += growth->rows[i].gained;
            count++;
        }
    if (count == 0)
        return;
    lg_text_add(out, "and ");
    lg_text_add_count(out, count);
    lg_text_add(out, " smaller: ");
    lg_text_add_change(out, (double)gained);
    lg_text_add(out, "\n");
}

// Places that settled are worth a line if they gained this much together,
// unless the caller asks for less, and this share of what all objects gained.
// Every program has some that gained less.
enum { SETTLED_BYTES = 64 << 10, SETTLED_SHARE = 100 };

static bool
settled_enough(const lg_growth *growth)
{
    return (growth->min_bytes > 0 || growth->settled_gained >= SETTLED_BYTES) &&
           growth->settled_gained >= growth->objects_gained / SETTLED_SHARE;
}

// Says how many places the rows leave out because they have settled.
static void
format_settled(const lg_ask *ask, const lg_growth *growth, lg_text *out)
{
    const bool one = growth->settled == 1;
    if (growth->settled == 0 || !settled_enough(growth))
        return;
    lg_text_add_count(out, growth->settled);
    lg_text_add(out, one ? " place has settled or fills up to a limit"
                         : " places have settled or fill up to a limit");
    lg__add_remedy(ask,
                   one ? ": settled=True or --settled gives it a row"
                       : ": settled=True or --settled gives them rows",
                   one ? ": the first box above gives it a row"
                       : ": the first box above gives them rows",
                   out);
    lg_text_add(out, "\n");
}

static void
format_below(lg_table *table, const lg_ask *ask, const lg_growth *growth)
{
    lg_text said = {0};
    const char *caveat = lg_growth_caveat(growth);
    format_minor(growth, &said);
    lg_text_add(&said, "\n");
    lg_text_add(&said, growth->note != NULL ? growth->note : "");
    if (growth->elsewhere > 0) {
        lg_text_add_count(&said, growth->elsewhere);
        lg_text_add(&said, growth->elsewhere == 1
                               ? " row that the chosen modules do not hold is "
                                 "left out\n"
                               : " rows that the chosen modules do not hold "
                                 "are left out\n");
    }
    if (growth->known > 0) {
        lg_text_add_count(&said, growth->known);
        lg_text_add(&said, growth->known == 1
                               ? " row that the baseline knows is left out\n"
                               : " rows that the baseline knows are left "
                                 "out\n");
    }
    if (caveat != NULL && growth->count > 0)
        lg_text_addf(&said, "%s: compare three or more\n", caveat);
    format_settled(ask, growth, &said);
    format_accounts(growth, &said);
    if (said.length == 1 && !said.failed)
        lg_text_free(&said);
    lg__table_format_below(table, &said);
}

static void
add_types(lg_table *table, const lg_growth *growth)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_SIZE, .shown_in = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .shown_in = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "type", .shown_in = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    if (growth->type_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.shown_in = LG__SHOWN}, columns, 3);
    lg_text_add(&above, "\nTypes that grew the most:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < growth->type_count && i < TYPES_SHOWN; i++) {
        lg_text counts = {0};
        lg__table_row(part);
        lg__put_gain(part, 0, growth, growth->types[i].bytes);
        lg__format_series(growth->types[i].counts, growth->snapshots, &counts);
        lg__put_formatted(part, 1, &counts);
        lg__put_string(part, 2, growth->types[i].name);
    }
}

// Returns whether a thing increased, or is new.
static bool
is_more(const lg_growth *growth, const lg_growth_tally *tally)
{
    return tally->is_new || tally->gained >= LEAST_MORE ||
           tally->counts[growth->snapshots - 1] > tally->counts[0];
}

// Writes `activation tensors`. Other kinds come before a name.
static void
format_subject(const lg_growth_tally *tally, lg_text *out)
{
    static const char *const words[LG_TALLY_COUNT] = {
        [LG_TALLY_FINDING] = "finding ", [LG_TALLY_CYCLE] = "cycle ",
        [LG_TALLY_TENSOR] = "",          [LG_TALLY_FIGURE] = "",
        [LG_TALLY_THREAD] = "threads ",
    };
    lg_text_add(out, words[tally->kind]);
    lg__text_add_string(out, tally->name);
    lg_text_add(out, tally->kind == LG_TALLY_TENSOR ? " tensors" : "");
}

// Writes the rate since the first snapshot that has the finding. What was there
// before was too little to be a mistake, but not nothing.
static void
format_rate(const lg_growth *growth, const lg_growth_tally *tally, lg_text *out)
{
    const size_t each = (size_t)growth->devices + 1;
    const uint32_t last = growth->snapshots - 1;
    uint32_t first = 0;
    while (first < last && tally->counts[first] == 0)
        first++;
    if (first == last)
        return;
    double span = growth->has_steps ? growth->steps[last] - growth->steps[first]
                                    : last - first;
    double gained = (double)lg_bytes_sum(tally->bytes + last * each, each) -
                    (double)lg_bytes_sum(tally->bytes + first * each, each);
    lg_text_add(out, ", ");
    lg_text_add_change(out, gained / span);
    lg_text_addf(out, " %s", lg_growth_unit_text(growth->unit));
    if (first > 0 && growth->has_steps) {
        lg_text_add(out, " since step ");
        lg_text_add_fixed(out, growth->steps[first], 0);
    } else if (first > 0)
        lg_text_addf(out, " since snapshot %u", first + 1);
}

// Writes `finding loss-history: __main__.losses`.
static void
format_tally(const lg_growth *growth, const lg_graph *newest,
             const lg_growth_tally *tally, lg_text *out)
{
    lg_text holder = {0};
    lg_text_add(out, tally->is_new ? "new " : "");
    format_subject(tally, out);
    if (tally->detail.length > 0) {
        lg_text_add(out, " (");
        lg__text_add_string(out, tally->detail);
        lg_text_add(out, ")");
    }
    format_finding_holder(growth, newest, tally, &holder);
    if (holder.length > 0)
        lg_text_addf(out, ": %s", holder.data);
    out->failed |= holder.failed;
    lg_text_free(&holder);
    if (tally->row != LG_NONE) // only findings are about rows
        format_rate(growth, tally, out);
}

static void
put_tally(lg_table *part, const lg_growth *growth, const lg_graph *newest,
          const lg_growth_tally *tally, bool more)
{
    uint32_t last = growth->snapshots - 1;
    lg_text counts = {0};
    lg_text what = {0};
    lg__table_row(part);
    if (more)
        lg__put_gain(part, 0, growth, tally->bytes);
    else
        lg__put_each(part, 0, tally->bytes + last * (growth->devices + 1));
    if (more)
        lg__format_series(tally->counts, growth->snapshots, &counts);
    else
        lg_text_add_count(&counts, tally->counts[last]);
    lg__put_formatted(part, 1, &counts);
    format_tally(growth, newest, tally, &what);
    lg__put_formatted(part, 2, &what);
}

static lg_table *
start_tallies(lg_table *table, bool more)
{
    const lg__column columns[] = {
        {NULL, more ? "gained" : "keeps", .type = LG_COLUMN_SIZE,
         .shown_in = LG__SHOWN, .least = 12},
        {NULL, "number", .shown_in = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "what", .shown_in = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    lg_table *part =
        lg__table_part(table, (lg__layout){.shown_in = LG__SHOWN}, columns, 3);
    lg_text_add(&above, more ? "\nFindings, cycles, tensors, figures and "
                               "threads that grew:\n"
                             : "\nFindings that do not grow:\n");
    lg__table_format_above(part, &above);
    return part;
}

// Adds what increased, or, without `more`, known mistakes that do not grow.
static void
add_tallies(lg_table *table, const lg_growth *growth, const lg_graph *newest,
            bool more)
{
    lg_table *part = NULL;
    for (size_t i = 0, left = TALLIES_SHOWN;
         i < growth->tally_count && left > 0; i++) {
        const lg_growth_tally *tally = &growth->tallies[i];
        if (is_more(growth, tally) != more ||
            (!more && tally->kind != LG_TALLY_FINDING))
            continue;
        if (part == NULL)
            part = start_tallies(table, more);
        put_tally(part, growth, newest, tally, more);
        left--;
    }
}

// Writes what grew and stopped, so that nobody takes a program that was idle
// for one that does not leak.

enum { STOPPED_SHOWN = 5 };

static void
put_row(lg_table *part, const lg_growth *growth, const lg_graph *newest,
        const lg_growth_row *row)
{
    lg_text counts = {0};
    lg_text what = {0};
    lg__format_series(row->counts, growth->snapshots, &counts);
    lg__format_growth_holder(growth, newest, row, &what);
    lg_text_add(&what, ": ");
    lg__format_growth_what(growth, row, &what);
    lg__table_row(part);
    lg__put_gain(part, 0, growth, row->bytes);
    lg__put_formatted(part, 1, &counts);
    lg__put_formatted(part, 2, &what);
}

// Adds what grew and stopped, the most bytes first.
static void
format_growth_stopped(lg_table *table, const lg_growth *growth,
                      const lg_graph *newest)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_SIZE, .shown_in = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .shown_in = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "what", .shown_in = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    if (growth->stopped_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.shown_in = LG__SHOWN}, columns, 3);
    lg_text_add(&above, "\nGrew and stopped:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < growth->stopped_count && i < STOPPED_SHOWN; i++)
        put_row(part, growth, newest, &growth->stopped[i]);
}

void
lg__format_growth_notes(lg_table *table, const lg_ask *ask,
                        const lg_growth *growth)
{
    format_below(table, ask, growth);
    format_growth_stopped(table, growth, ask->graph);
    add_types(table, growth);
    add_tallies(table, growth, ask->graph, true);
    add_tallies(table, growth, ask->graph, false);
}
