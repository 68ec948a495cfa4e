// What grows, who holds it, and how fast, as a table.
#include "report/table.h"

#include <leakgraph/growth.h>

#include <inttypes.h>

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
    SHOWN_GAIN,
    SHOWN_RATE,
    SHOWN_COUNTS,
    SHOWN_WHAT,
    SHOWN_HOLDER,
    COLUMNS,
};

// What a series shows at most; the middle of a longer one is left out.
enum { SERIES_SHOWN = 6, TYPES_SHOWN = 5 };

static lg_table *
new_table(const lg_growth *growth)
{
    bool steps = growth->has_steps;
    const lg__column columns[COLUMNS] = {
        [VERDICT] = {.name = "verdict", .faces = LG__IN_DATA},
        [HOLDER] = {"holder", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
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
        [SHOWN_GAIN] = {NULL, "gained", .type = LG_COLUMN_SIZE,
                        .faces = LG__SHOWN, .least = 12},
        [SHOWN_RATE] = {NULL, steps ? "per step" : "per snapshot",
                        .faces = LG__SHOWN, .least = 14, .flush = LG__RIGHT},
        [SHOWN_COUNTS] = {NULL, "objects", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_WHAT] = {NULL, "what", .faces = LG__SHOWN, .gap = 2},
        [SHOWN_HOLDER] = {NULL, "held by", .type = LG_COLUMN_PATH,
                          .faces = LG__SHOWN, .below = "              in  "},
    };
    return lg__table_new_on(growth->device_names, growth->devices + 1,
                            (lg__layout){.noun = "row"}, columns, COLUMNS);
}

// `100 → 200 → 300`.
static void
format_series(const uint64_t *numbers, uint32_t count, lg_text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        lg_text_add(out, i > 0 ? " → " : "");
        if (count > SERIES_SHOWN && i == SERIES_SHOWN / 2) {
            lg_text_add(out, "… → ");
            i = count - SERIES_SHOWN / 2;
        }
        lg_text_add_count(out, numbers[i]);
    }
}

static void
format_signed(double bytes, lg_text *out)
{
    lg_text_add(out, bytes < 0 ? "-" : "+");
    lg_text_add_size(out, (uint64_t)((bytes < 0 ? -bytes : bytes) + 0.5));
}

static void
format_holder(const report *to, const lg_growth_row *row, lg_text *out)
{
    if (row->verdict == LG_GROWTH_NATIVE)
        lg_text_add(out, "memory that no object explains");
    else if (row->path.root.kind != LG_ROOT_NONE && to->graph != NULL)
        lg__format_folded_path(to->graph, &row->path, out);
    else if (row->place != LG_NONE)
        lg_place_format(to->growth->places, row->place, out);
}

static void
put_others(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[] = {
        {"holder", .type = LG_COLUMN_PATH},
    };
    lg_table *list = lg__put_table(to->table, OTHERS, columns, 1);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text holder = {0};
        lg__format_folded_path(to->graph, &row->others[i], &holder);
        lg__table_row(list);
        lg__put_formatted(list, 0, &holder);
    }
}

static void
put_bytes(const report *to, const lg_growth_row *row)
{
    static const lg__column columns[] = {
        {"bytes", .type = LG_COLUMN_SIZE},
    };
    size_t each = (size_t)to->growth->devices + 1;
    lg_table *list = lg__put_table(to->table, BYTES, columns, 1);
    for (size_t i = 0; i < to->growth->snapshots; i++) {
        lg__table_row(list);
        lg__put_each(list, 0, row->bytes + i * each);
    }
}

