// Writes how the processes of one job differ, what they all repeat, and what
// each has: three tables, and a report with sentences around them.
#include "report/report_growth_facts.h"

#include <leakgraph/internal/ranks.h>

#include <inttypes.h>
#include <string.h>

// How a table that stands alone, or is a part of another, is made.
typedef struct rank_table {
    const char *noun; // what a row is
    const lg_field *fields;
    // Adds up to `limit` rows (0: all) to the table, which may be NULL.
    void (*fill)(const lg_ranks *ranks, size_t limit, lg_table *table);
} rank_table;

// Of at most as many ranks, HTML has a column of numbers for each beside the
// bars.
enum { SIDE_BY_SIDE = LG_MORE_COLUMNS };

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

#define ROW(member) .offset = offsetof(lg_rank_row, member)

static const lg_field rank_fields[COLUMNS + 1] = {
    [APART] = {"apart", NULL, "bytes of that rank, less the usual",
               LG_COLUMN_NUMBER, .together = true,
               .look = {.least = 10, .delta = LG__BYTES_MORE}},
    [RANK] = {"rank", NULL,
              "the rank that differs the most: its number as text",
              LG_COLUMN_TEXT, .together = true, .look = {.in = LG_IN_DATA}},
    [SHOWN_RANK] = {NULL, "on rank", NULL, LG_COLUMN_TEXT, .together = true,
                    .look = {.gap = 2}},
    [USUAL] = {"usual", "usually", "the median of the ranks' bytes",
               LG_COLUMN_BYTES, ROW(usual), .look = {.gap = 2}},
    [OTHERS] = {"others", NULL, "how many more ranks differ there",
                LG_COLUMN_COUNT, .together = true, .look = {.in = LG_IN_DATA}},
    [COUNTS] = {"counts", NULL, "how many objects each rank has there",
                LG_COLUMN_NUMBERS, .together = true,
                .look = {.in = LG_IN_DATA}},
    [BYTES] = {"bytes", NULL, "what each rank has there", LG_COLUMN_LIST,
               .together = true, .inner = lg__sizes_of_list,
               .look = {.in = LG_IN_DATA}},
    [SHOWN_BYTES] = {NULL, "by rank", NULL, LG_COLUMN_LIST, .together = true,
                     .look = {.in = LG_IN_HTML, .chart = LG__BARS}},
    [TYPE] = {"type", NULL, "of the objects there", LG_COLUMN_TEXT, ROW(type),
              .look = {.in = LG_IN_DATA}},
    [SHOWN_TYPE] = {NULL, "what", NULL, LG_COLUMN_TEXT, .together = true,
                    .look = {.gap = 2}},
    [HOLDER] = {"held_by", "where", "where ranks differ: `__main__.cache`",
                LG_COLUMN_PATH, .together = true, .look = {.gap = 2}},
    [PLACE] = {"place", NULL,
               "the same in every process that runs the program: 16 "
               "hexadecimal digits",
               LG_COLUMN_TEXT, .together = true, .look = {.in = LG_IN_DATA}},
};

static const char unexplained_malloc[] = "unexplained malloc";

static void
format_rank(const lg_ranks *ranks, uint32_t rank, lg_text *out)
{
    lg_string name = ranks->ranks[rank].name;
    lg_text_add_bytes(out, name.data, name.length);
}

