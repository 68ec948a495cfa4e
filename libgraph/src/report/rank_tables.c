// Writes how the processes of one job differ, what they all repeat, and what
// each has, as three tables.
#include "report/report_ranks.h"

#include <inttypes.h>
#include <string.h>

// Of at most as many ranks, HTML has a column of numbers for each beside the
// bars.
enum { SIDE_BY_SIDE = 8 };

enum {
    APART,
    RANK,
    SHOWN_RANK,
    USUAL,
    OTHERS,
    COUNTS,
    BYTES,
    SHOWN_BYTES,
    TYPE,
    SHOWN_TYPE,
    HOLDER,
    PLACE,
    COLUMNS,
};

static const lg__column columns[COLUMNS] = {
    [APART] = {"apart", .type = LG_COLUMN_NUMBER, .delta = LG__BYTES_MORE,
               .least = 10},
    [RANK] = {"rank", .faces = LG__IN_DATA},
    [SHOWN_RANK] = {NULL, "on rank", .faces = LG__SHOWN, .gap = 2},
    [USUAL] = {"usual", "usually", .type = LG_COLUMN_BYTES, .gap = 2},
    [OTHERS] = {"others", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [COUNTS] = {"counts", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
    [BYTES] = {"bytes", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [SHOWN_BYTES] = {NULL, "by rank", .type = LG_COLUMN_LIST,
                     .faces = LG__IN_HTML, .chart = LG__BARS},
    [TYPE] = {"type", .faces = LG__IN_DATA},
    [SHOWN_TYPE] = {NULL, "what", .faces = LG__SHOWN, .gap = 2},
    [HOLDER] = {"held_by", "where", .type = LG_COLUMN_PATH, .gap = 2},
    [PLACE] = {"place", .faces = LG__IN_DATA},
};

static const char unexplained_malloc[] = "unexplained malloc";

void
lg__format_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out)
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

static void
add_heading(const lg_ranks *ranks, uint32_t rank, lg_text *out)
{
    lg_text_add(out, "rank ");
    lg__format_rank(ranks, rank, out);
}

// Puts a bar for each rank, and marks the furthest.
static void
put_bars(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    uint64_t most = 0;
    lg_text name = {0};
    for (uint32_t i = 0; i < ranks->count; i++) {
        uint64_t bytes = lg_rank_row_bytes(ranks, row, i);
        most = bytes > most ? bytes : most;
    }
    lg_table *bars = lg__put_parts(table, SHOWN_BYTES);
    for (uint32_t i = 0; i < ranks->count; i++) {
        name.length = 0;
        add_heading(ranks, i, &name);
        lg__put_part(bars, &name, lg_rank_row_bytes(ranks, row, i), most);
        if (i == row->outlier)
            lg__mark_part(bars, LG__APART);
    }
    lg_text_free(&name);
}

static uint32_t
side_by_side(const lg_ranks *ranks)
{
    return ranks->count <= SIDE_BY_SIDE ? ranks->count : 0;
}

static void
put_each_rank(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    for (uint32_t i = 0; i < side_by_side(ranks); i++) {
        lg__put_count(table, COLUMNS + i, lg_rank_row_bytes(ranks, row, i));
        if (i == row->outlier)
            lg__mark_cell(table, COLUMNS + i, LG__APART);
    }
}

static void
put_names(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    lg_text rank = {0};
    lg_text shown = {0};
    lg_text key = {0};
    lg__format_rank(ranks, row->outlier, &rank);
    lg__format_rank(ranks, row->outlier, &shown);
    if (row->others > 0)
        lg_text_addf(&shown, " and %u more", row->others);
    lg_text_addf(&key, "%016" PRIx64,
                 lg_places_at(ranks->places, row->place).key);
    lg__put_formatted(table, RANK, &rank);
    lg__put_formatted(table, SHOWN_RANK, &shown);
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
    put_bars(ranks, row, table);
    put_each_rank(ranks, row, table);
    lg__put_string(table, TYPE, row->type);
    lg__put_string(table, SHOWN_TYPE, lg__last_part(row->type));
    put_holder(ranks, row->place, table, HOLDER);
}

static const lg__column repeat_columns[] = {
    {"each", .type = LG_COLUMN_SIZE, .least = 10},
    {"together", .type = LG_COLUMN_SIZE, .gap = 2},
    {"type", "what", .gap = 2},
    {"held_by", "where", .type = LG_COLUMN_PATH, .gap = 2},
};

static void
fill_repeats(const lg_ranks *ranks, size_t limit, lg_table *table)
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

const lg__rank_table lg__rank_repeats = {
    .noun = "place",
    .columns = repeat_columns,
    .column_count = sizeof repeat_columns / sizeof *repeat_columns,
    .fill = fill_repeats,
};

enum { NAME, OBJECTS, RESIDENT, UNEXPLAINED, PARTS };

static const lg__column rank_columns[] = {
    [NAME] = {"rank", .least = 10, .flush = LG__RIGHT},
    [OBJECTS] = {"objects", .type = LG_COLUMN_SIZE, .gap = 2},
    [RESIDENT] = {"rss", "resident", .type = LG_COLUMN_BYTES, .gap = 2},
    [UNEXPLAINED] = {"unexplained", unexplained_malloc, .type = LG_COLUMN_BYTES,
                     .gap = 2},
    [PARTS] = {NULL, "objects, and unexplained malloc", .type = LG_COLUMN_LIST,
               .faces = LG__IN_HTML, .chart = LG__PARTS},
};

static void
put_known(lg_table *table, size_t column, int64_t bytes)
{
    if (bytes >= 0)
        lg__put_count(table, column, (uint64_t)bytes);
}

static uint64_t
known(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

// Returns the bytes of the longest bar.
static uint64_t
most_bytes(const lg_ranks *ranks)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < ranks->count; i++) {
        uint64_t bytes =
            lg_rank_bytes(ranks, i) + known(ranks->ranks[i].unexplained);
        most = bytes > most ? bytes : most;
    }
    return most;
}

// Puts the objects by device, then what malloc has in use for no object.
static void
put_parts(const lg_ranks *ranks, const lg_rank *rank, uint64_t most,
          lg_table *table)
{
    lg_text name = {0};
    lg_table *parts = lg__put_parts(table, PARTS);
    for (uint32_t i = 0; i <= ranks->devices; i++) {
        name.length = 0;
        lg__text_add_string(&name, ranks->device_names[i]);
        lg__put_part(parts, &name, rank->bytes[i], most);
    }
    name.length = 0;
    lg_text_add(&name, unexplained_malloc);
    lg__put_part(parts, &name, known(rank->unexplained), most);
    lg__mark_part(parts, LG__QUIET);
    lg_text_free(&name);
}

static void
fill_sizes(const lg_ranks *ranks, size_t limit, lg_table *table)
{
    uint64_t most = most_bytes(ranks);
    for (uint32_t i = 0; i < ranks->count && (!limit || i < limit); i++) {
        lg_text name = {0};
        lg__format_rank(ranks, i, &name);
        lg__table_row(table);
        lg__put_formatted(table, NAME, &name);
        lg__put_each(table, OBJECTS, ranks->ranks[i].bytes);
        put_known(table, RESIDENT, ranks->ranks[i].rss);
        put_known(table, UNEXPLAINED, ranks->ranks[i].unexplained);
        put_parts(ranks, &ranks->ranks[i], most, table);
    }
    lg__table_set_count(table, ranks->count);
}

const lg__rank_table lg__rank_sizes = {
    .noun = "rank",
    .columns = rank_columns,
    .column_count = sizeof rank_columns / sizeof *rank_columns,
    .fill = fill_sizes,
};

// Makes a table on the devices of the ranks.
static lg_table *
new_table(const lg_ranks *ranks, lg__layout layout, const lg__column *of,
          size_t count)
{
    return lg__table_new_on(ranks->device_names, ranks->devices + 1, layout, of,
                            count);
}

// Adds a column for each rank if they are few.
static lg_table *
new_differences(const lg_ranks *ranks)
{
    lg__column all[COLUMNS + SIDE_BY_SIDE];
    lg_text names[SIDE_BY_SIDE] = {{0}};
    uint32_t more = side_by_side(ranks);
    bool named = true;
    memcpy(all, columns, sizeof columns);
    for (uint32_t i = 0; i < more; i++) {
        add_heading(ranks, i, &names[i]);
        named = named && !names[i].failed;
        all[COLUMNS + i] = (lg__column){.name = names[i].data,
                                        .type = LG_COLUMN_BYTES,
                                        .faces = LG__IN_HTML};
    }
    lg_table *table = named ? new_table(ranks, (lg__layout){.noun = "place"},
                                        all, COLUMNS + more)
                            : NULL;
    for (uint32_t i = 0; i < more; i++)
        lg_text_free(&names[i]);
    return table;
}

lg_table *
lg__rank_differences(const lg_ranks *ranks, size_t limit)
{
    lg_table *table = new_differences(ranks);
    for (size_t i = 0; i < ranks->row_count && (!limit || i < limit); i++)
        put_row(ranks, &ranks->rows[i], table);
    lg__table_set_count(table, ranks->row_count);
    return table;
}

lg_status
lg_tabulate_rank_differences(const lg_ranks *ranks, size_t limit,
                             lg_table **out, lg_error *err)
{
    return lg__table_finish(lg__rank_differences(ranks, limit), out, err);
}

// Makes the whole table.
static lg_status
tabulate(const lg__rank_table *form, const lg_ranks *ranks, size_t limit,
         lg_table **out, lg_error *err)
{
    lg_table *table = new_table(ranks, (lg__layout){.noun = form->noun},
                                form->columns, form->column_count);
    form->fill(ranks, limit, table);
    return lg__table_finish(table, out, err);
}

lg_status
lg_tabulate_rank_repeats(const lg_ranks *ranks, size_t limit, lg_table **out,
                         lg_error *err)
{
    return tabulate(&lg__rank_repeats, ranks, limit, out, err);
}

lg_status
lg_tabulate_rank_sizes(const lg_ranks *ranks, size_t limit, lg_table **out,
                       lg_error *err)
{
    return tabulate(&lg__rank_sizes, ranks, limit, out, err);
}