static void
put_data(const report *to, const lg_growth_row *row)
{
    lg_table *table = to->table;
    lg_text holder = {0};
    lg_text place = {0};
    format_holder(to, row, &holder);
    lg__put_literal(table, VERDICT, lg_growth_verdict_name(row->verdict));
    lg__put_formatted(table, HOLDER, &holder);
    put_others(to, row);
    lg__put_string(table, TYPE, row->type);
    lg__put_numbers(table, COUNTS, row->counts, to->growth->snapshots);
    put_bytes(to, row);
    lg__put_number(table, GAINED, row->gained);
    lg__put_real(table, PER_INTERVAL, row->per_interval);
    if (to->growth->has_steps)
        lg__put_real(table, PER_STEP, row->per_step);
    lg_text_addf(&place, "%016" PRIx64, row->key);
    lg__put_formatted(table, PLACE, &place);
    if (to->graph != NULL)
        lg__put_node(table, NODE, to->graph, row->node);
}

typedef struct gain {
    const uint64_t *first;
    const uint64_t *last;
} gain;

// A row may lose bytes on one device while it gains on another.
static uint64_t
gained_on(const void *context, uint32_t device)
{
    const gain *of = context;
    uint64_t first = of->first[device];
    return of->last[device] > first ? of->last[device] - first : 0;
}

static void
put_shown(const report *to, const lg_growth_row *row)
{
    const lg_growth *growth = to->growth;
    lg_table *table = to->table;
    size_t last = (growth->snapshots - 1) * ((size_t)growth->devices + 1);
    const gain each = {row->bytes, row->bytes + last};
    lg_text rate = {0};
    lg_text counts = {0};
    lg_text what = {0};
    lg_text holder = {0};
    lg__put_vector(table, SHOWN_GAIN, gained_on, &each);
    format_signed(growth->has_steps ? row->per_step : row->per_interval, &rate);
    lg__put_formatted(table, SHOWN_RATE, &rate);
    format_series(row->counts, growth->snapshots, &counts);
    lg__put_formatted(table, SHOWN_COUNTS, &counts);
    lg__text_add_string(&what, lg__last_part(row->type));
    if (row->types > 1)
        lg_text_addf(&what, " and %u more", row->types - 1);
    lg_text_addf(&what, " %s", lg_growth_verdict_name(row->verdict));
    lg__put_formatted(table, SHOWN_WHAT, &what);
    format_holder(to, row, &holder);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text_add(&holder, "\nand ");
        lg__format_folded_path(to->graph, &row->others[i], &holder);
    }
    lg__put_formatted(table, SHOWN_HOLDER, &holder);
}