static void
put_series(const lg_ranks *ranks, const lg_rank_row *row, lg_table *table)
{
    const lg_ask ask = {0};
    lg_table *list =
        lg__put_empty_list(&ask, ranks, &rank_fields[BYTES], table, BYTES);
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
    format_rank(ranks, rank, out);
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
    format_rank(ranks, row->outlier, &rank);
    format_rank(ranks, row->outlier, &shown);
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
put_rank_row(const lg_ask *ask, const void *answer, const void *of,
             lg_table *table)
{
    const lg_ranks *ranks = answer;
    const lg_rank_row *row = of;
    (void)ask;
    lg__put_number(table, APART, row->apart);
    put_names(ranks, row, table);
    lg__put_count(table, OTHERS, row->others);
    put_series(ranks, row, table);
    put_bars(ranks, row, table);
    put_each_rank(ranks, row, table);
    lg__put_string(table, SHOWN_TYPE, lg__last_part(row->type));
    put_holder(ranks, row->place, table, HOLDER);
}

static const lg_field repeat_fields[] = {
    {"each", NULL, "the least that a rank has there", LG_COLUMN_SIZE,
     .together = true, .look = {.least = 10}},
    {"together", NULL, "`each`, times the number of ranks", LG_COLUMN_SIZE,
     .together = true, .look = {.gap = 2}},
    {"type", "what", "the type, without its module", LG_COLUMN_TEXT,
     .together = true, .look = {.gap = 2}},
    {"held_by", "where", "where every rank has it", LG_COLUMN_PATH,
     .together = true, .look = {.gap = 2}},
    {0},
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

static const rank_table repeats = {
    .noun = "place",
    .fields = repeat_fields,
    .fill = fill_repeats,
};

enum { NAME, OBJECTS, RESIDENT, UNEXPLAINED, PARTS };

static const lg_field size_fields[PARTS + 2] = {
    [NAME] = {"name", "rank", "its number in the job, as text", LG_COLUMN_TEXT,
              .together = true, .look = {.least = 10, .right = true}},
    [OBJECTS] = {"objects", NULL, "bytes of all its objects", LG_COLUMN_SIZE,
                 .together = true, .look = {.gap = 2}},
    [RESIDENT] = {"rss", "resident", "its resident set in bytes, or None",
                  LG_COLUMN_BYTES, .together = true, .optional = true,
                  .look = {.gap = 2}},
    [UNEXPLAINED] = {"unexplained", unexplained_malloc,
                     "bytes in use of malloc that no object explains, or None",
                     LG_COLUMN_BYTES, .together = true, .optional = true,
                     .look = {.gap = 2}},
    [PARTS] = {NULL, "objects, and unexplained malloc", NULL, LG_COLUMN_LIST,
               .together = true,
               .look = {.in = LG_IN_HTML, .chart = LG__PARTS}},
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
        format_rank(ranks, i, &name);
        lg__table_row(table);
        lg__put_formatted(table, NAME, &name);
        lg__put_each(table, OBJECTS, ranks->ranks[i].bytes);
        put_known(table, RESIDENT, ranks->ranks[i].rss);
        put_known(table, UNEXPLAINED, ranks->ranks[i].unexplained);
        put_parts(ranks, &ranks->ranks[i], most, table);
    }
    lg__table_set_count(table, ranks->count);
}

static const rank_table sizes = {
    .noun = "rank",
    .fields = size_fields,
    .fill = fill_sizes,
};

static size_t
rank_headings(const void *answer, lg_text *names)
{
    const lg_ranks *ranks = answer;
    for (uint32_t i = 0; i < side_by_side(ranks); i++)
        add_heading(ranks, i, &names[i]);
    return side_by_side(ranks);
}

// Makes the whole table, on the devices of the ranks.
static lg_status
tabulate(const rank_table *form, const lg_ranks *ranks, size_t limit,
         lg_table **out, lg_error *err)
{
    lg__column columns[LG__MOST_FIELDS];
    const lg_ask ask = {0};
    size_t count = lg__list_columns(&ask, ranks, form->fields, columns);
    lg_table *table =
        lg__table_new_on(ranks->device_names, ranks->devices + 1,
                         (lg__layout){.noun = form->noun}, columns, count);
    form->fill(ranks, limit, table);
    return lg__table_finish(table, out, err);
}

lg_status
lg_tabulate_rank_repeats(const lg_ranks *ranks, size_t limit, lg_table **out,
                         lg_error *err)
{
    return tabulate(&repeats, ranks, limit, out, err);
}

lg_status
lg_tabulate_rank_sizes(const lg_ranks *ranks, size_t limit, lg_table **out,
                       lg_error *err)
{
    return tabulate(&sizes, ranks, limit, out, err);
}

// Rows of the tables below the first one.
enum { REPEATED_SHOWN = 10, RANKS_SHOWN = 16 };

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
    format_rank(ranks, least, out);
    lg_text_add(out, ") to ");
    lg_text_add_size(out, lg_rank_bytes(ranks, most));
    lg_text_add(out, " (rank ");
    format_rank(ranks, most, out);
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
    format_rank(ranks, ranks->native_outlier, out);
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

// Adds a table below the others, under a heading. Takes the heading over.
static lg_table *
add_part(const rank_table *form, const lg_ranks *ranks, size_t limit,
         lg_text *heading, lg_table *table)
{
    lg__column columns[LG__MOST_FIELDS];
    const lg_ask ask = {0};
    lg__layout layout = {.shown_in = LG__SHOWN, .noun = form->noun};
    size_t count = lg__list_columns(&ask, ranks, form->fields, columns);
    lg_table *part = lg__table_part(table, layout, columns, count);
    lg__table_format_above(part, heading);
    form->fill(ranks, limit, part);
    return part;
}

static void
write_above(const lg_ask *ask, const void *ranks, lg_text *out)
{
    (void)ask;
    format_ranks(ranks, out);
}

static void
add_below(const lg_ask *ask, const void *ranks, lg_table *table)
{
    lg_text said = {0};
    (void)ask;
    format_native(ranks, &said);
    lg__table_format_below(table, &said);
    lg_text_add(&said, "\nWhat every rank has:\n");
    lg_table *part = add_part(&repeats, ranks, REPEATED_SHOWN, &said, table);
    format_libraries(ranks, &said);
    lg__table_format_below(part, &said);
    lg_text_add(&said, "\n");
    add_part(&sizes, ranks, RANKS_SHOWN, &said, table);
}

static void
put_list(const rank_table *form, const lg_ask *ask, const lg_ranks *ranks,
         lg_table *facts, size_t column)
{
    const lg_field list = {.inner = form->fields};
    form->fill(ranks, 0, lg__put_empty_list(ask, ranks, &list, facts, column));
}

enum { MIN_BYTES, LIBRARIES, REPEATED, RANKS, FACTS };

static void
put_facts(const lg_ask *ask, const void *ranks, lg_table *facts)
{
    put_list(&repeats, ask, ranks, facts, REPEATED);
    put_list(&sizes, ask, ranks, facts, RANKS);
}

#define FACT(member) .offset = offsetof(lg_ranks, member)

static const lg_field facts[FACTS + 1] = {
    [MIN_BYTES] = {"min_bytes", NULL, "smaller differences have no row",
                   LG_COLUMN_COUNT, FACT(min_bytes)},
    [LIBRARIES] = {"libraries", NULL,
                   "what libraries and the interpreter have in every process",
                   LG_COLUMN_SIZE, FACT(libraries)},
    [REPEATED] = {"repeated", NULL,
                  "what every process has, the most bytes first",
                  LG_COLUMN_LIST, .together = true, .inner = repeat_fields,
                  .row = "RankRepeat", .look = {.lines = true}},
    [RANKS] = {"ranks", NULL, "the processes", LG_COLUMN_LIST, .together = true,
               .inner = size_fields, .row = "Rank", .look = {.lines = true}},
};

static lg_status
ask_ranks(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_ranks_find(ask->compared->summaries, ask->compared->count,
                         ask->options, answer, err);
}

static void
free_ranks(void *answer)
{
    lg_ranks_free(answer);
}

static const lg_ranks_options usual = LG_RANKS_OPTIONS_INIT;

static const lg_option options[] = {
    {"min_bytes", LG_OPTION_BYTES, NULL, "1MiB",
     "leave out smaller differences", offsetof(lg_ranks_options, min_bytes)},
    {0},
};

#define OF_RANKS                                                               \
    .options_size = sizeof usual, .usual = &usual,                             \
    .answer_size = sizeof(lg_ranks), .ask = ask_ranks, .free = free_ranks,     \
    .row_size = sizeof(lg_rank_row), .rows = offsetof(lg_ranks, rows),         \
    .count = offsetof(lg_ranks, row_count),                                    \
    .devices = offsetof(lg_ranks, devices),                                    \
    .device_names = offsetof(lg_ranks, device_names), .noun = "place",         \
    .more = rank_headings, .row = put_rank_row

static const lg_answering in_c = {OF_RANKS, .facts = put_facts,
                                  .above = write_above, .below = add_below};

const lg_question lg__ask_ranks = {
    .name = "ranks",
    .title = "Where the ranks differ",
    .help = "find how the processes of one job differ",
    .about = "Compares the processes of one job at the same point of their "
             "work, and says what they all repeat.",
    .order = "the furthest from the usual first",
    .result = "Ranks",
    .row = "RankRow",
    .needs = LG_NEEDS_SEVERAL,
    .options = options,
    .fields = rank_fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_tabulate_rank_differences(const lg_ranks *ranks, size_t limit,
                             lg_table **out, lg_error *err)
{
    static const lg_answering rows_alone = {OF_RANKS};
    static const lg_field none[] = {{0}};
    static const lg_question differences = {
        .fields = rank_fields, .facts = none, .in_c = &rows_alone};
    const lg_ask ask = {.limit = limit};
    return lg_question_tabulate(&differences, &ask, ranks, out, err);
}

lg_status
lg_report_ranks(const lg_ranks *ranks, size_t limit, lg_format format,
                lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.limit = limit};
    lg_status status =
        lg_question_tabulate(&lg__ask_ranks, &ask, ranks, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
