// Writes what grows, who holds it, and how fast, as a table.
#include "paths/paths_private.h"
#include "report/report_growth_facts.h"

#include <leakgraph/internal/findings.h>
#include <leakgraph/internal/wording.h>

#include <inttypes.h>
#include <string.h>

// Writes what a comparison reports besides its rows: types, accounts, findings,
// cycles, tensors, figures and threads.

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
        {NULL, "gained", .type = LG_COLUMN_SIZE, .faces = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .faces = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "what", .faces = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    if (growth->stopped_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.faces = LG__SHOWN}, columns, 3);
    lg_text_add(&above, "\nGrew and stopped:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < growth->stopped_count && i < STOPPED_SHOWN; i++)
        put_row(part, growth, newest, &growth->stopped[i]);
}

// Most rows of types, and tallies to show.
enum { TYPES_SHOWN = 5, TALLIES_SHOWN = 10 };
// What gained less is noise unless there is more of it: each call leaves a
// thread other numbers.
enum { LEAST_MORE = 4 << 10 };

static void
put_types(const lg_growth *growth, lg_table *facts, size_t column)
{
    static const lg__column columns[] = {
        {.name = "name"},
        {"counts", .type = LG_COLUMN_NUMBERS},
        {"bytes", .type = LG_COLUMN_LIST},
        {"gained", .type = LG_COLUMN_NUMBER},
    };
    lg_table *list = lg__put_table(facts, column, columns, 4);
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
    static const lg__column columns[] = {
        {.name = "name"},
        {"bytes", .type = LG_COLUMN_NUMBERS},
        {"gained", .type = LG_COLUMN_NUMBER},
    };
    lg_table *list = lg__put_table(facts, column, columns, 3);
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
    static const lg__column columns[] = {{.type = LG_COLUMN_REAL}};
    lg_table *list = lg__put_table(facts, column, columns, 1);
    for (uint32_t i = 0; growth->has_steps && i < growth->snapshots; i++) {
        lg__table_row(list);
        lg__put_real(list, 0, growth->steps[i]);
    }
}

