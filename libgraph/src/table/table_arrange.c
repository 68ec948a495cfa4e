// Filters and sorts the rows of a table, whatever its columns mean, and makes a
// table of some rows, which borrows everything else.
#include "table/table_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// What a row is sorted by.
typedef struct sort_key {
    size_t row;
    bool down;
    bool empty;
    double number;
    const char *text; // NULL: sorted by the number
} sort_key;

typedef struct arranging {
    const lg_table *table;
    const lg_arrangement *options;
    size_t *rows;
    size_t count;
    lg_text cell;
    lg_text texts;
} arranging;

// Returns whether the cells that people see have all words.
static bool
has_words(arranging *to, size_t row)
{
    const char *word = to->options->filter;
    to->cell.length = 0;
    for (size_t i = 0; i < to->table->column_count; i++)
        if (lg_table_column_on_page(to->table, i)) {
            lg__cell_format(to->table, row, i, &to->cell);
            lg_text_add(&to->cell, " ");
        }
    const lg_string text = {to->cell.data ? to->cell.data : "",
                            (uint32_t)to->cell.length};
    while (*(word += strspn(word, " \t")) != '\0') {
        size_t length = strcspn(word, " \t");
        if (lg__string_find_any_case(text, word, length, 0) == SIZE_MAX)
            return false;
        word += length;
    }
    return true;
}

static void
filter(arranging *to)
{
    size_t rows = lg_table_row_count(to->table);
    for (size_t i = 0; i < rows; i++)
        if (to->options->filter == NULL || has_words(to, i))
            to->rows[to->count++] = i;
}

static bool
is_number(lg_column_type type)
{
    switch (type) {
    case LG_COLUMN_COUNT:
    case LG_COLUMN_NUMBER:
    case LG_COLUMN_BYTES:
    case LG_COLUMN_SIZE:
    case LG_COLUMN_SHARE:
    case LG_COLUMN_BOOL:
    case LG_COLUMN_REAL:
        return true;
    default:
        return false;
    }
}

static double
number_of(lg_column_type type, const lg_cell *cell)
{
    if (type == LG_COLUMN_NUMBER)
        return (double)cell->number;
    if (type == LG_COLUMN_SHARE)
        return cell->share;
    return type == LG_COLUMN_REAL ? cell->real : (double)cell->count;
}

static int
compare_values(const sort_key *one, const sort_key *other)
{
    if (one->text != NULL)
        return strcasecmp(one->text, other->text);
    return one->number < other->number ? -1 : one->number > other->number;
}

static int
compare(const void *a, const void *b)
{
    const sort_key *one = a;
    const sort_key *other = b;
    int order = compare_values(one, other);
    if (one->empty != other->empty)
        return one->empty ? 1 : -1;
    if (order != 0 && !one->empty)
        return one->down ? -order : order;
    return one->row < other->row ? -1 : one->row > other->row;
}

// Adds what people read, and a zero byte. Returns where it begins.
static size_t
add_text(arranging *to, size_t row, size_t column)
{
    size_t start = to->texts.length;
    lg__cell_format(to->table, row, column, &to->texts);
    lg_text_add_bytes(&to->texts, "", 1);
    return start;
}

// Sorts by keys that are made once, so that no comparison formats a cell:
// numbers by value, all else as people read it. Empty cells come last in either
// direction, and rows that are equal keep their order.
static bool
sort(arranging *to)
{
    size_t column = to->options->column;
    lg_column_type type = to->table->columns[column].type;
    sort_key *keys = lg__calloc(to->count + 1, sizeof *keys);
    size_t *starts = lg__calloc(to->count + 1, sizeof *starts);
    bool fine = keys != NULL && starts != NULL;
    for (size_t i = 0; i < to->count && fine; i++) {
        lg_cell cell = lg_table_cell(to->table, to->rows[i], column);
        keys[i] = (sort_key){.row = to->rows[i],
                             .down = to->options->descending,
                             .empty = !cell.present,
                             .number = number_of(type, &cell)};
        starts[i] = is_number(type) ? 0 : add_text(to, to->rows[i], column);
    }
    fine = fine && !to->texts.failed;
    for (size_t i = 0; i < to->count && fine && !is_number(type); i++)
        keys[i].text = to->texts.data + starts[i];
    if (fine && to->count > 0)
        lg__sort(keys, to->count, sizeof *keys, compare);
    for (size_t i = 0; i < to->count && fine; i++)
        to->rows[i] = keys[i].row;
    lg__free(keys);
    lg__free(starts);
    return fine;
}

static bool
is_tree(const lg_table *table)
{
    for (size_t i = 0; i < lg_table_row_count(table); i++)
        if (table->rows[i].depth > 0 || lg_table_is_heading(table, i))
            return true;
    return false;
}

bool
lg_table_column_on_page(const lg_table *table, size_t column)
{
    return lg__column_is_in(&table->columns[column], LG__IN_HTML);
}

bool
lg_table_rows_on_page(const lg_table *table)
{
    return lg__table_is_in(table, LG__IN_HTML);
}

lg_status
lg_table_arrange(const lg_table *table, const lg_arrangement *given,
                 lg_table **out, lg_error *err)
{
    lg_arrangement options = LG_ARRANGEMENT_INIT;
    lg_status status = lg_options_read(&options, given, "lg_arrangement", err);
    if (status != LG_OK)
        return status;
    if (options.column != SIZE_MAX && options.column >= table->column_count)
        return lg_error_set(err, LG_EINVAL, "the table has no column %zu",
                            options.column);
    arranging to = {.table = table, .options = &options};
    to.rows = lg__alloc((lg_table_row_count(table) + 1) * sizeof *to.rows);
    if (to.rows == NULL)
        return lg__error_memory(err);
    filter(&to);
    bool fine = options.column == SIZE_MAX || is_tree(table) || sort(&to);
    status = fine && !to.cell.failed
                 ? lg_table_select(table, to.rows, to.count, out, err)
                 : lg__error_memory(err);
    lg__free(to.rows);
    lg_text_free(&to.cell);
    lg_text_free(&to.texts);
    return status;
}

static bool
copy_rows(const lg_table *from, const size_t *rows, size_t count, lg_table *to)
{
    size_t columns = from->column_count;
    to->rows = lg__alloc((count + 1) * sizeof *to->rows);
    to->cells = lg__alloc((count * columns + 1) * sizeof *to->cells);
    if (to->rows == NULL || to->cells == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        to->rows[i] = from->rows[rows[i]];
        to->rows[i].hidden = false;
        memcpy(to->cells + i * columns, from->cells + rows[i] * columns,
               columns * sizeof *to->cells);
    }
    to->row_count = to->row_capacity = count;
    to->shown_of = 0;
    return true;
}

lg_status
lg_table_select(const lg_table *table, const size_t *rows, size_t count,
                lg_table **out, lg_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i] >= lg_table_row_count(table))
            return lg_error_set(err, LG_EINVAL, "the table has no row %zu",
                                rows[i]);
    lg_table *some = lg__alloc(sizeof *some);
    if (some == NULL)
        return lg__error_memory(err);
    *some = *table;
    some->borrows = true;
    some->rows = NULL;
    some->cells = NULL;
    some->first_part = NULL;
    some->text = (lg_text){0};
    some->layout.shown_in = 0;
    if (copy_rows(table, rows, count, some)) {
        *out = some;
        return LG_OK;
    }
    lg_table_free(some);
    return lg__error_memory(err);
}