static void
put_types(const report *to, lg_table *facts, size_t column)
{
    static const lg__column columns[] = {
        {.name = "name"},
        {"counts", .type = LG_COLUMN_NUMBERS},
        {"bytes", .type = LG_COLUMN_NUMBERS},
        {"gained", .type = LG_COLUMN_NUMBER},
    };
    const lg_growth *growth = to->growth;
    lg_table *list = lg__put_table(facts, column, columns, 4);
    for (size_t i = 0; i < growth->type_count; i++) {
        const lg_growth_type *type = &growth->types[i];
        lg__table_row(list);
        lg__put_string(list, 0, type->name);
        lg__put_numbers(list, 1, type->counts, growth->snapshots);
        lg__put_numbers(list, 2, type->bytes, growth->snapshots);
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
put_accounts(const report *to, lg_table *facts, size_t column)
{
    static const lg__column columns[] = {
        {.name = "name"},
        {"bytes", .type = LG_COLUMN_NUMBERS},
        {"gained", .type = LG_COLUMN_NUMBER},
    };
    const lg_growth *growth = to->growth;
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

enum { SNAPSHOTS, IS_GROWING, SETTLED, UNEXPLAINED, ACCOUNTS, TYPES, FACTS };

static bool
is_growing(const lg_growth *growth)
{
    return growth->count > 0 && growth->rows[0].verdict != LG_GROWTH_SETTLED;
}

static void
put_facts(const report *to)
{
    static const lg__column columns[FACTS] = {
        [SNAPSHOTS] = {"snapshots", .type = LG_COLUMN_COUNT},
        [IS_GROWING] = {"is_growing", .type = LG_COLUMN_BOOL},
        [SETTLED] = {"settled", .type = LG_COLUMN_COUNT},
        [UNEXPLAINED] = {"unexplained", .type = LG_COLUMN_NUMBER},
        [ACCOUNTS] = {"accounts", .type = LG_COLUMN_LIST},
        [TYPES] = {"types", .type = LG_COLUMN_LIST},
    };
    const lg_growth *growth = to->growth;
    lg_table *facts = lg__table_facts(to->table, columns, FACTS);
    lg__put_count(facts, SNAPSHOTS, growth->snapshots);
    lg__put_bool(facts, IS_GROWING, is_growing(growth));
    lg__put_count(facts, SETTLED, growth->settled);
    if (growth->unexplained_known)
        lg__put_number(facts, UNEXPLAINED, growth->unexplained);
    put_accounts(to, facts, ACCOUNTS);
    put_types(to, facts, TYPES);
}

static void
say_accounts(const lg_growth *growth, lg_text *out)
{
    bool any = false;
    for (int i = 0; i < LG_ACCOUNT_COUNT; i++) {
        const int64_t *bytes = growth->accounts[i];
        if (!is_known(growth, bytes))
            continue;
        lg_text_add(out, any ? " · " : "");
        lg_text_add(out, lg_growth_account_name((lg_growth_account_kind)i));
        lg_text_add(out, " ");
        format_signed((double)(bytes[growth->snapshots - 1] - bytes[0]), out);
        any = true;
    }
    lg_text_add(out, "\n");
    if (growth->unexplained_known) {
        lg_text_add(out, "growth that no object explains: ");
        format_signed((double)growth->unexplained, out);
        lg_text_add(out, "\n");
    }
}

static void
say_below(const report *to)
{
    const lg_growth *growth = to->growth;
    lg_text said = {0};
    lg_text_add(&said, growth->count > 0 ? "\n" : "Nothing grows.\n\n");
    if (growth->snapshots == 2 && growth->count > 0)
        lg_text_add(&said, "Two snapshots cannot tell a leak from what is made "
                           "once: compare three or more.\n");
    if (growth->settled > 0) {
        lg_text_add_count(&said, growth->settled);
        lg_text_add(&said, growth->settled == 1 ? " place grew and stopped\n"
                                                : " places grew and stopped\n");
    }
    say_accounts(growth, &said);
    lg__table_format_below(to->table, &said);
}

static void
add_types(const report *to)
{
    static const lg__column columns[] = {
        {NULL, "gained", .type = LG_COLUMN_BYTES, .faces = LG__SHOWN,
         .least = 12},
        {NULL, "objects", .faces = LG__SHOWN, .gap = 2, .least = 14},
        {NULL, "type", .faces = LG__SHOWN, .gap = 2},
    };
    const lg_growth *growth = to->growth;
    lg_text above = {0};
    if (growth->type_count == 0)
        return;
    lg_table *part =
        lg__table_part(to->table, (lg__layout){.faces = LG__SHOWN}, columns, 3);
    lg_text_add(&above, "\nTypes that grew the most:\n");
    lg__table_format_above(part, &above);
    for (size_t i = 0; i < growth->type_count && i < TYPES_SHOWN; i++) {
        lg_text counts = {0};
        lg__table_row(part);
        lg__put_count(part, 0, (uint64_t)growth->types[i].gained);
        format_series(growth->types[i].counts, growth->snapshots, &counts);
        lg__put_formatted(part, 1, &counts);
        lg__put_string(part, 2, growth->types[i].name);
    }
}

lg_status
lg_tabulate_growth(const lg_growth *growth, const lg_graph *newest,
                   size_t limit, lg_table **out, lg_error *err)
{
    report to = {growth, newest, new_table(growth)};
    for (size_t i = 0; i < growth->count && (limit == 0 || i < limit); i++) {
        lg__table_row(to.table);
        put_data(&to, &growth->rows[i]);
        put_shown(&to, &growth->rows[i]);
    }
    lg__table_set_count(to.table, growth->count);
    put_facts(&to);
    say_below(&to);
    add_types(&to);
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
