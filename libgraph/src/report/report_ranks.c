// Writes how the processes of one job differ, and what they all repeat, as
// tables.
#include "report/table_writer.h"

#include <leakgraph/ranks.h>

#include <inttypes.h>

// Rows of the tables below the first one.
enum { REPEATED_SHOWN = 10, RANKS_SHOWN = 16 };

enum {
    APART,
    SHOWN_APART,
    RANK,
    SHOWN_RANK,
    USUAL,
    OTHERS,
    COUNTS,
    BYTES,
    SHOWN_COUNTS,
    TYPE,
    SHOWN_TYPE,
    HOLDER,
    PLACE,
    COLUMNS,
};

static const lg__column columns[COLUMNS] = {
    [APART] = {"apart", .type = LG_COLUMN_NUMBER, .faces = LG__IN_DATA},
    [SHOWN_APART] = {NULL, "apart", .faces = LG__SHOWN, .least = 10,
                     .flush = LG__RIGHT},
    [RANK] = {"rank", .faces = LG__IN_DATA},
    [SHOWN_RANK] = {NULL, "on rank", .faces = LG__SHOWN, .gap = 2},
    [USUAL] = {"usual", "usually", .type = LG_COLUMN_BYTES, .gap = 2},
    [OTHERS] = {"others", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [COUNTS] = {"counts", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
    [BYTES] = {"bytes", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [SHOWN_COUNTS] = {NULL, "by rank", .type = LG_COLUMN_NUMBERS,
                      .faces = LG__IN_HTML, .chart = true},
    [TYPE] = {"type", .faces = LG__IN_DATA},
    [SHOWN_TYPE] = {NULL, "what", .faces = LG__SHOWN, .gap = 2},
    [HOLDER] = {"holder", "where", .type = LG_COLUMN_PATH, .gap = 2},
    [PLACE] = {"place", .faces = LG__IN_DATA},
};

static void
add_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out)
{
    lg_string name = ranks->ranks[rank].name;
    lg_text_add_bytes(out, name.data, name.length);
}

static void
put_series(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    static const lg__column column[] = {{.type = LG_COLUMN_SIZE}};
    lg_table *list = lg__put_table(table, BYTES, column, 1);
    for (uint32_t i = 0; i < ranks->count; i++) {
        lg__table_row(list);
        lg__put_each(list, 0, row->bytes + (size_t)i * (ranks->devices + 1));
    }
    lg__put_numbers(table, COUNTS, row->counts, ranks->count);
}

// Puts a chart of at most as many ranks as a line has points.
static void
put_chart(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    enum { MOST = 64 };
    uint64_t series[MOST];
    uint32_t count = ranks->count < MOST ? ranks->count : MOST;
    for (uint32_t i = 0; i < count; i++)
        series[i] = lg_rank_row_bytes(ranks, row, i);
    lg__put_numbers(table, SHOWN_COUNTS, series, count);
}

static void
put_names(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    lg_text rank = {0};
    lg_text shown = {0};
    lg_text apart = {0};
    lg_text key = {0};
    add_rank(ranks, row->outlier, &rank);
    add_rank(ranks, row->outlier, &shown);
    if (row->others > 0)
        lg_text_addf(&shown, " and %u more", row->others);
    lg_text_add(&apart, row->apart < 0 ? "-" : "+");
    lg_text_add_size(&apart,
                     (uint64_t)(row->apart < 0 ? -row->apart : row->apart));
    lg_text_addf(&key, "%016" PRIx64,
                 lg_places_at(ranks->places, row->place).key);
    lg__put_formatted(table, RANK, &rank);
    lg__put_formatted(table, SHOWN_RANK, &shown);
    lg__put_formatted(table, SHOWN_APART, &apart);
    lg__put_formatted(table, PLACE, &key);
}

static void
put_holder(const lg_ranks *ranks, uint32_t place, lg_table *table,
           size_t column)
{
    lg_text holder = {0};
    lg_place_format(ranks->places, place, &holder);
    lg__put_formatted(table, column, &holder);
}

static void
put_row(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    lg__table_row(table);
    lg__put_number(table, APART, row->apart);
    put_names(ranks, row, table);
    lg__put_count(table, USUAL, row->usual);
    lg__put_count(table, OTHERS, row->others);
    put_series(ranks, row, table);
    put_chart(ranks, row, table);
    lg__put_string(table, TYPE, row->type);
    lg__put_string(table, SHOWN_TYPE, lg__last_part(row->type));
    put_holder(ranks, row->place, table, HOLDER);
}

static void
fill_repeated(const lg_ranks *ranks, size_t limit, lg_table *table)
{
    for (size_t i = 0; i < ranks->repeated_count && (!limit || i < limit);
         i++) {
        const lg_rank_row *row = &ranks->repeated[i];
        lg__table_row(table);
        lg__put_each(table, 0, row->each);
        lg__put_each(table, 1, row->together);
        lg__put_string(table, 2, lg__last_part(row->type));
        put_holder(ranks, row->place, table, 3);
    }
    lg__table_set_count(table, ranks->repeated_count);
}

static void
put_known(lg_table *table, size_t column, int64_t bytes)
{
    if (bytes >= 0)
        lg__put_count(table, column, (uint64_t)bytes);
}

static void
fill_ranks(const lg_ranks *ranks, size_t limit, lg_table *table)
{
    for (uint32_t i = 0; i < ranks->count && (!limit || i < limit); i++) {
        lg_text name = {0};
        add_rank(ranks, i, &name);
        lg__table_row(table);
        lg__put_formatted(table, 0, &name);
        lg__put_each(table, 1, ranks->ranks[i].bytes);
        put_known(table, 2, ranks->ranks[i].rss);
        put_known(table, 3, ranks->ranks[i].unexplained);
    }
    lg__table_set_count(table, ranks->count);
}

static const lg__column repeated_columns[] = {
    {"each", .type = LG_COLUMN_SIZE, .least = 10},
    {"together", .type = LG_COLUMN_SIZE, .gap = 2},
    {"type", "what", .gap = 2},
    {"holder", "where", .type = LG_COLUMN_PATH, .gap = 2},
};

static const lg__column rank_columns[] = {
    {"rank", .least = 10, .flush = LG__RIGHT},
    {"objects", .type = LG_COLUMN_SIZE, .gap = 2},
    {"rss", "resident", .type = LG_COLUMN_BYTES, .gap = 2},
    {"unexplained", "unexplained malloc", .type = LG_COLUMN_BYTES, .gap = 2},
};

static void
put_facts(const lg_ranks *ranks, lg_table *table)
{
    static const lg__column facts[] = {
        {"min_bytes", .type = LG_COLUMN_COUNT},
        {"libraries", .type = LG_COLUMN_SIZE},
        {"repeated", .type = LG_COLUMN_LIST, .lines = true},
        {"ranks", .type = LG_COLUMN_LIST, .lines = true},
    };
    lg_table *known = lg__table_facts(table, facts, 4);
    lg__put_count(known, 0, ranks->min_bytes);
    lg__put_each(known, 1, ranks->libraries);
    fill_repeated(ranks, 0, lg__put_table(known, 2, repeated_columns, 4));
    fill_ranks(ranks, 0, lg__put_table(known, 3, rank_columns, 4));
}

// Writes the ranks with the fewest and the most bytes.
static void
format_ranks(const lg_ranks *ranks, lg_text *out)
{
    uint32_t least = 0;
    uint32_t most = 0;
    for (uint32_t i = 1; i < ranks->count; i++) {
        uint64_t bytes = lg_rank_bytes(ranks, i);
        if (bytes < lg_rank_bytes(ranks, least))
            least = i;
        if (bytes > lg_rank_bytes(ranks, most))
            most = i;
    }
    lg_text_addf(out, "%u ranks, with objects of ", ranks->count);
    lg_text_add_size(out, lg_rank_bytes(ranks, least));
    lg_text_add(out, " (rank ");
    add_rank(ranks, least, out);
    lg_text_add(out, ") to ");
    lg_text_add_size(out, lg_rank_bytes(ranks, most));
    lg_text_add(out, " (rank ");
    add_rank(ranks, most, out);
    lg_text_add(out, ")\n");
    if (ranks->row_count == 0) {
        lg_text_add(out, "No place differs by ");
        lg_text_add_size(out, ranks->min_bytes);
        lg_text_add(out, " or more.\n");
    }
}

static void
format_native(const lg_ranks *ranks, lg_text *out)
{
    if (ranks->native_outlier == LG_NONE)
        return;
    int64_t apart =
        ranks->ranks[ranks->native_outlier].unexplained - ranks->native_usual;
    lg_text_add(out, "Rank ");
    add_rank(ranks, ranks->native_outlier, out);
    lg_text_add(out, " has ");
    lg_text_add_size(out, (uint64_t)(apart < 0 ? -apart : apart));
    lg_text_addf(out, " %s malloc memory than usual that no object explains.\n",
                 apart < 0 ? "less" : "more");
}

static void
format_libraries(const lg_ranks *ranks, lg_text *out)
{
    lg_text_add(out, "Libraries and the interpreter have ");
    lg_text_add_sizes(out, ranks->device_names, ranks->libraries,
                      ranks->devices + (size_t)1);
    lg_text_add(out, " on each rank.\n");
}

void
lg_ranks_format(const lg_ranks *ranks, lg_text *out)
{
    format_ranks(ranks, out);
    format_native(ranks, out);
    format_libraries(ranks, out);
}

static void
add_parts(const lg_ranks *ranks, lg_table *table)
{
    static const lg__layout below = {.faces = LG__SHOWN, .noun = "places"};
    static const lg__layout last = {.faces = LG__SHOWN, .noun = "ranks"};
    lg_text said = {0};
    lg_table *part = lg__table_part(table, below, repeated_columns, 4);
    lg_text_add(&said, "\nWhat every rank has:\n");
    lg__table_format_above(part, &said);
    fill_repeated(ranks, REPEATED_SHOWN, part);
    format_libraries(ranks, &said);
    lg__table_format_below(part, &said);
    part = lg__table_part(table, last, rank_columns, 4);
    lg_text_add(&said, "\n");
    lg__table_format_above(part, &said);
    fill_ranks(ranks, RANKS_SHOWN, part);
}

lg_status
lg_tabulate_ranks(const lg_ranks *ranks, size_t limit, lg_table **out,
                  lg_error *err)
{
    lg_table *table =
        lg__table_new_on(ranks->device_names, ranks->devices + 1,
                         (lg__layout){.noun = "places"}, columns, COLUMNS);
    lg_text said = {0};
    for (size_t i = 0; i < ranks->row_count && (!limit || i < limit); i++)
        put_row(ranks, &ranks->rows[i], table);
    lg__table_set_count(table, ranks->row_count);
    put_facts(ranks, table);
    format_ranks(ranks, &said);
    lg__table_format_above(table, &said);
    format_native(ranks, &said);
    lg__table_format_below(table, &said);
    add_parts(ranks, table);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_ranks(const lg_ranks *ranks, size_t limit, lg_format format,
                lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_ranks(ranks, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