// Adds the areas of the chart of memory.
static void
put_areas(const lg_growth *growth, lg_table *facts, size_t column)
{
    static const lg__column columns[] = {
        {.name = "kind"},
        {"row", .type = LG_COLUMN_COUNT},
        {"bytes", .type = LG_COLUMN_NUMBERS},
    };
    lg_growth_areas areas = {0};
    lg_table *list = lg__put_table(facts, column, columns, 3);
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

enum {
    SNAPSHOTS,
    IS_GROWING,
    NEEDS_NATIVE,
    SETTLED,
    KNOWN,
    ELSEWHERE,
    FACT_GAINED,
    EXPLAINED,
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
    static const lg__column columns[] = {
        {.name = "name"},
        {.name = "detail"},
        {"held_by", .type = LG_COLUMN_PATH},
        {"counts", .type = LG_COLUMN_NUMBERS},
        {"bytes", .type = LG_COLUMN_LIST},
        {"gained", .type = LG_COLUMN_NUMBER},
        {"is_new", .type = LG_COLUMN_BOOL},
        {"is_growing", .type = LG_COLUMN_BOOL},
    };
    lg_table *list = lg__put_table(facts, TALLIES + (size_t)kind, columns, 8);
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

// Adds the facts about types, accounts, and what is counted besides objects.
// newest: the graph of the newest snapshot, or NULL.
static void
put_growth_facts(lg_table *table, const lg_growth *growth,
                 const lg_graph *newest)
{
    static const lg__column columns[FACTS] = {
        [SNAPSHOTS] = {"snapshots", .type = LG_COLUMN_COUNT},
        [IS_GROWING] = {"is_growing", .type = LG_COLUMN_BOOL},
        [NEEDS_NATIVE] = {"needs_native", .type = LG_COLUMN_BOOL},
        [SETTLED] = {"settled", .type = LG_COLUMN_COUNT},
        [KNOWN] = {"known", .type = LG_COLUMN_COUNT},
        [ELSEWHERE] = {"elsewhere", .type = LG_COLUMN_COUNT},
        [FACT_GAINED] = {"gained", .type = LG_COLUMN_NUMBER},
        [EXPLAINED] = {"explained", .type = LG_COLUMN_NUMBER},
        [NOTE] = {.name = "note"},
        [UNEXPLAINED] = {"unexplained", .type = LG_COLUMN_NUMBER},
        [UNEXPLAINED_MALLOC] = {"unexplained_malloc", .type = LG_COLUMN_NUMBER},
        [UNEXPLAINED_SMALL] = {"unexplained_small", .type = LG_COLUMN_NUMBER},
        [CHECK] = {"check", .type = LG_COLUMN_RECORD},
        [ACCOUNTS] = {"accounts", .type = LG_COLUMN_LIST},
        [TYPES] = {"types", .type = LG_COLUMN_LIST},
        [STEPS] = {"steps", .type = LG_COLUMN_LIST},
        [AREAS] = {"areas", .type = LG_COLUMN_LIST},
        [TALLIES + LG_TALLY_FINDING] = {"findings", .type = LG_COLUMN_LIST},
        [TALLIES + LG_TALLY_CYCLE] = {"cycles", .type = LG_COLUMN_LIST},
        [TALLIES + LG_TALLY_TENSOR] = {"tensors", .type = LG_COLUMN_LIST},
        [TALLIES + LG_TALLY_FIGURE] = {"figures", .type = LG_COLUMN_LIST},
        [TALLIES + LG_TALLY_THREAD] = {"threads", .type = LG_COLUMN_LIST},
    };
    lg_table *facts = lg__table_facts(table, columns, FACTS);
    lg__put_count(facts, SNAPSHOTS, growth->snapshots);
    lg__put_bool(facts, IS_GROWING, lg_growth_growing(growth) > 0);
    lg__put_bool(facts, NEEDS_NATIVE, lg_growth_needs_native(growth));
    lg__put_count(facts, SETTLED, growth->settled);
    lg__put_count(facts, KNOWN, growth->known);
    lg__put_count(facts, ELSEWHERE, growth->elsewhere);
    lg__put_number(facts, FACT_GAINED, growth->objects_gained);
    lg__put_number(facts, EXPLAINED, growth->told_gained);
    if (growth->note != NULL && growth->note[0] != '\0')
        lg__put_literal(facts, NOTE, growth->note);
    if (growth->unexplained_known || growth->unexplained_small_known)
        lg__put_number(facts, UNEXPLAINED, growth->unexplained);
    if (growth->unexplained_known)
        lg__put_number(facts, UNEXPLAINED_MALLOC, growth->unexplained_malloc);
    if (growth->unexplained_small_known)
        lg__put_number(facts, UNEXPLAINED_SMALL, growth->unexplained_small);
    lg__put_growth_check(facts, CHECK, growth, newest);
    put_accounts(growth, facts, ACCOUNTS);
    put_types(growth, facts, TYPES);
    put_steps(growth, facts, STEPS);
    put_areas(growth, facts, AREAS);
    for (int kind = 0; kind < LG_TALLY_COUNT; kind++)
        put_tallies(growth, newest, (lg_tally_kind)kind, facts);
}

// Writes in which allocator unexplained growth lies, if two are known.
static void
format_parts(const lg_growth *growth, lg_text *out)
{
    if (!growth->unexplained_known || !growth->unexplained_small_known)
        return;
    lg_text_add(out, " (malloc ");
    lg_text_add_change(out, (double)growth->unexplained_malloc);
    lg_text_add(out, ", small blocks of Python ");
    lg_text_add_change(out, (double)growth->unexplained_small);
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
    if (!growth->unexplained_known && !growth->unexplained_small_known)
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

static void
format_below(lg_table *table, const lg_growth *growth)
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
    if (growth->settled > 0) {
        lg_text_add_count(&said, growth->settled);
        lg_text_add(&said, growth->settled == 1
                               ? " place has settled: settled=True or "
                                 "--settled gives it a row\n"
                               : " places have settled: settled=True or "
                                 "--settled gives them rows\n");
    }
    format_accounts(growth, &said);
    lg__table_format_below(table, &said);
}

static void
add_types(lg_table *table, const lg_growth *growth)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_SIZE, .faces = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .faces = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "type", .faces = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    if (growth->type_count == 0)
        return;
    lg_table *part =
        lg__table_part(table, (lg__layout){.faces = LG__SHOWN}, columns, 3);
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
    if (tally->row == LG_NONE) // only findings are about rows
        return;
    double span = growth->has_steps
                      ? growth->steps[growth->snapshots - 1] - growth->steps[0]
                      : growth->snapshots - 1;
    lg_text_add(out, ", ");
    lg_text_add_change(out, (double)tally->gained / span);
    lg_text_addf(out, " %s", lg_growth_unit_text(growth->unit));
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
         .faces = LG__SHOWN, .least = 12},
        {NULL, "number", .faces = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "what", .faces = LG__SHOWN, .gap = 2},
    };
    lg_text above = {0};
    lg_table *part =
        lg__table_part(table, (lg__layout){.faces = LG__SHOWN}, columns, 3);
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

// Adds the lines below the rows.
static void
format_growth_notes(lg_table *table, const lg_growth *growth,
                    const lg_graph *newest)
{
    format_below(table, growth);
    format_growth_stopped(table, growth, newest);
    add_types(table, growth);
    add_tallies(table, growth, newest, true);
    add_tallies(table, growth, newest, false);
}

typedef struct report {
    const lg_growth *growth;
    const lg_graph *graph; // of the newest snapshot, or NULL
    lg_table *table;
} report;

enum {
    VERDICT,
    HOLDER,
    OTHERS,
    TYPE,
    COUNTS,
    BYTES,
    GAINED,
    PER_INTERVAL,
    PER_STEP,
    PLACE,
    NODE,
    FINDING,
    REASON,
    SENTENCE,
    FIX,
    IS_MINOR,
    DEGREE,
    LIMIT,
    FILLED,
    AT_LIMIT,
    HOLDERS,
    FREED,
    LEAD,
    SHOWN_GAIN,
    SHOWN_RATE,
    SHOWN_CHART,
    SHOWN_COUNTS,
    SHOWN_WHAT,
    SHOWN_HOLDER,
    SHOWN_CUT,
    SHOWN_FIX,
    COLUMNS,
};

enum {
    OF_PATTERN,
    OF_HOLDER,
    OF_PATH,
    OF_EXAMPLE,
    OF_COUNT,
    OF_ALONE,
    OF_HOLDERS
};

static lg_table *
new_table(const lg_growth *growth)
{
    const lg__column columns[COLUMNS] = {
        [VERDICT] = {.name = "verdict", .faces = LG__IN_DATA},
        [HOLDER] = {"held_by", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
        [OTHERS] = {"other_holders", .type = LG_COLUMN_LIST,
                    .faces = LG__IN_DATA},
        [TYPE] = {.name = "type", .faces = LG__IN_DATA},
        [COUNTS] = {"counts", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
        [BYTES] = {"bytes", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
        [GAINED] = {"gained", .type = LG_COLUMN_NUMBER, .faces = LG__IN_DATA},
        [PER_INTERVAL] = {"per_interval", .type = LG_COLUMN_REAL,
                          .faces = LG__IN_DATA},
        [PER_STEP] = {"per_step", .type = LG_COLUMN_REAL, .faces = LG__IN_DATA},
        [PLACE] = {.name = "place", .faces = LG__IN_DATA},
        [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
        [FINDING] = {.name = "finding", .faces = LG__IN_DATA},
        [REASON] = {.name = "reason", .faces = LG__IN_DATA},
        [SENTENCE] = {.name = "text", .faces = LG__IN_DATA},
        [FIX] = {.name = "fix", .faces = LG__IN_DATA},
        [IS_MINOR] = {"minor", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
        [DEGREE] = {.name = "degree", .faces = LG__IN_DATA},
        [LIMIT] = {"limit", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [FILLED] = {"filled", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [AT_LIMIT] = {"at_limit", .type = LG_COLUMN_COUNT,
                      .faces = LG__IN_DATA},
        [HOLDERS] = {"holders", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
        [FREED] = {"freed", .type = LG_COLUMN_SIZE, .faces = LG__IN_DATA},
        [LEAD] = {"lead", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
        [SHOWN_GAIN] = {NULL, "gained", .type = LG_COLUMN_SIZE,
                        .faces = LG__SHOWN, .least = 12},
        [SHOWN_RATE] = {NULL, lg_growth_unit_text(growth->unit),
                        .faces = LG__SHOWN, .least = 14, .flush = LG__RIGHT},
        [SHOWN_CHART] = {NULL, "series", .type = LG_COLUMN_NUMBERS,
                         .faces = LG__IN_HTML, .chart = LG__LINE},
        [SHOWN_COUNTS] = {NULL, "objects", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_WHAT] = {NULL, "what", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_HOLDER] = {NULL, "held by", .type = LG_COLUMN_PATH,
                          .faces = LG__SHOWN, .below = "              in  "},
        [SHOWN_CUT] = {NULL, "to free it", .faces = LG__SHOWN,
                       .below = "            free  "},
        [SHOWN_FIX] = {NULL, "fix", .faces = LG__IN_TEXT,
                       .below = "             fix  "},
    };
    return lg__table_new_on(growth->device_names, growth->devices + 1,
                            (lg__layout){.noun = "row"}, columns, COLUMNS);
}

static void
put_others(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[] = {
        {.type = LG_COLUMN_PATH},
    };
    lg_table *list = lg__put_table(to->table, OTHERS, columns, 1);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text holder = {0};
        lg__format_folded_path(to->graph, &row->others[i], &holder);
        lg__table_row(list);
        lg__put_formatted(list, 0, &holder);
    }
}

// Adds who must let go, of a row that leads its leak.
static void
put_holders(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[OF_HOLDERS] = {
        [OF_PATTERN] = {.name = "pattern"},
        [OF_HOLDER] = {"holder", .type = LG_COLUMN_NODE},
        [OF_PATH] = {"held_by", .type = LG_COLUMN_PATH},
        [OF_EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
        [OF_COUNT] = {"count", .type = LG_COLUMN_COUNT},
        [OF_ALONE] = {"alone", .type = LG_COLUMN_SIZE},
    };
    lg_table *list = lg__put_table(to->table, HOLDERS, columns, OF_HOLDERS);
    for (size_t i = 0; to->graph != NULL && i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        lg_text path = {0};
        lg__format_keeper(to->graph, holder, &path);
        lg__table_row(list);
        lg__put_literal(list, OF_PATTERN, "other-holder");
        lg__put_node(list, OF_HOLDER, to->graph, holder->node);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_EXAMPLE, to->graph, row->node);
        lg__put_count(list, OF_COUNT, holder->count);
        lg__put_each(list, OF_ALONE, holder->alone);
    }
    if (row->holder_count > 0)
        lg__put_each(to->table, FREED, row->freed);
    lg__put_count(to->table, LEAD, row->lead);
}

static void
put_degree(lg_table *table, const lg_growth_row *row)
{
    lg__put_literal(table, DEGREE, lg_growth_degree_name(row->degree));
    if (row->limit == 0)
        return;
    lg__put_count(table, LIMIT, row->limit);
    lg__put_count(table, FILLED, row->filled);
    lg__put_count(table, AT_LIMIT, row->at_limit);
}

static void
put_data(const report *to, const lg_growth_row *row)
{
    lg_table *table = to->table;
    lg_text holder = {0};
    lg_text place = {0};
    lg_text sentence = {0};
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    lg__put_literal(table, VERDICT, lg_growth_verdict_name(row->verdict));
    lg__put_formatted(table, HOLDER, &holder);
    put_others(to, row);
    lg__put_string(table, TYPE, row->type);
    lg__put_numbers(table, COUNTS, row->counts, to->growth->snapshots);
    lg__put_sizes(table, BYTES, to->growth, row->bytes);
    lg__put_number(table, GAINED, row->gained);
    lg__put_real(table, PER_INTERVAL, row->per_interval);
    if (to->growth->has_steps)
        lg__put_real(table, PER_STEP, row->per_step);
    lg_text_addf(&place, "%016" PRIx64, row->key);
    lg__put_formatted(table, PLACE, &place);
    if (to->graph != NULL)
        lg__put_node(table, NODE, to->graph, row->node);
    if (row->finding != LG_NONE)
        lg__put_string(table, FINDING, to->growth->tallies[row->finding].name);
    const char *fix = lg__growth_fix(to->growth, row);
    if (fix != NULL)
        lg__put_literal(table, FIX, fix);
    if (row->reason != LG_GROWTH_NO_REASON)
        lg__put_literal(table, REASON, lg_growth_reason_text(row->reason));
    lg_growth_row_format(to->growth, to->graph, row, &sentence);
    lg__put_formatted(table, SENTENCE, &sentence);
    lg__put_bool(table, IS_MINOR, row->minor);
    put_degree(table, row);
    put_holders(to, row);
}

// Adds what helps, unless a row above says the same, or the cell of what to cut
// ends with it.
static void
put_fix(const report *to, const lg_growth_row *row, const lg_text *cut)
{
    const char *fix = lg__growth_fix(to->growth, row);
    if (fix == NULL || (cut->length > 0 && strstr(cut->data, fix) != NULL))
        return;
    for (const lg_growth_row *above = to->growth->rows; above < row; above++)
        if (!above->minor && lg__growth_fix(to->growth, above) == fix)
            return;
    lg__put_literal(to->table, SHOWN_FIX, fix);
}

// Draws the bytes of the last snapshots.
static void
put_chart(const report *to, const lg_growth_row *row)
{
    enum { MOST = 64 };
    uint32_t snapshots = to->growth->snapshots;
    uint32_t first = snapshots > MOST ? snapshots - MOST : 0;
    uint64_t *series = lg__wide_alloc(snapshots * sizeof *series);
    if (series == NULL) {
        if (to->table != NULL)
            to->table->failed = true;
        return;
    }
    size_t each = (size_t)to->growth->devices + 1;
    for (uint32_t i = 0; i < snapshots; i++) {
        series[i] = 0;
        for (size_t on = 0; on < each; on++)
            series[i] += row->bytes[i * each + on];
    }
    lg__put_numbers(to->table, SHOWN_CHART, series + first, snapshots - first);
    lg__wide_free(series);
}

static void
put_shown(const report *to, const lg_growth_row *row)
{
    const lg_growth *growth = to->growth;
    lg_table *table = to->table;
    lg_text rate = {0};
    lg_text counts = {0};
    lg_text what = {0};
    lg_text holder = {0};
    lg_text cut = {0};
    lg__put_gain(table, SHOWN_GAIN, growth, row->bytes);
    lg_text_add_change(&rate, lg_growth_rate(growth, row));
    lg__put_formatted(table, SHOWN_RATE, &rate);
    if (row->verdict != LG_GROWTH_NATIVE)
        lg__format_series(row->counts, growth->snapshots, &counts);
    put_chart(to, row);
    lg__put_formatted(table, SHOWN_COUNTS, &counts);
    lg__format_growth_what(growth, row, &what);
    if (to->graph != NULL && row->node != LG_NONE)
        lg_text_addf(&what, "%s #%u",
                     row->verdict == LG_GROWTH_IN_PLACE ? "" : ", such as",
                     row->node);
    lg__put_formatted(table, SHOWN_WHAT, &what);
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text_add(&holder, "\nand ");
        lg__format_folded_path(to->graph, &row->others[i], &holder);
    }
    lg__put_formatted(table, SHOWN_HOLDER, &holder);
    lg__format_growth_cut(growth, to->graph, row, &cut);
    put_fix(to, row, &cut);
    lg__put_formatted(table, SHOWN_CUT, &cut);
}

static void
format_headline(lg_table *table, const lg_growth *growth)
{
    lg_text above = {0};
    lg_growth_headline(growth, &above);
    lg_text_add(&above, growth->count > 0 ? ".\n\n" : ".\n");
    lg__table_format_above(table, &above);
}

lg_status
lg_tabulate_growth(const lg_growth *growth, const lg_graph *newest,
                   size_t limit, lg_table **out, lg_error *err)
{
    report to = {growth, newest, new_table(growth)};
    format_headline(to.table, growth);
    for (size_t i = 0; i < growth->count && (limit == 0 || i < limit); i++) {
        lg__table_row(to.table);
        put_data(&to, &growth->rows[i]);
        put_shown(&to, &growth->rows[i]);
        if (growth->rows[i].minor)
            lg__table_hide_row(to.table);
    }
    lg__table_set_count(to.table, growth->count);
    put_growth_facts(to.table, growth, newest);
    format_growth_notes(to.table, growth, newest);
    lg__format_growth_check(to.table, growth, newest);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_growth(const lg_growth *growth, const lg_graph *newest, size_t limit,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_growth(growth, newest, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

lg_status
lg_growth_table(const lg_summary *const *summaries, size_t count,
                const lg_analysis *newest, const lg_monitor *monitor,
                lg_table **out, lg_error *err)
{
    lg_growth growth;
    lg_status status =
        lg_growth_find(summaries, count, newest, NULL, monitor, &growth, err);
    if (status != LG_OK)
        return status;
    const lg_graph *graph = newest != NULL ? lg_analysis_graph(newest) : NULL;
    status = lg_tabulate_growth(&growth, graph, 0, out, err);
    lg_growth_free(&growth);
    return status;
}
